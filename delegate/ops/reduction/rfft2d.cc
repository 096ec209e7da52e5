#include "delegate/ops/reduction/rfft2d.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// exp(-2 pi i n / length) for n below length / 2, two a texel.
PackedConstant Turns(int length) {
  PackedConstant turns;
  turns.name = "turns";
  turns.width = std::max(1, length / 4);
  turns.always_float32 = true;
  turns.cacheable = true;
  turns.fill = [length](absl::Span<float> out) {
    std::fill(out.begin(), out.end(), 0.0f);
    for (int n = 0; n < length / 2; ++n) {
      const double angle = 2 * 3.14159265358979323846 * n / length;
      out[2 * n] = static_cast<float>(std::cos(angle));
      out[2 * n + 1] = static_cast<float>(-std::sin(angle));
    }
  };
  return turns;
}

}  // namespace

// kUnimplemented: several rows, lengths known only at run time, or more samples
// than shared memory has room for.
absl::StatusOr<ParsedNode> ParseRfft2d(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(const auto lengths, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  if (lengths[0] != 1 || rank < 2 || input.dims[rank - 2] != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "transforms of ", lengths[0], " rows of the input ",
        DimsString(input.dims), "; single rows, [..., 1, N], run here"));
  }
  const int length = lengths[1];
  if (length < 2 || (length & (length - 1)) != 0 || length > (1 << 24)) {
    return absl::UnimplementedError(absl::StrCat(
        "a row has ", length, " samples; powers of two from 2 on run here"));
  }
  return ParsedNode{Rfft2dAttributes{length}, {}};
}

absl::Status PlanRfft2d(const Node& node, Planner* planner) {
  const int length = node.Get<Rfft2dAttributes>().length;
  const Shape& shape = planner->tensor(node.outputs[0]).shape;
  const int threads = std::clamp(length / 8, 1, 64);
  int bits = 0;
  while ((1 << bits) < length) ++bits;
  Dispatch d("rfft2d");
  d.Define("LENGTH", length).Define("BITS", bits).Define("THREADS", threads);
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  d.Constant(Turns(length));
  d.SharedMemory(int64_t{8} * length);
  d.Grid(int64_t{shape.w} * threads, shape.h, shape.b);
  d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseComplexPart(const NodeView&) {
  return ParsedNode{};
}

absl::Status PlanComplexPart(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("complex_part", node, *planner);
  d.Define("PART", node.op->function);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
