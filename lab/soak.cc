// Runs models with the GL delegate for a long time, and says what the process
// holds:
//
//   soak --invokes=100000 --lives=2000 MODEL.tflite...
//
// First soak makes an interpreter of each model and invokes them alternately
// until each has had --invokes invokes. Then it makes an interpreter of each
// model
// --lives times, invokes it once and deletes it. A line of comma-separated
// values is printed for each tenth of the way. Exit status 1: an invoke failed,
// or its outputs differ in a bit from those of the model's first invoke.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "base/status_macros.h"
#include "tools/common/progress.h"
#include "tools/runner/backend.h"
#include "tools/runner/command_line.h"
#include "tools/runner/gles_options.h"
#include "tools/runner/inputs.h"

ABSL_FLAG(int, invokes, 1000, "of each model's interpreter");
ABSL_FLAG(int, lives, 20, "interpreters and delegates of each model");

namespace gles_delegate {
namespace {

size_t EntriesOf(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

int64_t ResidentKb() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

void PrintHeader() {
  std::printf("stage,count,resident_kb,heap_kb,threads,files\n");
}
void PrintLine(const char* stage, int count) {
  std::printf("%s,%d,%" PRId64 ",%zu,%zu,%zu\n", stage, count, ResidentKb(),
              mallinfo2().uordblks / 1024, EntriesOf("/proc/self/task"),
              EntriesOf("/proc/self/fd"));
  std::fflush(stdout);
}
// Whether a line is due after `done` of `all`.
bool IsTenth(int done, int all) {
  return done == all || done % std::max(1, all / 10) == 0;
}

// One model with its own delegate.
class Subject {
 public:
  static absl::StatusOr<std::unique_ptr<Subject>> Make(const Model& model) {
    BackendSpec spec;
    spec.kind = BackendSpec::Kind::kGles;
    ASSIGN_OR_RETURN(spec.options, GlesOptionsFromFlag());
    ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec));
    std::unique_ptr<Subject> subject(new Subject);
    subject->backend_ = std::move(backend);
    return subject;
  }

  // Fails where the outputs differ from `expected`. An empty `expected` is
  // filled in.
  absl::Status InvokeOnce(std::vector<std::string>* expected) {
    Interpreter& interpreter = backend_->interpreter();
    std::mt19937 random(1);
    ASSIGN_OR_RETURN(auto inputs,
                     MakeInputs(interpreter, FloatInputs::kUniform, random));
    RETURN_IF_ERROR(WriteInputs(interpreter, inputs));
    RETURN_IF_ERROR(interpreter.Invoke());
    std::vector<std::string> outputs;
    for (int i = 0; i < interpreter.outputs(); ++i) {
      const absl::Span<uint8_t> bytes = interpreter.output(i).bytes();
      outputs.emplace_back(bytes.begin(), bytes.end());
    }
    if (expected->empty()) *expected = outputs;
    return outputs == *expected
               ? absl::OkStatus()
               : absl::DataLossError("outputs differ from the first invoke's");
  }

 private:
  std::unique_ptr<Backend> backend_;
};

absl::Status Soak(const std::vector<std::unique_ptr<Model>>& models) {
  std::vector<std::vector<std::string>> expected(models.size());
  PrintHeader();
  {
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const auto& model : models) {
      ASSIGN_OR_RETURN(auto subject, Subject::Make(*model));
      subjects.push_back(std::move(subject));
    }
    const int invokes = absl::GetFlag(FLAGS_invokes);
    Progress progress("invokes", invokes);
    for (int done = 1; done <= invokes; ++done) {
      progress.Show(done - 1, "");
      for (size_t i = 0; i < subjects.size(); ++i) {
        RETURN_IF_ERROR(subjects[i]->InvokeOnce(&expected[i]));
      }
      if (!IsTenth(done, invokes)) continue;
      progress.Clear();
      PrintLine("invokes", done);
    }
  }
  const int lives = absl::GetFlag(FLAGS_lives);
  Progress progress("lives", lives);
  for (int done = 1; done <= lives; ++done) {
    progress.Show(done - 1, "");
    for (size_t i = 0; i < models.size(); ++i) {
      ASSIGN_OR_RETURN(auto subject, Subject::Make(*models[i]));
      RETURN_IF_ERROR(subject->InvokeOnce(&expected[i]));
    }
    if (!IsTenth(done, lives)) continue;
    progress.Clear();
    PrintLine("lives", done);
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const std::vector<char*> paths = ParseCommandLine(
      argc, argv,
      "Makes, runs and deletes interpreters with the delegate for a long time, "
      "and prints the memory that is in use.\n\n"
      "  soak [--flags] MODEL.tflite...");
  std::vector<std::unique_ptr<Model>> models;
  for (const char* path : paths) {
    auto model = Model::FromFile(path);
    if (!model.ok()) {
      std::fprintf(stderr, "%s\n", model.status().ToString().c_str());
      return 1;
    }
    models.push_back(*std::move(model));
  }
  if (models.empty()) {
    std::fprintf(stderr, "soak needs a model\n");
    return 1;
  }
  const absl::Status status = Soak(models);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
