// Functions of values that SLICE, SPLIT, RESHAPE, TRANSPOSE and a CONCATENATION
// of channels move on the way become one MOVED_FUNCTIONS node, with their
// movements (ops/movement/gather.h): rotary embeddings, masks of an
// attention's heads, chains of movements. Each result is looked at with what it
// alone needs, the last results first.
//
// Must not fire on the integer path, if no node is saved, or if values do not
// stay whole texels or single channels. O(nodes), with a bound on what is
// looked at for each.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// Nodes and values that are looked at, and steps. A rotary embedding has 15
// nodes and 10 steps.
constexpr size_t kMaxMembers = 64;
constexpr int kMaxValues = 128;
constexpr size_t kMaxSteps = 32;

bool IsChannelConcatenation(const Node& node) {
  const auto* a = node.As<ConcatenationAttributes>();
  return a != nullptr && a->axis == kChannelAxis &&
         node.inputs.size() <= MovedFunctionsAttributes::kMaxParts;
}

bool IsReadable(const Tensor& t) {
  return IsComputedFloat(t) ||
         (t.is_constant() && !t.is_float_view() &&
          (t.type == DataType::kFloat32 || t.type == DataType::kFloat16));
}

// How texels of `channels` are read by the map of their elements; nullopt: they
// cannot be.
std::optional<MovedRead> TexelsBy(const ElementMap& map, int channels,
                                  const Shape& source) {
  std::vector<ElementMap::Axis> axes = map.axes();
  if (axes.empty()) axes = {{1, 0}};
  MovedRead read;
  read.kind = MovedRead::Kind::kElements;
  int64_t unit = 1;  // elements
  if (channels != 1) {
    ElementMap::Axis& last = axes.back();
    if (channels % 4 != 0 || last.size % 4 != 0) return std::nullopt;
    const auto is_whole = [](int64_t at) { return at % 4 == 0; };
    if (last.stride == 1 && is_whole(source.c) && is_whole(map.offset()) &&
        std::all_of(axes.begin(), axes.end() - 1,
                    [&](const auto& axis) { return is_whole(axis.stride); })) {
      read.kind = MovedRead::Kind::kTexels;
      unit = 4;
    } else {
      read.step = static_cast<int>(last.stride);
    }
    last = {last.size / 4, last.stride * 4};
  }
  if (axes.size() > read.sizes.size() ||
      map.offset() > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  read.offset = static_cast<int>(map.offset() / unit);
  const size_t first = read.sizes.size() - axes.size();
  for (size_t i = 0; i < axes.size(); ++i) {
    read.sizes[first + i] = axes[i].size;
    read.strides[first + i] = static_cast<int>(axes[i].stride / unit);
  }
  return read;
}

// The nodes that fuse_movement makes one of: functions and movements on the way
// to one tensor, the region's result.
class MovedRegion {
 public:
  // All nodes that may belong to the region whose result is node `root`'s.
  MovedRegion(const Rewriter& r, int root)
      : r_(r), graph_(r.graph()), root_(root) {
    const Node& node = graph_.nodes[root];
    if (node.outputs.size() != 1 || !IsComputedFloat(Result()) ||
        !MayJoin(root)) {
      return;
    }
    // Each reader is looked at before what it reads.
    std::set<int> next = {root};
    while (!next.empty() && members_.size() < kMaxMembers) {
      const int n = *next.rbegin();
      next.erase(n);
      if (n != root && !MayJoin(n)) continue;
      members_.insert(n);
      for (TensorId id : ReadBy(graph_.nodes[n])) {
        if (r_.MakerOf(id) >= 0) next.insert(r_.MakerOf(id));
      }
    }
    FindConcatenation();
  }

  // The region as one node; nothing if it has none to save.
  std::optional<Node> Fused() {
    if (members_.size() < 2) return std::nullopt;
    const Node& root = graph_.nodes[root_];
    MovedFunctionsAttributes a;
    part_shape_ = Result().shape;
    for (int channels : PartChannels()) {
      part_shape_.c = channels;
      const auto result = Inlined(root_, root.outputs[0]);
      if (!result) return std::nullopt;
      // Concatenations of tensors as they are have cheaper ways.
      if (concatenation_ >= 0 && steps_[*result].index >= 0) {
        return std::nullopt;
      }
      begin_ += channels;
      ++part_;
      a.parts.push_back({(begin_ + 3) / 4, *result});
    }
    a.steps = steps_;
    Node fused =
        Node::Of(&kMovedFunctionsOp, inputs_, root.outputs, std::move(a));
    fused.tflite_index = root.tflite_index;
    for (int n : members_) {
      fused.always_float32 |= graph_.nodes[n].always_float32;
    }
    if (!moves_ || !r_.CanBind(fused) || !(SavesNodes(fused) || IsOneRead())) {
      return std::nullopt;
    }
    return fused;
  }

 private:
  // A change of a value on its way to the root: node's movement; or without a
  // node, a broadcast `from` dims `to` others; or neither, the concatenation.
  struct Hop {
    const Node* node = nullptr;
    TensorId output = kNoTensor;
    std::vector<int> from = {}, to = {};
  };

  const Tensor& Result() const {
    return graph_.tensor(graph_.nodes[root_].outputs[0]);
  }

  // Movements may also be read by others: what is moved can be read twice.
  bool MayJoin(int n) const {
    const Node& node = graph_.nodes[n];
    const bool moves = ElementMap::SourceOf(node) != kNoTensor;
    if (node.integer_path ||
        !(moves || IsChannelConcatenation(node) ||
          SourceOfFunctions(graph_, node) != kNoTensor) ||
        !absl::c_all_of(node.post_ops, BroadcastsOperand)) {
      return false;
    }
    return absl::c_all_of(node.outputs, [&](TensorId id) {
      return IsComputedFloat(graph_.tensor(id)) &&
             (n == root_ || (moves && node.post_ops.empty()) ||
              IsReadOnlyBy(members_, id));
    });
  }

  bool IsReadOnlyBy(const std::set<int>& nodes, TensorId id) const {
    return r_.IsReadOnlyBy(
        id, [&](int reader) { return nodes.count(reader) != 0; });
  }

  bool IsMember(TensorId id) const {
    return members_.count(r_.MakerOf(id)) != 0;
  }

  // The one whose inputs become parts of the result's channels, if functions
  // and reshapes alone are between.
  void FindConcatenation() {
    TensorId id = graph_.nodes[root_].outputs[0];
    while (IsMember(id) && graph_.tensor(id).shape.c == Result().shape.c) {
      const Node& node = graph_.nodes[r_.MakerOf(id)];
      if (IsChannelConcatenation(node)) {
        const bool whole = absl::c_all_of(node.inputs, [&](TensorId part) {
          return graph_.tensor(part).shape.c % 4 == 0 && IsMember(part);
        });
        if (whole && node.inputs.size() > 1) concatenation_ = r_.MakerOf(id);
        return;
      }
      const TensorId source = SourceOfFunctions(graph_, node);
      if (source != kNoTensor
              ? graph_.tensor(source).shape != graph_.tensor(id).shape
              : !node.op->Has(kKeepsOrder)) {
        return;
      }
      id = source != kNoTensor ? source : node.inputs[0];
    }
  }

  std::vector<int> PartChannels() const {
    if (concatenation_ < 0) return {Result().shape.c};
    std::vector<int> channels;
    for (TensorId id : graph_.nodes[concatenation_].inputs) {
      channels.push_back(graph_.tensor(id).shape.c);
    }
    return channels;
  }

  // A movement that reads past another, at no cost: the other may then lose all
  // of its readers.
  bool IsOneRead() const {
    const TensorId source = ElementMap::SourceOf(graph_.nodes[root_]);
    return steps_.size() == 1 && source != kNoTensor &&
           steps_[0].read.kind == MovedRead::Kind::kTexels &&
           inputs_[0] != graph_.nodes[root_].inputs[0];
  }

  // Whether one of the nodes besides the root has no reader any more.
  bool SavesNodes(const Node& fused) const {
    std::set<int> gone = {root_};
    for (auto n = members_.rbegin(); n != members_.rend(); ++n) {
      const auto& outputs = graph_.nodes[*n].outputs;
      const bool unread = absl::c_all_of(outputs, [&](TensorId id) {
        return IsReadOnlyBy(gone, id) && absl::c_count(fused.inputs, id) == 0;
      });
      if (unread) gone.insert(*n);
    }
    return gone.size() > 1;
  }

  // The step that is this tensor's value, in the part, by the hops.
  std::optional<int> Value(TensorId id, bool repeats = false) {
    if (++values_ > kMaxValues) return std::nullopt;
    // Functions of what is repeated are not computed for each copy.
    if (const int n = r_.MakerOf(id);
        IsMember(id) &&
        !(repeats && !(ElementMap::SourceOf(graph_.nodes[n]) != kNoTensor &&
                       graph_.nodes[n].post_ops.empty()))) {
      const size_t steps = steps_.size(), inputs = inputs_.size();
      if (auto step = Inlined(n, id)) return step;
      steps_.resize(steps);
      inputs_.resize(inputs);
    }
    return Read(id);
  }

  std::optional<int> Inlined(int n, TensorId id) {
    const Node& node = graph_.nodes[n];
    auto step =
        n == concatenation_ ? After({}, node.inputs[part_]) : Source(node, id);
    const Shape& shape = graph_.tensor(node.outputs[0]).shape;
    for (const PostOp& op : node.post_ops) {
      if (!step) break;
      MovedStep next;
      next.a = *step;
      if (op.operand != kNoTensor) {
        const auto operand = Repeated(op.operand, shape);
        if (!operand) return std::nullopt;
        next.b = *operand;
      }
      next.Take(op);
      if (steps_.size() >= kMaxSteps) return std::nullopt;
      step = AddStep(std::move(next));
    }
    return step;
  }

  // The value of which the node's functions are.
  std::optional<int> Source(const Node& node, TensorId id) {
    if (const TensorId of = SourceOfFunctions(graph_, node); of != kNoTensor) {
      return Repeated(of, graph_.tensor(id).shape);
    }
    const TensorId source = ElementMap::SourceOf(node);
    if (source == kNoTensor) return std::nullopt;
    moves_ = true;
    return After({&node, id}, source);
  }

  // A tensor's value in another shape.
  std::optional<int> Repeated(TensorId id, const Shape& to) {
    const Shape& from = graph_.tensor(id).shape;
    return from == to ? Value(id)
                      : After({nullptr, kNoTensor, from.dims(), to.dims()}, id);
  }

  std::optional<int> After(Hop hop, TensorId id) {
    const bool repeats = !hop.from.empty();
    hops_.push_back(std::move(hop));
    const auto step = Value(id, repeats);
    hops_.pop_back();
    return step;
  }

  std::optional<int> Read(TensorId id) {
    const Tensor& tensor = graph_.tensor(id);
    ElementMap map(tensor.dims);
    if (!IsReadable(tensor) || !Follow(&map)) return std::nullopt;
    MovedStep step;
    if (tensor.shape != part_shape_ || !(map == ElementMap(tensor.dims))) {
      const auto read = TexelsBy(map, part_shape_.c, tensor.shape);
      if (!read) return std::nullopt;
      step.read = *read;
    }
    const auto found = absl::c_find(inputs_, id);
    step.index = static_cast<int>(found - inputs_.begin());
    if (found == inputs_.end()) inputs_.push_back(id);
    return AddStep(std::move(step));
  }

  bool Follow(ElementMap* map) const {
    bool joined = false;
    for (auto hop = hops_.rbegin(); hop != hops_.rend(); ++hop) {
      if (hop->node == nullptr && hop->from.empty()) {
        joined = true;
      } else if (hop->node == nullptr) {
        if (!map->Broadcast(hop->from, hop->to)) return false;
        // After a concatenation, reshapes alone, of the same channels.
      } else if (!joined && !map->Follow(graph_, *hop->node, hop->output)) {
        return false;
      }
    }
    const Shape& all = Result().shape;
    return joined || part_shape_ == all ||
           map->Narrow(all.dims(), begin_, part_shape_.c);
  }

  int AddStep(MovedStep step) {
    const auto found = absl::c_find(steps_, step);
    const int at = static_cast<int>(found - steps_.begin());
    if (found == steps_.end()) steps_.push_back(std::move(step));
    return at;
  }

  const Rewriter& r_;
  const Graph& graph_;
  int root_;
  std::set<int> members_;
  int concatenation_ = -1;

  // The part that is being made: its channels and the first of them.
  int part_ = 0, begin_ = 0;
  Shape part_shape_;
  std::vector<Hop> hops_;  // from the root to the value
  int values_ = 0;         // looked at
  bool moves_ = false;     // a movement is among the nodes
  std::vector<MovedStep> steps_;
  std::vector<TensorId> inputs_;
};

}  // namespace

void FuseMovement(Rewriter& r) {
  for (int n = r.size() - 1; n >= 0; --n) {
    if (r.is_gone(n)) continue;
    auto fused = MovedRegion(r, n).Fused();
    if (!fused) continue;
    const std::vector<TensorId> read = ReadBy(r.node(n));
    r.Replace(n, *std::move(fused));
    r.RemoveUnread(read);
  }
}

void FuseUpdates(Rewriter& r, int n) {
  const auto* slice = r.AttributesOf<UpdateSlice>(n);
  if (slice == nullptr) return;
  const TensorId update = r.node(n).inputs[1];
  const int p = r.MakerFor(update, n);
  if (p < 0 || r.node(p).op != &kMovedFunctionsOp) return;
  // Processors compute both sides of a branch, for each texel of the copy.
  if (r.choices().simd_lanes > 1 && !slice->CoversChannels()) {
    return r.Decline(n, "a part of the channels, on a processor");
  }
  const std::vector<TensorId>& read = r.node(p).inputs;
  UpdateSlice joined = *slice;
  joined.moved = std::make_shared<const MovedFunctionsAttributes>(
      *r.AttributesOf<MovedFunctionsAttributes>(p));
  joined.moved_shape = r.shape(update);
  Node fused = r.node(n);
  fused.inputs[1] = kNoTensor;
  fused.inputs.insert(fused.inputs.end(), read.begin(), read.end());
  fused.attributes = std::move(joined);
  r.Fuse(n, {p}, std::move(fused));
}

}  // namespace gles_delegate
