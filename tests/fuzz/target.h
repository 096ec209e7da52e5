// A fuzz target: a function of bytes that must not crash, with seeds to start
// from. libFuzzer runs each as a separate program (./dev fuzz), and
// tests/tflite/fuzz_replay_test.cc runs all of them on the seeds, on what was
// found once (corpus/) and on a fixed number of mutations.
#ifndef GLES_DELEGATE_TESTS_FUZZ_TARGET_H_
#define GLES_DELEGATE_TESTS_FUZZ_TARGET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::fuzz {

using Bytes = std::vector<uint8_t>;

struct Target {
  const char* name;  // the folder under corpus/, and ./dev fuzz NAME
  void (*run)(absl::Span<const uint8_t> bytes);
  // Made by the project's own programs, never read from files.
  std::vector<Bytes> (*seeds)();
  // Mutations of the replay: many where a run is short.
  int replays;
};

// 16 bytes that choose a device, options, and how the runtime differs from the
// file; then a .tflite file: reader, checks, passes, plan, memory plan, shader
// texts, all without GL.
const Target& ModelTarget();
// Options as text ("key=value" lines), as a struct of any size, node ranges.
const Target& OptionsTarget();
// A start-up cache file.
const Target& CacheTarget();
// Tuning texts.
const Target& TuningTarget();
// The tools' readers: image files, shapes and options of ops as text.
const Target& ToolsTarget();

std::vector<const Target*> AllTargets();

// The delegate's report of such bytes, applied, run, resized and run again on a
// driver that computes nothing. "": the runtime refuses the file.
std::string RunOnFakeDelegate(absl::Span<const uint8_t> bytes);

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_TARGET_H_
