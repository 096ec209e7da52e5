#include "delegate/ops/reduction/reduction.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Outputs that keep any device busy with one invocation each.
constexpr int64_t kManyOutputs = 16384;
// Reads that one invocation may do one after another, in a work group that
// shares them.
constexpr int64_t kLongLoop = 64;
// Minimum texels for the least busy invocation of a work group.
constexpr int64_t kShortLoop = 4;

absl::string_view DefineOf(CodeSums::Result result) {
  switch (result) {
    case CodeSums::Result::kSteps:
      return "STEPS";
    case CodeSums::Result::kScaled:
      return "SCALED";
    case CodeSums::Result::kMean:
      return "MEAN";
    case CodeSums::Result::kTruncated:
      return "TRUNCATED";
    case CodeSums::Result::kRescaled:
      return "RESCALED";
    case CodeSums::Result::kFloatMean:
      return "FLOAT_MEAN";
    case CodeSums::Result::kProduct:
      break;  // of another shader
  }
  return "";
}

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
  PackedConstant steps;
  steps.name = "steps";
  steps.width = static_cast<int>(quantized->steps.size());
  steps.height = quantized->last_steps.empty() ? 1 : 2;
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
  } else if (c.result == CodeSums::Result::kSteps) {
    d->Define("STEPS");
    if (!c.last_steps.empty()) d->Define("LAST_STEPS");
    d->Constant(StepsConstant(quantized));
  } else {
    d->Define(DefineOf(c.result));
    if (c.fused) d->Define("FUSED");
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

// `partial`: sums of quantized values for another pass.
void AddPass(Planner* planner, TensorId src, TensorId dst, const Reduction& r,
             bool partial = false) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  const int threads =
      ReductionThreads(Taps(r, from), Outputs(to), planner->profile());
  const bool integer_path = r.quantized != nullptr;
  Dispatch d("reduce");
  d.Define(integer_path ? "QUANTIZED" : DefineOf(r.reducer));
  if (!integer_path && planner->tensor(src).type == DataType::kInt32) {
    d.Define("INTS");
  }
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{16} * threads);
  if (r.channels) d.Define("CHANNELS");
  if (r.zeros) d.Define("ZEROS");
  d.Read("src", src).Write("dst", dst);
  d.uniforms.Int4("window", r.w.size, r.h.size, r.channels ? from.slices() : 1,
                  r.b.size);
  d.uniforms.Int4("stride", r.w.stride, r.h.stride, r.channels ? 0 : 1,
                  r.b.stride);
  d.uniforms.Int4("before", r.w.before, r.h.before, 0, r.b.before);
  if (integer_path) AddCodeSums(r.quantized, partial, &d);
  d.Grid(int64_t{to.w} * threads, to.h, to.slices() * to.b);
  if (threads > 1) {
    d.WorkGroup(threads, 1, 1);
  } else if (Taps(r, from) <= kLongLoop) {
    UseLightWorkGroup(planner->profile(), &d);
  }
  planner->Add(std::move(d));
}

// Of whole axes.
void AddProductOfQuantized(Planner* planner, TensorId src, TensorId dst,
                           const Reduction& r) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  Dispatch d("product_quantized");
  d.Define("RESCALE_64", "op_rescale_64");
  if (r.channels) d.Define("CHANNELS");
  d.Read("src", src).Write("dst", dst);
  d.uniforms.Int4("window", r.w.size, r.h.size, r.channels ? from.slices() : 1,
                  r.b.size);
  d.uniforms.Int4("stride", r.w.stride, r.h.stride, r.channels ? 0 : 1,
                  r.b.stride);
  d.uniforms.Int("multiplier", r.quantized->step.value);
  d.uniforms.Int("right", r.quantized->step.right);
  d.OverTexels(to);
  planner->Add(std::move(d));
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
  const int64_t direct = taps * Outputs(dst);
  const int64_t split =
      int64_t{r.w.size} * src.b * src.h * dst.w * src.slices() +
      taps / r.w.size * Outputs(dst);
  if (direct > 4 * split) return true;
  return RunsAbreast(profile.choices) &&
         taps > kLongLoop * ReductionThreads(taps, Outputs(dst), profile) &&
         Outputs(dst) < kManyOutputs;
}

}  // namespace

absl::string_view DefineOf(Reducer reducer) {
  switch (reducer) {
    case Reducer::kSum:
      return "SUM";
    case Reducer::kMean:
      return "MEAN";
    case Reducer::kMax:
      return "MAX";
    case Reducer::kMin:
      return "MIN";
    case Reducer::kProduct:
      return "PRODUCT";
    case Reducer::kAny:
      return "ANY";
    case Reducer::kAll:
      return "ALL";
  }
  return "";
}

Reducer ReducerOf(const OpDefinition& op) {
  for (Reducer reducer : {Reducer::kSum, Reducer::kMean, Reducer::kMax,
                          Reducer::kMin, Reducer::kProduct, Reducer::kAny}) {
    if (DefineOf(reducer) == op.function) return reducer;
  }
  return Reducer::kAll;
}

void AddReduction(Planner* planner, TensorId src, TensorId dst,
                  const Reduction& r) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  if (r.quantized != nullptr &&
      r.quantized->result == CodeSums::Result::kProduct) {
    return AddProductOfQuantized(planner, src, dst, r);
  }
  if (!WidthFirst(r, from, to, planner->profile()))
    return AddPass(planner, src, dst, r);
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
  AddPass(planner, src, rows, width, /*partial=*/true);
  Reduction rest = r;
  rest.w = ReduceAxis();
  AddPass(planner, rows, dst, rest);
}

}  // namespace gles_delegate
