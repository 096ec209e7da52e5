#include "delegate/ops/conv/literal_weights.h"

#include <algorithm>
#include <cmath>

#include "delegate/graph/constant_values.h"

namespace gles_delegate {
namespace {

// Minimum pixels for which compiling such a long shader pays.
constexpr int kMinPixels = 2048;
// Maximum per partition, to bound the start-up time of models with many small
// layers. (No known model exceeds seven.)
constexpr int kMaxLiterals = 24;

// A constant that can be written as literals.
bool IsFinite(TensorId id, const Planner& planner) {
  if (id == kNoTensor) return true;
  const auto values = ConstantFloats(planner.tensor(id));
  return values.ok() && std::all_of(values->begin(), values->end(),
                                    [](float v) { return std::isfinite(v); });
}

}  // namespace

int BlocksOf(const Convolution& conv) {
  return conv.term_texels() * conv.dst_shape.slices();
}

bool PaysAsLiterals(const Convolution& conv, const Planner& planner) {
  return BlocksOf(conv) <= planner.profile().choices.unrolled_terms &&
         conv.pixels() >= kMinPixels &&
         planner.literal_dispatches() < kMaxLiterals && conv.constant_weights &&
         IsFinite(conv.weights.weights, planner) &&
         IsFinite(conv.weights.bias, planner);
}

}  // namespace gles_delegate
