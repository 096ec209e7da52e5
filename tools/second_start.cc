// The cost of a second interpreter of a model while a first one lives, with the
// delegate's option share_key and without that option:
//
//   second_start --rounds=3 MODEL.tflite...
//
// A line of comma-separated values for each model, round and way: processor
// time (of all threads) and time of each start, up to the end of the first
// Invoke, and what the start took of the GPU's memory. The ways take turns.
// Exit status 1: a start failed.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/command_line.h"
#include "tools/runner/gles_options.h"
#include "tools/runner/inputs.h"

ABSL_FLAG(int, rounds, 3, "of each model and way");

namespace gles_delegate {
namespace {

double Ms(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) +
         1e-6 * static_cast<double>(now.tv_nsec);
}

struct Start {
  double processor_ms = 0;
  double ms = 0;
  int64_t constants = 0;  // bytes on the GPU that the start brought there
  int64_t others = 0;
};

// kInvalidArgument: an option is bad; stderr says which.
absl::StatusOr<DelegatePtr> MakeDelegate(const std::string& share_key) {
  auto options = GlesOptionsFromFlag();
  if (!options.ok()) return options.status();
  if (!share_key.empty()) options->emplace_back("share_key", share_key);
  std::vector<char*> keys, values;
  for (auto& [key, value] : *options) {
    keys.push_back(key.data());
    values.push_back(value.data());
  }
  DelegatePtr delegate(
      tflite_plugin_create_delegate(
          keys.data(), values.data(), keys.size(),
          [](const char* error) { std::fprintf(stderr, "%s\n", error); }),
      tflite_plugin_destroy_delegate);
  if (delegate == nullptr) {
    return absl::InvalidArgumentError("the delegate was not made");
  }
  return delegate;
}

// An interpreter and its delegate, which other interpreters may use, too.
struct Started {
  std::shared_ptr<DelegatePtr> delegate;
  std::unique_ptr<Interpreter> interpreter;
};

// Starts an interpreter, up to the end of one Invoke, with its own delegate
// if `started->delegate` is nullptr.
absl::StatusOr<Start> StartOne(const Model& model, const std::string& share_key,
                               Started* started) {
  const double processor = Ms(CLOCK_PROCESS_CPUTIME_ID);
  const double begin = Ms(CLOCK_MONOTONIC);
  if (started->delegate == nullptr) {
    auto delegate = MakeDelegate(share_key);
    if (!delegate.ok()) return delegate.status();
    started->delegate = std::make_shared<DelegatePtr>(*std::move(delegate));
  }
  auto made = Interpreter::Create(model, {});
  if (!made.ok()) return made.status();
  started->interpreter = *std::move(made);
  Interpreter& interpreter = *started->interpreter;
  if (auto s = interpreter.ApplyDelegate(started->delegate->get()); !s.ok()) {
    return s;
  }
  if (auto s = interpreter.AllocateTensors(); !s.ok()) return s;
  std::mt19937 random(1);
  auto inputs = MakeInputs(interpreter, FloatInputs::kUniform, random);
  if (!inputs.ok()) return inputs.status();
  if (auto s = WriteInputs(interpreter, *inputs); !s.ok()) return s;
  if (auto s = interpreter.Invoke(); !s.ok()) return s;
  Start start;
  start.processor_ms = Ms(CLOCK_PROCESS_CPUTIME_ID) - processor;
  start.ms = Ms(CLOCK_MONOTONIC) - begin;
  auto report =
      nlohmann::json::parse(TfLiteGlesDelegateReport(started->delegate->get()));
  // The report of the interpreter that was started last.
  if (report.contains("interpreters")) report = report["interpreters"].back();
  const auto& bytes = report["gpu_bytes"];
  start.constants = bytes["constants"].get<int64_t>() -
                    bytes["shared_constants"].get<int64_t>();
  start.others =
      bytes["total"].get<int64_t>() - bytes["constants"].get<int64_t>();
  return start;
}

void Print(const std::string& model, int round, const char* way,
           const char* which, const Start& start) {
  std::printf("%s,%d,%s,%s,%.1f,%.1f,%lld,%lld\n", model.c_str(), round, way,
              which, start.processor_ms, start.ms,
              static_cast<long long>(start.constants),
              static_cast<long long>(start.others));
  std::fflush(stdout);
}

absl::Status Measure(const std::string& path) {
  auto model = Model::FromFile(path);
  if (!model.ok()) return model.status();
  const std::string name = path.substr(path.rfind('/') + 1);
  {
    // No way's time holds what a process does once: start the driver, check
    // the GPU, read the model's file. This start does that, and is not timed.
    Started started;
    const auto start = StartOne(**model, "", &started);
    if (!start.ok()) return start.status();
  }
  struct Way {
    const char* name;
    const char* share_key;
    bool is_one_delegate;
  };
  const std::vector<Way> ways = {{"alone", "", false},
                                 {"share_key", "k", false},
                                 {"one_delegate", "", true},
                                 {"one_delegate_share_key", "k", true}};
  const int rounds = absl::GetFlag(FLAGS_rounds);
  Progress progress("pairs of starts", int64_t{rounds} * ways.size());
  int64_t done = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const Way& way : ways) {
      progress.Show(done++, absl::StrCat(name, " ", way.name));
      Started first, second;
      const auto first_start = StartOne(**model, way.share_key, &first);
      if (!first_start.ok()) return first_start.status();
      progress.Clear();
      Print(name, round, way.name, "first", *first_start);
      if (way.is_one_delegate) second.delegate = first.delegate;
      const auto second_start = StartOne(**model, way.share_key, &second);
      if (!second_start.ok()) return second_start.status();
      Print(name, round, way.name, "second", *second_start);
    }
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const std::vector<char*> paths =
      ParseCommandLine(argc, argv,
                       "Times a second interpreter's start while a first one "
                       "of the model lives, "
                       "with share_key and without it, and prints CSV.\n\n"
                       "  second_start [--flags] MODEL.tflite...");
  std::printf(
      "model,round,way,which,processor_ms,ms,constant_bytes,other_bytes\n");
  for (const char* path : paths) {
    if (const absl::Status s = Measure(path); !s.ok()) {
      std::fprintf(stderr, "%s: %s\n", path, s.ToString().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
