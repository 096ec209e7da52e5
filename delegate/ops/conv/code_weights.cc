#include "delegate/ops/conv/code_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_weights.h"

namespace gles_delegate {
namespace {

// Int8 without zero points, with one scale or one for each output.
bool HasPlainQuantized(const Tensor& weights) {
  const Quantization& q = weights.quantization;
  const bool one_an_output =
      q.dimension == 0 && !weights.dims.empty() &&
      static_cast<int>(q.scale.size()) == weights.dims[0];
  return weights.quantized == DataType::kInt8 &&
         (q.scale.size() == 1 || one_an_output) &&
         std::all_of(q.zero_point.begin(), q.zero_point.end(),
                     [](int64_t zero) { return zero == 0; });
}

// The values of a constant that CheckWeights has let through.
std::vector<float> ConstantValues(const Tensor& tensor) {
  auto values = ConstantFloats(tensor);
  return values.ok() ? *std::move(values)
                     : std::vector<float>(tensor.shape.elements());
}

PackedConstant ScalesAndBiases(const Tensor& weights, const Tensor* bias,
                               int outputs) {
  PackedConstant packed;
  packed.name = "scales";
  packed.width = 2;
  packed.height = (outputs + 3) / 4;
  packed.always_float32 = true;
  packed.cacheable = true;
  const Tensor none;
  packed.fill = [outputs, scales = weights.quantization.scale,
                 has_bias = bias != nullptr,
                 bias = bias == nullptr ? none : *bias](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    const std::vector<float> biases =
        has_bias ? ConstantValues(bias) : std::vector<float>(outputs);
    for (int o = 0; o < outputs; ++o) {
      out[o / 4 * 8 + o % 4] = scales[scales.size() == 1 ? 0 : o];
      out[o / 4 * 8 + 4 + o % 4] = biases[o];
    }
  };
  return packed;
}

}  // namespace

bool BindQuantized(const Convolution& conv, const Planner& planner,
                   Dispatch* d) {
  const Graph& graph = planner.graph();
  const Tensor& weights = graph.tensor(conv.weights.weights);
  // One more than the dispatch would have, so that a minimal device is full.
  constexpr int kBindings = 8;
  const DeviceLimits& limits = planner.profile().limits;
  const int bindings =
      std::min({limits.max_images, limits.max_buffers, limits.max_outputs});
  if (!conv.constant_weights || !HasPlainQuantized(weights) ||
      graph.tensor(conv.src).is_float_view() || bindings < kBindings) {
    return false;
  }
  Tensor quantized = weights;
  quantized.quantization.scale = {1.0f};
  PackedConstant packed = PackFilter(
      [quantized] { return ConstantValues(quantized); }, nullptr, conv.filter);
  packed.quantized = true;
  d->Constant(std::move(packed));
  d->Constant(
      ScalesAndBiases(weights, conv.weights.Bias(graph), conv.filter.outputs));
  return true;
}

}  // namespace gles_delegate
