#include "delegate/ops/conv/conv_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// The values of a constant that CheckWeights has let through.
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

bool IsConstant(const WeightIds& ids, const Graph& graph) {
  return graph.tensor(ids.weights).is_constant() &&
         (ids.bias == kNoTensor || graph.tensor(ids.bias).is_constant());
}

// A tensor with the texels that `packed` has.
TensorId AddPacked(const PackedConstant& packed, Planner* planner) {
  return planner->AddTemporary("packed weights",
                               {1, packed.height, packed.width, 4});
}

// Binds weights that are no constants, or whose bias is none. `packed` lays the
// weights out without their bias; `pack` does so at run time, but for the
// tensors that it reads and writes and its grid.
void BindRuntime(const WeightIds& ids, PackedConstant packed, Dispatch pack,
                 Planner* planner, Dispatch* d) {
  if (ids.bias != kNoTensor) {
    PostOp add;
    add.function = "add";
    add.operand = ids.bias;
    d->post_ops.push_back(std::move(add));
  }
  if (planner->tensor(ids.weights).is_constant()) {
    d->Constant(std::move(packed));
    return;
  }
  const TensorId texels = AddPacked(packed, planner);
  pack.Read("raw", ids.weights)
      .Write("packed_weights", texels)
      .Grid(packed.width, packed.height, 1);
  planner->Add(std::move(pack));
  d->Read("weights", texels)
      .Define("weights_at(x, y)", "read_weights(x, y, 0, 0)");
}

// The values of a constant, when they are needed.
FilterValues ValuesOf(const Tensor& tensor) {
  return [tensor] { return Values(tensor); };
}

// Nothing where there is no bias, or none that is constant.
FilterValues BiasValuesOf(const Tensor* bias) {
  if (bias == nullptr || !bias->is_constant()) return nullptr;
  return ValuesOf(*bias);
}

// `bias` may be nullptr.
PackedConstant Pack(FilterValues weights, FilterValues bias,
                    const Filter& filter) {
  PackedConstant packed;
  packed.name = "weights";
  packed.cacheable = true;
  const int bias_at = filter.packed_input_slices() * 4;
  const int width = bias_at + 1;
  packed.width = width;
  packed.height = (filter.outputs + 3) / 4 * filter.taps;
  packed.fill = [weights = std::move(weights), bias = std::move(bias), filter,
                 bias_at, width](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    const std::vector<float> values = weights();
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
    if (bias == nullptr) return;
    const std::vector<float> bias_values = bias();
    for (int o = 0; o < filter.outputs; ++o) {
      at(o, 0, bias_at) = bias_values[o];
    }
  };
  return packed;
}

PackedConstant PackBlocks(FilterValues weights, FilterValues bias,
                          const Filter& filter, int block_slices) {
  const int slices = (filter.inputs + 3) / 4;
  const int bias_at = filter.taps * slices * 4;
  PackedConstant packed;
  packed.name = "weights";
  packed.cacheable = true;
  packed.width = (bias_at + 1) * block_slices;
  packed.height = ((filter.outputs + 3) / 4 + block_slices - 1) / block_slices;
  packed.fill = [weights = std::move(weights), bias = std::move(bias), filter,
                 slices, bias_at, block_slices](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    // `input`: of the taps' channels, taken flat and padded to whole slices.
    const auto at = [&](int output, int input) -> float& {
      const int slice = output / 4;
      const int64_t row = int64_t{slice / block_slices} * (bias_at + 1) + input;
      return out[(row * block_slices + slice % block_slices) * 4 + output % 4];
    };
    const std::vector<float> values = weights();
    size_t next = 0;
    for (int o = 0; o < filter.outputs; ++o) {
      for (int tap = 0; tap < filter.taps; ++tap) {
        for (int i = 0; i < filter.inputs; ++i) {
          at(o, tap * slices * 4 + i) = values[next++];
        }
      }
    }
    if (bias == nullptr) return;
    const std::vector<float> bias_values = bias();
    for (int o = 0; o < filter.outputs; ++o) at(o, bias_at) = bias_values[o];
  };
  return packed;
}

}  // namespace

absl::Status CheckWeights(const Tensor& tensor, absl::string_view what) {
  if (!tensor.is_constant()) return CheckFloat(tensor, what);
  if (tensor.type != DataType::kFloat32 && tensor.type != DataType::kFloat16) {
    return absl::UnimplementedError(
        absl::StrCat(what, " is ", DataTypeName(tensor.type),
                     "; float32 and float16 are supported"));
  }
  const int64_t wanted = tensor.shape.elements() *
                         static_cast<int64_t>(DataTypeSize(tensor.stored()));
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
  if (!bias->is_constant() && bias->shape.c != out_channels) {
    return absl::UnimplementedError(
        absl::StrCat("the bias is computed at run time and ",
                     DimsString(bias->dims), "; a vector is supported"));
  }
  return CheckWeights(*bias, "the bias");
}

PackedConstant PackFilter(const Tensor& weights, const Tensor* bias,
                          const Filter& filter) {
  return Pack(ValuesOf(weights), BiasValuesOf(bias), filter);
}

PackedConstant PackFilter(FilterValues values, const Filter& filter) {
  return Pack(std::move(values), nullptr, filter);
}

PackedConstant PackFilterBlocks(const Tensor& weights, const Tensor* bias,
                                const Filter& filter, int block_slices) {
  return PackBlocks(ValuesOf(weights), BiasValuesOf(bias), filter,
                    block_slices);
}

PackedConstant PackFilterBlocks(FilterValues values, const Filter& filter,
                                int block_slices) {
  return PackBlocks(std::move(values), nullptr, filter, block_slices);
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

void BindInputGate(const InputGate& gate, Dispatch* d) {
  if (gate.gate == kNoTensor) return;
  d->Define("GATE").Read("gate", gate.gate);
  if (gate.addend == kNoTensor) return;
  d->Define("ADDEND").Read("addend", gate.addend);
}

WeightIds WeightsOf(const Node& node, int weights, int bias) {
  const bool has_bias = bias < static_cast<int>(node.inputs.size());
  return {node.inputs[weights], has_bias ? node.inputs[bias] : kNoTensor};
}

void BindFilter(const WeightIds& ids, const Filter& filter, Planner* planner,
                Dispatch* d) {
  const Tensor& weights = planner->tensor(ids.weights);
  if (IsConstant(ids, planner->graph())) {
    const Tensor* bias =
        ids.bias == kNoTensor ? nullptr : &planner->tensor(ids.bias);
    d->Constant(PackFilter(weights, bias, filter));
    return;
  }
  Dispatch pack("pack_filter");
  const bool apart = filter.groups == 1 || filter.groups_packed_apart();
  pack.uniforms.Int4("shape", filter.outputs, filter.taps, filter.inputs,
                     filter.outputs_per_group());
  pack.uniforms.Int("group_inputs", apart ? 0 : filter.inputs);
  BindRuntime(ids, PackFilter(weights, nullptr, filter), std::move(pack),
              planner, d);
}

void BindDepthwiseFilter(const WeightIds& ids, Planner* planner, Dispatch* d) {
  const Tensor& weights = planner->tensor(ids.weights);
  if (IsConstant(ids, planner->graph())) {
    const Tensor* bias =
        ids.bias == kNoTensor ? nullptr : &planner->tensor(ids.bias);
    d->Constant(PackDepthwiseFilter(weights, bias));
    return;
  }
  BindRuntime(ids, PackDepthwiseFilter(weights, nullptr),
              Dispatch("pack_depthwise_filter"), planner, d);
}

}  // namespace gles_delegate
