#include "delegate/ops/reduction/reduction.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/rows.h"

namespace gles_delegate {
namespace {

// Along one axis, output o covers the existing source elements among o * stride
// - before and the next size - 1.
struct ReduceAxis {
  int size = 1;
  int stride = 1;
  int before = 0;
};

struct Reduction {
  Reducer reducer = Reducer::kSum;
  // The source has quantized values; replaces `reducer`.
  std::shared_ptr<const CodeSums> quantized;
  // Reduces all channels to one.
  bool channels = false;
  ReduceAxis b, h, w;
  // Elements outside, on h and w, count as zeros; only for kMean and kMax.
  bool zeros = false;

  static ReduceAxis Whole(int extent) { return {extent, 0, 0}; }
};

// Outputs that keep any device busy with one invocation each.
constexpr int64_t kManyOutputs = 16384;
// Reads that one invocation may do one after another, in a work group that
// shares them.
constexpr int64_t kLongLoop = 64;
// Minimum texels for the least busy invocation of a work group.
constexpr int64_t kShortLoop = 4;

// By CodeSums::Result; kProduct is of another shader.
constexpr absl::string_view kDefinesOfResults[] = {
    "STEPS", "SCALED", "MEAN", "TRUNCATED", "RESCALED", "FLOAT_MEAN"};
struct ReducerText {
  absl::string_view name;     // as the op's row and shaders have it
  absl::string_view combine;  // of a and b
  absl::string_view identity, identity_of_int32;
};

// By Reducer.
constexpr ReducerText kReducers[] = {
    {"SUM", "a + b", "0", "0"},
    {"MEAN", "a + b", "0", "0"},
    {"MAX", "max(a, b)", "-3.402823466e38", "~0x7fffffff"},
    {"MIN", "min(a, b)", "3.402823466e38", "0x7fffffff"},
    {"PRODUCT", "a * b", "1", "1"},
    {"ANY", "a | b", "0", "0"},
    {"ALL", "a & b", "1", "1"}};

int64_t Outputs(const Shape& s) {
  return int64_t{s.b} * s.h * s.w * s.slices();
}

// Texels an output needs at most.
int64_t Taps(const Reduction& r, const Shape& src) {
  return int64_t{r.b.size} * r.h.size * r.w.size *
         (r.channels ? src.slices() : 1);
}

// Invocations that share an output's taps.
int ReductionThreads(int64_t taps, int64_t outputs,
                     const DeviceProfile& profile) {
  return outputs >= kManyOutputs ? 1
                                 : SharingThreads(taps / kShortLoop, profile);
}

// An integer of a table of floats, which hold 24 bits, is two of 16. A second
// row has the steps of the last channels.
PackedConstant StepsConstant(std::shared_ptr<const CodeSums> quantized) {
  PackedConstant steps("steps", static_cast<int>(quantized->steps.size()),
                       quantized->last_steps.empty() ? 1 : 2);
  steps.fill = [quantized = std::move(quantized)](absl::Span<float> texels) {
    size_t at = 0;
    for (const auto* row : {&quantized->steps, &quantized->last_steps}) {
      for (const int32_t step : *row) {
        texels[at] = static_cast<float>(step >> 16);
        texels[at + 1] = static_cast<float>(step & 0xffff);
        at += 4;
      }
    }
  };
  return steps;
}

// How the shader ends, and its uniforms after the reduction's own.
void AddCodeSums(const std::shared_ptr<const CodeSums>& quantized, bool partial,
                 Dispatch* d) {
  const CodeSums& c = *quantized;
  if (partial) {
    d->Define("PARTIAL");
  } else {
    d->Define(kDefinesOfResults[static_cast<int>(c.result)]);
    if (c.fused) d->Define("FUSED");
    if (c.result == CodeSums::Result::kSteps) {
      if (!c.last_steps.empty()) d->Define("LAST_STEPS");
      d->Constant(StepsConstant(quantized));
    }
  }
  // A shader gets the library functions that its defines and its text name.
  if (!partial && c.result == CodeSums::Result::kRescaled) {
    d->Define("RESCALE", "op_rescale");
  }
  d->uniforms.Int("low", c.low);
  d->uniforms.Int("first", c.first);
  d->uniforms.Int("zero_in", c.zero_in);
  d->uniforms.Int("zero_out", c.zero_out);
  d->uniforms.Int("added_zero", c.added_zero);
  d->uniforms.Int("rescales", c.rescales ? 1 : 0);
  d->uniforms.Float("scale", c.scale);
  d->uniforms.Float("bias", c.bias);
  d->uniforms.Int("never", 0);
  d->uniforms.Int("count_of_mean", c.count);
  d->uniforms.Int("multiplier", c.multiplier.value);
  d->uniforms.Int("shift", c.multiplier.shift);
  d->uniforms.Int("last_channels", c.last_channels);
  d->uniforms.Int("low_bits", c.low_bits);
}

void BindReduction(const Reduction& r, const Shape& from, Dispatch* d) {
  d->uniforms.Int4("window", r.w.size, r.h.size, r.channels ? from.slices() : 1,
                   r.b.size);
  d->uniforms.Int4("stride", r.w.stride, r.h.stride, r.channels ? 0 : 1,
                   r.b.stride);
}

// `partial`: sums of quantized values for another pass.
absl::Status AddPass(Planner* planner, TensorId src, TensorId dst,
                     const Reduction& r, bool partial = false) {
  const Shape from = planner->shape(src);
  const Shape to = planner->shape(dst);
  const int threads =
      ReductionThreads(Taps(r, from), Outputs(to), planner->profile());
  const bool integer_path = r.quantized != nullptr;
  Dispatch d = TexelDispatch("reduce", src, dst, *planner);
  if (integer_path) d.Define("QUANTIZED");
  DefineReducer(integer_path ? Reducer::kSum : r.reducer,
                planner->tensor(src).type, &d);
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{16} * threads);
  if (r.channels) d.Define("CHANNELS");
  if (r.zeros) d.Define("ZEROS");
  BindReduction(r, from, &d);
  d.uniforms.Int4("before", r.w.before, r.h.before, 0, r.b.before);
  if (integer_path) AddCodeSums(r.quantized, partial, &d);
  d.Grid(int64_t{to.w} * threads, to.h, to.slices() * to.b);
  if (threads > 1) {
    d.WorkGroup(threads, 1, 1);
  } else if (Taps(r, from) <= kLongLoop) {
    UseLightWorkGroup(planner->profile(), &d);
  }
  return planner->Add(std::move(d));
}

// Of whole axes.
absl::Status AddProductOfQuantized(Planner* planner, TensorId src, TensorId dst,
                                   const Reduction& r) {
  Dispatch d = TexelDispatch("product_quantized", src, dst, *planner);
  d.Define("RESCALE_64", "op_rescale_64");
  if (r.channels) d.Define("CHANNELS");
  BindReduction(r, planner->shape(src), &d);
  d.uniforms.Int("multiplier", r.quantized->step.value);
  d.uniforms.Int("right", r.quantized->step.right);
  return planner->Add(std::move(d));
}

// Reducing the width first pays if windows overlap, or if even a work group
// would loop for long.
bool WidthFirst(const Reduction& r, const Shape& src, const Shape& dst,
                const DeviceProfile& profile) {
  const int64_t taps = Taps(r, src);
  if (r.w.size == 1 || taps == r.w.size) return false;
  // The rounded mean is not the mean of rounded means.
  if (r.quantized != nullptr &&
      r.quantized->result == CodeSums::Result::kMean) {
    return false;
  }
  // In doubles: a plan is made before it turns out that no device has the size.
  const double outputs = static_cast<double>(Outputs(dst));
  const double direct = taps * outputs;
  const int64_t rows = taps / r.w.size;
  const double split = 1.0 * r.w.size * src.b * src.h * dst.w * src.slices() +
                       static_cast<double>(rows) * outputs;
  if (direct > 4 * split) return true;
  return RunsAbreast(profile.choices) &&
         taps > kLongLoop * ReductionThreads(taps, Outputs(dst), profile) &&
         Outputs(dst) < kManyOutputs;
}

// Means divide by the number of existing elements, or all with `zeros`. If one
// invocation per output would be too few or too slow, work is split: a work
// group per output, or the width first, via a temporary tensor.
absl::Status AddReduction(Planner* planner, TensorId src, TensorId dst,
                          const Reduction& r) {
  const Shape from = planner->shape(src);
  const Shape to = planner->shape(dst);
  if (r.quantized != nullptr &&
      r.quantized->result == CodeSums::Result::kProduct) {
    return AddProductOfQuantized(planner, src, dst, r);
  }
  if (!WidthFirst(r, from, to, planner->profile())) {
    return AddPass(planner, src, dst, r);
  }
  // Elements that exist are counted an axis at a time, so the mean of the means
  // is the mean.
  Reduction width;
  width.reducer = r.reducer;
  width.quantized = r.quantized;
  width.w = r.w;
  width.zeros = r.zeros;
  const TensorId rows = planner->AddTemporary(
      "rows reduced", Shape{from.b, from.h, to.w, from.c},
      r.quantized != nullptr ? DataType::kInt32 : planner->tensor(src).type);
  RETURN_IF_ERROR(AddPass(planner, src, rows, width, /*partial=*/true));
  Reduction rest = r;
  rest.w = ReduceAxis();
  return AddPass(planner, rows, dst, rest);
}

}  // namespace

void DefineReducer(Reducer reducer, DataType type, Dispatch* d) {
  const ReducerText& text = kReducers[static_cast<int>(reducer)];
  d->Define(text.name).Define("COMBINE", text.combine);
  d->Define("IDENTITY",
            type == DataType::kInt32 ? text.identity_of_int32 : text.identity);
}

Reducer ReducerOf(const OpDefinition& op) {
  const auto it = std::find_if(
      std::begin(kReducers), std::end(kReducers),
      [&](const ReducerText& text) { return text.name == op.function; });
  return static_cast<Reducer>(it - std::begin(kReducers));
}

// --- MEAN, SUM, REDUCE_MAX, ... ----------------------------------------------

namespace {

// Merges neighbouring axes of `dims` with equal `flags`: extents multiply,
// linear order stays. Axes of extent 1 join either neighbour.
struct FoldedAxes {
  std::vector<int> dims;
  std::vector<bool> flags;
};

FoldedAxes FoldAxes(absl::Span<const int> dims,
                    const std::vector<bool>& flags) {
  FoldedAxes folded;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!folded.dims.empty() && folded.flags.back() == flags[i]) {
      folded.dims.back() *= dims[i];
    } else {
      folded.dims.push_back(dims[i]);
      folded.flags.push_back(flags[i]);
    }
  }
  return folded;
}

// TFLite's mean of integers: their sum divided towards zero.
absl::Status AddIntegerMean(Planner* planner, TensorId src, TensorId dst,
                            const Reduction& reduction) {
  const Shape from = planner->shape(src);
  const Shape to = planner->shape(dst);
  Reduction r = reduction;
  r.reducer = Reducer::kSum;
  const TensorId sum = planner->AddTemporary("sum", to, DataType::kInt32);
  RETURN_IF_ERROR(AddReduction(planner, src, sum, r));
  const int64_t summed = from.elements() / to.elements();
  Dispatch d = TexelDispatch("copy", sum, dst, *planner);
  d.post_ops.push_back({"div", {static_cast<float>(summed)}});
  return planner->Add(std::move(d));
}

}  // namespace

absl::Status PlanReduce(const Node& node, Planner* planner) {
  const Reducer reducer = ReducerOf(*node.op);
  const auto& a = node.Get<ReduceAttributes>();
  TensorId src = node.inputs[0];
  if (!a.moves.empty()) {
    ASSIGN_OR_RETURN(src, AddTransposeSteps(planner, src, a.moves));
  }
  if (!a.folded.empty()) {
    ASSIGN_OR_RETURN(src, AsShape(planner, src, Shape::FromDims(a.folded)));
  }
  const Shape from = planner->shape(src);
  Reduction r;
  r.reducer = reducer;
  r.quantized = a.quantized;
  if (a.over[0]) r.b = Reduction::Whole(from.b);
  if (a.over[1]) r.h = Reduction::Whole(from.h);
  if (a.over[2]) r.w = Reduction::Whole(from.w);
  r.channels = a.over[3];
  const Shape kept = {a.over[0] ? 1 : from.b, a.over[1] ? 1 : from.h,
                      a.over[2] ? 1 : from.w, a.over[3] ? 1 : from.c};
  const auto add =
      reducer == Reducer::kMean && planner->tensor(src).type == DataType::kInt32
          ? AddIntegerMean
          : AddReduction;
  return AddInShape(planner, "axes kept", kept, node.outputs[0],
                    [&](TensorId dst) { return add(planner, src, dst, r); });
}

absl::StatusOr<ParsedNode> ParseReduce(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ReducerParams>());
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axes, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  ReduceAttributes a;
  std::vector<bool> over(rank, false);
  if (rank == 0) axes.clear();  // TFLite's kernels look at none
  for (int i : axes) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(i, rank));
    over[axis] = true;
  }
  const std::vector<int> plane = {1, 2}, turned_plane = {2, 1};
  a.over_plane =
      rank == 4 && params->keep_dims && (axes == plane || axes == turned_plane);
  a.over_plane_by_any_name =
      rank == 4 && params->keep_dims && axes.size() == 2 &&
      over == std::vector<bool>{false, true, true, false};
  if (rank > 4) {
    FoldedAxes folded = FoldAxes(input.dims, over);
    while (folded.dims.size() > 4) {
      // Every other axis is reduced: the third joins the first, and the fourth
      // the second.
      std::vector<int> order(folded.dims.size());
      std::iota(order.begin(), order.end(), 0);
      std::swap(order[1], order[2]);
      a.moves.push_back(FoldedTranspose(folded.dims, order).Step());
      std::swap(folded.dims[1], folded.dims[2]);
      std::vector<bool>::swap(folded.flags[1], folded.flags[2]);
      folded = FoldAxes(folded.dims, folded.flags);
    }
    a.folded = std::move(folded.dims);
    over = std::move(folded.flags);
  }
  const int folded_rank = static_cast<int>(over.size());
  for (int i = 0; i < folded_rank; ++i) {
    if (over[i]) a.over[BhwcAxis(i, folded_rank)] = true;
  }
  return ParsedNode{a};
}

// --- AVERAGE_POOL_2D, MAX_POOL_2D --------------------------------------------

namespace {

// Windows whose reads the max_pool_2d shader spells out.
constexpr int kMaxSpelledTaps = 16;

// On SIMD devices, loops with unknown bounds are expensive.
bool IsPoolSpelledOut(const PoolAttributes& a, const DeviceChoices& choices) {
  return choices.simd_lanes > 1 && !a.zeros &&
         int64_t{a.window_h} * a.window_w <= kMaxSpelledTaps;
}

absl::Status PlanSpelledOut(const Node& node, const PoolAttributes& a,
                            Planner* planner) {
  const Shape& dst = planner->shape(node.outputs[0]);
  Dispatch d = TexelDispatch("max_pool_2d", node, *planner);
  d.Define("WINDOW_W", a.window_w)
      .Define("WINDOW_H", a.window_h)
      .Grid(dst.w * dst.h, dst.slices(), dst.b);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  return AddInLightGroups(std::move(d), planner);
}

// The window of a node with these parameters, TFLite's or a custom op's.
template <typename Params>
absl::StatusOr<PoolWindow> PoolWindowOf(const Params& p, const Shape& src) {
  Shape window;
  window.h = p.filter_height;
  window.w = p.filter_width;
  ASSIGN_OR_RETURN(const auto sliding,
                   SlidingWindowOf({p.padding, p.stride_height, p.stride_width},
                                   src, window));
  return PoolWindow{sliding, window.h, window.w};
}

bool IsMaxPool(const Node& node) { return node.op->name == "MAX_POOL_2D"; }

}  // namespace

absl::StatusOr<ParsedNode> ParsePool2d(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<PoolParams>());
  const PoolParams& p = *params;
  ASSIGN_OR_RETURN(const auto window, PoolWindowOf(p, node.inputs[0]->shape));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{
      PoolAttributes{window, /*zeros=*/false, /*quantized=*/nullptr},
      std::move(activation)};
}

std::optional<MemoryView> MaxPoolView(const Node& node) {
  const auto* a = node.As<PoolAttributes>();
  constexpr int kLargest = 2;  // along an axis
  if (a == nullptr || !IsMaxPool(node) || a->zeros || a->window_h > kLargest ||
      a->window_w > kLargest || !a->BeginsInside()) {
    return std::nullopt;
  }
  MemoryView view;
  view.kind = MemoryView::Kind::kMaxPool;
  view.step = {a->stride_w, a->stride_h};
  view.window = {a->window_w, a->window_h};
  return view;
}

absl::Status PlanPool2d(const Node& node, Planner* planner) {
  const auto& a = node.Get<PoolAttributes>();
  const bool max = IsMaxPool(node);
  if (max && IsPoolSpelledOut(a, planner->choices())) {
    return PlanSpelledOut(node, a, planner);
  }
  Reduction r;
  r.reducer = max ? Reducer::kMax : Reducer::kMean;
  r.h = {a.window_h, a.stride_h, a.pad_top};
  r.w = {a.window_w, a.stride_w, a.pad_left};
  r.zeros = a.zeros;
  r.quantized = a.quantized;
  return AddReduction(planner, node.inputs[0], node.outputs[0], r);
}

// --- MaxPoolingWithArgmax2D, MaxUnpooling2D ----------------------------------

absl::StatusOr<ParsedNode> ParseMaxPoolingWithArgmax(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(node.custom_params));
  const Shape& src = node.inputs[0]->shape;
  ASSIGN_OR_RETURN(const auto a, PoolWindowOf(p, src));
  const auto count = [](int padded, int window, int stride) {
    return (padded - window) / stride + 1;
  };
  const std::vector<int> wanted = {
      src.b, count(src.h + a.pad_top + a.pad_bottom, a.window_h, a.stride_h),
      count(src.w + a.pad_left + a.pad_right, a.window_w, a.stride_w), src.c};
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], wanted));
  if (p.activation < kActNone || p.activation > kActRelu6) {
    return Unimplemented("fused activation ", p.activation,
                         " is not supported");
  }
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{a, std::move(activation)};
}

absl::Status PlanMaxPoolingWithArgmax(const Node& node, Planner* planner) {
  const auto& a = node.Get<ArgmaxPoolAttributes>();
  Dispatch d = TexelDispatch("max_pooling_with_argmax", node, *planner, {"src"},
                             {"dst", "indices"});
  d.uniforms.Int4("window", a.window_w, a.window_h, a.stride_w, a.stride_h);
  d.uniforms.Int2("pad", a.pad_left, a.pad_top);
  return planner->Add(std::move(d));
}

absl::StatusOr<ParsedNode> ParseMaxUnpooling(const NodeView& node) {
  if (node.inputs[1]->type == DataType::kInt32) {
    return Unimplemented(
        "the indices are int32: places in the whole output, as TFLite's own "
        "kernel has them; only MediaPipe's float32 places in the window run "
        "here");
  }
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(node.custom_params));
  const Tensor& input = *node.inputs[0];
  // Windows would overlap or leave gaps.
  if (p.stride_height != p.filter_height || p.stride_width != p.filter_width) {
    return Unimplemented("the stride ", p.stride_height, "x", p.stride_width,
                         " is not the window's ", p.filter_height, "x",
                         p.filter_width);
  }
  // In 64 bits: a hostile file's window may be of any size.
  const int64_t height = int64_t{input.shape.h} * p.filter_height;
  const int64_t width = int64_t{input.shape.w} * p.filter_width;
  const Tensor& dst = *node.outputs[0];
  if (dst.dims.size() != 4 || dst.shape.b != input.shape.b ||
      dst.shape.h != height || dst.shape.w != width ||
      dst.shape.c != input.shape.c) {
    return Invalid("output is ", DimsString(dst.dims), ", must be ",
                   input.shape.b, "x", height, "x", width, "x", input.shape.c);
  }
  ArgmaxPoolAttributes a;
  a.window_h = p.filter_height;
  a.window_w = p.filter_width;
  return ParsedNode{a};
}

absl::Status PlanMaxUnpooling(const Node& node, Planner* planner) {
  const auto& a = node.Get<ArgmaxPoolAttributes>();
  Dispatch d =
      TexelDispatch("max_unpooling", node, *planner, {"src", "indices"});
  d.uniforms.Int2("window", a.window_w, a.window_h);
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
