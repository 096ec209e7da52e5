#include "delegate/tflite/partition_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/as_constants.h"
#include "delegate/tflite/extract_partition.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {

bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition) {
  return std::all_of(partition.inputs.begin(), partition.inputs.end(),
                     [&](int id) { return IsConstant(context.tensors[id]); });
}

PartitionReader::PartitionReader(PartitionReadOptions options, ModelNodes nodes,
                                 ModelPartition partition)
    : options_(std::move(options)),
      nodes_(std::move(nodes)),
      partition_(std::move(partition)) {}

absl::StatusOr<ReadPartition> PartitionReader::Read(
    const TfLiteContext& context, const CheckedModel& model, PlanDump* dump) {
  NoteShapes(context);
  ReadPartition read;
  for (int id : partition_.outputs) {
    if (Holds(context, id)) continue;
    const Tensor& tensor = model.graph.tensor(id);
    if (!tensor.is_constant()) {
      read.outputs.push_back(id);
      continue;
    }
    ASSIGN_OR_RETURN(
        auto constant,
        ConstantOutput::Of(tensor, id, TypeOf(context.tensors[id].type)));
    read.constants.push_back(std::move(constant));
  }
  read.graph = ExtractPartition(model, partition_.nodes, partition_.inputs,
                                read.outputs);
  read.original = read.graph;
  dump->AddGraph("read", read.graph);
  if (!options_.uses_integer_path) return read;
  const PassContext passes = {options_.profile, options_.cpu_kernels,
                              options_.read.traits,
                              &read.nodes_on_integer_path};
  RETURN_IF_ERROR(RunPasses(PassStage::kRead, passes, &read.graph,
                            [dump](absl::string_view pass, const Graph& graph) {
                              dump->AddGraph(pass, graph);
                            }));
  return read;
}

bool PartitionReader::HasNewShapes(const TfLiteContext& context) const {
  return BorderShapes(context) != read_shapes_;
}

void PartitionReader::NoteShapes(const TfLiteContext& context) {
  read_shapes_ = BorderShapes(context);
}

void PartitionReader::TakeShapes() {
  if (std::exchange(nodes_.shapes_are_placeholders, false)) {
    read_shapes_.clear();
  }
}

std::vector<std::vector<int>> PartitionReader::BorderShapes(
    const TfLiteContext& context) const {
  std::vector<std::vector<int>> shapes;
  for (const auto* list : {&partition_.inputs, &partition_.outputs}) {
    for (int id : *list) {
      const TfLiteIntArray* dims = context.tensors[id].dims;
      shapes.push_back(
          dims == nullptr
              ? std::vector<int>()
              : std::vector<int>(dims->data, dims->data + dims->size));
    }
  }
  for (int id : partition_.inputs) {
    const auto value = nodes_.shapes.values.find(id);
    if (value == nodes_.shapes.values.end()) continue;
    const auto bytes = value->second.bytes();
    shapes.emplace_back(bytes.begin(), bytes.end());
  }
  return shapes;
}

absl::StatusOr<ReadPartition> PartitionReader::ReadAgain(TfLiteContext* context,
                                                         PlanDump* dump) {
  read_shapes_.clear();  // of nothing, if this fails
  cpu_takes_shapes_ = false;
  ASSIGN_OR_RETURN(auto shapes,
                   PropagateShapes(context, nodes_.find, nodes_.plan,
                                   nodes_.decompositions, &partition_.nodes));
  RETURN_IF_ERROR(shapes.refused());
  cpu_takes_shapes_ = true;
  // For other partitions: what was known when the delegate was applied.
  const UnknownShapes before = std::move(nodes_.shapes.unknown);
  nodes_.shapes = std::move(shapes);
  nodes_.shapes.unknown.insert(before.begin(), before.end());
  // The whole model: constants folded by nodes of other partitions are constant
  // here as well.
  ASSIGN_OR_RETURN(auto model,
                   ReadModel(context, nodes_, options_.profile, options_.read));
  for (int index : partition_.nodes) {
    const CheckedNode& node = model.nodes[model.position_of.at(index)];
    if (node.support.ok()) continue;
    const std::string why = absl::StrCat(
        "the partition of ", partition_.nodes.size(),
        " nodes cannot run on the GPU at the shapes that the inputs were "
        "resized to: ",
        node.op, " (node ", node.index, "): ", node.support.message(), " [",
        node.tensors, "]");
    ReadPartition refused;
    refused.refused = why;
    return refused;
  }
  return Read(*context, model, dump);
}

absl::Status PartitionReader::EvaluateInputValues(TfLiteContext* context) {
  TensorValues& values = nodes_.shapes.values;
  const auto& inputs = partition_.inputs;
  if (std::none_of(inputs.begin(), inputs.end(),
                   [&](int id) { return values.contains(id); })) {
    return absl::OkStatus();
  }
  const std::vector<int> none;
  ASSIGN_OR_RETURN(auto shapes,
                   PropagateShapes(context, nodes_.find, nodes_.plan,
                                   nodes_.decompositions, /*own=*/&none));
  for (int id : inputs) {
    const auto value = shapes.values.find(id);
    if (value != shapes.values.end()) values[id] = value->second;
  }
  return absl::OkStatus();
}

bool PartitionReader::Holds(const TfLiteContext& context, int output) const {
  return nodes_.shapes.values.contains(output) &&
         !ReadsConstantsAlone(context, partition_);
}

absl::Status PartitionReader::HoldValues(TfLiteContext* context) {
  for (int id : partition_.outputs) {
    if (!Holds(*context, id)) {
      TfLiteTensor& t = context->tensors[id];
      if (t.allocation_type == kTfLitePersistentRo) ReturnToArena(&t);
    } else if (HoldValue(context, id, nodes_.shapes.values.at(id)) !=
               kTfLiteOk) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the runtime gives no memory to the shape in tensor ", id));
    }
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
