// Runs models with the GL delegate for a long time, and says what the process
// holds:
//
//   soak --invokes=100000 --lives=2000 MODEL.tflite...
//
// First soak makes an interpreter of each model and invokes them alternately
// until each has had --invokes invokes. Then it makes an interpreter of each
// model --lives times, invokes it once and deletes it. A line of
// comma-separated values is printed for each tenth of the way. Exit status 1:
// an invoke failed, or its outputs differ in a bit from those of the model's
// first invoke.
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
#include "absl/functional/function_ref.h"
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

// Calls `turn` that often, and prints a line for each tenth.
absl::Status Repeat(const char* stage, int times,
                    absl::FunctionRef<absl::Status()> turn) {
  Progress progress(stage, times);
  for (int done = 1; done <= times; ++done) {
    progress.Show(done - 1, "");
    RETURN_IF_ERROR(turn());
    if (done != times && done % std::max(1, times / 10) != 0) continue;
    progress.Clear();
    std::printf("%s,%d,%" PRId64 ",%zu,%zu,%zu\n", stage, done, ResidentKb(),
                mallinfo2().uordblks / 1024, EntriesOf("/proc/self/task"),
                EntriesOf("/proc/self/fd"));
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

// A model with its own delegate.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const Model& model) {
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kGles;
  ASSIGN_OR_RETURN(spec.options, GlesOptionsFromFlag());
  return Backend::Create(model, spec);
}

// Fails if the outputs differ from `expected`. An empty `expected` is filled
// in.
absl::Status InvokeOnce(Interpreter& interpreter,
                        std::vector<std::string>* expected) {
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

absl::Status Soak(const std::vector<std::unique_ptr<Model>>& models) {
  std::vector<std::vector<std::string>> expected(models.size());
  std::printf("stage,count,resident_kb,heap_kb,threads,files\n");
  std::vector<std::unique_ptr<Backend>> backends(models.size());
  // Makes those that are missing, and invokes each.
  const auto turn = [&](bool keep) -> absl::Status {
    for (size_t i = 0; i < models.size(); ++i) {
      if (backends[i] == nullptr) {
        ASSIGN_OR_RETURN(backends[i], MakeBackend(*models[i]));
      }
      RETURN_IF_ERROR(InvokeOnce(backends[i]->interpreter(), &expected[i]));
      if (!keep) backends[i].reset();
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(Repeat("invokes", absl::GetFlag(FLAGS_invokes),
                         [&] { return turn(/*keep=*/true); }));
  backends = std::vector<std::unique_ptr<Backend>>(models.size());
  return Repeat("lives", absl::GetFlag(FLAGS_lives),
                [&] { return turn(/*keep=*/false); });
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
