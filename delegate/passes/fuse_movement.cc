// Functions of values that SLICE, SPLIT, RESHAPE, TRANSPOSE and a CONCATENATION
// of channels move on the way become one MOVED_FUNCTIONS node, with their
// movements (ops/movement/moved_functions.h): rotary embeddings, masks of an
// attention's heads, chains of movements. Each result is looked at with what it
// alone needs, the last results first.
//
// Must not fire on the integer path, if no node is saved, or if values do not
// stay whole texels or single channels. O(nodes), with a bound on what is
// looked at for each.
#include <algorithm>
#include <any>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/ops/movement/moved_functions.h"
#include "delegate/ops/movement/split.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/element_map.h"

namespace gles_delegate {
namespace {

// The nodes that fuse_movement makes one of: functions and movements on the way
// to one tensor, the region's result.
class MovedRegion {
 public:
  // All nodes that may belong to the region whose result is node `root`'s.
  MovedRegion(const Rewriter& r, int root);

  // The region as one node; nothing if it has none to save.
  std::optional<Node> Fused();

 private:
  // The changes of a value on its way to the root.
  struct Hop {
    enum class Kind { kMove, kBroadcast, kJoin };
    Kind kind = Kind::kMove;
    const Node* node = nullptr;  // kMove, from tensor to tensor
    TensorId source = kNoTensor;
    TensorId output = kNoTensor;
    Shape from = {}, to = {};  // kBroadcast
  };

  bool MayJoin(int n) const;
  void FindConcatenation();
  std::vector<int> PartChannels() const;

  // The step that is this tensor's value, in the part, by the hops.
  std::optional<int> Value(TensorId id, bool repeats = false);
  std::optional<int> Inlined(int n, TensorId id);
  std::optional<int> Source(const Node& node, TensorId id);
  std::optional<int> After(Hop hop, TensorId id);
  std::optional<int> Apply(const Node& node, int step);
  std::optional<int> Read(TensorId id);
  // How the texels of the part are read; nothing: they cannot be.
  std::optional<MovedRead> ReadOf(TensorId id) const;
  bool Follow(ElementMap* map) const;
  int AddStep(MovedStep step);
  bool SavesNodes(const Node& fused) const;
  bool IsOneRead(const MovedFunctionsAttributes& a) const;

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

// --- What a region reads -----------------------------------------------------

std::vector<int> DimsOf(const Shape& s) { return {s.b, s.h, s.w, s.c}; }

bool MovedRegion::Follow(ElementMap* map) const {
  bool joined = false;
  for (auto hop = hops_.rbegin(); hop != hops_.rend(); ++hop) {
    switch (hop->kind) {
      case Hop::Kind::kJoin:
        joined = true;
        break;
      case Hop::Kind::kMove:
        // After a concatenation, reshapes alone, of the same channels.
        if (!joined && !(map->Reshape(graph_.tensor(hop->source).dims) &&
                         map->Follow(graph_, *hop->node, hop->output))) {
          return false;
        }
        break;
      case Hop::Kind::kBroadcast:
        if (!map->Reshape(DimsOf(hop->from)) ||
            !map->Broadcast(DimsOf(hop->to))) {
          return false;
        }
    }
  }
  const Shape& all = graph_.tensor(graph_.nodes[root_].outputs[0]).shape;
  return joined || part_shape_ == all ||
         map->Narrow(DimsOf(all), begin_, part_shape_.c);
}

std::optional<MovedRead> MovedRegion::ReadOf(TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  ElementMap map(tensor.dims);
  if (!Follow(&map)) return std::nullopt;
  if (tensor.shape == part_shape_ && map == ElementMap(tensor.dims)) {
    return MovedRead();
  }
  std::vector<ElementMap::Axis> axes = map.axes();
  if (axes.empty()) axes = {{1, 0}};
  const int channels = part_shape_.c;
  MovedRead read;
  read.kind = MovedRead::Kind::kElements;
  int64_t unit = 1;  // elements
  if (channels != 1) {
    ElementMap::Axis& last = axes.back();
    if (channels % 4 != 0 || last.size % 4 != 0) return std::nullopt;
    const auto is_whole = [](int64_t at) { return at % 4 == 0; };
    if (last.stride == 1 && is_whole(tensor.shape.c) &&
        is_whole(map.offset()) &&
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

// Nodes and values that are looked at, and steps. A rotary embedding has 15
// nodes and 10 steps.
constexpr size_t kMaxMembers = 64;
constexpr int kMaxValues = 128;
constexpr size_t kMaxSteps = 32;

const ConcatenationAttributes* ChannelConcatenation(const Node& node) {
  const auto* a = std::any_cast<ConcatenationAttributes>(&node.attributes);
  return a != nullptr && a->axis == kChannelAxis &&
                 node.inputs.size() <= MovedFunctionsAttributes::kMaxParts
             ? a
             : nullptr;
}

// Functions of a value that is read in its own shape.
const ElementwiseAttributes* FunctionsOf(const Graph& graph, const Node& node) {
  const auto* a = std::any_cast<ElementwiseAttributes>(&node.attributes);
  return a != nullptr && a->functions.empty() &&
                 graph.tensor(node.inputs[a->source]).shape == a->source_shape
             ? a
             : nullptr;
}

bool IsReadable(const Tensor& t) {
  return IsComputedFloat(t) ||
         (t.is_constant() && !t.is_float_view() &&
          (t.type == DataType::kFloat32 || t.type == DataType::kFloat16));
}

MovedRegion::MovedRegion(const Rewriter& r, int root)
    : r_(r), graph_(r.graph()), root_(root) {
  const Node& node = graph_.nodes[root];
  if (node.outputs.size() != 1 ||
      !IsComputedFloat(graph_.tensor(node.outputs[0])) || !MayJoin(root)) {
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

// Movements may also be read by others: what is moved can be read twice.
bool MovedRegion::MayJoin(int n) const {
  const Node& node = graph_.nodes[n];
  const bool moves = ElementMap::IsMovement(node);
  if (node.integer_path ||
      !(moves || ChannelConcatenation(node) || FunctionsOf(graph_, node)) ||
      !std::all_of(node.post_ops.begin(), node.post_ops.end(),
                   BroadcastsOperand)) {
    return false;
  }
  return std::all_of(
      node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
        const auto& readers = r_.ReadersOf(id);
        return IsComputedFloat(graph_.tensor(id)) &&
               (n == root_ || (moves && node.post_ops.empty()) ||
                (!r_.IsOutput(id) &&
                 std::all_of(readers.begin(), readers.end(), [&](int reader) {
                   return members_.count(reader) != 0;
                 })));
      });
}

// The one whose inputs become parts of the result's channels, if functions and
// reshapes alone are between.
void MovedRegion::FindConcatenation() {
  const int channels = graph_.tensor(graph_.nodes[root_].outputs[0]).shape.c;
  int n = root_;
  while (n >= 0 && members_.count(n) != 0) {
    const Node& node = graph_.nodes[n];
    if (graph_.tensor(node.outputs[0]).shape.c != channels) return;
    TensorId source = node.inputs[0];
    if (ChannelConcatenation(node) != nullptr) {
      const bool whole =
          std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
            return graph_.tensor(id).shape.c % 4 == 0 &&
                   members_.count(r_.MakerOf(id)) != 0;
          });
      if (whole && node.inputs.size() > 1) concatenation_ = n;
      return;
    }
    if (const auto* a = FunctionsOf(graph_, node)) {
      source = node.inputs[a->source];
      if (a->source_shape != graph_.tensor(node.outputs[0]).shape) return;
    } else if (!node.op->Has(kKeepsOrder)) {
      return;
    }
    n = r_.MakerOf(source);
  }
}

std::vector<int> MovedRegion::PartChannels() const {
  std::vector<int> channels;
  if (concatenation_ < 0) {
    return {graph_.tensor(graph_.nodes[root_].outputs[0]).shape.c};
  }
  for (TensorId id : graph_.nodes[concatenation_].inputs) {
    channels.push_back(graph_.tensor(id).shape.c);
  }
  return channels;
}

std::optional<Node> MovedRegion::Fused() {
  if (members_.size() < 2) return std::nullopt;
  const Node& root = graph_.nodes[root_];
  MovedFunctionsAttributes a;
  part_shape_ = graph_.tensor(root.outputs[0]).shape;
  for (int channels : PartChannels()) {
    part_shape_.c = channels;
    const auto result = Inlined(root_, root.outputs[0]);
    if (!result) return std::nullopt;
    // Concatenations of tensors as they are have cheaper ways.
    if (concatenation_ >= 0 && steps_[*result].index >= 0) return std::nullopt;
    begin_ += channels;
    ++part_;
    a.parts.push_back({(begin_ + 3) / 4, *result});
  }
  Node fused;
  fused.op = &MovedFunctions();
  fused.tflite_index = root.tflite_index;
  fused.inputs = inputs_;
  fused.outputs = root.outputs;
  for (int n : members_) {
    fused.always_float32 |= graph_.nodes[n].always_float32;
  }
  a.steps = std::move(steps_);
  fused.attributes = std::move(a);
  const auto& made =
      std::any_cast<const MovedFunctionsAttributes&>(fused.attributes);
  if (!moves_ || !r_.CanBind(fused) ||
      !(SavesNodes(fused) || IsOneRead(made))) {
    return std::nullopt;
  }
  return fused;
}

// A movement that reads past another, at no cost: the other may then lose all
// of its readers.
bool MovedRegion::IsOneRead(const MovedFunctionsAttributes& a) const {
  return a.steps.size() == 1 && ElementMap::IsMovement(graph_.nodes[root_]) &&
         a.steps[0].read.kind == MovedRead::Kind::kTexels &&
         inputs_[0] != graph_.nodes[root_].inputs[0];
}

// Whether one of the nodes besides the root has no reader any more.
bool MovedRegion::SavesNodes(const Node& fused) const {
  std::set<int> gone = {root_};
  for (auto n = members_.rbegin(); n != members_.rend(); ++n) {
    const auto& outputs = graph_.nodes[*n].outputs;
    const bool unread =
        std::all_of(outputs.begin(), outputs.end(), [&](TensorId id) {
          const auto& readers = r_.ReadersOf(id);
          return !r_.IsOutput(id) &&
                 std::count(fused.inputs.begin(), fused.inputs.end(), id) ==
                     0 &&
                 std::all_of(readers.begin(), readers.end(), [&](int reader) {
                   return gone.count(reader) != 0;
                 });
        });
    if (unread) gone.insert(*n);
  }
  return gone.size() > 1;
}

std::optional<int> MovedRegion::Value(TensorId id, bool repeats) {
  if (++values_ > kMaxValues) return std::nullopt;
  const int n = r_.MakerOf(id);
  // Functions of what is repeated are not computed for each copy.
  if (n >= 0 && members_.count(n) != 0 &&
      !(repeats && !(ElementMap::IsMovement(graph_.nodes[n]) &&
                     graph_.nodes[n].post_ops.empty()))) {
    const size_t steps = steps_.size(), inputs = inputs_.size();
    if (auto step = Inlined(n, id)) return step;
    steps_.resize(steps);
    inputs_.resize(inputs);
  }
  return Read(id);
}

std::optional<int> MovedRegion::Inlined(int n, TensorId id) {
  const Node& node = graph_.nodes[n];
  const auto step = n == concatenation_
                        ? After({Hop::Kind::kJoin}, node.inputs[part_])
                        : Source(node, id);
  return step ? Apply(node, *step) : std::nullopt;
}

// The value of which the node's functions are.
std::optional<int> MovedRegion::Source(const Node& node, TensorId id) {
  if (const auto* a = FunctionsOf(graph_, node)) {
    const TensorId source = node.inputs[a->source];
    const Shape& to = graph_.tensor(id).shape;
    if (a->source_shape == to) return Value(source);
    return After({Hop::Kind::kBroadcast, nullptr, kNoTensor, kNoTensor,
                  a->source_shape, to},
                 source);
  }
  if (!ElementMap::IsMovement(node)) return std::nullopt;
  const auto* split = std::any_cast<SplitAttributes>(&node.attributes);
  const TensorId source =
      node.inputs[split == nullptr ? 0 : split->value_input];
  moves_ = true;
  return After({Hop::Kind::kMove, &node, source, id}, source);
}

std::optional<int> MovedRegion::After(Hop hop, TensorId id) {
  const bool repeats = hop.kind == Hop::Kind::kBroadcast;
  hops_.push_back(std::move(hop));
  const auto step = Value(id, repeats);
  hops_.pop_back();
  return step;
}

std::optional<int> MovedRegion::Apply(const Node& node, int step) {
  const Shape& shape = graph_.tensor(node.outputs[0]).shape;
  for (const PostOp& op : node.post_ops) {
    MovedStep next;
    next.a = step;
    if (op.operand != kNoTensor) {
      const Shape& own = graph_.tensor(op.operand).shape;
      const auto operand = own == shape
                               ? Value(op.operand)
                               : After({Hop::Kind::kBroadcast, nullptr,
                                        kNoTensor, kNoTensor, own, shape},
                                       op.operand);
      if (!operand) return std::nullopt;
      next.b = *operand;
    }
    next.function = op.function;
    next.params = op.params;
    next.operand_first = op.operand_first;
    if (steps_.size() >= kMaxSteps) return std::nullopt;
    step = AddStep(std::move(next));
  }
  return step;
}

std::optional<int> MovedRegion::Read(TensorId id) {
  if (!IsReadable(graph_.tensor(id))) return std::nullopt;
  const auto read = ReadOf(id);
  if (!read) return std::nullopt;
  const auto found = std::find(inputs_.begin(), inputs_.end(), id);
  MovedStep step;
  step.index = static_cast<int>(found - inputs_.begin());
  step.read = *read;
  if (found == inputs_.end()) inputs_.push_back(id);
  return AddStep(std::move(step));
}

int MovedRegion::AddStep(MovedStep step) {
  const auto found = std::find(steps_.begin(), steps_.end(), step);
  if (found != steps_.end()) return static_cast<int>(found - steps_.begin());
  steps_.push_back(std::move(step));
  return static_cast<int>(steps_.size()) - 1;
}

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
  if (p < 0 || r.node(p).op != &MovedFunctions()) return;
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
