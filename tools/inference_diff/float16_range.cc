#include "tools/inference_diff/float16_range.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {
namespace {

constexpr float kLargestHalf = 65504.0f;

void Look(const TensorView& tensor, PastFloat16* found) {
  for (float value : tensor.AsFloats()) {
    const float magnitude = std::abs(value);
    if (!std::isfinite(value) || magnitude <= kLargestHalf) continue;
    found->largest = std::max(found->largest, magnitude);
    ++found->values;
  }
}

std::string TensorLine(const std::string& node, const std::string& op,
                       const std::string& shape, const std::string& largest,
                       const std::string& values, const std::string& tensor) {
  const bool wide = Columns() > 80;
  return absl::StrFormat("%4s %-*s %-*s %10s %10s  %s\n", node, wide ? 24 : 17,
                         Shorten(op, 17), wide ? 16 : 14, Shorten(shape, 14),
                         largest, values, Shorten(tensor, 19));
}

}  // namespace

absl::StatusOr<std::vector<PastFloat16>> FindPastFloat16(
    const Model& model, int num_threads, const PerLayerOptions& options) {
  auto layers = LayersOf(model.bytes());
  if (!layers.ok()) return layers.status();
  auto opened = Opened(model, *layers);
  if (!opened.ok()) return opened.status();
  BackendSpec cpu;
  cpu.num_threads = num_threads;
  auto backend = Backend::Create(**opened, cpu);
  if (!backend.ok()) return backend.status();
  Interpreter& interpreter = (*backend)->interpreter();
  std::vector<PastFloat16> all(layers->size());
  std::mt19937 random(options.seed);
  for (int run = 0; run < options.runs; ++run) {
    auto inputs =
        MakeInputs(interpreter, FloatInputs::kGaussian, random, options.files);
    if (!inputs.ok()) return inputs.status();
    if (auto s = RunAgain(interpreter, *inputs); !s.ok()) return s;
    for (size_t i = 0; i < all.size(); ++i) {
      const TensorView tensor = interpreter.output(static_cast<int>(i));
      if (tensor.type() != kTfLiteFloat32) continue;
      all[i].Describe((*layers)[i], tensor);
      Look(tensor, &all[i]);
    }
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const PastFloat16& t) { return t.values == 0; }),
            all.end());
  return all;
}

std::string Float32Nodes(const std::vector<PastFloat16>& tensors) {
  std::set<int> nodes;
  for (const PastFloat16& tensor : tensors) nodes.insert(tensor.layer.node);
  std::vector<std::string> ranges;
  for (auto it = nodes.begin(); it != nodes.end();) {
    const int first = *it;
    int last = first;
    while (++it != nodes.end() && *it == last + 1) ++last;
    ranges.push_back(first == last ? absl::StrCat(first)
                                   : absl::StrCat(first, "-", last));
  }
  return absl::StrJoin(ranges, ",");
}

void PrintPastFloat16(const std::vector<PastFloat16>& tensors, int runs) {
  if (tensors.empty()) {
    std::printf("16-bit range: no tensor is past %g in %d runs\n",
                static_cast<double>(kLargestHalf), runs);
    return;
  }
  const std::string head = absl::StrFormat(
      "16-bit range: %d tensors are past %g, and become infinite with "
      "is_precision_loss_allowed:",
      tensors.size(), kLargestHalf);
  std::printf(
      "%s\n%s", Wrap(head, 2).c_str(),
      TensorLine("node", "op", "shape", "largest", "values", "tensor").c_str());
  for (const PastFloat16& t : tensors) {
    std::printf("%s", TensorLine(absl::StrCat(t.layer.node), t.layer.op,
                                 absl::StrJoin(t.dims, "x"),
                                 absl::StrFormat("%.3g", t.largest),
                                 absl::StrCat(t.values), t.tensor)
                          .c_str());
  }
  std::printf("The option float32_nodes=%s keeps them in 32 bits.\n",
              Float32Nodes(tensors).c_str());
}

}  // namespace gles_delegate
