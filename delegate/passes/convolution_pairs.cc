// Convolutions that do more than one node of a model: two convolutions, or one
// and the functions of what it reads. Each saves a dispatch, and mostly the
// tensor between. Both convolutions have constant weights and compute on real
// values, or both on quantized values.
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

using Kind = Convolution::Kind;

std::optional<Convolution> ConstantConvolution(const Rewriter& r, int n) {
  auto conv = Convolution::Of(r.graph(), r.node(n));
  return conv && conv->constant_weights ? conv : std::nullopt;
}

// A convolution, and one that alone takes its result.
struct Pair {
  Convolution a, b;
  int second;  // the node of b
};

std::optional<Pair> PairAt(Rewriter& r, int n, Kind first, Kind second) {
  const auto a = ConstantConvolution(r, n);
  const int taker = a && a->kind == first ? r.TakerOf(n) : -1;
  const auto b = taker < 0 ? std::nullopt : ConstantConvolution(r, taker);
  if (!b || b->kind != second || b->src != a->dst || !b->input_stage.empty() ||
      a->integer_path != b->integer_path) {
    return std::nullopt;
  }
  return Pair{*a, *b, taker};
}

// The second convolution computes the first, whose results are not stored,
// wherever it reads one.
void TakeInner(Rewriter& r, int n, const Pair& pair) {
  if (!OnlyClamps(r.graph(), r.node(n), pair.a.dst)) {
    return r.Decline(n, "its functions cost too much to repeat");
  }
  Node fused = r.node(pair.second);
  fused.inputs[0] = pair.a.src;
  AddConvolution(kInnerStage, r.node(n), pair.a.weights, &fused);
  r.Fuse(pair.second, {n}, std::move(fused));
}

constexpr int kLargeOutput = 16;  // times what fills the device

// An output that keeps the device busy much longer than a dispatch takes.
bool IsLarge(const Convolution& conv, const DeviceChoices& choices) {
  return int64_t{conv.pixels()} * conv.dst_shape.slices() >
         int64_t{kLargeOutput} * choices.split_k_target;
}

// How often taps of slices may be computed for one pixel, each time that it is
// read. A fused pair saves a dispatch, which does not matter for a large
// output, while the extra work does. Little work leaves part of the device
// idle, so recomputing pixels is free, unless one pixel takes long (measured on
// an H200).
bool Pays(Rewriter& r, int n, const Pair& pair) {
  constexpr int kSlicesAtOnce = 16, kLargePart = 8, kLittleTimes = 4;
  constexpr int64_t kLittleWork = 1 << 20;
  const Convolution& pointwise = pair.b;
  const int64_t pixel = int64_t{pair.a.filter.taps} * pair.a.dst_shape.slices();
  const int64_t again =
      pixel * DivideUp(pointwise.dst_shape.slices(), kSlicesAtOnce);
  int64_t max = r.choices().fused_depthwise_work;
  if (r.choices().split_k_target > 0 && IsLarge(pointwise, r.choices())) {
    max /= kLargePart;
  } else if (again * pointwise.pixels() <= kLittleWork && pixel <= max / 2) {
    max *= kLittleTimes;
  }
  if (again > max) {
    r.Decline(n, "work of ", again, " for a pixel past ", max,
              " (fused_depthwise_work)");
  }
  return again <= max;
}

// Whether a stage can apply the function, which each tile of outputs may
// compute again, to values of shape `s`.
bool FitsStage(const Graph& graph, const PostOp& op, const Shape& s) {
  static constexpr const char* kCheap[] = {"add",     "sub",     "mul",
                                           "minimum", "maximum", "clamp"};
  if (!absl::c_linear_search(kCheap, op.function) || !BroadcastsOperand(op)) {
    return false;
  }
  // Padding channels must stay finite, as their weights are zero.
  if (op.operand == kNoTensor) {
    return op.function == "clamp" || std::isfinite(op.params[0]);
  }
  const Tensor& operand = graph.tensor(op.operand);
  return IsReal(operand) &&
         (operand.shape == s || operand.shape == Shape{1, 1, 1, s.c});
}

// The tensor of which an elementwise node's post-ops are functions that an
// input stage can have; kNoTensor if they are not.
TensorId SourceOfInputStage(const Graph& graph, const Node& node) {
  if (!IsPlainElementwise(graph, node) || node.integer_path ||
      node.post_ops.empty()) {
    return kNoTensor;
  }
  const TensorId id = SourceOfFunctions(graph, node);
  const Tensor& x = graph.tensor(id);
  const bool fits = absl::c_all_of(node.post_ops, [&](const PostOp& op) {
    return FitsStage(graph, op, x.shape);
  });
  return fits && IsReal(x) && !x.is_constant() &&
                 IsReal(graph.tensor(node.outputs[0]))
             ? id
             : kNoTensor;
}

}  // namespace

// A depthwise convolution (multiplier 1, a window of at most 5x5, no post-op
// but a clamp) becomes the inner stage of a 1x1 convolution.
void FuseDepthwise(Rewriter& r, int n) {
  constexpr int kMaxWindow = 5;
  const auto pair = PairAt(r, n, Kind::kDepthwise, Kind::kWindow);
  if (!pair || !pair->b.IsPointwise()) return;
  const Convolution& a = pair->a;
  if (a.multiplier != 1 || a.window_w > kMaxWindow || a.window_h > kMaxWindow) {
    return r.Decline(n, "a window of ", a.window_h, "x", a.window_w, "x",
                     a.multiplier);
  }
  if (Pays(r, n, *pair)) TakeInner(r, n, *pair);
}

// A 1x1 convolution becomes the inner stage of a depthwise convolution if a
// whole plane fits the shared memory of a work group, which reads all of it:
// nothing is computed twice.
void FusePlanes(Rewriter& r, int n) {
  const auto pair = PairAt(r, n, Kind::kWindow, Kind::kDepthwise);
  if (!pair || !pair->a.IsPointwise() || !pair->a.input_stage.empty() ||
      pair->b.multiplier != 1) {
    return;
  }
  const Shape& plane = pair->a.src_shape;
  if (int64_t{plane.h} * plane.w * plane.slices() >
      r.choices().fused_plane_work) {
    return r.Decline(n, "plane of ", plane.h, "x", plane.w, "x", plane.c,
                     " past fused_plane_work");
  }
  TakeInner(r, n, *pair);
}

// A 1x1 convolution becomes the next stage of the convolution whose result it
// takes: typically the first of a bottleneck, after the last of the one before.
// Both results are stored, so that the first may have other readers. Its
// post-ops may read only a table. A work group reads all of its weights; an
// output that keeps the device busy many times over wants the large tiles of
// two dispatches.
void FuseNext(Rewriter& r, int n) {
  const auto a = ConstantConvolution(r, n);
  if (!a || r.node(n).outputs.size() != 1 ||
      (a->kind != Kind::kWindow && a->kind != Kind::kDepthwisePointwise)) {
    return;
  }
  const std::vector<int> readers = r.ReadersOf(a->dst);
  for (const int m : readers) {
    const auto b = ConstantConvolution(r, m);
    if (!b || b->kind != Kind::kWindow || b->src != a->dst ||
        !b->IsPointwise() || !b->input_stage.empty() ||
        b->integer_path != a->integer_path ||
        r.node(m).always_float32 != r.node(n).always_float32 ||
        r.tensor(b->dst).view.of != kNoTensor) {
      continue;
    }
    const int texels = b->src_shape.slices() * 4 * b->dst_shape.slices();
    if (texels > r.choices().fused_next_texels) {
      r.Decline(m, "weights of ", texels, " texels past fused_next_texels");
    } else if (IsLarge(*b, r.choices())) {
      r.Decline(m, "a large output, ", b->dst_shape.ToString());
    } else if (!ReadOnlyTables(r.node(m).post_ops)) {
      r.Decline(m, "its functions read other tensors");
    } else {
      Node fused = r.node(n);
      AddConvolution(kNextStage, r.node(m), b->weights, &fused);
      fused.outputs.push_back(b->dst);
      if (r.Fuse(n, {m}, std::move(fused))) return;
    }
  }
}

// An elementwise node of real values becomes an input stage of a 1x1
// convolution: the MUL of a squeeze-excite block with the ADD after it, the
// normalization and activation before a convolution. Each tile of outputs
// computes the functions again, so they are cheap ones, of tensors [1,1,1,C]
// and [B,H,W,C] alone, and the convolution has few output slices. Not for
// convolutions of few pixels, which gemv_by_lanes.comp computes.
void FuseInputs(Rewriter& r, int n) {
  constexpr int kMaxSlices = 1024;
  const TensorId source = SourceOfInputStage(r.graph(), r.node(n));
  const int m = source == kNoTensor ? -1 : r.TakerOf(n);
  if (m < 0) return;
  const auto conv = Convolution::Of(r.graph(), r.node(m));
  if (!conv || conv->src != r.node(n).outputs[0] ||
      r.node(n).always_float32 != r.node(m).always_float32) {
    return;
  }
  if (!conv->CanTakeInputStage() || conv->dst_shape.slices() > kMaxSlices) {
    return r.Decline(n, "its convolution cannot compute functions as it reads");
  }
  Node fused = r.node(m);
  fused.inputs[0] = source;
  fused.stages.push_back({{kInputStage, r.node(n).post_ops}});
  r.Fuse(m, {n}, std::move(fused));
}

// --- fuse_squeeze_excite -----------------------------------------------------

// Fuses a mean over the plane, the 1x1 convolution or matrix product that is
// its only reader, and the next one if it is the only reader of that, into one
// node (ops/conv/squeeze_excite.cc). Saves one or two dispatches. A node before
// it that only the mean reads becomes its input stage.
//
// One work group computes it, so it may read at most
// profile.choices.fused_squeeze_texels texels, weights included. Not for 8-bit
// tensors, for a function with an operand between the products, nor for weights
// computed at run time.

namespace {

bool CoversPlane(const PoolAttributes& pool, const Shape& src) {
  return pool.quantized == nullptr && !pool.zeros && pool.window_h == src.h &&
         pool.window_w == src.w && pool.BeginsInside();
}

// True of the mean of each channel over height and width, and nothing else.
bool IsMeanOfPlane(const Graph& graph, const Node& node) {
  const auto* pool = node.As<PoolAttributes>();
  const auto* reduce = node.As<ReduceAttributes>();
  if ((pool == nullptr && reduce == nullptr) || node.integer_path ||
      !node.post_ops.empty()) {
    return false;
  }
  const Tensor& src = graph.tensor(node.inputs[0]);
  const Tensor& dst = graph.tensor(node.outputs[0]);
  if (dst.shape != Shape{src.shape.b, 1, 1, src.shape.c} || !IsReal(src) ||
      src.is_constant() || !IsReal(dst)) {
    return false;
  }
  if (pool != nullptr) {
    return node.op->name == "AVERAGE_POOL_2D" && CoversPlane(*pool, src.shape);
  }
  constexpr std::array<bool, 4> kPlane = {false, true, true, false};
  return ReducerOf(*node.op) == Reducer::kMean &&
         reduce->quantized == nullptr && reduce->folded.empty() &&
         reduce->over == kPlane;
}

// The product, of one pixel a batch, that alone takes the result of node n; -1:
// there is none.
int ProductOf(const Rewriter& r, int n) {
  const int taker = r.TakerOf(n);
  if (taker < 0) return -1;
  const auto conv = Convolution::Of(r.graph(), r.node(taker));
  const bool fits = conv && conv->src == r.node(n).outputs[0] &&
                    conv->IsPointwise() && conv->constant_weights &&
                    !conv->quantized && conv->input_stage.empty() &&
                    conv->dst_shape.h == 1 && conv->dst_shape.w == 1 &&
                    IsReal(r.tensor(conv->dst));
  return fits ? taker : -1;
}

// An elementwise node that mean n alone takes, and whose functions an input
// stage can have; -1: there is none.
int StageOfMean(const Rewriter& r, int n) {
  const int maker = r.MakerOf(r.node(n).inputs[0]);
  return maker >= 0 && r.TakerOf(maker) == n &&
                 SourceOfInputStage(r.graph(), r.node(maker)) != kNoTensor
             ? maker
             : -1;
}

// The inputs of `conv` that hold its weights and its bias.
void TakeWeights(const Graph& graph, const Node& node, int weights, int bias,
                 std::vector<TensorId>* inputs) {
  const auto conv = Convolution::Of(graph, node);
  (*inputs)[weights] = conv->weights.weights;
  (*inputs)[bias] = conv->weights.bias;
}

// Texels of the planes that the mean reads.
int64_t PlaneTexels(const Graph& graph, const Node& node) {
  std::vector<TensorId> planes = {node.inputs[kSqueezeSource]};
  for (const PostOp& op : StageOf(node, kInputStage)) {
    if (op.operand != kNoTensor) planes.push_back(op.operand);
  }
  int64_t texels = 0;
  for (TensorId id : planes) {
    const Shape& s = graph.tensor(id).shape;
    texels += int64_t{s.h} * s.w * s.slices();
  }
  return texels;
}

// Texels of both matrices.
int64_t WeightTexels(const Graph& graph, const Node& node) {
  int64_t texels = 0;
  for (const int input : {kSqueezeWeights, kExciteWeights}) {
    if (node.inputs[input] == kNoTensor) continue;
    const Shape& s = graph.tensor(node.inputs[input]).shape;
    texels += int64_t{DivideUp(s.b, 4)} * s.slices() * 4;
  }
  return texels;
}

}  // namespace

void FuseSqueezeExcite(Rewriter& r, int n) {
  if (!IsMeanOfPlane(r.graph(), r.node(n))) return;
  const int first = ProductOf(r, n);
  if (first < 0) return;
  std::vector<int> others = {n};
  // A product after this one: functions between need no other tensor.
  const int second =
      ReadOnlyTables(r.node(first).post_ops) ? ProductOf(r, first) : -1;
  const int last = second < 0 ? first : second;
  Node fused = r.node(last);
  fused.op = &kSqueezeExciteOp;
  fused.inputs.assign(kSqueezeExciteInputs, kNoTensor);
  fused.stages.clear();
  fused.inputs[kSqueezeSource] = r.node(n).inputs[0];
  TakeWeights(r.graph(), r.node(first), kSqueezeWeights, kSqueezeBias,
              &fused.inputs);
  if (second >= 0) {
    TakeWeights(r.graph(), r.node(second), kExciteWeights, kExciteBias,
                &fused.inputs);
    fused.stages.push_back({{kInnerStage, r.node(first).post_ops}});
    others.push_back(first);
  }
  if (const int functions = StageOfMean(r, n); functions >= 0) {
    const Node& node = r.node(functions);
    fused.inputs[kSqueezeSource] = SourceOfInputStage(r.graph(), node);
    fused.stages.push_back({{kInputStage, node.post_ops}});
    others.push_back(functions);
  }
  const int64_t weights = WeightTexels(r.graph(), fused);
  const int64_t max = r.choices().fused_squeeze_texels;
  if (weights > max) {
    return r.Decline(n, "weights of ", weights,
                     " texels past fused_squeeze_texels");
  }
  fused.attributes =
      SqueezeExciteAttributes{weights + PlaneTexels(r.graph(), fused) > max};
  r.Fuse(last, others, std::move(fused));
}

}  // namespace gles_delegate
