// What plans of many ops share: dispatches over texels, work groups, and the
// stages of nodes (Stage).
#ifndef GLES_DELEGATE_DELEGATE_OPS_DISPATCHES_H_
#define GLES_DELEGATE_DELEGATE_OPS_DISPATCHES_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Gives a dispatch, whose grid is set, work groups of at least 64 invocations.
// Profiles with smaller groups mean them for convolution tiles; here they would
// cost more than the work itself (llvmpipe is fastest at 64).
void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch);

// Adds a dispatch, whose grid is set, with such work groups.
absl::Status AddInLightGroups(Dispatch dispatch, Planner* planner);

using TensorNames = std::initializer_list<absl::string_view>;

// Binds the node's first inputs and outputs under the shader's names. The grid
// covers the texels of output 0.
Dispatch TexelDispatch(absl::string_view shader, const Node& node,
                       const Planner& planner, TensorNames inputs = {"src"},
                       TensorNames outputs = {"dst"});
// The same for these tensors, as "src" and "dst".
Dispatch TexelDispatch(absl::string_view shader, TensorId src, TensorId dst,
                       const Planner& planner);

// Uniform `name` has the values for x, y, channel and batch, in the shaders'
// order.
inline void BindAxes(absl::string_view name, const AxisArray& values,
                     Dispatch* d) {
  d->uniforms.Int4(name, values[kWidthAxis], values[kHeightAxis],
                   values[kChannelAxis], values[kBatchAxis]);
}

// `length` along one axis, 0 along the others.
inline AxisArray AlongAxis(int axis, int length) {
  AxisArray values = {};
  values[axis] = length;
  return values;
}

// op_quotient of gl_shaders/lib/indices.glsl, with which shaders divide
// indices by reciprocals, is exact for indices below this.
inline constexpr int64_t kQuotientEnd = 1 << 21;

// Requires `divisor` >= 1.
inline float Reciprocal(int64_t divisor) {
  return 1.0f / static_cast<float>(divisor);
}

// Makes the shader use integer division if its indices, up to twice `count`,
// are too large for op_quotient.
inline void BindQuotients(int64_t count, Dispatch* d) {
  if (2 * count > kQuotientEnd) d->Define("LARGE_INDICES");
}

// --- Stages ------------------------------------------------------------------

// What they are functions of:

// The input, as it is read.
inline constexpr absl::string_view kInputStage = "input_stage";
// The results of a convolution whose results the node takes.
inline constexpr absl::string_view kInnerStage = "inner_stage";
// The results of a convolution that takes the node's.
inline constexpr absl::string_view kNextStage = "next_stage";
// The products with the second matrix of a gated product.
inline constexpr absl::string_view kGateStage = "gate_stage";
// The scores of an attention, at (row, height, slice of keys, batch).
inline constexpr absl::string_view kScoreStage = "score_stage";

// nullptr: the node has no such stage.
const Stage* FindStage(const Node& node, absl::string_view name);

// The functions of this stage; empty if the node has none.
std::vector<PostOp> StageOf(const Node& node, absl::string_view name);

// Whether the functions need no value at the same place of another tensor, so
// that they can follow sums that are not stored. They may read tables.
bool ReadOnlyTables(const std::vector<PostOp>& ops);

// Whether the post-ops of the node, which writes `dst`, are at most a clamp,
// after requantization on the integer path: worth computing several times.
bool OnlyClamps(const Graph& graph, const Node& node, TensorId dst);

// Lets the shader apply the functions to what it reads of `source`. No-op
// without functions.
void ApplyInputStage(std::vector<PostOp> functions, TensorId source,
                     Dispatch* d);

// --- Nodes that consist of functions of inputs -------------------------------

// Nodes that consist of functions of inputs: their steps, and the names in
// their shaders.

// An input's tensor.
inline std::string InputName(int input) { return absl::StrCat("in", input); }
// The constants of a step's function, a member of Params.
inline std::string ParamsName(int step) { return absl::StrCat("params", step); }
// A step's value.
inline std::string ValueName(int step) { return absl::StrCat("v", step); }
inline std::string DefineValue(int step, absl::string_view value) {
  return absl::StrCat("vec4 ", ValueName(step), " = ", value, "; ");
}

struct FunctionStep {
  int index = -1;  // of the node's input that it reads, if it is no function
  // `function` of step a, and of step b if it has an operand.
  int a = -1;
  int b = -1;
  // PostOp::function, params and operand_first.
  std::string function;
  std::array<float, 4> params = {};
  bool operand_first = false;

  void Take(const PostOp& op) {
    std::tie(function, params, operand_first) =
        std::tie(op.function, op.params, op.operand_first);
  }
  // The call that makes step `step`.
  std::string Call(int step) const {
    const std::string x = ValueName(operand_first && b >= 0 ? b : a);
    const std::string y = ValueName(operand_first ? a : b);
    return absl::StrCat("op_", function, "(", x, ", ",
                        b >= 0 ? absl::StrCat(y, ", ") : "", ParamsName(step),
                        ")");
  }
  bool operator==(const FunctionStep& o) const {
    return std::tie(index, a, b, function, params, operand_first) ==
           std::tie(o.index, o.a, o.b, o.function, o.params, o.operand_first);
  }
};

// Of the steps, which read earlier ones, those that `last` need, in order: what
// `definition(i)` says of each. nullopt: it is defined elsewhere.
template <typename Step, typename Definition>
std::string DefinitionsOf(const std::vector<Step>& steps,
                          const std::vector<int>& last, Definition definition) {
  std::vector<bool> needed(steps.size(), false);
  for (int step : last) needed[step] = true;
  std::string text;
  for (size_t i = steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    const std::optional<std::string> own = definition(static_cast<int>(i));
    if (!own) continue;
    for (int from : {steps[i].a, steps[i].b}) {
      if (from >= 0) needed[from] = true;
    }
    text.insert(0, *own);
  }
  return text;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_DISPATCHES_H_
