#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Of width, height and depth in the dims of tensors and of filters.
constexpr std::array<int, 3> kAxisOfTensor = {3, 2, 1};
constexpr std::array<int, 3> kAxisOfFilter = {2, 1, 0};
constexpr std::array<const char*, 3> kAxisNames = {"width", "height", "depth"};

absl::Status CheckConv3dChannels(const NodeView& node,
                                 const Conv3dAttributes& a) {
  const Tensor& src = *node.inputs[a.data_input];
  const Tensor& filter = *node.inputs[a.filter_input];
  const Tensor& dst = *node.outputs[0];
  const int inputs = filter.dims[a.transposed ? 4 : 3];
  const int outputs = filter.dims[a.transposed ? 3 : 4];
  if (src.dims[4] != inputs || dst.dims[4] != outputs ||
      src.dims[0] != dst.dims[0]) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", DimsString(src.dims), ", output ",
                     DimsString(dst.dims), " and a filter of ", inputs, " to ",
                     outputs, " channels do not go together"));
  }
  return CheckBias(node.input(a.bias_input), outputs);
}

// TFLite's kernel of CONV_3D_TRANSPOSE (2.21) leaves out the last depths of the
// input if the depth is padded differently from the height.
absl::Status CheckEqualPaddings(const std::array<AxisPadding, 3>& paddings) {
  for (int i : {0, 1}) {
    if (paddings[i].before == paddings[2].before &&
        paddings[i].after == paddings[2].after) {
      continue;
    }
    return absl::UnimplementedError(
        absl::StrCat("the depth is padded by ", paddings[2].before, " and ",
                     paddings[2].after, ", the ", kAxisNames[i], " by ",
                     paddings[i].before, " and ", paddings[i].after,
                     "; TFLite's kernel computes something else then"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseConv3dNode(const NodeView& node,
                                           Conv3dAttributes a) {
  ASSIGN_OR_RETURN(const auto params, node.Get<Conv3dParams>());
  const Conv3dParams& p = *params;
  RETURN_IF_ERROR(CheckConv3dChannels(node, a));
  const int strides[] = {p.stride_width, p.stride_height, p.stride_depth};
  const int dilations[] = {p.dilation_width_factor, p.dilation_height_factor,
                           p.dilation_depth_factor};
  // The windows lie in the input, or in the output if transposed.
  const Tensor* lie_in = node.inputs[a.data_input];
  const Tensor* count_of = node.outputs[0];
  if (a.transposed) std::swap(lie_in, count_of);
  std::array<AxisPadding, 3> paddings;
  for (int i = 0; i < 3; ++i) {
    const int axis = kAxisOfTensor[i];
    a.window[i] = {node.inputs[a.filter_input]->dims[kAxisOfFilter[i]],
                   strides[i], DilationOf(dilations[i])};
    ASSIGN_OR_RETURN(const auto padding,
                     ComputePadding(p.padding, lie_in->dims[axis], a.window[i],
                                    kAxisNames[i]));
    RETURN_IF_ERROR(CheckExtent(padding, count_of->dims[axis], kAxisNames[i]));
    a.pad[i] = padding.before;
    paddings[i] = padding;
  }
  if (a.transposed) {
    RETURN_IF_ERROR(CheckEqualPaddings(paddings));
  }
  a.src_depth = node.inputs[a.data_input]->dims[1];
  a.dst_depth = node.outputs[0]->dims[1];
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{a, std::move(activation)};
}

// The filter as [outputs][taps][inputs].
FilterValues OutputsFirst(const Tensor& tensor, const Filter& filter,
                          bool transposed) {
  return [tensor, filter, transposed](std::vector<float>* room) {
    std::vector<float> own;
    const absl::Span<const float> read = ValuesOf(tensor)(&own);
    const int64_t terms = filter.terms();
    std::vector<float>& values = *room;
    values.assign(terms * filter.outputs, 0.0f);
    if (transposed) {  // [taps][outputs][inputs]
      for (int64_t row = 0; row < filter.taps * filter.outputs; ++row) {
        const int64_t to =
            row % filter.outputs * filter.taps + row / filter.outputs;
        std::copy_n(read.begin() + row * filter.inputs, filter.inputs,
                    values.begin() + to * filter.inputs);
      }
      return absl::MakeConstSpan(values);
    }
    for (int64_t term = 0; term < terms; ++term) {  // [taps][inputs][outputs]
      for (int o = 0; o < filter.outputs; ++o) {
        values[o * terms + term] = read[term * filter.outputs + o];
      }
    }
    return absl::MakeConstSpan(values);
  };
}

}  // namespace

absl::StatusOr<ParsedNode> ParseConv3d(const NodeView& node) {
  return ParseConv3dNode(node, {});
}

absl::StatusOr<ParsedNode> ParseConv3dTranspose(const NodeView& node) {
  Conv3dAttributes a;
  a.transposed = true;
  a.data_input = 2;
  a.filter_input = 1;
  a.bias_input = 3;
  return ParseConv3dNode(node, a);
}

absl::Status PlanConv3d(const Node& node, Planner* planner) {
  const auto& a = node.Get<Conv3dAttributes>();
  const Tensor& src = planner->tensor(node.inputs[a.data_input]);
  const Tensor& dst = planner->tensor(node.outputs[0]);
  Filter filter;
  filter.outputs = dst.shape.c;
  filter.inputs = src.shape.c;
  filter.taps = a.window[0].size * a.window[1].size * a.window[2].size;
  const WeightIds ids = WeightsOf(node, a.filter_input, a.bias_input);
  FilterValues bias = nullptr;
  if (const Tensor* t = ids.Bias(planner->graph()); t != nullptr) {
    bias = ValuesOf(*t);
  }
  const ConvTile tile = ChooseConvTile(dst.shape.w, dst.shape.slices(),
                                       planner->profile().choices);
  const int tiles_x = DivideUp(dst.shape.w, tile.pixels);
  Dispatch d("conv_3d");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", node.inputs[a.data_input])
      .Write("dst", node.outputs[0])
      .Grid(tiles_x * dst.shape.h, DivideUp(dst.shape.slices(), tile.slices),
            dst.shape.b);
  if (a.transposed) d.Define("TRANSPOSED");
  d.Constant(PackFilter(
      OutputsFirst(planner->tensor(ids.weights), filter, a.transposed),
      std::move(bias), filter));
  const auto& [x, y, z] = a.window;
  d.uniforms.Int4("window", x.size, y.size, z.size, tiles_x);
  d.uniforms.Int4("stride", x.stride, y.stride, z.stride, a.dst_depth);
  d.uniforms.Int4("dilation", x.dilation, y.dilation, z.dilation, a.src_depth);
  d.uniforms.Int4("pad", a.pad[0], a.pad[1], a.pad[2], 0);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
