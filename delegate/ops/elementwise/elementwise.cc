#include "delegate/ops/elementwise/elementwise.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/ops/movement/axis_move.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

std::vector<int> FilledToRank(absl::Span<const int> dims, size_t rank) {
  std::vector<int> filled(rank - std::min(rank, dims.size()), 1);
  filled.insert(filled.end(), dims.begin(), dims.end());
  return filled;
}

// The axes that are the batch.
absl::Span<const int> Leading(absl::Span<const int> dims) {
  return dims.first(dims.size() - std::min<size_t>(dims.size(), 3));
}

// The input in a shape by AlignedShape().
absl::StatusOr<TensorId> Aligned(Planner* planner, TensorId id,
                                 const Shape& shape, TensorId output) {
  const Tensor tensor = planner->tensor(id);  // by value: AddX moves tensors
  if (tensor.shape.elements() == shape.elements()) {
    return AsShape(planner, id, shape);
  }
  const std::vector<int>& dims = planner->tensor(output).dims;
  const std::vector<int> filled = FilledToRank(tensor.dims, dims.size());
  std::vector<AxisMove> batch;
  for (size_t i = 0; i < Leading(dims).size(); ++i) {
    batch.push_back({filled[i], dims[i]});
  }
  const TensorId repeated = planner->AddTemporary(
      absl::StrCat(tensor.name, " repeated"), shape, tensor.type);
  AddGather(planner, id, repeated, kBatchAxis, LinearSources(batch));
  return repeated;
}

}  // namespace

absl::StatusOr<std::vector<int>> BroadcastDims(absl::Span<const int> a,
                                               absl::Span<const int> b) {
  const size_t rank = std::max(a.size(), b.size());
  const std::vector<int> x = FilledToRank(a, rank);
  const std::vector<int> y = FilledToRank(b, rank);
  std::vector<int> dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (x[i] != y[i] && x[i] != 1 && y[i] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("[", absl::StrJoin(a, ","), "] and [",
                       absl::StrJoin(b, ","), "] do not broadcast"));
    }
    dims[i] = x[i] == 1 ? y[i] : x[i];
  }
  return dims;
}

Shape AlignedShape(absl::Span<const int> dims,
                   absl::Span<const int> output_dims) {
  const std::vector<int> filled = FilledToRank(dims, output_dims.size());
  Shape shape = Shape::FromDims(filled);
  if (shape.b != 1 && Leading(filled) != Leading(output_dims)) {
    shape.b = Shape::FromDims(output_dims).b;
  }
  return shape;
}

PostOp FunctionOf(const NodeView& node) {
  const OpDefinition& op = *FindOp(node.builtin_code, node.custom_name);
  const std::vector<std::string> words = absl::StrSplit(op.function, ' ');
  PostOp function{words[0]};
  for (size_t i = 1; i < words.size(); ++i) {
    (void)absl::SimpleAtof(words[i], &function.params[i - 1]);
  }
  function.operand_first = op.Has(kSwapsOperands);
  return function;
}

absl::Status PlanElementwise(const Node& node, Planner* planner) {
  const auto attributes =
      std::any_cast<const ElementwiseAttributes&>(node.attributes);
  ASSIGN_OR_RETURN(auto source,
                   Aligned(planner, node.inputs[attributes.source],
                           attributes.source_shape, node.outputs[0]));
  std::vector<PostOp> functions;
  for (const RealignedFunction& f : attributes.functions) {
    PostOp op = f.function;
    if (op.operand != kNoTensor) {
      ASSIGN_OR_RETURN(auto operand, Aligned(planner, node.inputs[op.operand],
                                             f.operand_shape, node.outputs[0]));
      op.operand = operand;
    }
    functions.push_back(std::move(op));
  }
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  Dispatch d("copy");
  d.Read("src", source).Write("dst", node.outputs[0]);
  if (attributes.source_shape.c == 1 && shape.c > 1) d.Define("SPLAT");
  d.post_ops = std::move(functions);
  d.OverTexels(shape);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::Status ReadBroadcast(const Node& node, absl::Span<const Shape> aligned,
                           absl::Span<const char* const> names,
                           Planner* planner, Dispatch* d) {
  const Shape to = planner->tensor(node.outputs[0]).shape;
  for (size_t i = 0; i < names.size(); ++i) {
    ASSIGN_OR_RETURN(auto input, Aligned(planner, node.inputs[i], aligned[i],
                                         node.outputs[0]));
    d->Read(names[i], input);
    d->Define(absl::StrCat("LANES_", absl::AsciiStrToUpper(names[i])),
              aligned[i].c == 1 && to.c > 1 ? "xxxx" : "xyzw");
  }
  return absl::OkStatus();
}

bool IsPlainElementwise(const Graph& graph, const Node& node) {
  const auto* attributes =
      std::any_cast<ElementwiseAttributes>(&node.attributes);
  if (attributes == nullptr || !attributes->functions.empty()) return false;
  const Shape& own = graph.tensor(node.inputs[attributes->source]).shape;
  return own == attributes->source_shape &&
         own == graph.tensor(node.outputs[0]).shape;
}

}  // namespace gles_delegate
