#include "delegate/ops/movement/pad.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/checks.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

using Edge = Remap::Edge;

constexpr int kReflectMode = 1;
constexpr int kSymmetricMode = 2;

// Shared by PAD, PADV2 and MIRROR_PAD: input 0, paddings, output.
absl::StatusOr<PadAttributes> ParsePaddings(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto paddings, IntsOfInput(node, 1));
  PadAttributes a;
  for (int axis = 0; axis < rank; ++axis) {
    const int before = paddings[2 * axis];
    const int after = paddings[2 * axis + 1];
    const int64_t padded = int64_t{input.dims[axis]} + before + after;
    if (before < 0 || after < 0 || padded > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("paddings ", before, " and ", after, " of axis ", axis,
                       " give it ", padded, " elements"));
    }
    a.before[BhwcAxis(axis, rank)] = before;
    a.after[BhwcAxis(axis, rank)] = after;
  }
  return a;
}

}  // namespace

// kInvalidArgument: mirrored paddings that exceed the extent.
absl::StatusOr<ParsedNode> ParsePad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParsePadV2(const NodeView& node) {
  // PADV2 without a value is PAD.
  if (node.input(2) == nullptr) return ParsePad(node);
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  const Tensor& value = *node.inputs[2];
  if (value.shape.elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the pad value is ", DimsString(value.dims), ", wants one element"));
  }
  // A float does not hold every int32.
  a.runtime_value = !value.is_constant() || IsIntegers(value);
  if (!a.runtime_value) {
    ASSIGN_OR_RETURN(auto values, ConstantFloats(value));
    a.value = values[0];
    constexpr float kExact = 1 << 24;  // integers past it are not all floats
    if (value.type == DataType::kInt32 && std::abs(a.value) > kExact) {
      return absl::UnimplementedError(
          absl::StrCat("the pad value ", a.value, " is past 2^24"));
    }
  }
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseMirrorPad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<MirrorPadParams>());
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  const int mode = params->mode;
  if (mode != kReflectMode && mode != kSymmetricMode) {
    return absl::UnimplementedError(absl::StrCat(
        "mode ", mode, " is not supported; REFLECT (1) and SYMMETRIC (2) are"));
  }
  a.edge = mode == kReflectMode ? Edge::kReflect : Edge::kSymmetric;
  const AxisArray extent = ExtentsOf(*node.inputs[0]);
  for (size_t i = 0; i < extent.size(); ++i) {
    const int max = mode == kReflectMode ? extent[i] - 1 : extent[i];
    if (a.before[i] > max || a.after[i] > max) {
      return absl::InvalidArgumentError(absl::StrCat(
          "paddings ", a.before[i], " and ", a.after[i], " of an axis of ",
          extent[i], " elements: the mirror holds ", max));
    }
  }
  return ParsedNode{a, {}};
}

absl::Status PlanPad(const Node& node, Planner* planner) {
  const auto& a = node.Get<PadAttributes>();
  Remap remap;
  for (size_t i = 0; i < a.before.size(); ++i) {
    remap.offset[i] = -a.before[i];
  }
  remap.edge = a.edge;
  remap.fill = a.value;
  if (a.runtime_value) remap.fill_tensor = node.inputs[2];
  AddRemap(planner, node.inputs[0], node.outputs[0], remap);
  return absl::OkStatus();
}

}  // namespace gles_delegate
