// One model on many threads, an interpreter on each:
//
//   threads MODEL.tflite [THREADS [INFERENCES]]
//
// With the same `share_key`, the delegates share compiled programs and weights:
// later ones start faster and take less memory. Prints whether all threads
// computed the same, and how fast.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "interpreter.h"

// The first output's bytes after `inferences` inferences; empty after an error.
static std::vector<char> Work(const TfLiteModel* model, int inferences) try {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.share_key = "threads";
  Interpreter interpreter(model, options);
  TfLiteTensor* input = interpreter.input(0);
  std::memset(TfLiteTensorData(input), 60, TfLiteTensorByteSize(input));
  for (int i = 0; i < inferences; ++i) interpreter.Invoke();
  const TfLiteTensor* output = interpreter.output(0);
  const char* data = static_cast<const char*>(TfLiteTensorData(output));
  return std::vector<char>(data, data + TfLiteTensorByteSize(output));
} catch (const std::exception& error) {
  std::fprintf(stderr, "threads: %s\n", error.what());
  return {};
}

int main(int argc, char** argv) {
  const bool help = argc == 2 && std::string(argv[1]) == "--help";
  const int count = argc > 2 ? std::atoi(argv[2]) : 4;
  const int inferences = argc > 3 ? std::atoi(argv[3]) : 20;
  if (help || argc < 2 || count < 1 || inferences < 1) {
    std::fprintf(help ? stdout : stderr,
                 "usage: threads MODEL.tflite [THREADS [INFERENCES]]\n");
    return help ? 0 : 2;
  }
  Model model;
  try {
    model = LoadModel(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "threads: %s\n", error.what());
    return 1;
  }
  std::vector<std::vector<char>> outputs(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  for (std::vector<char>& output : outputs) {
    threads.emplace_back([&] { output = Work(model.get(), inferences); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  const bool same =
      !outputs[0].empty() &&
      std::all_of(outputs.begin(), outputs.end(),
                  [&](const std::vector<char>& o) { return o == outputs[0]; });
  std::printf(
      "%d threads, %.1f inferences a second with their starts, outputs %s\n",
      count, count * inferences / seconds.count(), same ? "equal" : "DIFFER");
  return same ? 0 : 1;
}
