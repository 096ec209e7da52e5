// The part of GlesKernel that follows the shapes of the model's inputs.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {

std::vector<std::vector<int>> GlesKernel::BorderShapes(
    const TfLiteContext& context) const {
  std::vector<std::vector<int>> shapes;
  for (const auto* list :
       {&setup_.partition.inputs, &setup_.partition.outputs}) {
    for (int id : *list) {
      const TfLiteIntArray* dims = context.tensors[id].dims;
      shapes.push_back(
          dims == nullptr
              ? std::vector<int>()
              : std::vector<int>(dims->data, dims->data + dims->size));
    }
  }
  for (int id : setup_.partition.inputs) {
    const auto value = setup_.nodes.shapes.values.find(id);
    if (value == setup_.nodes.shapes.values.end()) continue;
    const auto bytes = value->second.bytes();
    shapes.emplace_back(bytes.begin(), bytes.end());
  }
  return shapes;
}

absl::Status GlesKernel::EvaluateInputValues(TfLiteContext* context) {
  TensorValues& values = setup_.nodes.shapes.values;
  const auto& inputs = setup_.partition.inputs;
  if (std::none_of(inputs.begin(), inputs.end(),
                   [&](int id) { return values.contains(id); })) {
    return absl::OkStatus();
  }
  const std::vector<int> none;
  auto shapes = PropagateShapes(context, setup_.nodes.find, setup_.nodes.plan,
                                setup_.nodes.decompositions, /*own=*/&none);
  if (!shapes.ok()) return shapes.status();
  for (int id : inputs) {
    const auto value = shapes->values.find(id);
    if (value != shapes->values.end()) values[id] = value->second;
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::HoldValues(TfLiteContext* context) {
  for (int id : setup_.partition.outputs) {
    const auto value = setup_.nodes.shapes.values.find(id);
    if (value == setup_.nodes.shapes.values.end()) {
      TfLiteTensor& t = context->tensors[id];
      if (t.allocation_type == kTfLitePersistentRo) ReturnToArena(&t);
    } else if (HoldValue(context, id, value->second) != kTfLiteOk) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the runtime gives no memory to the shape in tensor ", id));
    }
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::ReadAgain(TfLiteContext* context) {
  if (source_ != nullptr) source_->Stop();  // its build reads graph_
  read_shapes_.clear();                     // of nothing, where this fails
  on_cpu_.reset();
  setup_.report->on_cpu.clear();
  recovery_.Reset();
  built_ = false;
  cpu_takes_shapes_ = false;
  const std::vector<int>& nodes = setup_.partition.nodes;
  auto shapes = PropagateShapes(context, setup_.nodes.find, setup_.nodes.plan,
                                setup_.nodes.decompositions, &nodes);
  if (!shapes.ok()) return shapes.status();
  if (!shapes->refused.ok()) return shapes->refused;
  cpu_takes_shapes_ = true;
  // For other partitions: what was known when the delegate was applied.
  const UnknownShapes before = std::move(setup_.nodes.shapes.unknown);
  setup_.nodes.shapes = *std::move(shapes);
  setup_.nodes.shapes.unknown.insert(before.begin(), before.end());
  // The whole model: constants folded by nodes of other partitions are constant
  // here as well.
  auto model =
      ReadModel(context, setup_.nodes, setup_.profile, setup_.read_options);
  if (!model.ok()) return model.status();
  for (int index : nodes) {
    const CheckedNode& node = model->nodes[model->position_of.at(index)];
    if (!node.support.ok()) return MoveToCpu(context, node);
  }
  return Read(*context, *model);
}

}  // namespace gles_delegate
