#include "delegate/passes/passes.h"

#include "base/status_macros.h"
#include "delegate/passes/all_passes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// A pass that needs the graph alone.
template <void (*pass)(Graph*)>
absl::Status Run(Graph* graph, const PassContext&) {
  pass(graph);
  return absl::OkStatus();
}
template <absl::Status (*pass)(Graph*)>
absl::Status Run(Graph* graph, const PassContext&) {
  return pass(graph);
}

// A pass that depends on the device profile.
template <void (*pass)(Graph*, const DeviceProfile&)>
absl::Status Run(Graph* graph, const PassContext& context) {
  pass(graph, context.profile);
  return absl::OkStatus();
}

absl::Status RunIntegerPath(Graph* graph, const PassContext& context) {
  const size_t before = graph->tensors.size();
  const int nodes =
      UseIntegerPath(graph, context.profile, context.cpu, context.traits);
  // As the model's quantized tensors: parts of integers and their sums.
  for (size_t i = before; i < graph->tensors.size(); ++i) {
    graph->tensors[i].always_float32 |= context.profile.options.half;
  }
  if (context.nodes_on_integer_path != nullptr)
    *context.nodes_on_integer_path = nodes;
  return absl::OkStatus();
}

absl::Status RunFuseElementwise(Graph* graph, const PassContext& context) {
  FuseElementwise(graph, MaxBoundTensors(context.profile));
  return absl::OkStatus();
}

absl::Status RunFoldScales(Graph* graph, const PassContext& context) {
  return FoldScales(graph, context.profile.options.half);
}

constexpr Pass kPasses[] = {
    {"integer_path", PassStage::kRead, &RunIntegerPath},
    {"fold_constants", PassStage::kFold, &Run<&FoldConstants>},
    {"remove_identity", PassStage::kFold, &Run<&RemoveIdentityNodes>},
    // Before all that fuses, as it looks at nodes by themselves.
    {"keep_float32", PassStage::kFold, &Run<&KeepFloat32>},
    {"fuse_padding", PassStage::kFold, &Run<&FusePadding>},
    // Before functions go to the reshapes.
    {"sink_reshapes", PassStage::kFold, &Run<&SinkReshapes>},
    // Before fuse_elementwise, which cannot take such functions otherwise.
    {"realign_operands", PassStage::kFold, &Run<&RealignOperands>},
    {"fuse_channel_padding", PassStage::kFold, &Run<&FuseChannelPadding>},
    // Before fuse_elementwise, which counts readers.
    {"remove_dead_nodes", PassStage::kFold, &Run<&RemoveDeadNodes>},
    {"fuse_elementwise", PassStage::kFold, &RunFuseElementwise},
    {"fold_transposes", PassStage::kFold, &Run<&FoldTransposes>},
    {"fold_heads", PassStage::kFold, &Run<&FoldHeads>},
    // Again, with the rows of heads.
    {"sink_reshapes", PassStage::kFold, &Run<&SinkReshapes>},
    // Again, with rows along the width.
    {"realign_operands", PassStage::kFold, &Run<&RealignOperands>},
    // Again, where functions between reshapes have gone to products.
    {"fold_transposes", PassStage::kFold, &Run<&FoldTransposes>},
    // Again, after removing transposes.
    {"remove_identity", PassStage::kFold, &Run<&RemoveIdentityNodes>},
    {"fuse_elementwise", PassStage::kFold, &RunFuseElementwise},
    {"fold_scales", PassStage::kFold, &RunFoldScales},
    // After fold_scales, which gives a factor of queries to their weights.
    {"join_products", PassStage::kFold, &Run<&JoinProducts>},
    {"fuse_rows", PassStage::kFuse, &Run<&FuseRows>},
    // After fuse_rows, which makes one node of a normalization.
    {"fuse_few_rows", PassStage::kFuse, &Run<&FuseFewRows>},
    // After fuse_rows, whose reshapes are of numbers; before concat_in_place,
    // which divides what this makes one node of.
    {"fuse_movement", PassStage::kFuse, &Run<&FuseMovement>},
    {"fuse_attention", PassStage::kFuse, &Run<&FuseAttention>},
    {"concat_in_place", PassStage::kFuse, &Run<&ConcatInPlace>},
    // After concat_in_place, which determines the rows' location.
    {"write_through", PassStage::kFuse, &Run<&WriteThrough>},
    // After fuse_elementwise, which gives both convolutions their activations.
    {"fuse_depthwise", PassStage::kFuse, &Run<&FuseDepthwise>},
    // After fuse_depthwise, which takes those of large planes.
    {"fuse_planes", PassStage::kFuse, &Run<&FusePlanes>},
    // After passes that find more to fuse if the functions are separate.
    {"fuse_inputs", PassStage::kFuse, &Run<&FuseInputs>},
    // After fuse_inputs, which leaves a sum to the mean alone.
    {"fuse_squeeze_excite", PassStage::kFuse, &Run<&FuseSqueezeExcite>},
    // After all passes that change what convolutions read.
    {"view_slices", PassStage::kFuse, &Run<&ViewSlices>},
    {"read_through", PassStage::kFuse, &Run<&ReadThrough>},
    {"fuse_next", PassStage::kFuse, &Run<&FuseNext>},
    // After passes that move nodes or make views.
    {"update_in_place", PassStage::kFuse, &Run<&UpdateInPlace>},
};

}  // namespace

absl::Span<const Pass> Passes() { return kPasses; }

absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer) {
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage) continue;
    RETURN_IF_ERROR(pass.run(graph, context));
    observer(pass.name, *graph);
  }
  return absl::OkStatus();
}

absl::Status RunPasses(Graph* graph, const DeviceProfile& profile) {
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    RETURN_IF_ERROR(RunPasses(stage, {profile}, graph,
                              [](absl::string_view, const Graph&) {}));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
