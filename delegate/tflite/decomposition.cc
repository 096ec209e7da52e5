// Of reader.h: the subgraphs of composites.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {

// --- Borders -----------------------------------------------------------------

namespace {

// The tensors that a subgraph's nodes read, except constants, and write.
struct SubgraphTensors {
  HashSet<int> read, written;
  std::vector<int> last_first;  // `written`; most outputs are written late
};

// kUnimplemented: another delegate has taken some of the nodes.
absl::StatusOr<SubgraphTensors> TensorsOf(const Subgraph& subgraph,
                                          const NodeFinder& find) {
  SubgraphTensors tensors;
  for (int index : subgraph.plan) {
    ASSIGN_OR_RETURN(const auto found, find.Get(subgraph.context, index));
    if (found.kernel->builtin_code == BuiltinOperator_DELEGATE) {
      return Unimplemented("another delegate has taken nodes of its subgraph");
    }
    for (int id : ReadPresent(found.node->inputs)) {
      const TfLiteTensor& tensor = subgraph.context->tensors[id];
      const bool is_constant = tensor.allocation_type == kTfLiteMmapRo;
      if (!is_constant && !tensor.is_variable) tensors.read.insert(id);
    }
    for (int id : ReadPresent(found.node->outputs)) {
      tensors.written.insert(id);
      tensors.last_first.push_back(id);
    }
  }
  absl::c_reverse(tensors.last_first);
  return tensors;
}

// Until `changes` to the subgraph end, its nodes' kernels have another prepare
// function, as they would see shapes that only tell tensors apart. Afterwards,
// what the nodes write has the shapes from before: some kernels look at the
// rank.
void ReplacePrepare(const Subgraph& subgraph, const NodeFinder& find,
                    decltype(TfLiteRegistration::prepare) prepare,
                    TensorChanges* changes) {
  TfLiteContext* const context = subgraph.context;
  for (int index : subgraph.plan) {
    const auto found = find.Get(context, index);
    if (!found.ok()) continue;
    changes->AtTheEnd(
        [find, index, before = found->kernel->prepare](TfLiteContext* context) {
          // The runtime may have moved it.
          const auto found = find.Get(context, index);
          if (found.ok()) found->kernel->prepare = before;
        });
    found->kernel->prepare = prepare;
    for (int id : ReadPresent(found->node->outputs)) {
      changes->AtTheEnd(
          [id, dims = ReadInts(context->tensors[id].dims)](
              TfLiteContext* context) { ResizeTensor(context, id, dims); });
    }
  }
}

// The shapes have no elements, so that such tensors take no memory: [0, n] is
// the composite's or loop's input n, [0, 0, n] the composite's tensor n.
constexpr int kInputRank = 2, kTensorRank = 3;

std::optional<int> MarkOf(const TfLiteTensor& tensor, int rank) {
  const TfLiteIntArray* dims = tensor.dims;
  if (dims == nullptr || dims->size != rank || dims->data[0] != 0) {
    return std::nullopt;
  }
  return dims->data[rank - 1];
}

// The subgraph's inputs, by the marks that the kernel has copied to them.
// `reads_all`: also those that no node reads.
std::vector<SubgraphBorder::Input> InputsByMark(const TfLiteContext& subgraph,
                                                const SubgraphTensors& tensors,
                                                size_t count, bool reads_all) {
  std::vector<SubgraphBorder::Input> inputs;
  for (int id = 0; id < static_cast<int>(subgraph.tensors_size); ++id) {
    const TfLiteTensor& tensor = subgraph.tensors[id];
    // LiteRT's kernel lends a body's inputs its outputs' memory.
    const bool is_plain = tensor.allocation_type == kTfLiteArenaRw ||
                          tensor.allocation_type == kTfLiteCustom;
    const auto position = MarkOf(tensor, kInputRank);
    if (position && *position >= 0 && static_cast<size_t>(*position) < count &&
        is_plain && !tensors.written.contains(id) &&
        (reads_all || tensors.read.contains(id))) {
      inputs.push_back({id, *position});
    }
  }
  return inputs;
}

// A prepare function.
TfLiteStatus MarkOutputs(TfLiteContext* context, TfLiteNode* node) {
  for (int id : ReadInts(node->outputs)) {
    if (HasTensor(*context, id) && !ResizeTensor(context, id, {0, 0, id})) {
      return kTfLiteError;
    }
  }
  return kTfLiteOk;
}

absl::Status CheckKernel(const TfLiteRegistration& registration,
                         const std::vector<int>& inputs,
                         const std::vector<int>& outputs) {
  HashSet<int> seen(inputs.begin(), inputs.end());
  const bool each_once = absl::c_all_of(
      outputs, [&seen](int id) { return seen.insert(id).second; });
  if (!each_once || seen.contains(kTfLiteOptionalTensor)) {
    return Invalid("a tensor is missing, or is an output and also another one");
  }
  if (registration.prepare == nullptr) {
    return Unimplemented("the runtime has no kernel for it");
  }
  return absl::OkStatus();
}

// No function of the context has the inputs and outputs of a subgraph, but the
// composite's own kernel, as it is prepared, copies shapes to the inputs and
// from the outputs. So this prepares it with shapes that tell the tensors
// apart, while a function that only sets such shapes replaces the prepare
// functions of the subgraph's kernels. The subgraph's shapes are wrong until
// the composite is prepared again. `node`: the composite's index.
absl::StatusOr<SubgraphBorder> BorderOf(TfLiteContext* context, int node,
                                        const Subgraph& subgraph,
                                        const NodeFinder& find) {
  ASSIGN_OR_RETURN(const auto found, find.Get(context, node));
  const std::vector<int> inputs = ReadInts(found.node->inputs);
  const std::vector<int> outputs = ReadInts(found.node->outputs);
  RETURN_IF_ERROR(CheckKernel(*found.kernel, inputs, outputs));
  ASSIGN_OR_RETURN(auto tensors, TensorsOf(subgraph, find));
  const auto is_input = [&](int id) { return !tensors.written.contains(id); };
  // The runtime prepares kernels again only after an input was resized.
  if (absl::c_none_of(tensors.read, is_input)) {
    return Unimplemented("its decomposition reads no input");
  }

  std::vector<std::vector<int>> dims;
  dims.reserve(outputs.size());
  for (int id : outputs) dims.push_back(ReadInts(context->tensors[id].dims));
  KeptMessages messages(context), of_subgraph(subgraph.context);
  TfLiteStatus prepared;
  {
    TensorChanges marked(context);
    // TfLiteIntArrays: {int size; int data[]}.
    std::vector<std::array<int, kInputRank + 1>> marks(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      marks[i] = {kInputRank, 0, static_cast<int>(i)};
      marked.Set(inputs[i], &TfLiteTensor::dims,
                 reinterpret_cast<TfLiteIntArray*>(marks[i].data()));
    }
    TensorChanges written(subgraph.context);
    ReplacePrepare(subgraph, find, MarkOutputs, &written);
    prepared = found.kernel->prepare(context, found.node);
  }
  SubgraphBorder border;
  border.inputs = InputsByMark(*subgraph.context, tensors, inputs.size(),
                               /*reads_all=*/false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TfLiteTensor& outside = context->tensors[outputs[i]];
    const auto written = MarkOf(outside, kTensorRank);
    const auto passed = MarkOf(outside, kInputRank);
    const auto source = absl::c_find_if(border.inputs, [&](const auto& input) {
      return passed && input.position == *passed;
    });
    if (source != border.inputs.end()) {
      border.outputs.push_back(source->id);
    } else if (written && tensors.written.contains(*written)) {
      border.outputs.push_back(*written);
    }
    ResizeTensor(context, outputs[i], dims[i]);
  }
  if (prepared != kTfLiteOk) {
    return Invalid("TFLite's own kernel refuses its decomposition: ",
                   messages.Take());
  }
  if (border.outputs.size() != outputs.size()) {
    return Unimplemented(
        "its decomposition has an output that no node writes, or whose shape "
        "is known only at run time");
  }
  return border;
}

// --- Subgraphs ---------------------------------------------------------------

// A function that 2.14 appended to TfLiteContext; the headers here may be
// older.
template <typename Function>
Function AppendedFunction(const TfLiteContext& context, size_t position) {
  Function function;
  std::memcpy(&function,
              reinterpret_cast<const char*>(&context) + sizeof(context) +
                  position * sizeof(function),
              sizeof(function));
  return function;
}

// The subgraphs that a node calls, by their places in the file.
std::vector<int> CalledBy(const TfLiteNode& node,
                          const TfLiteRegistration& registration) {
  const void* params = node.builtin_data;
  if (params == nullptr) return {};
  switch (registration.builtin_code) {
    case BuiltinOperator_WHILE: {
      const auto& loop = *static_cast<const WhileParams*>(params);
      return {loop.condition, loop.body};
    }
    case BuiltinOperator_IF: {
      const auto& branches = *static_cast<const IfParams*>(params);
      return {branches.then_branch, branches.else_branch};
    }
    case BuiltinOperator_CALL_ONCE:
      return {static_cast<const CallOnceParams*>(params)->initialization};
    case BuiltinOperator_STABLEHLO_COMPOSITE:
      return {static_cast<const CompositeParams*>(params)->subgraph};
    default:
      return {};
  }
}

}  // namespace

Subgraphs::Subgraphs(TfLiteContext* own) : own_(own), find_(*own) {
  if (!IsRuntimeOf214(*own)) return;
  acquire_ = AppendedFunction<Acquire>(*own, 0);
  release_ = AppendedFunction<Release>(*own, 1);
}

absl::StatusOr<TfLiteContext*> Subgraphs::Get(int subgraph) const {
  if (acquire_ == nullptr || release_ == nullptr) {
    return Unimplemented("this runtime shows a delegate no other subgraph");
  }
  TfLiteContext* found = nullptr;
  // Of an index that is wrong.
  const KeptMessages messages(own_);
  if (acquire_(own_, subgraph, &found) != kTfLiteOk || found == nullptr) {
    return Invalid("the model has no subgraph ", subgraph);
  }
  // The caller's own stays as it is.
  if (found != own_) release_(own_, subgraph);
  return found;
}

HashSet<const void*> Subgraphs::ConstantsExcept(
    absl::Span<TfLiteContext* const> those) const {
  HashSet<const void*> found;
  for (int i = 0;; ++i) {
    const auto other = Get(i);
    if (!other.ok()) return found;
    if (*other == own_ || absl::c_linear_search(those, *other)) continue;
    for (const TfLiteTensor& tensor :
         absl::MakeConstSpan((*other)->tensors, (*other)->tensors_size)) {
      if (tensor.allocation_type == kTfLiteMmapRo) {
        found.insert(tensor.data.raw);
      }
    }
  }
}

HashSet<const TfLiteContext*> Subgraphs::Called() const {
  HashSet<const TfLiteContext*> called;
  for (int i = 0;; ++i) {
    const auto caller = Get(i);
    if (!caller.ok()) return called;
    const auto plan = find_.PlanOf(*caller);
    if (!plan.ok()) continue;
    for (int index : *plan) {
      const auto at = find_.Get(*caller, index);
      if (!at.ok()) continue;
      for (int subgraph : CalledBy(*at->node, *at->kernel)) {
        if (const auto found = Get(subgraph); found.ok()) called.insert(*found);
      }
    }
  }
}

namespace {

// Of a body's tensors times its outputs: each may take a call of the kernel.
constexpr size_t kMaxQuestions = 1 << 14;

// No elements, so that such tensors take no memory.
const std::vector<int> kUnlike = {0, 0, 0}, kAlike = {0, 0, 1};

// A prepare function that leaves the outputs' shapes as they are.
TfLiteStatus KeepShapes(TfLiteContext*, TfLiteNode*) { return kTfLiteOk; }

// Resizes tensors that nodes write. They may be dynamic from earlier.
void ResizeWritten(TfLiteContext* subgraph, int id,
                   const std::vector<int>& dims) {
  ReturnToArena(&subgraph->tensors[id]);
  ResizeTensor(subgraph, id, dims);
}

// The kernel of a WHILE whose subgraphs keep the shapes that they are given.
class LoopKernel {
 public:
  LoopKernel(TfLiteContext* context, const TfLiteNode& node,
             const TfLiteRegistration& registration)
      : context_(context),
        node_(node),
        registration_(registration),
        positions_(ReadInts(node.outputs)) {}
  ~LoopKernel() {
    for (size_t i = 0; i < own_dims_.size(); ++i) {
      Resize(i, own_dims_[i]);
      const int own = node_.outputs->data[i];
      if (own < 0) context_->tensors[positions_[i]].allocation_type = {};
    }
  }
  LoopKernel(const LoopKernel&) = delete;
  LoopKernel& operator=(const LoopKernel&) = delete;

  // Stands a new tensor in for each output that LiteRT's kernel has removed, as
  // it does for those that the body passes on and no node reads.
  absl::Status Begin() {
    for (size_t i = 0; i < size(); ++i) {
      int& id = positions_[i];
      if (id < 0) {
        if (context_->AddTensors(context_, 1, &id) != kTfLiteOk) {
          return Internal("the runtime adds no tensors");
        }
        TfLiteTensor& tensor = context_->tensors[id];
        tensor.type = context_->tensors[node_.inputs->data[i]].type;
        tensor.allocation_type = kTfLiteArenaRw;
        if (!ResizeTensor(context_, id, {0})) {
          return Internal("the runtime resizes no tensors");
        }
      }
      own_dims_.push_back(ReadInts(context_->tensors[id].dims));
    }
    return absl::OkStatus();
  }

  size_t size() const { return positions_.size(); }

  // Prepares the loop for inputs of the shapes that `dims_of` gives. False: the
  // kernel refuses them.
  template <typename DimsOf>
  bool Prepare(const DimsOf& dims_of) {
    for (size_t i = 0; i < size(); ++i) Resize(i, dims_of(i));
    // Its inputs need not be distinct tensors, but its outputs are. The kernel
    // changes the lists, and its data remembers that outputs were dynamic.
    const IntArrayPtr inputs = MakeIntArray(positions_);
    const IntArrayPtr outputs = MakeIntArray(positions_);
    TfLiteNode node = node_;
    node.inputs = inputs.get();
    node.outputs = outputs.get();
    node.user_data = registration_.init(
        context_, static_cast<const char*>(node.builtin_data), 0);
    const TfLiteStatus status = registration_.prepare(context_, &node);
    registration_.free(context_, node.user_data);
    return status == kTfLiteOk;
  }

  // Whether the body gives input `position` alone kAlike, and kUnlike to all
  // others.
  bool IsAlone(size_t position) {
    return Prepare(
               [&](size_t i) { return i == position ? kAlike : kUnlike; }) &&
           absl::c_none_of(positions_, [this](int id) {
             return context_->tensors[id].allocation_type == kTfLiteDynamic;
           });
  }

 private:
  void Resize(size_t i, const std::vector<int>& dims) {
    ResizeWritten(context_, positions_[i], dims);
  }

  TfLiteContext* context_;
  const TfLiteNode& node_;
  const TfLiteRegistration& registration_;
  std::vector<int> positions_;  // a tensor for each input and its output
  std::vector<std::vector<int>> own_dims_;
};

absl::Status CheckLoop(const TfLiteContext& context, const TfLiteNode& node,
                       const TfLiteRegistration& registration) {
  const std::vector<int> inputs = ReadInts(node.inputs);
  const std::vector<int> outputs = ReadInts(node.outputs);
  if (registration.prepare == nullptr || registration.init == nullptr ||
      registration.free == nullptr) {
    return Unimplemented("the runtime has no kernel for it");
  }
  if (inputs.empty() || inputs.size() != outputs.size()) {
    return Invalid("it has ", inputs.size(), " inputs and ", outputs.size(),
                   " outputs; each input has its output");
  }
  HashSet<int> seen;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < 0) return Invalid("its input ", i, " is missing");
    if (outputs[i] < 0) continue;
    if (!seen.insert(outputs[i]).second) {
      return Invalid("a tensor is an output twice");
    }
    if (context.tensors[inputs[i]].type != context.tensors[outputs[i]].type) {
      return Invalid("its input ", i, " and its output have other types");
    }
  }
  return absl::OkStatus();
}

// The border of the body; all inputs are in it, and an output that the body
// does not change is the input. Fills in the condition's, too.
//
// Found as BorderOf() finds a composite's, with one difference: the kernel of
// WHILE copies no shapes from the body's outputs. But it compares them with
// those of the inputs, one by one, and makes its own outputs dynamic if any
// differ. So this gives one input and one tensor of the body a shape, all
// others another, and prepares the kernel: if its outputs are not dynamic, that
// tensor is that input's next value, and no other's.
//
// `node`: the WHILE's index. The shapes in both subgraphs are wrong until the
// WHILE is prepared again.
absl::StatusOr<SubgraphBorder> LoopBorderOf(TfLiteContext* context, int node,
                                            const Subgraph& body,
                                            const NodeFinder& find,
                                            LoopCondition* condition) {
  ASSIGN_OR_RETURN(const auto at, find.Get(context, node));
  RETURN_IF_ERROR(CheckLoop(*context, *at.node, *at.kernel));
  ASSIGN_OR_RETURN(auto tested, TensorsOf(*condition, find));
  ASSIGN_OR_RETURN(auto changed, TensorsOf(body, find));
  const std::vector<int>& written = changed.last_first;

  TensorChanges in_condition(condition->context), in_body(body.context);
  ReplacePrepare(*condition, find, KeepShapes, &in_condition);
  ReplacePrepare(body, find, KeepShapes, &in_body);
  KeptMessages messages(context), of_subgraph(body.context),
      of_other(condition->context);
  LoopKernel kernel(context, *at.node, *at.kernel);
  RETURN_IF_ERROR(kernel.Begin());
  if (written.size() * kernel.size() > kMaxQuestions) {
    return Unimplemented("its body has ", written.size(), " tensors and ",
                         kernel.size(), " outputs, which are too many");
  }
  for (int id : tested.last_first) {
    ResizeWritten(condition->context, id, kUnlike);
  }
  for (int id : written) ResizeWritten(body.context, id, kUnlike);

  // The kernel takes one bool alone for an answer.
  for (int id : tested.last_first) {
    if (condition->context->tensors[id].type != kTfLiteBool) continue;
    ResizeWritten(condition->context, id, {1});
    if (kernel.Prepare([](size_t i) {
          return std::vector<int>{0, static_cast<int>(i)};
        })) {
      condition->output = id;
      break;
    }
    ResizeWritten(condition->context, id, kUnlike);
  }
  if (condition->output < 0) {
    const std::string why = messages.Take();
    return Invalid("TFLite's own kernel takes no result of its condition",
                   why.empty() ? "" : ": ", why);
  }
  SubgraphBorder border;
  border.inputs = InputsByMark(*body.context, changed, kernel.size(),
                               /*reads_all=*/true);
  condition->inputs = InputsByMark(*condition->context, tested, kernel.size(),
                                   /*reads_all=*/false);

  for (size_t i = 0; i < kernel.size(); ++i) {
    int found = -1;
    const auto input = absl::c_find_if(border.inputs, [i](const auto& one) {
      return one.position == static_cast<int>(i);
    });
    if (input != border.inputs.end() && kernel.IsAlone(i)) found = input->id;
    for (auto id = written.begin(); found < 0 && id != written.end(); ++id) {
      if (body.context->tensors[*id].type !=
          context->tensors[at.node->inputs->data[i]].type) {
        continue;
      }
      ResizeWritten(body.context, *id, kAlike);
      if (kernel.IsAlone(i)) found = *id;
      ResizeWritten(body.context, *id, kUnlike);
    }
    if (found < 0) {
      return Unimplemented("its body's output ", i,
                           " is a constant, another input, or an output twice");
    }
    border.outputs.push_back(found);
  }
  return border;
}

// Of composites inside composites.
constexpr size_t kMaxLevels = 8;
// Anything deeper counts as endless.
constexpr size_t kMaxOpen = 64;
// Nodes of one composite, with those inside. A decomposed attention has a few
// dozen.
constexpr int kMaxNodes = 4096;

class DecompositionFinder {
 public:
  DecompositionFinder(TfLiteContext* context, const NodeFinder& find)
      : context_(context), find_(find), subgraphs_(context) {}

  Decompositions Find(absl::Span<const int> plan) {
    open_ = {context_};
    for (int index : plan) Visit(context_, index);
    return std::move(found_);
  }

 private:
  // Reads what the node stands for, and the composites below it. nullptr: it is
  // no composite.
  const Decomposition* Visit(TfLiteContext* context, int index) {
    const auto at = find_.Get(context, index);
    if (!at.ok()) return nullptr;  // CheckGraph() says why
    // Loops inside are left to the runtime.
    const bool is_loop = IsLoop(*at->kernel) && context == context_;
    if (!is_loop && !IsComposite(*at->kernel)) return nullptr;
    const NodeKey key = {context, index};
    const auto [it, is_new] = found_.try_emplace(key);
    Decomposition& found = it->second;
    if (is_new) {
      found.status = is_loop ? ReadLoop(key, *at->node, &found)
                             : Read(key, *at->node, &found);
    }
    return is_loop ? nullptr : &found;
  }

  absl::Status Read(const NodeKey& key, const TfLiteNode& node,
                    Decomposition* out) {
    if (node.builtin_data == nullptr) {
      return Invalid("it names no decomposition");
    }
    const int subgraph =
        static_cast<const CompositeParams*>(node.builtin_data)->subgraph;
    ASSIGN_OR_RETURN(auto found, subgraphs_.Get(subgraph));
    out->context = found;
    if (open_.size() > kMaxOpen || absl::c_linear_search(open_, found)) {
      out->is_unsafe = true;
      return Invalid("subgraph ", subgraph,
                     ", its decomposition, leads back to the composite");
    }
    ASSIGN_OR_RETURN(out->plan, find_.PlanOf(found));
    // First: a composite below that is unsafe must be known.
    RETURN_IF_ERROR(ReadBelow(out));
    if (auto s = CheckGraph(found, find_, out->plan); !s.ok()) {
      out->is_unsafe = true;
      return s;
    }
    ASSIGN_OR_RETURN(out->border, BorderOf(key.first, key.second, *out, find_));
    return absl::OkStatus();
  }

  absl::Status ReadLoop(const NodeKey& key, const TfLiteNode& node,
                        Decomposition* out) {
    LoopCondition& condition = out->condition.emplace();
    if (node.builtin_data == nullptr) return Invalid("it names no body");
    const auto& params = *static_cast<const WhileParams*>(node.builtin_data);
    ASSIGN_OR_RETURN(auto body, subgraphs_.Get(params.body));
    ASSIGN_OR_RETURN(auto tested, subgraphs_.Get(params.condition));
    out->context = body;
    condition.context = tested;
    if (body == context_ || tested == context_ || body == tested) {
      return Invalid("its body or its condition leads back to the loop");
    }
    ASSIGN_OR_RETURN(out->plan, find_.PlanOf(body));
    ASSIGN_OR_RETURN(condition.plan, find_.PlanOf(tested));
    absl::Status checked = CheckGraph(body, find_, out->plan);
    checked.Update(CheckGraph(tested, find_, condition.plan));
    out->is_unsafe = !checked.ok();
    if (!checked.ok()) return checked;
    ASSIGN_OR_RETURN(out->border, LoopBorderOf(key.first, key.second, *out,
                                               find_, &condition));
    return absl::OkStatus();
  }

  absl::Status ReadBelow(Decomposition* out) {
    open_.push_back(out->context);
    absl::Status status;
    size_t levels = 0;
    int64_t nodes = 0;
    for (int index : out->plan) {
      const Decomposition* below = Visit(out->context, index);
      nodes += below == nullptr ? 1 : below->nodes;
      if (below == nullptr) continue;
      out->is_unsafe |= below->is_unsafe;
      status.Update(below->status);
      levels = std::max(levels, below->levels);
    }
    open_.pop_back();
    out->levels += levels;
    out->nodes = static_cast<int>(std::min<int64_t>(nodes, kMaxNodes + 1));
    if (!status.ok()) return status;
    if (out->levels > kMaxLevels || out->nodes > kMaxNodes) {
      return Unimplemented("its decomposition has more than ", kMaxLevels,
                           " levels of composites or more than ", kMaxNodes,
                           " nodes");
    }
    return absl::OkStatus();
  }

  TfLiteContext* context_;
  const NodeFinder& find_;
  Subgraphs subgraphs_;
  Decompositions found_;
  std::vector<const TfLiteContext*> open_;  // being read, outermost first
};

}  // namespace

std::string CompositeName(const TfLiteNode& node) {
  if (node.builtin_data == nullptr) return "";
  const char* name =
      static_cast<const CompositeParams*>(node.builtin_data)->name;
  return name == nullptr ? "" : std::string(PrintableName(name));
}

Decompositions FindDecompositions(TfLiteContext* context,
                                  const NodeFinder& find,
                                  absl::Span<const int> plan) {
  return DecompositionFinder(context, find).Find(plan);
}

std::vector<TfLiteContext*> SubgraphsOf(const Decompositions& decompositions) {
  std::vector<TfLiteContext*> subgraphs;
  HashSet<TfLiteContext*> seen;
  for (const auto& [node, decomposition] : decompositions) {
    if (!decomposition.status.ok()) continue;
    for (TfLiteContext* subgraph : decomposition.subgraphs()) {
      if (seen.insert(subgraph).second) subgraphs.push_back(subgraph);
    }
  }
  return subgraphs;
}

std::vector<NodeKey> CompositesBelow(const Decompositions& decompositions,
                                     const NodeKey& node) {
  const auto it = decompositions.find(node);
  if (it == decompositions.end() || !it->second.status.ok()) return {};
  std::vector<NodeKey> composites = {node};
  for (int index : it->second.plan) {
    absl::c_copy(CompositesBelow(decompositions, {it->second.context, index}),
                 std::back_inserter(composites));
  }
  return composites;
}

DecomposedGraph ReadDecomposedGraph(const TfLiteContext& context,
                                    const TensorValues& values,
                                    const DecomposedGraph* before) {
  DecomposedGraph graph;
  for (size_t i = 0; i < context.tensors_size; ++i) {
    const TfLiteTensor& t = context.tensors[i];
    const bool is_of_file = t.allocation_type == kTfLiteMmapRo;
    graph.is_dynamic.push_back(t.allocation_type == kTfLiteDynamic);
    graph.is_of_file.push_back(is_of_file);
    if (is_of_file && before != nullptr && i < before->tensors.size()) {
      graph.tensors.push_back(before->tensors[i]);
      continue;
    }
    Tensor tensor = ReadTensor(t, static_cast<int>(i));
    const auto value = values.find(static_cast<int>(i));
    if (value != values.end()) {
      tensor.constant = value->second;
    } else if (t.allocation_type == kTfLitePersistentRo &&
               t.data.raw != nullptr && t.bytes > 0) {
      // Computed by TFLite's kernels as they are prepared.
      tensor.constant = CopyOf(t, t.bytes);
    }
    graph.tensors.push_back(std::move(tensor));
  }
  return graph;
}

}  // namespace gles_delegate
