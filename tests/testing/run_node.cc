#include "tests/testing/run_node.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

TensorId AddTensor(absl::string_view name, const Shape& shape, Graph* graph) {
  Tensor tensor;
  tensor.name = std::string(name);
  tensor.dims.assign(shape.begin(), shape.end());
  tensor.shape = gles_delegate::Shape::FromDims(tensor.dims);
  return graph->AddTensor(std::move(tensor));
}

absl::Status Run(Graph graph, const DeviceProfile& profile,
                 const std::vector<std::vector<float>>& inputs, NodeRun* run) {
  ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
  run->dispatches = dispatches;
  return RunDispatches(graph, std::move(dispatches), profile, inputs,
                       absl::MakeSpan(run->result.outputs[0].values));
}

}  // namespace

NodeRun RunNode(absl::string_view op, ParsedNode parsed,
                const std::vector<Shape>& input_shapes,
                const Shape& output_shape,
                const std::vector<std::vector<float>>& inputs,
                absl::FunctionRef<void(DeviceProfile&)> adjust) {
  NodeRun run;
  Graph graph;
  Node node;
  node.op = FindOpNamed(op);
  if (node.op == nullptr) {
    run.result.status = absl::NotFoundError(absl::StrCat("no op named ", op));
    return run;
  }
  node.attributes = std::move(parsed.attributes);
  node.post_ops = std::move(parsed.post_ops);
  for (const Shape& shape : input_shapes) {
    node.inputs.push_back(AddTensor("input", shape, &graph));
  }
  node.outputs = {AddTensor("output", output_shape, &graph)};
  graph.inputs = node.inputs;
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  DeviceProfile profile = ProfileFor(TestContext()->device(), {});
  adjust(profile);
  run.result.outputs.push_back(
      {"output", output_shape, std::vector<float>(ElementCount(output_shape))});
  run.result.status = Run(std::move(graph), profile, inputs, &run);
  return run;
}

}  // namespace gles_delegate::testing
