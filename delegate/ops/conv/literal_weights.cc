#include "delegate/ops/conv/literal_weights.h"

#include <algorithm>
#include <cmath>

#include "delegate/ops/conv/conv_weights.h"

namespace gles_delegate {
namespace {

// Compiling so long a text pays for itself where it runs so often.
constexpr int kMinPixels = 2048;
// In one partition: what a model of very many small layers takes to start stays
// bounded. (Of the models measured, none has more than seven.)
constexpr int kMostLiterals = 24;

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
         planner.literal_dispatches() < kMostLiterals &&
         conv.constant_weights && IsFinite(conv.weights.weights, planner) &&
         IsFinite(conv.weights.bias, planner);
}

}  // namespace gles_delegate
