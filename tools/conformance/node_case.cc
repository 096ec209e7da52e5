#include "tools/conformance/node_case.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "delegate/runtime/executor.h"
#include "quant/half.h"

namespace gles_delegate::conformance {
namespace {

using testing::RunResult;

std::vector<std::vector<float>> InputsAt(const NodeCase& node,
                                         Precision precision) {
  std::vector<std::vector<float>> inputs = node.inputs;
  if (precision == Precision::kFloat32) return inputs;
  for (std::vector<float>& input : inputs) {
    std::transform(input.begin(), input.end(), input.begin(), RoundToHalf);
  }
  return inputs;
}

Tensor TensorOf(const NodeCase& node, const std::string& name) {
  Tensor tensor;
  tensor.name = name;
  tensor.dims = node.shape;
  tensor.shape = gles_delegate::Shape::FromDims(tensor.dims);
  return tensor;
}

// The graph of the one node, as the reader would make it.
absl::StatusOr<Graph> GraphOf(const NodeCase& node) {
  const OpDefinition* op = FindOpNamed(node.op);
  if (op == nullptr) {
    return absl::NotFoundError(absl::StrCat("no op named ", node.op));
  }
  Graph graph;
  Node made;
  made.op = op;
  NodeView view;
  view.builtin_code = op->builtin_code;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    made.inputs.push_back(
        graph.AddTensor(TensorOf(node, absl::StrCat("x", i))));
  }
  made.outputs = {graph.AddTensor(TensorOf(node, "output"))};
  graph.inputs = made.inputs;
  graph.outputs = made.outputs;
  for (TensorId id : made.inputs) view.inputs.push_back(&graph.tensor(id));
  view.outputs = {&graph.tensor(made.outputs[0])};
  ASSIGN_OR_RETURN(auto parsed, ParseOp(*op, view));
  made.attributes = std::move(parsed.attributes);
  made.post_ops = std::move(parsed.post_ops);
  for (PostOp& post : made.post_ops) {
    if (post.operand != kNoTensor) post.operand = made.inputs[post.operand];
  }
  graph.nodes.push_back(std::move(made));
  return graph;
}

absl::StatusOr<std::vector<float>> Execute(const NodeCase& node,
                                           const DeviceProfile& profile,
                                           Precision precision,
                                           const egl::Context& context) {
  ASSIGN_OR_RETURN(auto graph, GraphOf(node));
  ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
  ProgramCache programs;
  ASSIGN_OR_RETURN(auto executor,
                   Executor::Create(context, &programs, graph,
                                    std::move(dispatches), profile));
  const std::vector<std::vector<float>> inputs = InputsAt(node, precision);
  std::vector<absl::Span<const uint8_t>> in;
  in.reserve(inputs.size());
  for (const std::vector<float>& input : inputs) {
    in.emplace_back(reinterpret_cast<const uint8_t*>(input.data()),
                    input.size() * sizeof(float));
  }
  std::vector<float> output(testing::ElementCount(node.shape));
  const std::vector<absl::Span<uint8_t>> out = {
      {reinterpret_cast<uint8_t*>(output.data()),
       output.size() * sizeof(float)}};
  RETURN_IF_ERROR(executor->Invoke(in, out));
  return output;
}

}  // namespace

testing::CpuReference MakeReference(const NodeCase& node, Precision precision) {
  testing::CpuReference reference;
  reference.accuracy = node.accuracy;
  reference.precision = precision;
  const std::vector<std::vector<float>> inputs = InputsAt(node, precision);
  std::vector<float> expected(testing::ElementCount(node.shape));
  std::vector<float> arguments(inputs.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t a = 0; a < inputs.size(); ++a) arguments[a] = inputs[a][i];
    expected[i] = static_cast<float>(node.exact(arguments));
  }
  reference.expected.outputs.push_back({"output", node.shape, expected});
  return reference;
}

RunResult RunNodeCase(const NodeCase& node, TfLiteGlesStorage storage,
                      Precision precision, const egl::Context& context) {
  PlanningOptions options;
  options.half = IsHalf(precision);
  options.storage = StorageOption(storage);
  const DeviceProfile profile = ProfileFor(context.device(), options);
  RunResult result;
  auto output = Execute(node, profile, precision, context);
  result.status = output.status();
  if (output.ok()) {
    result.outputs.push_back({"output", node.shape, *std::move(output)});
  }
  return result;
}

}  // namespace gles_delegate::conformance
