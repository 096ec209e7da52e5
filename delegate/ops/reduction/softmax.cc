#include "delegate/ops/reduction/softmax.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kShortRow = 16;  // slices

// The table and the uniforms of softmax_quantized.comp.
void AddQuantizedValues(const SoftmaxAttributes& a, Dispatch* d) {
  d->Define("ORDERED_SUMS");
  PackedConstant exps;
  exps.name = "exps";
  exps.width = static_cast<int>(a.quantized->exps.size() / 4);
  exps.fill = [quantized = a.quantized](absl::Span<float> texels) {
    std::copy(quantized->exps.begin(), quantized->exps.end(), texels.begin());
  };
  d->Constant(std::move(exps));
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

PackedConstant LinesConstant(
    const char* name,
    const std::shared_ptr<const quant::SoftmaxOfInt16>& softmax,
    quant::SoftmaxOfInt16::Lines quant::SoftmaxOfInt16::*lines) {
  PackedConstant constant;
  constant.name = name;
  constant.width = static_cast<int>((softmax.get()->*lines).size() + 3) / 4;
  constant.fill = [softmax, lines](absl::Span<float> texels) {
    std::copy((softmax.get()->*lines).begin(), (softmax.get()->*lines).end(),
              texels.begin());
  };
  return constant;
}

// The tables and the uniforms of int16.
void AddSixteen(const SoftmaxAttributes& a, Dispatch* d) {
  using Softmax = quant::SoftmaxOfInt16;
  d->Constant(LinesConstant("exps", a.int16, &Softmax::exps));
  d->Constant(LinesConstant("inverses", a.int16, &Softmax::inverses));
  d->Define("INT16").Define("RESCALE", "op_rescale");
  d->uniforms.Int("multiplier", a.int16->place.value);
  d->uniforms.Int("shift", a.int16->place.shift);
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSoftmax(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<SoftmaxParams>());
  return ParsedNode{SoftmaxAttributes{params->beta, /*log=*/false}, {}};
}

absl::StatusOr<ParsedNode> ParseLogSoftmax(const NodeView&) {
  return ParsedNode{SoftmaxAttributes{1.0f, /*log=*/true}, {}};
}

absl::Status PlanSoftmax(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const SoftmaxAttributes&>(node.attributes);
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  Dispatch d(a.quantized != nullptr ? "softmax_quantized" : "softmax");
  int threads = 1;
  if (a.quantized == nullptr) {
    threads = SpreadRows(shape, planner->profile(), &d);
    // A short share of the row stays in registers.
    const int most = 2 * planner->profile().choices.held_boxes;
    const int share = DivideUp(shape.slices(), threads);
    if (threads > 1 && share <= most) d.Define("HELD", share);
  } else {
    threads =
        ThreadsPerRow(shape.slices(), int64_t{shape.b} * shape.h * shape.w,
                      planner->profile());
    d.Define("THREADS", threads);
    if (threads > 1) {
      d.SharedMemory(int64_t{16} * threads).WorkGroup(threads, 1, 1);
    }
    d.Grid(int64_t{shape.w} * threads, shape.h, shape.b);
  }
  if (a.log) d.Define("LOG");
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
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
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
