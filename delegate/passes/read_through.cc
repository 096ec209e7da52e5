// Removes nodes whose results are read only by convolutions, or only by the
// dispatch that reads back a graph output, if these can read the node's source
// instead (MemoryView::Kind). Saves one dispatch each:
// - DEPTH_TO_SPACE to whole slices: any convolutions, or the readback.
// - RESIZE_BILINEAR of real values: one 1x1 convolution from shared memory,
//   which reads each texel once for all output slices of a work group, or the
//   readback.
// - MAX_POOL_2D of at most 2x2 without post-ops: one convolution with a post-op
//   that has the result as its operand, pixel by pixel.
#include <algorithm>
#include <optional>
#include <vector>

#include "delegate/ops/all_ops.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/movement/space_depth.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// The node's result as a view of its source; nullopt: shaders cannot read it
// so.
std::optional<MemoryView> ViewOfResult(const Graph& graph, const Node& node) {
  if (!node.post_ops.empty()) return std::nullopt;
  const Tensor& from = graph.tensor(node.inputs[0]);
  const Tensor& to = graph.tensor(node.outputs[0]);
  std::optional<MemoryView> view;
  if (node.As<ResizeAttributes>() != nullptr &&
      node.op->plan == &PlanResizeBilinear) {
    if (from.is_float_view() || to.is_float_view()) return std::nullopt;
    view = BilinearView(node, from.shape, to.shape);
  } else if (const auto* a = node.As<SpaceDepthAttributes>();
             a != nullptr && node.op->plan == &PlanDepthToSpace &&
             to.shape.c % 4 == 0) {
    view.emplace();
    view->kind = MemoryView::Kind::kDepthToSpace;
    view->block = a->block;
  } else {
    view = MaxPoolView(node);
  }
  if (view) view->of = node.inputs[0];
  return view;
}

// A tensor with its own memory, of which others may be views.
bool MayHoldViews(const Tensor& tensor) {
  return tensor.view.of == kNoTensor && !tensor.is_constant() &&
         !tensor.is_variable && tensor.type == DataType::kFloat32;
}

// The node reads `id` as a convolution's source, and nowhere else.
std::optional<Convolution> ConvolutionOf(TensorId id, const Graph& graph,
                                         const Node& node) {
  const auto conv = Convolution::Of(graph, node);
  const bool is_source =
      conv && conv->src == id && !IsOperand(id, node) &&
      std::count(node.inputs.begin(), node.inputs.end(), id) == 1;
  return is_source ? conv : std::nullopt;
}

bool CanReadThrough(const Convolution& conv, MemoryView::Kind kind,
                    const Planner& planner) {
  if (kind == MemoryView::Kind::kDepthToSpace) return true;
  return conv.IsPointwise() &&
         ChooseConvStrategy(conv, planner) == &kConvShared;
}

// The first function of the node that takes the operand: an index, or one past
// the last.
size_t FunctionOf(TensorId operand, const Node& node) {
  const auto takes = [&](const PostOp& op) { return op.operand == operand; };
  return std::find_if(node.post_ops.begin(), node.post_ops.end(), takes) -
         node.post_ops.begin();
}

// If a convolution's function uses each pixel of the maximum once, four reads
// of the source replace those of the node, its write and one read.
bool CanTakeMaximum(const Tensor& maximum, const PostOp& function,
                    const Convolution& conv) {
  Shape pixels = conv.dst_shape;
  if (function.operand_zero_extend) pixels.c = maximum.shape.c;
  return maximum.shape == pixels;
}

// Reads the maximum by the function of the node that takes it.
void TakeMaximum(TensorId maximum, Node* node) {
  PostOp& function = node->post_ops[FunctionOf(maximum, *node)];
  function.operand_max_pool = true;
  // Of as many channels as there are it is the same, and functions that differ
  // in nothing else share a program.
  function.operand_zero_extend = true;
}

// Whether all that reads the result can read it so.
bool ReadersCanRead(const MemoryView& view, TensorId id,
                    const std::vector<int>& readers, const Planner& planner) {
  const Graph& graph = planner.graph();
  if (view.kind == MemoryView::Kind::kMaxPool) {
    const Node& node = graph.nodes[readers[0]];
    const size_t function = FunctionOf(id, node);
    const auto conv = Convolution::Of(graph, node);
    return readers.size() == 1 && conv && function < node.post_ops.size() &&
           CanTakeMaximum(graph.tensor(id), node.post_ops[function], *conv);
  }
  // To interpolate for each of several readers costs more than a dispatch.
  if (view.kind == MemoryView::Kind::kBilinear && readers.size() != 1) {
    return false;
  }
  return std::all_of(readers.begin(), readers.end(), [&](int reader) {
    const auto conv = ConvolutionOf(id, graph, graph.nodes[reader]);
    return conv && CanReadThrough(*conv, view.kind, planner);
  });
}

bool CanBeRead(const MemoryView& view, TensorId id, Rewriter& r) {
  const Tensor& result = r.tensor(id);
  const std::vector<int>& readers = r.ReadersOf(id);
  if (result.view.of != kNoTensor || !MayHoldViews(r.tensor(view.of)) ||
      !LieAlike(r.tensor(view.of), result)) {
    return false;
  }
  // The readback dispatch reads each texel once or twice. If the host unpacks
  // the output, there is no such dispatch.
  if (r.IsOutput(id)) {
    return readers.empty() && view.kind != MemoryView::Kind::kMaxPool &&
           r.choices().host_transfers == 0;
  }
  return !readers.empty() &&
         ReadersCanRead(view, id, readers, Planner(&r.graph(), r.profile()));
}

}  // namespace

void ReadThrough(Rewriter& r, int n) {
  const auto view = ViewOfResult(r.graph(), r.node(n));
  if (!view) return;
  const TensorId id = r.node(n).outputs[0];
  if (!CanBeRead(*view, id, r)) {
    return r.Decline(n, "not all that reads it can read its source");
  }
  r.tensor(id).view = *view;
  r.Remove(n);
  if (view->kind == MemoryView::Kind::kMaxPool) {
    TakeMaximum(id, &r.own(r.ReadersOf(id)[0]));
  }
}

}  // namespace gles_delegate
