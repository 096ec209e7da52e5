#include "delegate/ops/conv_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// The values of a constant that CheckFloatConstant has let through.
std::vector<float> Values(const Tensor& tensor) {
  absl::StatusOr<std::vector<float>> values = ConstantFloats(tensor);
  return values.ok() ? *std::move(values)
                     : std::vector<float>(tensor.shape.elements());
}

// Where in the packed rows a weight goes.
struct Place {
  int slice;    // of the inputs that the row holds
  int channel;  // in the slice
};

Place PlaceOf(const Filter& filter, int output, int input) {
  const int group = output / filter.outputs_per_group();
  const int channel =
      filter.groups_packed_apart() ? input : group * filter.inputs + input;
  return {channel / 4, channel % 4};
}

}  // namespace

absl::Status CheckFloatConstant(const Tensor& tensor, absl::string_view what) {
  if (!tensor.is_constant()) {
    return absl::UnimplementedError(absl::StrCat(
        what, " is computed at run time; only a constant is supported"));
  }
  if (tensor.type != DataType::kFloat32 && tensor.type != DataType::kFloat16) {
    return absl::UnimplementedError(
        absl::StrCat(what, " is ", DataTypeName(tensor.type),
                     "; float32 and float16 are supported"));
  }
  const int64_t wanted =
      tensor.shape.elements() * static_cast<int64_t>(DataTypeSize(tensor.stored()));
  const int64_t got = static_cast<int64_t>(tensor.constant.bytes().size());
  if (got < wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " holds ", got, " bytes, its shape needs ", wanted));
  }
  return absl::OkStatus();
}

absl::Status CheckBias(const Tensor* bias, int out_channels) {
  if (bias == nullptr) return absl::OkStatus();
  if (bias->shape.elements() != out_channels) {
    return absl::InvalidArgumentError(
        absl::StrCat("the bias has ", bias->shape.elements(),
                     " values, the filter has ", out_channels, " outputs"));
  }
  return CheckFloatConstant(*bias, "the bias");
}

PackedConstant PackFilter(const Tensor& weights, const Tensor* bias,
                          const Filter& filter) {
  PackedConstant packed;
  packed.name = "weights";
  packed.cacheable = true;
  const int bias_at = filter.packed_input_slices() * 4;
  const int width = bias_at + 1;
  packed.width = width;
  packed.height = (filter.outputs + 3) / 4 * filter.taps;
  const Tensor bias_tensor = bias == nullptr ? Tensor() : *bias;
  packed.fill = [weights, bias_tensor, filter, bias_at,
                 width](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    const std::vector<float> values = Values(weights);
    const auto at = [&](int output, int tap, int texel) -> float& {
      const int64_t row = int64_t{output / 4} * filter.taps + tap;
      return out[(row * width + texel) * 4 + output % 4];
    };
    size_t next = 0;
    for (int o = 0; o < filter.outputs; ++o) {
      for (int tap = 0; tap < filter.taps; ++tap) {
        for (int i = 0; i < filter.inputs; ++i) {
          const Place place = PlaceOf(filter, o, i);
          at(o, tap, place.slice * 4 + place.channel) = values[next++];
        }
      }
    }
    if (!bias_tensor.is_constant()) return;
    const std::vector<float> bias_values = Values(bias_tensor);
    for (int o = 0; o < filter.outputs; ++o) {
      at(o, 0, bias_at) = bias_values[o];
    }
  };
  return packed;
}

PackedConstant PackDepthwiseFilter(const Tensor& weights, const Tensor* bias) {
  const int outputs = weights.shape.c;
  const int taps = weights.shape.h * weights.shape.w;
  PackedConstant packed;
  packed.name = "weights";
  packed.cacheable = true;
  packed.width = taps + 1;
  packed.height = (outputs + 3) / 4;
  const Tensor bias_tensor = bias == nullptr ? Tensor() : *bias;
  packed.fill = [weights, bias_tensor, outputs, taps](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    const auto at = [&](int output, int texel) -> float& {
      return out[(int64_t{output / 4} * (taps + 1) + texel) * 4 + output % 4];
    };
    const std::vector<float> values = Values(weights);
    for (int tap = 0; tap < taps; ++tap) {
      for (int o = 0; o < outputs; ++o) at(o, tap) = values[tap * outputs + o];
    }
    if (!bias_tensor.is_constant()) return;
    const std::vector<float> bias_values = Values(bias_tensor);
    for (int o = 0; o < outputs; ++o) at(o, taps) = bias_values[o];
  };
  return packed;
}

}  // namespace gles_delegate
