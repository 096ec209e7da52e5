#include "delegate/passes/passes.h"

#include <algorithm>
#include <tuple>

#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// --- The engine --------------------------------------------------------------

namespace {

// Its dispatch binds each constant as a tensor; others have theirs packed.
bool BindsConstants(const Node& node) {
  return node.op == &kRowFunctionsOp || node.op == &kMovedFunctionsOp ||
         node.As<UpdateSlice>() != nullptr;
}

// The weights that stages have besides the node's own.
int CountStageWeights(const Node& node) {
  return static_cast<int>(absl::c_count_if(node.stages, [](const Stage& stage) {
    return stage.name == kInnerStage || stage.name == kNextStage ||
           stage.name == kGateStage;
  }));
}

// Counts the tensors that the node's dispatch reads and writes, and its packed
// constants.
int CountBindings(const Graph& graph, const Node& node) {
  const int others = CountOperands(node) + CountStageWeights(node) +
                     static_cast<int>(node.outputs.size());
  if (IsPlainElementwise(graph, node)) return 1 + others;
  bool has_packed = false;
  std::vector<TensorId> read;
  for (TensorId id : node.inputs) {
    if (id == kNoTensor) continue;
    if (graph.tensor(id).is_constant() && !BindsConstants(node)) {
      has_packed = true;
    } else if (!absl::c_linear_search(read, id)) {
      read.push_back(id);
    }
  }
  return static_cast<int>(read.size()) + (has_packed ? 1 : 0) + others;
}

}  // namespace

Rewriter::Rewriter(Graph* graph, const PassContext& context,
                   absl::string_view pass)
    : graph_(*graph),
      context_(context),
      pass_(pass),
      notes_(context.notes),
      max_tensors_(MaxBoundTensors(context.profile)),
      is_output_(graph->tensors.size(), false) {
  for (TensorId id : graph->outputs) is_output_[id] = true;
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    places_.push_back({static_cast<int>(n)});
    Link(static_cast<int>(n));
  }
}

void Rewriter::Finish() {
  std::vector<int> order;
  for (int n = 0; n < size(); ++n) {
    if (!is_gone(n)) order.push_back(n);
  }
  if (inserted_ > 0) {
    absl::c_sort(order, [this](int a, int b) { return IsBefore(a, b); });
  }
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (int n : order) nodes.push_back(std::move(graph_.nodes[n]));
  graph_.nodes = std::move(nodes);
}

// --- Who makes and reads a tensor --------------------------------------------

int Rewriter::MakerOf(TensorId id) const {
  return id >= 0 && id < static_cast<int>(maker_.size()) ? maker_[id] : -1;
}

const std::vector<int>& Rewriter::ReadersOf(TensorId id) const {
  static const std::vector<int>& none = *new std::vector<int>();
  return id < static_cast<int>(readers_.size()) ? readers_[id] : none;
}

int Rewriter::OnlyReaderOf(TensorId id) const {
  const std::vector<int>& readers = ReadersOf(id);
  return readers.size() == 1 && !IsOutput(id) ? readers[0] : -1;
}

int Rewriter::TakerOf(int n) const {
  if (node(n).outputs.size() != 1) return -1;
  const TensorId id = node(n).outputs[0];
  const int reader = OnlyReaderOf(id);
  return reader < 0 || tensor(id).view.of != kNoTensor ||
                 IsOperand(id, node(reader))
             ? -1
             : reader;
}

int Rewriter::MakerFor(TensorId id, int n) const {
  return OnlyReaderOf(id) == n ? MakerOf(id) : -1;
}

bool Rewriter::IsBefore(int a, int b) const {
  const Place &x = places_[a], &y = places_[b];
  return std::tie(x.at, x.offset) < std::tie(y.at, y.offset);
}

void Rewriter::Link(int n) {
  maker_.resize(graph_.tensors.size(), -1);
  readers_.resize(graph_.tensors.size());
  is_output_.resize(graph_.tensors.size(), false);
  for (TensorId id : node(n).outputs) {
    if (id != kNoTensor) maker_[id] = n;
  }
  for (TensorId id : ReadBy(node(n))) {
    std::vector<int>& readers = readers_[id];
    const auto after = [this](int a, int b) { return IsBefore(a, b); };
    readers.insert(std::upper_bound(readers.begin(), readers.end(), n, after),
                   n);
  }
}

void Rewriter::Unlink(int n) {
  for (TensorId id : node(n).outputs) {
    if (id != kNoTensor && maker_[id] == n) maker_[id] = -1;
  }
  for (TensorId id : ReadBy(node(n))) {
    std::vector<int>& readers = readers_[id];
    readers.erase(std::remove(readers.begin(), readers.end(), n),
                  readers.end());
  }
}

// --- Changes -----------------------------------------------------------------

void Rewriter::Replace(int n, Node node) {
  Unlink(n);
  graph_.nodes[n] = std::move(node);
  Link(n);
}

void Rewriter::Remove(int n) {
  Unlink(n);
  places_[n].is_gone = true;
}

Node Rewriter::Take(int n) {
  Remove(n);
  return std::move(graph_.nodes[n]);
}

int Rewriter::Insert(Place place, Node node) {
  const int n = size();
  places_.push_back(place);
  graph_.nodes.push_back(std::move(node));
  Link(n);
  return n;
}

// Those before a node have negative offsets, in the order of insertion.
int Rewriter::InsertBefore(int n, Node node) {
  constexpr int kFirst = -(1 << 30);
  return Insert({places_[n].at, kFirst + ++inserted_}, std::move(node));
}

int Rewriter::InsertAfter(int n, Node node) {
  const int at = n < 0 ? -1 : places_[n].at;
  return Insert({at, ++inserted_}, std::move(node));
}

void Rewriter::ReadInstead(TensorId from, TensorId to) {
  const std::vector<int> readers = ReadersOf(from);
  for (int n : readers) {
    Change(n, [&](Node& node) {
      absl::c_replace(node.inputs, from, to);
      for (PostOp& op : node.post_ops) {
        if (op.operand == from) op.operand = to;
      }
      for (Stage& stage : node.stages) {
        for (PostOp& op : stage.ops) {
          if (op.operand == from) op.operand = to;
        }
      }
    });
  }
}

bool Rewriter::Fuse(int at, absl::Span<const int> others, Node fused) {
  if (!CanBind(fused)) {
    Decline(at, "one node would bind ", CountBindings(graph_, fused), " of ",
            max_tensors_, " tensors");
    return false;
  }
  for (int n : others) fused.always_float32 |= node(n).always_float32;
  Planner planner(&graph_, profile());
  if (const absl::Status planned = PlanNode(fused, &planner); !planned.ok()) {
    // Without the node and its tensors, which the message begins with.
    const absl::string_view why = planned.message();
    const size_t end = why.rfind("): ");
    Decline(at, "one node cannot be planned: ",
            why.substr(end == why.npos ? 0 : end + 3));
    return false;
  }
  for (int n : others) Remove(n);
  Replace(at, std::move(fused));
  return true;
}

bool Rewriter::IsDead(int n) const {
  const auto& outputs = node(n).outputs;
  return !is_gone(n) && !KeepsState(graph_, node(n)) &&
         absl::c_all_of(outputs, [this](TensorId id) {
           return id == kNoTensor || (ReadersOf(id).empty() && !IsOutput(id));
         });
}

void Rewriter::RemoveUnread(std::vector<TensorId> ids) {
  while (!ids.empty()) {
    const int n = MakerOf(ids.back());
    ids.pop_back();
    if (n < 0 || !IsDead(n)) continue;
    for (TensorId id : ReadBy(node(n))) ids.push_back(id);
    Remove(n);
  }
}

void Rewriter::RemoveDead() {
  for (int n = size() - 1; n >= 0; --n) {
    if (!IsDead(n)) continue;
    std::vector<TensorId> read = ReadBy(node(n));
    Remove(n);
    RemoveUnread(std::move(read));
  }
}

// --- Limits ------------------------------------------------------------------

bool Rewriter::CanBind(const Node& node, int more) const {
  return CountBindings(graph_, node) + more <= max_tensors_;
}

void Rewriter::Note(int n, const std::string& why) {
  notes_->push_back(absl::StrCat(pass_, ": ", NameOf(node(n)), " ",
                                 node(n).tflite_index, ": ", why));
}

// --- Questions that several passes ask ---------------------------------------

std::vector<TensorId> ReadBy(const Node& node) {
  std::vector<TensorId> ids = OperandsOf(node);
  for (TensorId id : node.inputs) {
    if (id != kNoTensor) ids.push_back(id);
  }
  return ids;
}

bool KeepsState(const Graph& graph, const Node& node) {
  return absl::c_any_of(node.inputs, [&](TensorId id) {
    return id != kNoTensor && graph.tensor(id).is_variable;
  });
}

bool IsOperand(TensorId tensor, const Node& node) {
  const std::vector<TensorId> operands = OperandsOf(node);
  return absl::c_linear_search(operands, tensor);
}

int CountOperands(const Node& node) {
  return static_cast<int>(OperandsOf(node).size());
}

bool IsSameEverywhere(const PostOp& op) {
  return op.operand == kNoTensor || op.operand_as == OperandAs::kLookup;
}

bool BroadcastsOperand(const PostOp& op) {
  return op.operand_as == OperandAs::kBroadcast && !op.operand_max_pool;
}

bool IsStoredAlike(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.holds_quantized == b.holds_quantized &&
         a.always_float32 == b.always_float32;
}

bool LieAlike(const Tensor& a, const Tensor& b) {
  return IsStoredAlike(a, b) && SameQuantized(a, b);
}

bool IsFloat(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view();
}

bool IsReal(const Tensor& tensor) {
  return IsFloat(tensor) && !tensor.is_variable;
}

bool OwnsMemory(const Tensor& tensor) {
  return tensor.view.of == kNoTensor && !tensor.is_constant() &&
         !tensor.is_variable;
}

bool IsComputedFloat(const Tensor& tensor) {
  return IsReal(tensor) && OwnsMemory(tensor);
}

bool HaveSameAxes(const Tensor& a, const Tensor& b) {
  return a.dims == b.dims ||
         (a.shape == b.shape && a.dims.size() < 5 && b.dims.size() < 5);
}

void MakeReshape(Node& node) {
  node.op = FindOpNamed("RESHAPE");
  node.inputs.resize(1);
  node.attributes.reset();
}

Node ReshapeNode(TensorId from, TensorId to) {
  return Node::Of(FindOpNamed("RESHAPE"), {from}, {to});
}

TensorId AddLike(const Tensor& like, std::string name, std::vector<int> dims,
                 Graph* graph) {
  Tensor t;
  t.name = std::move(name);
  t.type = like.type;
  t.always_float32 = like.always_float32;
  t.SetDims(std::move(dims));
  return graph->AddTensor(std::move(t));
}

TensorId AddConstantAs(const Shape& shape, TensorId constant, Graph* graph) {
  Tensor t = graph->tensor(constant);
  absl::StrAppend(&t.name, " as ", shape.ToString());
  t.SetDims(shape.dims());
  return graph->AddTensor(std::move(t));
}

bool HasRoomFor(size_t more, const std::vector<PostOp>& ops) {
  return more == 0 || ops.size() + more <= kMaxPostOps;
}

void AddFunctions(const std::vector<PostOp>& more, std::vector<PostOp>* ops) {
  ops->insert(ops->end(), more.begin(), more.end());
}

// --- The list ----------------------------------------------------------------

namespace {

template <int DeviceChoices::*choice>
bool Has(const DeviceProfile& profile) {
  return profile.choices.*choice != 0;
}
constexpr auto kReadsThrough = Has<&DeviceChoices::read_through>;

bool StoresHalves(const DeviceProfile& profile) { return profile.options.half; }
bool IsGpu(const DeviceProfile& profile) {
  return profile.choices.simd_lanes <= 1;
}

void RemoveDeadNodes(Rewriter& r) { r.RemoveDead(); }

constexpr PassStage kRead = PassStage::kRead, kFold = PassStage::kFold,
                    kFuse = PassStage::kFuse;

// docs/architecture.md says what each does.
constexpr Pass kPasses[] = {
    {"integer_path", kRead, &UseIntegerPath},
    {"remove_identity", kFold, &RemoveIdentityNodes},
    {"keep_float32", kFold, &KeepFloat32, /*follows=*/"", &StoresHalves},
    {"fuse_padding", kFold, &FusePadding},
    {"sink_reshapes", kFold, &SinkReshapes},
    {"realign_operands", kFold, &RealignOperands},
    {"fuse_channel_padding", kFold, &FuseChannelPadding},
    {"remove_dead_nodes", kFold, &RemoveDeadNodes},
    // Counts readers, takes what is aligned; keep_float32 looks at functions by
    // themselves, sink_reshapes at reshapes without any.
    {"fuse_elementwise", kFold, &FuseElementwise,
     "keep_float32 sink_reshapes realign_operands fuse_channel_padding "
     "remove_dead_nodes"},
    {"fold_transposes", kFold, &FoldTransposes},
    {"fold_heads", kFold, &FoldHeads},
    {"sink_reshapes", kFold, &SinkReshapes, "fold_heads"},
    {"realign_operands", kFold, &RealignOperands, "fold_heads"},
    {"fold_transposes", kFold, &FoldTransposes, "fold_heads"},
    {"remove_identity", kFold, &RemoveIdentityNodes, "fold_transposes"},
    {"fuse_elementwise", kFold, &FuseElementwise, "fold_transposes"},
    {"fold_scales", kFold, &FoldScales, "fuse_elementwise"},
    // A factor of queries is in their weights by then.
    {"join_products", kFold, &JoinProducts, "fold_scales"},
    {"fuse_rows", kFuse, &FuseRows},
    // Of normalizations that are one node.
    {"normalize_few_rows", kFuse, &NormalizeFewRows, "fuse_rows", &IsGpu},
    // Gates have their scale with the weights.
    {"fuse_gates", kFuse, &FuseGates, "normalize_few_rows", &IsGpu},
    // fuse_rows reads reshapes of numbers.
    {"fuse_movement", kFuse, &FuseMovement, "fuse_rows"},
    {"fuse_updates", kFuse, &FuseUpdates, "fuse_movement"},
    {"fuse_attention", kFuse, &FuseAttention},
    // It divides what fuse_movement makes one node of.
    {"concat_in_place", kFuse, &ConcatInPlace, "fuse_movement"},
    // The rows are then in the memory of the concatenation.
    {"write_through", kFuse, &WriteThrough, "concat_in_place", kReadsThrough},
    // Both convolutions have their activations, and their rows' padding.
    {"fuse_depthwise", kFuse, &FuseDepthwise, "fuse_elementwise write_through",
     &Has<&DeviceChoices::fused_depthwise_work>},
    // fuse_depthwise takes those of large planes and few channels.
    {"fuse_planes", kFuse, &FusePlanes, "fuse_depthwise",
     &Has<&DeviceChoices::fused_plane_work>},
    // Others find more to fuse if the functions are separate.
    {"fuse_inputs", kFuse, &FuseInputs,
     "fuse_elementwise fuse_depthwise fuse_planes", kReadsThrough},
    // The sum of a scaled tensor has gone to the next convolution, so that the
    // mean alone reads it.
    {"fuse_squeeze_excite", kFuse, &FuseSqueezeExcite, "fuse_inputs",
     &Has<&DeviceChoices::fused_squeeze_texels>},
    // From here on nothing changes what convolutions read.
    {"view_slices", kFuse, &ViewSlices, "fuse_inputs"},
    {"read_through", kFuse, &ReadThrough, "fuse_inputs", kReadsThrough},
    // It depends on the strategies of convolutions.
    {"fuse_next", kFuse, &FuseNext, "read_through",
     &Has<&DeviceChoices::fused_next_texels>},
    // Nodes no longer move, and views are known.
    {"update_in_place", kFuse, &UpdateInPlace,
     "fuse_movement concat_in_place view_slices read_through"},
};

// Whether each pass comes after those that it must follow.
constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kPasses); ++i) {
    const absl::string_view names = kPasses[i].follows;
    for (size_t begin = 0, end = 0; begin < names.size(); begin = end + 1) {
      for (end = begin; end < names.size() && names[end] != ' ';) ++end;
      bool is_before = false;
      for (size_t j = 0; j < i; ++j) {
        is_before |= kPasses[j].name == names.substr(begin, end - begin);
      }
      if (!is_before) return false;
    }
  }
  return true;
}
static_assert(IsInOrder(), "a pass is before one that it must follow");

}  // namespace

absl::Span<const Pass> Passes() { return kPasses; }

absl::Status RunPass(const Pass& pass, const PassContext& context,
                     Graph* graph) {
  if (pass.gate != nullptr && !pass.gate(context.profile)) {
    return absl::OkStatus();
  }
  Rewriter rewriter(graph, context, pass.name);
  if (const auto* rule = std::get_if<NodeRule>(&pass.rule)) {
    for (int n = 0, count = rewriter.size(); n < count; ++n) {
      if (!rewriter.is_gone(n)) (*rule)(rewriter, n);
    }
  } else {
    std::get<GraphRule>(pass.rule)(rewriter);
  }
  RETURN_IF_ERROR(rewriter.status());
  rewriter.Finish();
  return absl::OkStatus();
}

absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer) {
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage) continue;
    RETURN_IF_ERROR(RunPass(pass, context, graph));
    observer(pass.name, *graph);
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
