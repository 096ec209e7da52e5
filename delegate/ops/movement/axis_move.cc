#include "delegate/ops/movement/axis_move.h"

#include <algorithm>
#include <optional>

namespace gles_delegate {
namespace {

bool IsSingle(const AxisMove& m) { return m.in == 1 && m.out == 1; }
bool StartsInOrder(const AxisMove& m) { return m.first == 0 && m.step == 1; }
bool IsWhole(const AxisMove& m) { return m.in == m.out && StartsInOrder(m); }
bool IsReversed(const AxisMove& m) {
  return m.in == m.out && m.step == -1 && m.first == m.in - 1;
}

// Two neighbors as one axis; nullopt: it has no such form.
std::optional<AxisMove> Joined(const AxisMove& a, const AxisMove& b) {
  if (IsSingle(a)) return b;
  if (IsSingle(b)) return a;
  AxisMove both{a.in * b.in, a.out * b.out};
  if (IsReversed(a) && IsReversed(b)) {
    both.first = both.in - 1;
    both.step = -1;
    return both;
  }
  // Runs of b.
  if (IsWhole(b) && a.step == 1) {
    both.first = a.first * b.in;
    return both;
  }
  // Within one run of b.
  if (a.out == 1 && b.out <= b.in) {
    both.first = a.first * b.in + b.first;
    both.step = b.step;
    return both;
  }
  // Repetitions of b's repetitions.
  if (a.in == 1 && StartsInOrder(b) && b.out % b.in == 0) return both;
  return std::nullopt;
}

std::optional<AxisMove> JoinedAll(absl::Span<const AxisMove> axes) {
  std::optional<AxisMove> joined = AxisMove{};
  for (const AxisMove& axis : axes) {
    joined = Joined(*joined, axis);
    if (!joined) break;
  }
  return joined;
}

// Five axes of more: those before the last three become two; nullopt: they
// cannot.
std::optional<std::vector<AxisMove>> FoldedToFive(
    const std::vector<AxisMove>& axes) {
  const size_t rest = axes.size() - 3;
  const auto span = absl::MakeConstSpan(axes);
  for (size_t split = 0; split <= rest; ++split) {
    const auto outer = JoinedAll(span.first(split));
    const auto batch = JoinedAll(span.subspan(split, rest - split));
    if (!outer || !batch) continue;
    std::vector<AxisMove> folded = {*outer, *batch};
    folded.insert(folded.end(), axes.end() - 3, axes.end());
    return folded;
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> LinearSources(absl::Span<const AxisMove> axes) {
  std::vector<int> sources = {0};
  for (const AxisMove& axis : axes) {
    std::vector<int> longer;
    for (int source : sources) {
      for (int i = 0; i < axis.out; ++i) {
        longer.push_back(source * axis.in +
                         (axis.first + axis.step * i) % axis.in);
      }
    }
    sources = std::move(longer);
  }
  return sources;
}

RemapAttributes MoveAxes(std::vector<AxisMove> axes, int input_rank) {
  RemapAttributes a;
  a.remap = Remap::Constant();
  for (AxisMove& axis : axes) {
    if (axis.out == 1) axis.step = 1;
  }
  const bool folds = axes.size() > 5;
  if (folds) {
    if (auto folded = FoldedToFive(axes)) {
      axes = *std::move(folded);
    } else {
      a.batches =
          LinearSources(absl::MakeConstSpan(axes).first(axes.size() - 3));
      const int batches = static_cast<int>(a.batches.size());
      axes = {{},
              {batches, batches},
              axes.end()[-3],
              axes.end()[-2],
              axes.end()[-1]};
    }
    a.remap.src_outer = axes[0].in;
    a.remap.dst_outer = axes[0].out;
  }
  const int rank = static_cast<int>(axes.size());
  for (int i = 0; i < rank; ++i) {
    const AxisMove& axis = axes[i];
    const bool is_folded = folds && i < 2;
    const bool is_missing = !is_folded && rank - i > input_rank;
    const int to = BhwcAxis(i, rank);
    if (axis.out > axis.in && axis.in > 1) a.remap.edge = Remap::Edge::kWrap;
    if (is_missing || (axis.in == 1 && axis.out > 1)) continue;
    const int from =
        is_folded ? to : BhwcAxis(i - rank, std::min(input_rank, 5));
    a.remap.Follow(from, to, axis.step, axis.first);
  }
  return a;
}

}  // namespace gles_delegate
