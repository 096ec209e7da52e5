#include "benches/model_bench/cold_start_bench.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benches/model_bench/samples.h"
#include "tools/runner/backend.h"

namespace gles_delegate {
namespace {

namespace fs = std::filesystem;

// The child's orders: the model, and the folder of the start-up cache ("": no
// cache).
constexpr char kModelVariable[] = "GLES_BENCH_COLD_START_MODEL";
constexpr char kCacheVariable[] = "GLES_BENCH_COLD_START_CACHE";

struct Start {
  double init_ms = 0;
  double first_ms = 0;
  double sum() const { return init_ms + first_ms; }
};

std::string Value(const char* variable) {
  const char* text = getenv(variable);
  return text == nullptr ? "" : text;
}

absl::StatusOr<Start> StartHere() {
  ASSIGN_OR_RETURN(auto model, Model::FromFile(Value(kModelVariable)));
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kGles;
  if (const std::string cache = Value(kCacheVariable); !cache.empty()) {
    spec.options = {{"serialization_dir", cache}, {"model_token", "model"}};
  }
  ASSIGN_OR_RETURN(auto backend, Backend::Create(*model, spec));
  Interpreter& interpreter = backend->interpreter();
  RETURN_IF_ERROR(WriteRandomInputs(interpreter));
  const double start = NowMs();
  RETURN_IF_ERROR(interpreter.Invoke());
  return Start{backend->init_ms(), NowMs() - start};
}

// This process's environment with `added`, the last of a name counting.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const auto& [name, value] : added) {
      replaced |= absl::StartsWith(*entry, absl::StrCat(name, "="));
    }
    if (!replaced) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : added) {
    result.push_back(absl::StrCat(name, "=", value));
  }
  return result;
}

std::vector<std::string> ChildEnvironment(const std::string& model,
                                          const std::string& cache) {
  std::vector<std::pair<std::string, std::string>> added = {
      {kModelVariable, model}, {kCacheVariable, cache}};
  if (FromEnvironment("GLES_BENCH_DRIVER_CACHE", 0) == 0) {
    added.emplace_back("__GL_SHADER_DISK_CACHE", "0");  // NVIDIA's
    added.emplace_back("MESA_SHADER_CACHE_DISABLE", "true");
    added.emplace_back("MESA_GLSL_CACHE_DISABLE", "true");
  }
  return EnvironmentWith(added);
}

// The output of a process of this program with that environment.
absl::StatusOr<std::string> RunSelf(std::vector<std::string> environment) {
  std::vector<char*> variables;
  variables.reserve(environment.size() + 1);
  for (std::string& entry : environment) variables.push_back(entry.data());
  variables.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) return absl::UnavailableError("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  char name[] = "model_bench";
  char* const arguments[] = {name, nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                 arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char part[4096];
  for (ssize_t n; failed == 0 && (n = read(ends[0], part, sizeof(part))) > 0;) {
    output.append(part, n);
  }
  close(ends[0]);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || status != 0) {
    return absl::UnavailableError("a fresh process failed; see stderr");
  }
  return output;
}

absl::StatusOr<Start> StartElsewhere(const std::string& model,
                                     const std::string& cache) {
  ASSIGN_OR_RETURN(auto output, RunSelf(ChildEnvironment(model, cache)));
  Start start;
  // The last line: drivers print too.
  const size_t line = output.rfind("cold_start ");
  if (line == std::string::npos ||
      std::sscanf(output.c_str() + line, "cold_start %lf %lf", &start.init_ms,
                  &start.first_ms) != 2) {
    return absl::InternalError(absl::StrCat("a fresh process said ", output));
  }
  return start;
}

// Sums and inits of several starts.
struct Starts {
  std::vector<double> sums;
  std::vector<double> inits;
};

// `prepare` is called before each.
absl::StatusOr<Starts> Several(const std::string& model,
                               const std::string& cache,
                               absl::FunctionRef<void()> prepare) {
  const int fewest = BenchContext()->device().software ? 1 : 3;
  const int count = FromEnvironment("GLES_BENCH_STARTS", fewest);
  Starts starts;
  for (int i = 0; i < count; ++i) {
    prepare();
    ASSIGN_OR_RETURN(auto start, StartElsewhere(model, cache));
    starts.sums.push_back(start.sum());
    starts.inits.push_back(start.init_ms);
  }
  return starts;
}

absl::Status MeasureWithCache(const std::string& path, const fs::path& folder,
                              benchmark::State* state) {
  const fs::path cache = folder / "cache";
  const auto empty = [&] {
    fs::remove_all(cache);
    fs::create_directory(cache);
  };
  ASSIGN_OR_RETURN(const auto none, Several(path, "", [] {}));
  ASSIGN_OR_RETURN(const auto write, Several(path, cache, empty));
  ASSIGN_OR_RETURN(const auto warm, Several(path, cache, [] {}));
  const double none_ms = Median(none.sums);
  for (auto _ : *state) state->SetIterationTime(none_ms * 1e-3);
  state->counters["none_ms"] = none_ms;
  state->counters["init_ms"] = Median(none.inits);
  state->counters["write_ms"] = Median(write.sums);
  state->counters["warm_ms"] = Median(warm.sums);
  state->counters["warm_init_ms"] = Median(warm.inits);
  return absl::OkStatus();
}

}  // namespace

absl::Status MeasureColdStart(const std::string& path,
                              benchmark::State* state) {
  std::string folder =
      (fs::temp_directory_path() / "model_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::UnavailableError("no folder for the start-up cache");
  }
  absl::Status status = MeasureWithCache(path, folder, state);
  fs::remove_all(folder);
  return status;
}

bool IsColdStart() { return getenv(kModelVariable) != nullptr; }

int RunColdStart() {
  const auto start = StartHere();
  if (!start.ok()) {
    std::fprintf(stderr, "%s\n", start.status().ToString().c_str());
    return 1;
  }
  std::printf("cold_start %f %f\n", start->init_ms, start->first_ms);
  return 0;
}

}  // namespace gles_delegate
