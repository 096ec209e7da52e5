#include "delegate/passes/passes.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gles_delegate {
namespace {

// --- On which devices --------------------------------------------------------

template <int DeviceChoices::*choice>
bool Has(const DeviceProfile& profile) {
  return profile.choices.*choice != 0;
}
constexpr auto kReadsThrough = Has<&DeviceChoices::read_through>;

bool StoresHalves(const DeviceProfile& profile) { return profile.options.half; }
bool IsGpu(const DeviceProfile& profile) {
  return profile.choices.simd_lanes <= 1;
}

// --- The list ----------------------------------------------------------------

void RemoveDeadNodes(Rewriter& r) { r.RemoveDead(); }

constexpr PassStage kRead = PassStage::kRead, kFold = PassStage::kFold,
                    kFuse = PassStage::kFuse;

constexpr Pass kPasses[] = {
    {"integer_path", kRead, &UseIntegerPath,
     "stores quantized tensors as integers and moves nodes to the integer "
     "path"},
    {"remove_identity", kFold, &RemoveIdentityNodes,
     "removes reshapes, slices, pads and resizes that change nothing"},
    {"keep_float32", kFold, &KeepFloat32,
     "with 16-bit floats, keeps in 32 bits what 16 cannot hold: squares that "
     "only sums read, integers, what SIN, COS, LOG and FLOOR read, and the "
     "constants beside them",
     /*follows=*/"", &StoresHalves},
    {"fuse_padding", kFold, &FusePadding,
     "gives a PAD of height and width to the convolution, pooling or sum that "
     "reads it"},
    {"sink_reshapes", kFold, &SinkReshapes,
     "removes reshapes beside ops that only see rows: FULLY_CONNECTED, "
     "SOFTMAX"},
    {"realign_operands", kFold, &RealignOperands,
     "reshapes constant operands to the shape in which they are read"},
    {"fuse_channel_padding", kFold, &FuseChannelPadding,
     "gives a PAD of the channels to the sum that reads it"},
    {"remove_dead_nodes", kFold, &RemoveDeadNodes,
     "removes nodes whose results are no longer read"},
    // Counts readers, takes what is aligned; keep_float32 looks at functions by
    // themselves, sink_reshapes at reshapes without any.
    {"fuse_elementwise", kFold, &FuseElementwise,
     "turns functions of a node's output into its post-ops",
     "keep_float32 sink_reshapes realign_operands fuse_channel_padding "
     "remove_dead_nodes"},
    {"fold_transposes", kFold, &FoldTransposes,
     "folds transposes and reshapes that follow or undo one another"},
    {"fold_heads", kFold, &FoldHeads,
     "splits and merges an attention's heads without moving values, transposes "
     "factors of BATCH_MATMUL as it reads them, and gives it their scalar "
     "factors"},
    {"sink_reshapes", kFold, &SinkReshapes, "again, with the rows of heads",
     "fold_heads"},
    {"realign_operands", kFold, &RealignOperands, "again, for the same reason",
     "fold_heads"},
    {"fold_transposes", kFold, &FoldTransposes,
     "again, where functions between reshapes have gone to products",
     "fold_heads"},
    {"remove_identity", kFold, &RemoveIdentityNodes,
     "again, now that transposes are gone", "fold_transposes"},
    {"fuse_elementwise", kFold, &FuseElementwise, "again, for the same reason",
     "fold_transposes"},
    {"fold_scales", kFold, &FoldScales,
     "folds MUL, ADD and SUB of constants into the weights and bias beside "
     "them",
     "fuse_elementwise"},
    // A factor of queries is in their weights by then.
    {"join_products", kFold, &JoinProducts,
     "products of the same rows are one: an attention's queries, keys and "
     "values",
     "fold_scales"},
    {"fuse_rows", kFuse, &FuseRows,
     "functions of rows and of their means are one dispatch: layer and RMS "
     "normalizations"},
    // Of normalizations that are one node.
    {"normalize_few_rows", kFuse, &NormalizeFewRows,
     "FULLY_CONNECTED of few rows normalizes them as it reads them",
     "fuse_rows", &IsGpu},
    // Gates have their scale with the weights.
    {"fuse_gates", kFuse, &FuseGates,
     "FULLY_CONNECTED of few rows computes the gate of a SwiGLU or GEGLU",
     "normalize_few_rows", &IsGpu},
    // fuse_rows reads reshapes of numbers.
    {"fuse_movement", kFuse, &FuseMovement,
     "functions of values that reshapes, transposes, slices and concatenations "
     "move are one dispatch, which reads the values where they are: rotary "
     "embeddings",
     "fuse_rows"},
    {"fuse_updates", kFuse, &FuseUpdates,
     "DYNAMIC_UPDATE_SLICE computes such functions itself", "fuse_movement"},
    {"fuse_attention", kFuse, &FuseAttention,
     "an attention's products and softmax are one dispatch"},
    // It divides what fuse_movement makes one node of.
    {"concat_in_place", kFuse, &ConcatInPlace,
     "writes inputs of a concatenation directly into its output",
     "fuse_movement"},
    // The rows are then in the memory of the concatenation.
    {"write_through", kFuse, &WriteThrough,
     "a convolution writes what a RESHAPE makes of its result: the rows of a "
     "detector's heads",
     "concat_in_place", kReadsThrough},
    // Both convolutions have their activations, and their rows' padding.
    {"fuse_depthwise", kFuse, &FuseDepthwise,
     "a depthwise convolution is computed by the 1x1 convolution that reads it",
     "fuse_elementwise write_through",
     &Has<&DeviceChoices::fused_depthwise_work>},
    // fuse_depthwise takes those of large planes and few channels.
    {"fuse_planes", kFuse, &FusePlanes,
     "a 1x1 convolution of a small plane and the depthwise convolution that "
     "reads it are one dispatch",
     "fuse_depthwise", &Has<&DeviceChoices::fused_plane_work>},
    // Others find more to fuse if the functions are separate.
    {"fuse_inputs", kFuse, &FuseInputs,
     "a 1x1 convolution computes the sums, products and clamps of its input as "
     "it reads it: a squeeze-excite MUL, a normalization",
     "fuse_elementwise fuse_depthwise fuse_planes", kReadsThrough},
    // The sum of a scaled tensor has gone to the next convolution, so that the
    // mean alone reads it.
    {"fuse_squeeze_excite", kFuse, &FuseSqueezeExcite,
     "a mean over the plane and the matrix products after it are one dispatch",
     "fuse_inputs", &Has<&DeviceChoices::fused_squeeze_texels>},
    // From here on nothing changes what convolutions read.
    {"view_slices", kFuse, &ViewSlices,
     "the heads of an attention are views of the rows that hold them",
     "fuse_inputs"},
    {"read_through", kFuse, &ReadThrough,
     "a convolution reads the source of a DEPTH_TO_SPACE directly, a 1x1 "
     "convolution that of a RESIZE_BILINEAR, and so does an output's readback; "
     "a convolution whose post-op takes a MAX_POOL_2D of at most 2x2 takes the "
     "maximum of the source's texels",
     "fuse_inputs", kReadsThrough},
    // It depends on the strategies of convolutions.
    {"fuse_next", kFuse, &FuseNext,
     "a 1x1 convolution is computed by the convolution whose result it reads",
     "read_through", &Has<&DeviceChoices::fused_next_texels>},
    // Nodes no longer move, and views are known.
    {"update_in_place", kFuse, &UpdateInPlace,
     "DYNAMIC_UPDATE_SLICE writes the update into its input's memory",
     "fuse_movement concat_in_place view_slices read_through"},
};

// Whether each pass comes after those that it must follow.
constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kPasses); ++i) {
    const absl::string_view names = kPasses[i].follows;
    for (size_t begin = 0, end = 0; begin < names.size(); begin = end + 1) {
      for (end = begin; end < names.size() && names[end] != ' ';) ++end;
      bool is_before = false;
      for (size_t j = 0; j < i; ++j) {
        is_before |= kPasses[j].name == names.substr(begin, end - begin);
      }
      if (!is_before) return false;
    }
  }
  return true;
}
static_assert(IsInOrder(), "a pass is before one that it must follow");

// --- Running -----------------------------------------------------------------

absl::Status Run(const Pass& pass, const PassContext& context, Graph* graph) {
  if (pass.gate != nullptr && !pass.gate(context.profile)) {
    return absl::OkStatus();
  }
  Rewriter rewriter(graph, context, pass.name);
  if (const auto* rule = std::get_if<NodeRule>(&pass.rule)) {
    for (int n = 0, count = rewriter.size(); n < count; ++n) {
      if (!rewriter.is_gone(n)) (*rule)(rewriter, n);
    }
  } else {
    std::get<GraphRule>(pass.rule)(rewriter);
  }
  RETURN_IF_ERROR(rewriter.status());
  rewriter.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Span<const Pass> Passes() { return kPasses; }

absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer) {
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage) continue;
    RETURN_IF_ERROR(Run(pass, context, graph));
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

absl::Status RunPass(absl::string_view name, const PassContext& context,
                     Graph* graph) {
  const auto* pass = absl::c_find_if(
      kPasses, [name](const Pass& p) { return p.name == name; });
  if (pass == std::end(kPasses)) {
    return absl::NotFoundError(absl::StrCat("no pass ", name));
  }
  return Run(*pass, context, graph);
}

}  // namespace gles_delegate
