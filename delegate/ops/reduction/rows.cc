#include "delegate/ops/reduction/rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

// --- Invocations of a row ----------------------------------------------------

bool RunsAbreast(const DeviceChoices& choices) {
  constexpr int kSequentialWorkGroup = 32;
  return choices.work_group_size >= kSequentialWorkGroup;
}

int SharingThreads(int64_t useful, const DeviceProfile& profile) {
  if (!RunsAbreast(profile.choices)) return 1;
  constexpr int64_t kMax = 128;
  const int64_t max =
      std::min({kMax, SharesAll(profile.choices) ? kMax : useful,
                int64_t{ReductionThreads(profile.choices)},
                int64_t{profile.limits.max_work_group_invocations},
                int64_t{profile.limits.max_work_group_size[0]}});
  int threads = 1;
  while (threads * 2 <= max) threads *= 2;
  return threads < 8 ? 1 : threads;
}

namespace {

// Gives a dispatch over rows of `texels` texels its grid and work group.
// `rows`: their number along x, y and z. Defines and returns THREADS, the
// invocations along x for each row: a work group if few rows leave the device
// idle, else 1. Shared memory: `bytes` for each invocation.
int ShareRows(int texels, const std::array<int64_t, 3>& rows, int bytes,
              const DeviceProfile& profile, Dispatch* d) {
  constexpr int64_t kManyRows = 8192;
  constexpr int kMinTexels = 2;  // of an invocation
  const int threads = rows[0] * rows[1] * rows[2] >= kManyRows
                          ? 1
                          : SharingThreads(texels / kMinTexels, profile);
  d->Define("THREADS", threads);
  d->Grid(rows[0] * threads, rows[1], rows[2]);
  if (threads > 1) {
    d->WorkGroup(threads, 1, 1).SharedMemory(int64_t{bytes} * threads);
  }
  return threads;
}

// Gives a dispatch over the rows of `shape` (pixels of channels) its grid and
// work group: THREADS invocations along y for each row, which it defines and
// returns, and rows side by side along x, whose texels are neighbours in
// memory. Along z: height and batch. With one thread the work group is the
// planner's. Shared memory: a texel for each invocation.
int SpreadRows(const Shape& shape, const DeviceProfile& profile, Dispatch* d) {
  constexpr int kMaxRows = 8;  // 128 bytes, the most that is read at once
  constexpr int kMinGroups = 128;
  constexpr int kMaxThreads = 32;
  constexpr int kMinTexels = 2;  // of an invocation
  const int planes = shape.h * shape.b;
  int rows = 1;
  while (rows < kMaxRows &&
         int64_t{shape.w / (2 * rows)} * planes >= kMinGroups) {
    rows *= 2;
  }
  int threads = SharingThreads(shape.slices() / kMinTexels, profile);
  // A processor's vector takes rows, and barriers cost more than they gain.
  const int lanes = profile.choices.simd_lanes;
  if (lanes > 1 && int64_t{shape.w} * planes >= 8 * lanes) threads = 1;
  if (rows > 1) threads = std::min(threads, kMaxThreads);
  threads = std::min(threads, profile.limits.max_work_group_size[1]);
  const int max = std::min(profile.limits.max_work_group_invocations,
                           ReductionThreads(profile.choices));
  while (rows > 1 && rows * threads > max) rows /= 2;
  d->Define("THREADS", threads);
  d->Grid(shape.w, threads, planes);
  if (threads > 1) {
    d->WorkGroup(rows, threads, 1).SharedMemory(int64_t{16} * threads * rows);
  }
  return threads;
}

}  // namespace

// --- L2_NORMALIZATION --------------------------------------------------------

absl::Status PlanL2Normalization(const Node& node, Planner* planner) {
  const Shape shape = planner->shape(node.outputs[0]);
  const auto* quantized = node.As<L2NormalizationOfQuantized>();
  Dispatch d = TexelDispatch("l2_normalization", node, *planner);
  ShareRows(shape.slices(), {shape.w, shape.h, shape.b}, 16, planner->profile(),
            &d);
  if (quantized != nullptr) {
    d.Define("QUANTIZED").Define("RESCALE", "op_rescale");
    d.uniforms.Int("zero_out", quantized->zero_out);
    d.uniforms.Int("low", quantized->is_unsigned ? 0 : -128);
    d.uniforms.Int("more_bits", quantized->is_unsigned ? 7 : 0);
  }
  return planner->Add(std::move(d));
}

// --- LOCAL_RESPONSE_NORMALIZATION --------------------------------------------

absl::StatusOr<ParsedNode> ParseLocalResponseNormalization(
    const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<LocalResponseNormParams>());
  if (params->radius < 0) {
    return Invalid("radius ", params->radius, " must not be negative");
  }
  return ParsedNode{*params};
}

absl::Status PlanLocalResponseNormalization(const Node& node,
                                            Planner* planner) {
  const auto& a = node.Get<LocalResponseNormParams>();
  const Shape shape = planner->shape(node.outputs[0]);
  Dispatch d = TexelDispatch("local_response_normalization", node, *planner);
  // No window reaches further than all channels.
  d.uniforms.Int("radius", std::min(a.radius, shape.c));
  d.uniforms.Float("bias", a.bias);
  d.uniforms.Float("alpha", a.alpha);
  // The shader gives bias + alpha * sum; the library's pow is exact enough,
  // which drivers' is not.
  d.post_ops = {{"pow", {-a.beta}}, {"mul", {}, node.inputs[0]}};
  return AddInLightGroups(std::move(d), planner);
}

// --- SOFTMAX, LOG_SOFTMAX ----------------------------------------------------

namespace {

constexpr int kShortRow = 16;  // slices

// A constant of these values, which `owner` holds.
template <typename Values>
PackedConstant TableOf(const char* name, std::shared_ptr<const void> owner,
                       const Values& values) {
  PackedConstant table(name, static_cast<int>(values.size() + 3) / 4);
  table.fill = [owner = std::move(owner), &values](absl::Span<float> texels) {
    std::copy(values.begin(), values.end(), texels.begin());
  };
  return table;
}

// The table and the uniforms of softmax_quantized.comp.
void AddQuantizedValues(const SoftmaxAttributes& a, Dispatch* d) {
  d->Define("ORDERED_SUMS");
  d->Constant(TableOf("exps", a.quantized, a.quantized->exps));
  const SoftmaxOfQuantized& c = *a.quantized;
  d->uniforms.Int("zero_in", c.zero_in);
  d->uniforms.Int("zero_out", c.zero_out);
  d->uniforms.Int("low", c.is_unsigned ? 0 : -128);
  d->uniforms.Int("truncates", c.is_unsigned ? 1 : 0);
  d->uniforms.Float("in_scale", c.in_scale);
  d->uniforms.Float("out_scale", c.out_scale);
  d->uniforms.Float("log_scale", c.in_scale / c.out_scale);
  d->uniforms.Int("never", 0);
}

// The tables and the uniforms of int16.
void AddSixteen(const SoftmaxAttributes& a, Dispatch* d) {
  d->Constant(TableOf("exps", a.int16, a.int16->exps));
  d->Constant(TableOf("inverses", a.int16, a.int16->inverses));
  d->Define("INT16").Define("RESCALE", "op_rescale");
  d->uniforms.Int("multiplier", a.int16->place.value);
  d->uniforms.Int("shift", a.int16->place.shift);
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSoftmax(const NodeView& node) {
  if (node.builtin_code == BuiltinOperator_LOG_SOFTMAX) {
    return ParsedNode{SoftmaxAttributes{1.0f, /*log=*/true}};
  }
  ASSIGN_OR_RETURN(auto params, node.Get<SoftmaxParams>());
  return ParsedNode{SoftmaxAttributes{params->beta}};
}

absl::Status PlanSoftmax(const Node& node, Planner* planner) {
  const auto& a = node.Get<SoftmaxAttributes>();
  const Shape shape = planner->shape(node.outputs[0]);
  Dispatch d = TexelDispatch(
      a.quantized != nullptr ? "softmax_quantized" : "softmax", node, *planner);
  int threads = 1;
  if (a.quantized == nullptr) {
    threads = SpreadRows(shape, planner->profile(), &d);
    // A short share of the row stays in registers.
    const int most = 2 * planner->choices().held_boxes;
    const int share = DivideUp(shape.slices(), threads);
    if (threads > 1 && share <= most) d.Define("HELD", share);
  } else {
    threads = ShareRows(shape.slices(), {shape.w, shape.h, shape.b}, 16,
                        planner->profile(), &d);
  }
  if (a.log) d.Define("LOG");
  if (a.int16 != nullptr) {
    AddSixteen(a, &d);
  } else if (a.quantized != nullptr) {
    AddQuantizedValues(a, &d);
  } else {
    d.uniforms.Float("beta", a.beta);
  }
  if (threads == 1 && shape.slices() <= kShortRow) {
    UseLightWorkGroup(planner->profile(), &d);
  }
  return planner->Add(std::move(d));
}

// --- Functions and reductions of rows ----------------------------------------

namespace {

std::string Out(size_t index) { return absl::StrCat("out", index); }

// The text of row_functions.comp's macros.
class Text {
 public:
  Text(const Node& node, const RowFunctionsAttributes& a, const Graph& graph)
      : node_(node), a_(a), graph_(graph) {}

  // The definitions of the rows that step `last` needs, at slice s.
  std::string Rows(const std::vector<int>& last) const {
    return DefinitionsOf(a_.steps, last, [this](int i) {
      return a_.steps[i].is_row ? std::optional(Definition(i)) : std::nullopt;
    });
  }

  // The definitions of numbers that need reductions before step `end` only, and
  // were not defined before step `begin`.
  std::string Numbers(int begin, int end) const {
    std::string text;
    for (size_t i = 0; i < a_.steps.size(); ++i) {
      const RowStep& step = a_.steps[i];
      if (step.is_row || step.kind == RowStep::Kind::kReduce) continue;
      const int last = LastReduction(static_cast<int>(i));
      if (last >= begin && last < end) {
        absl::StrAppend(&text, Definition(static_cast<int>(i)));
      }
    }
    return text;
  }

 private:
  // The last reduction that a number needs; -1: none.
  int LastReduction(int i) const {
    const RowStep& step = a_.steps[i];
    if (step.kind == RowStep::Kind::kReduce) return i;
    int last = -1;
    for (int from : {step.a, step.b}) {
      if (from >= 0) last = std::max(last, LastReduction(from));
    }
    return last;
  }

  std::string Definition(int i) const {
    const RowStep& step = a_.steps[i];
    if (step.kind != RowStep::Kind::kInput) return DefineValue(i, step.Call(i));
    const Tensor& t = graph_.tensor(node_.inputs[step.index]);
    return DefineValue(i,
                       absl::StrCat("read_", InputName(step.index),
                                    t.is_constant() ? "(0, 0, " : "(p.x, p.y, ",
                                    t.shape.c == 1 ? "0" : "s",
                                    t.is_constant() ? ", 0)" : ", p.z)",
                                    t.shape.c == 1 ? ".xxxx" : ""));
  }

  const Node& node_;
  const RowFunctionsAttributes& a_;
  const Graph& graph_;
};

// The macro REDUCTIONS: for each reduction in turn REDUCE(value, rows before
// it, its row, its kind), then the numbers that it makes known.
std::string Reductions(const RowFunctionsAttributes& a, const Text& text) {
  std::string all;
  const int count = static_cast<int>(a.steps.size());
  for (int i = 0; i < count; ++i) {
    const RowStep& step = a.steps[i];
    if (step.kind != RowStep::Kind::kReduce) continue;
    const char* kind = step.reducer == Reducer::kMax   ? "MAX"
                       : step.reducer == Reducer::kMin ? "MIN"
                       : step.reducer == Reducer::kSum ? "SUM"
                                                       : "MEAN";
    absl::StrAppend(&all, kind, "_OF_ROW(", ValueName(i), ", ",
                    text.Rows({step.a}), ", ", ValueName(step.a), ") ",
                    text.Numbers(i, i + 1));
  }
  return all;
}

}  // namespace

absl::Status PlanRowFunctions(const Node& node, Planner* planner) {
  const auto& a = node.Get<RowFunctionsAttributes>();
  const Shape shape = planner->shape(node.outputs[0]);
  const Text text(node, a, planner->graph());
  Dispatch d("row_functions");
  SpreadRows(shape, planner->profile(), &d);
  std::string params, writes;
  for (size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].kind != RowStep::Kind::kFunction) continue;
    const std::string name = ParamsName(static_cast<int>(i));
    absl::StrAppend(&params, "vec4 ", name, "; ");
    d.uniforms.Float4(name, a.steps[i].params);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    d.Read(InputName(static_cast<int>(i)), node.inputs[i]);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    d.Write(Out(i), node.outputs[i]);
    absl::StrAppend(&writes, "write_", Out(i), "(p.x, p.y, s, p.z, ",
                    ValueName(a.results[i]), "); ");
  }
  d.Define("ROW_PARAMS", params);
  d.Define("REDUCTIONS",
           absl::StrCat(text.Numbers(-1, 0), Reductions(a, text)));
  d.Define("RESULTS", absl::StrCat(text.Rows(a.results), writes));
  return planner->Add(std::move(d));
}

// --- ARG_MAX, ARG_MIN, TOPK_V2 -----------------------------------------------

namespace {

absl::Status AddArgExtreme(Planner* planner, TensorId src, TensorId dst,
                           int axis, bool min) {
  const Tensor& source = planner->tensor(src);
  const Shape& from = source.shape;
  const Shape to = planner->shape(dst);
  const std::array<int, 4> extents = {from.b, from.h, from.w, from.slices()};
  Dispatch d = TexelDispatch("arg_extreme", src, dst, *planner);
  ShareRows(extents[axis], {to.w, to.h, int64_t{to.slices()} * to.b}, 32,
            planner->profile(), &d);
  if (!IsIntegers(source)) d.Define("FLOATS");
  if (axis == kChannelAxis) d.Define("CHANNELS");
  if (min) d.Define("LEAST_OF");
  BindAxes("step_by", AlongAxis(axis, 1), &d);
  d.uniforms.Int("texels", extents[axis]);
  return planner->Add(std::move(d));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseArgExtreme(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axis, AxisOfInput(node, 1, input.dims.size()));
  return ParsedNode{ViewOfAxis(input.dims, axis)};
}

absl::Status PlanArgExtreme(const Node& node, Planner* planner) {
  const auto& a = node.Get<ArgExtremeAttributes>();
  const Shape s = a.shape.value_or(planner->shape(node.inputs[0]));
  ASSIGN_OR_RETURN(const auto source, AsShape(planner, node.inputs[0], s));
  AxisArray kept = {s.b, s.h, s.w, s.c, 1};
  kept[a.axis] = 1;
  return AddInShape(planner, "axis kept", {kept[0], kept[1], kept[2], kept[3]},
                    node.outputs[0], [&](TensorId dst) {
                      return AddArgExtreme(planner, source, dst, a.axis,
                                           node.op->name == "ARG_MIN");
                    });
}

// TOPK_V2 has the first of equals first, NaN last.
absl::StatusOr<ParsedNode> ParseTopK(const NodeView& node) {
  constexpr int kMaxPasses = 64;
  ASSIGN_OR_RETURN(auto k, IntsOfInput(node, 1));
  if (k.front() > kMaxPasses) {
    return Unimplemented("k is ", k.front(), ", at most ", kMaxPasses,
                         " pays here: each is a pass over the row");
  }
  return ParsedNode{};
}

absl::Status PlanTopK(const Node& node, Planner* planner) {
  const Tensor& source = planner->tensor(node.inputs[0]);
  const Shape& from = source.shape;
  Dispatch d =
      TexelDispatch("top_k", node, *planner, {"src"}, {"dst", "positions"});
  ShareRows(from.slices(), {from.w, from.h, from.b}, 8, planner->profile(), &d);
  if (!IsIntegers(source)) d.Define("FLOATS");
  return planner->Add(std::move(d));
}

// --- CUMSUM ------------------------------------------------------------------

namespace {

absl::Status AddCumsum(Planner* planner, TensorId src, TensorId dst,
                       const CumsumAttributes& a) {
  const Shape shape = planner->shape(dst);
  // In texels: the extent of the axis, and of the rest.
  std::array<int, 4> lines = {shape.b, shape.h, shape.w, shape.slices()};
  const int length = std::exchange(lines[a.view.axis], 1);
  Dispatch d = TexelDispatch("cumsum", src, dst, *planner);
  const int threads =
      ShareRows(length,
                {lines[kWidthAxis], lines[kHeightAxis],
                 int64_t{lines[kChannelAxis]} * lines[kBatchAxis]},
                16, planner->profile(), &d);
  if (a.view.axis == kChannelAxis) d.Define("CHANNELS");
  if (a.exclusive) d.Define("EXCLUSIVE");
  if (a.reverse) d.Define("REVERSE");
  BindAxes("first", AlongAxis(a.view.axis, a.reverse ? length - 1 : 0), &d);
  BindAxes("step_by", AlongAxis(a.view.axis, a.reverse ? -1 : 1), &d);
  d.uniforms.Int("line_slices", lines[kChannelAxis]);
  d.uniforms.Int("texels", length);
  d.uniforms.Int("share", (length + threads - 1) / threads);
  return planner->Add(std::move(d));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseCumsum(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<CumsumParams>());
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axis, AxisOfInput(node, 1, input.dims.size()));
  return ParsedNode{CumsumAttributes{ViewOfAxis(input.dims, axis),
                                     params->exclusive != 0,
                                     params->reverse != 0}};
}

absl::Status PlanCumsum(const Node& node, Planner* planner) {
  const auto& a = node.Get<CumsumAttributes>();
  const TensorId output = node.outputs[0];
  const Shape shape = a.view.shape.value_or(planner->shape(output));
  ASSIGN_OR_RETURN(auto source, AsShape(planner, node.inputs[0], shape));
  return AddInShape(planner, "sums", shape, output, [&](TensorId dst) {
    return AddCumsum(planner, source, dst, a);
  });
}

// --- RFFT2D, COMPLEX_ABS, REAL, IMAG -----------------------------------------

namespace {

// exp(-2 pi i n / length) for n below length / 2, two a texel.
PackedConstant Turns(int length) {
  PackedConstant turns("turns", std::max(1, length / 4));
  turns.always_float32 = true;
  turns.cacheable = true;
  turns.fill = [length](absl::Span<float> out) {
    for (int n = 0; n < length / 2; ++n) {
      const double angle = 2 * 3.14159265358979323846 * n / length;
      out[2 * n] = static_cast<float>(std::cos(angle));
      out[2 * n + 1] = static_cast<float>(-std::sin(angle));
    }
  };
  return turns;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseRfft2d(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(const auto lengths, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  if (lengths[0] != 1 || rank < 2 || input.dims[rank - 2] != 1) {
    return Unimplemented("transforms of ", lengths[0], " rows of the input ",
                         DimsString(input.dims),
                         "; single rows, [..., 1, N], run here");
  }
  const int length = lengths[1];
  if (length < 2 || (length & (length - 1)) != 0 || length > (1 << 24)) {
    return Unimplemented("a row has ", length,
                         " samples; powers of two from 2 on run here");
  }
  return ParsedNode{Rfft2dAttributes{length}};
}

absl::Status PlanRfft2d(const Node& node, Planner* planner) {
  const int length = node.Get<Rfft2dAttributes>().length;
  const Shape& shape = planner->shape(node.outputs[0]);
  const int threads = std::clamp(length / 8, 1, 64);
  const int bits = absl::countr_zero(static_cast<unsigned>(length));
  Dispatch d = TexelDispatch("rfft2d", node, *planner);
  d.Define("LENGTH", length).Define("BITS", bits).Define("THREADS", threads);
  d.Constant(Turns(length));
  d.SharedMemory(int64_t{8} * length);
  d.Grid(int64_t{shape.w} * threads, shape.h, shape.b);
  d.WorkGroup(threads, 1, 1);
  return planner->Add(std::move(d));
}

absl::Status PlanComplexPart(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("complex_part", node, *planner);
  d.Define("PART", node.op->function);
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
