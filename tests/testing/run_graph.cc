#include "tests/testing/run_graph.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/op_list.h"
#include "delegate/runtime/executor.h"
#include "tests/testing/device.h"

namespace gles_delegate::testing {

TensorId AddTensor(Graph* graph, std::vector<int> dims) {
  Tensor tensor;
  tensor.shape = gles_delegate::Shape::FromDims(dims);
  tensor.dims = std::move(dims);
  return graph->AddTensor(std::move(tensor));
}

TensorId AddConstant(Graph* graph, std::vector<int> dims,
                     const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const TensorId id = AddTensor(graph, std::move(dims));
  graph->tensor(id).constant = ConstantData::Own(std::move(bytes));
  return id;
}

DeviceProfile RoomyProfile() {
  DeviceProfile profile;
  profile.limits.max_buffers = profile.limits.max_images =
      profile.limits.max_textures = 16;
  profile.limits.max_outputs = 32;
  return profile;
}

absl::Status RunDispatches(const Graph& graph, std::vector<Dispatch> dispatches,
                           const DeviceProfile& profile,
                           const std::vector<std::vector<float>>& inputs,
                           absl::Span<float> output) {
  return TestContext()->Run([&]() -> absl::Status {
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto executor,
                     Executor::Create(*TestContext(), &programs, graph,
                                      std::move(dispatches), profile));
    std::vector<absl::Span<const uint8_t>> in;
    for (const auto& values : inputs) in.push_back(AsBytes<float>(values));
    const std::vector<absl::Span<uint8_t>> out = {
        {reinterpret_cast<uint8_t*>(output.data()),
         output.size() * sizeof(float)}};
    return executor->Invoke(in, out);
  });
}

absl::StatusOr<std::vector<float>> RunGraph(
    Graph graph, const std::vector<std::vector<float>>& inputs,
    absl::FunctionRef<void(DeviceProfile&)> adjust) {
  DeviceProfile profile = ProfileFor(TestContext()->device(), {});
  adjust(profile);
  std::vector<float> output(graph.tensor(graph.outputs[0]).shape.elements());
  ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
  RETURN_IF_ERROR(RunDispatches(graph, std::move(dispatches), profile, inputs,
                                absl::MakeSpan(output)));
  return output;
}

absl::StatusOr<std::vector<float>> RunGraphOf(
    absl::string_view op, Node node, Graph graph,
    const std::vector<std::vector<float>>& inputs,
    absl::FunctionRef<void(DeviceProfile&)> adjust) {
  node.op = FindOpNamed(op);
  if (node.op == nullptr) {
    return absl::NotFoundError(absl::StrCat("no op named ", op));
  }
  for (TensorId id : node.inputs) {
    if (id != kNoTensor && !graph.tensor(id).is_constant()) {
      graph.inputs.push_back(id);
    }
  }
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  return RunGraph(std::move(graph), inputs, adjust);
}

}  // namespace gles_delegate::testing
