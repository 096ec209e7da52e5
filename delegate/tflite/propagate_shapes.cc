// Of reader.h: the shapes.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/graph/host_budget.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {

namespace {

// More than any shape has. The GPU may compute what is larger: masks.
constexpr size_t kMaxIntegers = 4096;
// A shape times a factor, on its way back to integers.
constexpr size_t kMaxFloats = 32;
// RANGE has no GPU version: the positions of a long sequence.
constexpr size_t kMaxRange = 1 << 20;

bool IsRange(const TfLiteRegistration& registration) {
  return registration.builtin_code == BuiltinOperator_RANGE;
}

// Whether a builtin's results depend on its inputs alone, and its kernel may
// run outside of the model's Invoke.
bool IsFunctionOfInputs(int builtin_code) {
  switch (builtin_code) {
    case BuiltinOperator_CUSTOM:
    case BuiltinOperator_DELEGATE:
    case BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES:
    // They run subgraphs.
    case BuiltinOperator_CALL:
    case BuiltinOperator_CALL_ONCE:
    case BuiltinOperator_IF:
    case BuiltinOperator_WHILE:
    case BuiltinOperator_STABLEHLO_CASE:
    case BuiltinOperator_STABLEHLO_COMPOSITE:
    case BuiltinOperator_STABLEHLO_WHILE:
    // They draw numbers.
    case BuiltinOperator_MULTINOMIAL:
    case BuiltinOperator_RANDOM_STANDARD_NORMAL:
    case BuiltinOperator_RANDOM_UNIFORM:
    // Their results may stay constants of the file's type on the GPU.
    case BuiltinOperator_DENSIFY:
    case BuiltinOperator_DEQUANTIZE:
      return false;
    default:
      return true;
  }
}

bool IsFloat(TfLiteType type) {
  return type == kTfLiteFloat32 || type == kTfLiteFloat64;
}

// 0: not a type for which values are known. `of_range`: RANGE writes it.
size_t MaxBytes(TfLiteType type, bool of_range) {
  switch (type) {
    case kTfLiteFloat32:
    case kTfLiteFloat64:
    case kTfLiteInt32:
    case kTfLiteInt64:
    case kTfLiteUInt32:
    case kTfLiteUInt64:
    case kTfLiteBool:
      return ElementBytes(type) * (of_range        ? kMaxRange
                                   : IsFloat(type) ? kMaxFloats
                                                   : kMaxIntegers);
    default:
      return 0;
  }
}

bool IsSmall(const TfLiteTensor& t, bool of_range = false) {
  const size_t most = MaxBytes(t.type, of_range);
  return most > 0 && BytesOf(t) <= most;
}

// Kernels add temporary tensors as they prepare, and keep pointers to others
// meanwhile: the array of tensors must not move under them. TFLite sees to that
// with room for 16 more before each node, and so does this, by what it can see:
// TFLite makes room for 128 tensors at first, and an array that moves has
// doubled.
class TensorRoom {
 public:
  explicit TensorRoom(TfLiteContext* context)
      : context_(context),
        capacity_(std::max<size_t>(128, context->tensors_size)) {}

  absl::Status Ensure() {
    constexpr size_t kRoom = 16;
    while (context_->tensors_size + kRoom > capacity_) {
      const TfLiteTensor* before = context_->tensors;
      const size_t size = context_->tensors_size;
      // One more than is known to fit: tensors that nothing uses.
      const int more =
          size < capacity_ ? static_cast<int>(capacity_ - size) + 1 : 1;
      if (context_->AddTensors(context_, more, nullptr) != kTfLiteOk) {
        return Internal("the runtime adds no tensors");
      }
      // Without a type and a shape an app that reads every tensor (in Python,
      // get_tensor()) would crash.
      for (size_t i = size; i < context_->tensors_size; ++i) {
        context_->tensors[i].dims = MakeIntArray({0}).release();
        context_->tensors[i].type = kTfLiteInt8;
      }
      capacity_ = context_->tensors == before
                      ? context_->tensors_size
                      : std::max(context_->tensors_size, 2 * size);
    }
    return absl::OkStatus();
  }

 private:
  TfLiteContext* context_;
  size_t capacity_;  // at least
};

// Until `changes` end, the tensor is a constant of the file.
void SetConstant(int id, const void* data, TensorChanges* changes) {
  changes->Set(id, &TfLiteTensor::allocation_type, kTfLiteMmapRo);
  changes->SetData(id, data);
}

// The same of inputs of ops with kCountsSegments, which take the output's shape
// from their last input, but only if all inputs are constant. Those with a
// number of segments also look for ids that are too large: those that come at
// run time are `zeros` here. No effect on other ops.
void SetSegments(const TfLiteContext& context, const TfLiteNode& node,
                 int builtin_code, std::vector<char>* zeros,
                 TensorChanges* changes) {
  // With more computed ids the shape of a segment sum is unknown.
  constexpr size_t kMaxIdBytes = 64 << 20;
  const OpDefinition* op = FindOp(builtin_code, "");
  const std::vector<int> inputs = ReadInts(node.inputs);
  if (op == nullptr || !op->Has(kCountsSegments) || inputs.size() < 2 ||
      *absl::c_min_element(inputs) < 0 ||
      !IsConstant(context.tensors[inputs.back()])) {
    return;
  }
  const TfLiteTensor& ids = context.tensors[inputs[1]];
  if (!IsConstant(ids)) {
    const size_t bytes = BytesOf(ids);
    if (bytes > kMaxIdBytes) return;
    zeros->resize(bytes);
    SetConstant(inputs[1], zeros->data(), changes);
  }
  SetConstant(inputs[0], context.tensors[inputs[0]].data.raw, changes);
}

// Until `changes` end, what a node writes is in the arena, whatever it was
// before. Memory of a tensor's own is kept unless the tensor has another size
// by then.
void SetOutputsAside(TfLiteContext* context, const TfLiteNode& node,
                     TensorChanges* changes) {
  for (int id : ReadPresent(node.outputs)) {
    TfLiteTensor& t = context->tensors[id];
    changes->AtTheEnd([id, type = t.allocation_type, data = t.data.raw,
                       bytes = t.bytes](TfLiteContext* context) {
      TfLiteTensor& t = context->tensors[id];
      ReturnToArena(&t);
      t.allocation_type = type;
      t.data.raw = data;
      if (!HasOwnMemory(t) || t.bytes == bytes) return;
      std::free(t.data.raw);
      t.data.raw = nullptr;
    });
    if (!HasOwnMemory(t)) continue;
    t.allocation_type = kTfLiteArenaRw;
    t.data.raw = nullptr;
  }
}

// Nothing of a tensor without elements can change. A value of no bytes would be
// none (ConstantData::empty()).
ConstantData EmptyValue() { return ConstantData::Own({0}); }

bool IsKnownBefore(const TfLiteContext& context, const TfLiteNode& node,
                   const TfLiteRegistration& registration,
                   const TensorValues& values) {
  const int op = registration.builtin_code;
  if (registration.invoke == nullptr) return false;
  if (op == BuiltinOperator_SHAPE || op == BuiltinOperator_RANK) return true;
  const std::vector<int> inputs = ReadPresent(node.inputs);
  return IsFunctionOfInputs(op) && !inputs.empty() &&
         absl::c_all_of(inputs, [&](int id) {
           return values.contains(id) || IsConstant(context.tensors[id]);
         });
}

bool OutputsAreSmall(const TfLiteContext& context, const TfLiteNode& node,
                     bool of_range) {
  return absl::c_all_of(ReadPresent(node.outputs), [&](int id) {
    const TfLiteTensor& t = context.tensors[id];
    // The kernel will size a dynamic tensor as it runs.
    return !t.is_variable &&
           (t.allocation_type == kTfLiteDynamic || IsSmall(t, of_range));
  });
}

TfLiteStatus PrepareKnown(TfLiteContext* context, TfLiteNode* node,
                          const TfLiteRegistration& registration) {
  // The node's inputs do not show which of their extents are free (-1 in the
  // file). Its outputs do: SLICE would hold them to the file's sizes.
  TensorChanges hidden(context);
  for (int id : ReadPresent(node->inputs)) {
    hidden.Set(id, &TfLiteTensor::dims_signature, nullptr);
  }
  return registration.prepare(context, node);
}

// Runs a node that has been prepared, and adds what it writes to `values`.
void RunForValues(TfLiteContext* context, TfLiteNode* node,
                  const TfLiteRegistration& registration,
                  TensorValues* values) {
  ScratchMemory memory;
  TensorChanges lent(context);
  LendToNode(
      *context, *node, [](int) { return false; }, &memory, &lent);
  // Of an output that the kernel sizes as it runs.
  const ResizeLimit limit(context, kMaxRange * sizeof(int64_t));
  if (registration.invoke(context, node) != kTfLiteOk) return;
  for (int id : ReadPresent(node->outputs)) {
    const TfLiteTensor& t = context->tensors[id];
    const size_t size = BytesOf(t);
    if (t.data.raw == nullptr || size == 0 ||
        !IsSmall(t, IsRange(registration)) ||
        !HostBudget::Take(size, "what follows from shapes").ok()) {
      continue;
    }
    (*values)[id] = CopyOf(t, size);
  }
}

// Adds the node's inputs without elements to `values`, except those in `made`,
// which nodes write: their shapes may change. The file has no buffer for them.
void AddEmptyInputs(const TfLiteContext& context, const TfLiteNode& node,
                    const HashSet<int>& made, TensorValues* values) {
  for (int id : ReadPresent(node.inputs)) {
    if (made.contains(id) || !IsEmpty(context.tensors[id])) continue;
    values->try_emplace(id, EmptyValue());
  }
}

// A small constant of integers or bools in the model's file.
std::optional<ConstantData> KnownIntegers(const TfLiteTensor& tensor) {
  if (!IsConstant(tensor) || tensor.bytes == 0 || IsFloat(tensor.type) ||
      !IsSmall(tensor)) {
    return std::nullopt;
  }
  return CopyOf(tensor, tensor.bytes);
}

// kTfLiteOutputShapeNotKnown of runtimes that are newer than the headers here:
// the kernel will know what it writes when it runs.
constexpr int kShapeNotKnown = 9;

// The runtime's kernels would follow a null pointer. A file may name the
// temporary tensors of a node, which get their shapes as that is prepared.
bool HaveShapes(const TfLiteContext& context, const TfLiteIntArray* tensors) {
  return absl::c_all_of(ReadPresent(tensors), [&context](int id) {
    return context.tensors[id].dims != nullptr;
  });
}

void AddDynamic(const TfLiteContext& context, const TfLiteIntArray* tensors,
                const TensorValues& values, UnknownShapes* unknown) {
  for (int id : ReadPresent(tensors)) {
    if (context.tensors[id].allocation_type == kTfLiteDynamic &&
        !values.contains(id)) {
      unknown->try_emplace(id, kKnownAtRunTime);
    }
  }
}

// PropagateShapes() of nodes with `known` values to begin with.
absl::StatusOr<ShapeFacts> PropagateFrom(TensorValues known, TensorRoom* room,
                                         TfLiteContext* context,
                                         const NodeFinder& find,
                                         absl::Span<const int> plan,
                                         const Decompositions& decompositions,
                                         const std::vector<int>* own = nullptr);

// Of all steps together: each becomes a node of the partition, which takes
// about 50 us of a start on llvmpipe, and 12 KiB. 8,192 take half a second and
// 100 MiB; to follow them until they are too many takes 0.05 s.
constexpr size_t kMaxNodesOfSteps = 1 << 13;

// Only integers and bools are followed: a list of floats whose first rows
// happen to be known would end up as values of the host.
LoopState StateOf(const TfLiteContext& context, int id,
                  const TensorValues& values) {
  const TfLiteTensor& tensor = context.tensors[id];
  LoopState state = {ReadInts(tensor.dims), KnownIntegers(tensor)};
  const auto value = values.find(id);
  if (value != values.end() && tensor.type != kTfLiteFloat32) {
    state.value = value->second;
  }
  return state;
}

class LoopFollower {
 public:
  // `steps` has the states of the inputs, and gets those after the last step.
  LoopFollower(const NodeFinder& find, const Decomposition& loop, Steps* steps)
      : find_(find),
        loop_(loop),
        states_(steps->outputs),
        graphs_(steps->graphs),
        room_of_condition_(loop.condition->context),
        room_of_body_(loop.context) {}

  absl::Status Follow() {
    for (;;) {
      ASSIGN_OR_RETURN(auto goes_on, Ask());
      if (!goes_on) return absl::OkStatus();
      const size_t nodes =
          (graphs_.size() + 1) * std::max<size_t>(1, loop_.plan.size());
      if (nodes > kMaxNodesOfSteps) {
        return Unimplemented("its body of ", loop_.plan.size(),
                             " nodes runs more than ", graphs_.size(),
                             " times; at most ", kMaxNodesOfSteps,
                             " nodes of a loop run on the GPU");
      }
      RETURN_IF_ERROR(Step());
    }
  }

 private:
  // Asks the condition.
  absl::StatusOr<bool> Ask() {
    const LoopCondition& condition = *loop_.condition;
    ASSIGN_OR_RETURN(
        auto facts, PropagateFrom(Give(condition.context, condition.inputs),
                                  &room_of_condition_, condition.context, find_,
                                  condition.plan, {}));
    const auto answer = facts.values.find(condition.output);
    if (answer == facts.values.end()) {
      return Unimplemented("the number of its steps is known only at run time");
    }
    return answer->second.bytes()[0] != 0;
  }

  absl::Status Step() {
    ASSIGN_OR_RETURN(
        auto facts,
        PropagateFrom(Give(loop_.context, loop_.border.inputs), &room_of_body_,
                      loop_.context, find_, loop_.plan, {}));
    if (const absl::Status refused = facts.refused(); !refused.ok()) {
      return absl::Status(refused.code(),
                          absl::StrCat("in step ", graphs_.size(),
                                       " of its body, ", refused.message()));
    }
    if (!facts.unknown.empty()) return WhyUnknown(facts.unknown);
    const auto tensors = static_cast<int64_t>(loop_.context->tensors_size);
    RETURN_IF_ERROR(
        HostBudget::Take(tensors * sizeof(Tensor), "a step of a loop"));
    graphs_.push_back(
        ReadDecomposedGraph(*loop_.context, facts.values,
                            graphs_.empty() ? nullptr : &graphs_.front()));
    for (size_t i = 0; i < states_.size(); ++i) {
      states_[i] =
          StateOf(*loop_.context, loop_.border.outputs[i], facts.values);
    }
    return absl::OkStatus();
  }

  // Gives a subgraph's inputs their shapes. Returns those that are known.
  TensorValues Give(TfLiteContext* subgraph,
                    const std::vector<SubgraphBorder::Input>& inputs) const {
    TensorValues values;
    for (const auto& [id, position] : inputs) {
      ResizeTensor(subgraph, id, states_[position].dims);
      subgraph->tensors[id].data.raw = nullptr;
      if (states_[position].value) values[id] = *states_[position].value;
    }
    return values;
  }

  absl::Status WhyUnknown(const UnknownShapes& unknown) const {
    for (int index : loop_.plan) {
      ASSIGN_OR_RETURN(const auto found, find_.Get(loop_.context, index));
      for (int id : ReadInts(found.node->outputs)) {
        if (!unknown.contains(id)) continue;
        return Unimplemented(
            OpName(*found.kernel), " of its body: ",
            ReadTensor(loop_.context->tensors[id], id).ToString(),
            " has a shape that is known only at run time");
      }
    }
    return Internal("its body has a shape that is not known");
  }

  const NodeFinder& find_;
  const Decomposition& loop_;
  std::vector<LoopState>& states_;
  std::vector<DecomposedGraph>& graphs_;
  TensorRoom room_of_condition_, room_of_body_;
};

// Asks the loop's condition and prepares its body, with the runtime's own
// kernels, until the condition is false. Counters are values that follow from
// shapes, as are indices and sizes that the body computes from them.
//
// The subgraphs' inputs have no memory afterwards, so that the runtime prepares
// both again before it runs them.
Steps FollowLoop(const TfLiteContext& context, const TfLiteNode& node,
                 const NodeFinder& find, const Decomposition& loop,
                 const TensorValues& values) {
  Steps result;
  result.status = loop.status;
  if (!loop.status.ok()) return result;
  for (int id : ReadInts(node.inputs)) {
    result.outputs.push_back(StateOf(context, id, values));
  }
  result.status = LoopFollower(find, loop, &result).Follow();
  return result;
}

// Gives the loop's outputs their shapes, and those that are known to `values`.
void GiveOutputs(TfLiteContext* context, const TfLiteNode& node,
                 const Steps& loop, TensorValues* values) {
  const std::vector<int> outputs = ReadInts(node.outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] < 0) continue;
    const LoopState& state = loop.outputs[i];
    ReturnToArena(&context->tensors[outputs[i]]);
    ResizeTensor(context, outputs[i], state.dims);
    if (state.value) (*values)[outputs[i]] = *state.value;
  }
}

// Reads the tensors of a composite that TFLite has prepared, and of those
// inside.
void ReadComposite(const Decompositions& decompositions, const NodeKey& node,
                   HashMap<NodeKey, Steps>* steps) {
  for (const NodeKey& key : CompositesBelow(decompositions, node)) {
    const Decomposition& own = decompositions.at(key);
    if (own.condition) return;  // a composite with a loop inside is refused
    std::vector<DecomposedGraph>& graphs = (*steps)[key].graphs;
    graphs.clear();
    graphs.push_back(ReadDecomposedGraph(*own.context, {}, nullptr));
  }
}

absl::StatusOr<ShapeFacts> PropagateFrom(TensorValues known, TensorRoom* room,
                                         TfLiteContext* context,
                                         const NodeFinder& find,
                                         absl::Span<const int> plan,
                                         const Decompositions& decompositions,
                                         const std::vector<int>* own) {
  ShapeFacts facts;
  facts.values = std::move(known);
  // A loop's state may be of another type than the body's input.
  EraseIf(facts.values, [context](const auto& value) {
    return value.second.bytes().size() < BytesOf(context->tensors[value.first]);
  });
  KeptMessages messages(context);
  std::deque<KeptMessages> of_subgraphs;
  for (TfLiteContext* subgraph : SubgraphsOf(decompositions)) {
    of_subgraphs.emplace_back(subgraph);
  }
  HashSet<int> own_nodes;
  if (own != nullptr) own_nodes.insert(own->begin(), own->end());
  HashSet<int> made;
  for (int index : plan) {
    ASSIGN_OR_RETURN(const auto at, find.Get(context, index));
    AddEmptyInputs(*context, *at.node, made, &facts.values);
    const std::vector<int> inputs = ReadInts(at.node->inputs);
    const std::vector<int> outputs = ReadInts(at.node->outputs);
    made.insert(outputs.begin(), outputs.end());
    const auto give_up = [&](int cause) {
      for (int id : outputs) {
        if (id >= 0) facts.unknown.try_emplace(id, cause);
      }
    };
    RETURN_IF_ERROR(room->Ensure());
    const bool is_own = own == nullptr || own_nodes.contains(index);
    if (!HaveShapes(*context, at.node->inputs)) {
      give_up(index);
      facts.refusals.emplace(
          index, absl::StrCat("node ", index, " (", OpName(*at.kernel),
                              ") reads a tensor without a shape"));
      continue;
    }
    if (!is_own) {
      // Its tensors are restored.
      if (IsKnownBefore(*context, *at.node, *at.kernel, facts.values)) {
        TensorChanges changes(context);
        SetOutputsAside(context, *at.node, &changes);
        (void)PrepareWithValues(context, at.node, *at.kernel, &facts.values);
      }
      continue;
    }
    // Of a partition, the runtime knows the inputs' shapes by now.
    if (own == nullptr) {
      AddDynamic(*context, at.node->inputs, facts.values, &facts.unknown);
    }
    const auto decomposition = decompositions.find({context, index});
    const bool is_known = decomposition != decompositions.end();
    const auto unknown = absl::c_find_if(
        inputs, [&facts](int id) { return facts.unknown.contains(id); });
    if (unknown != inputs.end()) {
      give_up(facts.unknown.at(*unknown));
      // Its subgraphs have no right shapes since their borders were found.
      if (is_known && own == nullptr && !decomposition->second.is_unsafe &&
          at.kernel->prepare != nullptr) {
        (void)at.kernel->prepare(context, at.node);
        (void)messages.Take();
      }
      continue;
    }
    if (is_known && decomposition->second.is_unsafe) {
      give_up(kKnownAtRunTime);
      continue;
    }
    const Steps* loop = nullptr;
    if (is_known && decomposition->second.condition) {
      loop =
          &(facts.steps[{context, index}] = FollowLoop(
                *context, *at.node, find, decomposition->second, facts.values));
      if (own != nullptr && !loop->status.ok()) {
        give_up(kKnownAtRunTime);
        continue;
      }
    }
    // Later, the kernel of a loop would prepare the delegate's own kernels in
    // the body, which do not run.
    const TfLiteStatus prepared =
        loop != nullptr && own != nullptr
            ? kTfLiteOk
            : PrepareWithValues(context, at.node, *at.kernel, &facts.values);
    if (prepared == kTfLiteOk && loop != nullptr && loop->status.ok()) {
      GiveOutputs(context, *at.node, *loop, &facts.values);
    }
    if (prepared == kTfLiteOk) {
      ReadComposite(decompositions, {context, index}, &facts.steps);
      AddDynamic(*context, at.node->outputs, facts.values, &facts.unknown);
      continue;
    }
    const bool is_refused = static_cast<int>(prepared) != kShapeNotKnown;
    give_up(is_refused ? index : kKnownAtRunTime);
    if (!is_refused) continue;
    facts.refusals.emplace(
        index, absl::StrCat("TFLite's own kernel of node ", index, " (",
                            OpName(*at.kernel),
                            ") refuses its inputs: ", messages.Take()));
  }
  return facts;
}

}  // namespace

TfLiteStatus PrepareWithValues(TfLiteContext* context, TfLiteNode* node,
                               const TfLiteRegistration& registration,
                               TensorValues* values) {
  if (registration.prepare == nullptr) return kTfLiteOk;
  for (int id : ReadPresent(node->outputs)) {
    values->erase(id);
    ReturnToArena(&context->tensors[id]);
  }
  const bool follows = IsKnownBefore(*context, *node, registration, *values);
  std::vector<char> zeros;
  TensorChanges changes(context);
  for (int id : ReadInts(node->inputs)) {
    const auto value = values->find(id);
    if (value == values->end()) continue;
    SetConstant(id, value->second.bytes().data(), &changes);
  }
  SetSegments(*context, *node, registration.builtin_code, &zeros, &changes);
  const TfLiteStatus prepared = PrepareKnown(context, node, registration);
  if (prepared != kTfLiteOk) return prepared;
  if (follows && OutputsAreSmall(*context, *node, IsRange(registration))) {
    RunForValues(context, node, registration, values);
  }
  for (int id : ReadPresent(node->outputs)) {
    TfLiteTensor& t = context->tensors[id];
    if (IsEmpty(t)) (*values)[id] = EmptyValue();
    if (values->contains(id)) ReturnToArena(&t);
  }
  return kTfLiteOk;
}

TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value) {
  TfLiteTensor& t = context->tensors[tensor];
  if (IsEmpty(t)) return kTfLiteOk;
  if (!HasOwnMemory(t)) t.data.raw = nullptr;
  t.allocation_type = kTfLitePersistentRo;
  if (!ResizeTensor(context, tensor, ReadInts(t.dims)) ||
      t.data.raw == nullptr || t.bytes != value.bytes().size()) {
    return kTfLiteError;
  }
  std::memcpy(t.data.raw, value.bytes().data(), t.bytes);
  return kTfLiteOk;
}

absl::Status ShapeFacts::refused() const {
  return refusals.empty()
             ? absl::OkStatus()
             : absl::FailedPreconditionError(refusals.begin()->second);
}

bool HasOldMemoryPlan(TfLiteContext* context) {
  const NodeFinder find(*context);
  const auto plan = find.PlanOf(context);
  if (!plan.ok()) return false;
  const auto in_arena = [&](int id) {
    return id >= 0 && context->tensors[id].allocation_type == kTfLiteArenaRw &&
           context->tensors[id].bytes > 0;
  };
  HashSet<int> made;
  bool any_allocated = false, input_resized = false;
  for (int index : *plan) {
    const auto found = find.Get(context, index);
    if (!found.ok()) continue;
    for (int id : ReadInts(found->node->inputs)) {
      if (!in_arena(id) || made.contains(id)) continue;
      // Resizing takes an input's memory away.
      (context->tensors[id].data.raw == nullptr ? input_resized
                                                : any_allocated) = true;
    }
    for (int id : ReadInts(found->node->outputs)) {
      made.insert(id);
      any_allocated |= in_arena(id) && context->tensors[id].data.raw != nullptr;
    }
  }
  return any_allocated && input_resized;
}

absl::StatusOr<ShapeFacts> PropagateShapes(TfLiteContext* context,
                                           const ModelNodes& nodes,
                                           const std::vector<int>* own) {
  TensorRoom room(context);
  return PropagateFrom({}, &room, context, nodes.find, nodes.plan,
                       nodes.decompositions, own);
}

}  // namespace gles_delegate
