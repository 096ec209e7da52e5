#include "delegate/ops/gather.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/remap.h"
#include "delegate/ops/work_group.h"
#include "delegate/tflite/builtin_params.h"

namespace gles_delegate {
namespace {

constexpr int kTableWidth = 1024;  // texels a row, within any texture limit

}  // namespace

absl::StatusOr<ParsedNode> ParseGather(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  auto params = node.Get<GatherParams>();
  if (!params.ok()) return params.status();
  // Version 5 brought batch_dims; earlier structs end before it.
  if (node.version >= 5 && (*params)->batch_dims != 0) {
    return absl::UnimplementedError(absl::StrCat(
        "batch_dims is ", (*params)->batch_dims, ", only 0 runs here"));
  }
  const Tensor& input = *node.inputs[0];
  if (auto s = CheckRank(input, "input"); !s.ok()) return s;
  const int rank = static_cast<int>(input.dims.size());
  auto axis = NormalAxis((*params)->axis, rank);
  if (!axis.ok()) return axis.status();
  auto indices = IntsOfInput(node, 1, "the indices");
  if (!indices.ok()) return indices.status();
  for (int i : *indices) {
    if (i < 0 || i >= input.dims[*axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", i, " is outside axis ", *axis, ", which has ",
                       input.dims[*axis], " elements"));
    }
  }
  const std::vector<int>& index_dims = node.inputs[1]->dims;
  std::vector<int> want = input.dims;
  want.erase(want.begin() + *axis);
  want.insert(want.begin() + *axis, index_dims.begin(), index_dims.end());
  if (auto s = CheckDims(*node.outputs[0], want); !s.ok()) return s;
  std::vector<int> picked = input.dims;
  picked[*axis] = static_cast<int>(indices->size());
  return ParsedNode{GatherAttributes{BhwcAxis(*axis, rank), *std::move(indices),
                                     Shape::FromDims(picked)},
                    {}};
}

absl::Status PlanGather(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const GatherAttributes&>(node.attributes);
  const TensorId output = node.outputs[0];
  const bool direct = planner->tensor(output).shape == a.picked;
  const TensorId picked =
      direct ? output
             : planner->AddTemporary("picked slices", a.picked,
                                     planner->tensor(output).type);
  static constexpr const char* kAxes[] = {"AXIS_BATCH", "AXIS_Y", "AXIS_X",
                                          "AXIS_CHANNEL"};
  Dispatch d("gather");
  d.Define(kAxes[a.axis]);
  d.Read("src", node.inputs[0]).Write("dst", picked);
  PackedConstant table;
  table.name = "table";
  const int count = static_cast<int>(a.indices.size());
  table.width = kTableWidth;
  table.height = (count + kTableWidth - 1) / kTableWidth;
  table.always_float32 = true;  // exact up to 2^24, past any axis
  table.fill = [indices = std::make_shared<const std::vector<int>>(a.indices)](
                   absl::Span<float> texels) {
    for (size_t i = 0; i < indices->size(); ++i) texels[4 * i] = (*indices)[i];
  };
  d.Constant(std::move(table));
  d.Grid(a.picked.w, a.picked.h, a.picked.slices() * a.picked.b);
  UseLightWorkGroup(planner->profile(), &d);
  planner->Add(std::move(d));
  if (!direct) AddReshape(planner, picked, output);
  return absl::OkStatus();
}

}  // namespace gles_delegate
