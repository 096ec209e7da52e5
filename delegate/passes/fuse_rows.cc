// Functions of rows and of reductions of these (means, maxima over the last
// axis) become one ROW_FUNCTIONS node (ops/reduction/rows.h): layer
// and RMS normalizations, however they are written. A region grows from a
// reduction over the channels to the nodes that read it, and nothing but it and
// what was computed before.
//
// Must not fire on the integer path, or if a number of each row is read outside
// of the region. O(nodes), with a bound on a region's size.
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// Fewer are not worth a program.
constexpr int kMinNodes = 3;
constexpr size_t kMaxResults = 2;
// Of the program: inputs, sums and functions. Normalizations have up to 20.
constexpr size_t kMaxRowSteps = 64;

bool ReducesChannelsAlone(const ReduceAttributes& a, const Shape& s) {
  return a.folded.empty() && a.quantized == nullptr && a.over[3] &&
         (!a.over[0] || s.b == 1) && (!a.over[1] || s.h == 1) &&
         (!a.over[2] || s.w == 1);
}

// The reducer of a node that reduces the channels of floats; nullopt: another
// node.
std::optional<Reducer> RowReducerOf(const Graph& graph, const Node& node) {
  const auto* a = node.As<ReduceAttributes>();
  if (a == nullptr || node.integer_path) return std::nullopt;
  const Tensor& x = graph.tensor(node.inputs[0]);
  if (x.type != DataType::kFloat32 || !ReducesChannelsAlone(*a, x.shape)) {
    return std::nullopt;
  }
  const Reducer reducer = ReducerOf(*node.op);
  switch (reducer) {
    case Reducer::kMean:
    case Reducer::kSum:
    case Reducer::kMax:
    case Reducer::kMin:
      return reducer;
    default:
      return std::nullopt;
  }
}

// A group of nodes of a graph that is to become one ROW_FUNCTIONS node.
class RowRegion {
 public:
  // Of rows of this shape; reads tensors that nodes before `first` compute.
  RowRegion(const Rewriter& r, int first, const Shape& rows)
      : r_(r), first_(first), rows_(rows) {}

  // Takes the node if it can be part of the region; else leaves all as it was.
  bool Take(int n) {
    const RowRegion before = *this;
    if (TakeNode(n) &&
        static_cast<int>(inputs_.size()) + 1 <= r_.max_tensors() &&
        steps_.size() <= kMaxRowSteps) {
      nodes_.push_back(n);
      return true;
    }
    made_ = before.made_;
    steps_ = before.steps_;
    inputs_ = before.inputs_;
    return false;
  }

  const std::vector<int>& nodes() const { return nodes_; }

  // The one node; nullopt: it does not pay, or results are not whole rows.
  std::optional<Node> Fused() const {
    if (static_cast<int>(nodes_.size()) < kMinNodes) return std::nullopt;
    RowFunctionsAttributes a{steps_, {}};
    Node node;
    node.op = &kRowFunctionsOp;
    node.tflite_index = r_.node(nodes_[0]).tflite_index;
    node.inputs = inputs_;
    for (int n : nodes_) {
      const TensorId id = r_.node(n).outputs[0];
      node.always_float32 |= r_.node(n).always_float32;
      if (!IsReadOutside(id)) continue;
      if (!steps_[made_.at(id)].is_row) return std::nullopt;
      a.results.push_back(made_.at(id));
      node.outputs.push_back(id);
    }
    if (node.outputs.empty() || node.outputs.size() > kMaxResults ||
        !r_.CanBind(node)) {
      return std::nullopt;
    }
    node.attributes = std::move(a);
    return node;
  }

 private:
  bool TakeNode(int n) {
    const Node& node = r_.node(n);
    if (node.outputs.size() != 1) return false;
    const TensorId id = node.outputs[0];
    const Tensor& output = r_.tensor(id);
    if (output.type != DataType::kFloat32 || output.is_float_view()) {
      return false;
    }
    std::optional<int> step;
    if (const auto reducer = RowReducerOf(r_.graph(), node)) {
      step = TakeReduction(node, *reducer);
    } else if (node.op->Has(kKeepsOrder)) {
      const auto found = made_.find(node.inputs[0]);
      if (found != made_.end() && !steps_[found->second].is_row) {
        step = found->second;
      }
    } else if (const TensorId source = SourceOfFunctions(r_.graph(), node);
               source != kNoTensor && !node.integer_path) {
      step = StepOf(source);
      if (step && !IsAligned(source, *step, output.shape)) return false;
    }
    if (step) step = Apply(node.post_ops, *step, output.shape);
    if (!step) return false;
    // A number that fills a row is not a separate step.
    const bool fits = steps_[*step].is_row ? IsOfRows(output.shape)
                                           : IsOfNumbers(output.shape);
    if (!fits) return false;
    made_[id] = *step;
    return true;
  }

  std::optional<int> TakeReduction(const Node& node, Reducer reducer) {
    const auto step = StepOf(node.inputs[0]);
    if (!step || !steps_[*step].is_row ||
        !IsOfRows(r_.tensor(node.inputs[0]).shape)) {
      return std::nullopt;
    }
    RowStep reduction;
    reduction.kind = RowStep::Kind::kReduce;
    reduction.is_row = false;
    reduction.a = *step;
    reduction.reducer = reducer;
    return AddStep(std::move(reduction));
  }

  // Appends functions to a step: what they make of it.
  std::optional<int> Apply(const std::vector<PostOp>& ops, int step,
                           const Shape& to) {
    for (const PostOp& op : ops) {
      if (!BroadcastsOperand(op)) return std::nullopt;
      RowStep next;
      next.kind = RowStep::Kind::kFunction;
      next.a = step;
      if (op.operand != kNoTensor) {
        const auto operand = StepOf(op.operand);
        if (!operand || !IsAligned(op.operand, *operand, to)) {
          return std::nullopt;
        }
        next.b = *operand;
      }
      next.is_row = IsOfRows(to) && (steps_[next.a].is_row ||
                                     (next.b >= 0 && steps_[next.b].is_row));
      next.Take(op);
      step = AddStep(std::move(next));
    }
    return step;
  }

  // The step that has a tensor's values; nullopt: no row can have them.
  std::optional<int> StepOf(TensorId id) {
    if (const auto found = made_.find(id); found != made_.end()) {
      return found->second;
    }
    const Tensor& t = r_.tensor(id);
    if (t.type != DataType::kFloat32 && !t.is_constant()) return std::nullopt;
    const Shape& s = t.shape;
    const int made_by = r_.MakerOf(id);
    const bool fits =
        t.is_constant()
            ? s.b == 1 && s.h == 1 && s.w == 1 && (s.c == rows_.c || s.c == 1)
            : (made_by < 0 || r_.IsBefore(made_by, first_)) && s.b == rows_.b &&
                  s.h == rows_.h && s.w == rows_.w &&
                  (s.c == rows_.c || s.c == 1) && !t.is_variable;
    if (!fits) return std::nullopt;
    RowStep step;
    step.index = static_cast<int>(inputs_.size());
    // One number is read once, outside of loops, unless rows have one channel.
    step.is_row = s.c != 1 || rows_.c == 1;
    inputs_.push_back(id);
    return made_[id] = AddStep(std::move(step));
  }

  // Whether the tensor's values, as elements of a tensor of shape `to`, are
  // those of the same row.
  bool IsAligned(TensorId id, int step, const Shape& to) const {
    const Tensor& t = r_.tensor(id);
    if (t.is_constant()) return t.shape.c == 1 || IsOfRows(to);
    if (steps_[step].is_row) return t.shape == to;
    // Numbers beside rows are a column; beside numbers they lie alike.
    return IsOfRows(to) ? IsColumn(t.shape) : t.shape == to;
  }

  bool IsOfRows(const Shape& s) const { return s == rows_; }
  bool IsOfNumbers(const Shape& s) const {
    return s.elements() == int64_t{rows_.b} * rows_.h * rows_.w;
  }
  bool IsColumn(const Shape& s) const {
    return s == Shape{rows_.b, rows_.h, rows_.w, 1};
  }
  bool IsReadOutside(TensorId id) const {
    return !r_.IsReadOnlyBy(
        id, [&](int reader) { return absl::c_linear_search(nodes_, reader); });
  }
  int AddStep(RowStep step) {
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size()) - 1;
  }

  const Rewriter& r_;
  int first_;
  Shape rows_;
  std::map<TensorId, int> made_;  // steps of tensors
  std::vector<RowStep> steps_;
  std::vector<TensorId> inputs_;
  std::vector<int> nodes_;
};

// Nodes that a region looks at. Normalizations have up to 14.
constexpr int kMaxNodes = 32;

// The first node of what the reduction reads alone: functions of rows, such as
// squares.
int FirstOf(const Rewriter& r, int reduction) {
  for (int first = reduction;;) {
    const int p = r.MakerFor(r.node(first).inputs[0], first);
    if (p < 0 || !IsPlainElementwise(r.graph(), r.node(p))) return first;
    first = p;
  }
}

bool FuseFrom(Rewriter& r, int first) {
  const Shape rows = r.shape(r.node(first).inputs[0]);
  if (rows.c == 1) return false;
  // The region after each node that it takes.
  std::vector<RowRegion> regions;
  RowRegion region(r, first, rows);
  // Candidates are what reads the region, in order.
  std::set<int> next = {first};
  for (int i = 0; i < kMaxNodes && !next.empty(); ++i) {
    const int n = *next.begin();
    next.erase(next.begin());
    if (!region.Take(n)) continue;
    regions.push_back(region);
    for (int reader : r.ReadersOf(r.node(n).outputs[0])) next.insert(reader);
  }
  for (; !regions.empty(); regions.pop_back()) {
    auto fused = regions.back().Fused();
    if (!fused) continue;
    for (int n : regions.back().nodes()) {
      if (n != first) r.Remove(n);
    }
    r.Replace(first, *std::move(fused));
    return true;
  }
  r.Decline(first, "no region of ", kMinNodes,
            " nodes or more whose results are whole rows");
  return false;
}

}  // namespace

void FuseRows(Rewriter& r, int n) {
  if (!RowReducerOf(r.graph(), r.node(n))) return;
  const int first = FirstOf(r, n);
  // An operand that is computed late may keep earlier functions out.
  if (!FuseFrom(r, first) && first != n) FuseFrom(r, n);
}

}  // namespace gles_delegate
