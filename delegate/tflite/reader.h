// Converts a TfLiteContext to a Graph: its subgraphs, shapes, nodes and what is
// inlined, and checks each node. Apart from cpu_ops, only delegate/tflite sees
// TFLite's structs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READER_H_

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/session/host_memory.h"
#include "delegate/tflite/runtime.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- Host views --------------------------------------------------------------

// Support for tensors of types that shaders cannot access, for ops
// that allow them. The GPU has such values as int32 or float32, and HostTensor
// converts them at the partition's inputs and outputs.
//
//   int64                             as int32 or, beside a CAST, as float32
//   int8, uint8, int16 without        as int32
//     quantization parameters, uint16
//   float16, float64                  as float32

// Gives a tensor its host view (Tensor::host), where its type has one.
// Constants get none: ViewConstantsForHost() converts those that need it.
void ViewForHost(Tensor* tensor);

// A node of the model, or one that a composite or a loop stands for.
struct NodeToRead {
  TfLiteNode node;  // but for its tensors; what it points to must outlive this
  const TfLiteRegistration* kernel;  // must outlive this
  std::vector<int> inputs, outputs;  // ids of the graph; -1: absent

  const OpDefinition* op() const;  // nullptr: it has no GPU version
};

// Int64 is computed in 32 bits. `nodes` are all nodes of the model, in
// execution order.
//   - What ops other than CAST read must fit (Tensor::must_fit), and their
//     constants become int32 if all values fit.
//   - If only CASTs use a tensor, its view is float32 where int32 would lose
//     what TFLite's kernel keeps. This is the output of a CAST from floats, and
//     the input of a CAST to floats or bools. It stays int32 if its values come
//     from ARG_MAX, ARG_MIN or a CAST of integers and so fit int32.
void ChooseInt64Views(absl::Span<const NodeToRead> nodes, Graph* graph);

// Whether the op computes the same on the view as on the type
// itself. True for tensors without a host view and for CAST; for the int64
// outputs of ARG_MAX and ARG_MIN; for int64, 8- and 16-bit integers and
// float16, of ops that move values; for int64, of those with trait kTakesInt64,
// too, and for float16, of DEQUANTIZE and DENSIFY. Of complex64, for ops with
// trait kTakesComplex and those that give a tensor another shape.
bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output);

// kUnimplemented: an int64 constant has values past int32, and the op computes
// int64 in 32 bits. The message has the first of them.
absl::Status CheckInt64Constant(const OpDefinition& op, const Tensor& constant);

// --- Hybrid weights ----------------------------------------------------------

// Weights of hybrid nodes: 8-bit constants with float32 activations. TFLite's
// kernels read such weights as int8 regardless of the tensor's type, and ignore
// zero points.

// Views weights that are model inputs as int8 without a zero point, if only
// hybrid nodes read them. `nodes`: all nodes of the model.
void ViewHybridInputs(absl::Span<const NodeToRead> nodes, Graph* graph);

// The parameters for reading a model, from the user's options (options.h) and
// the runtime.
struct ReadOptions {
  bool enable_quantization = true;
  // Round each quantized output to representable values.
  bool simulate_quantization = true;
  int params_minor = 0;                // ParamsMinorOf() the runtime
  quant::CpuKernels cpu_kernels = {};  // that quantized nodes must match
  quant::KernelTraits traits;          // theirs
  // quantized_compute is auto or integer: the integer path, which equals the
  // CPU's results and is faster (docs/quantization.md).
  bool uses_integer_path = true;
  // Ranges of TFLite's node indices, inclusive.
  std::vector<std::pair<int, int>> exclude_nodes;  // stay on the CPU
  std::vector<std::pair<int, int>> float32_nodes;  // floats stay in 32 bits
};

// --- Tensors -----------------------------------------------------------------

// kOther for types that no op takes.
DataType TypeOf(TfLiteType type);

// The tensor's memory as it is now.
HostMemory MemoryOf(const TfLiteTensor& tensor);
// A copy of the first bytes of its values.
ConstantData CopyOf(const TfLiteTensor& tensor, size_t bytes);

// nullptr gives an empty vector.
std::vector<int> ReadInts(const TfLiteIntArray* array);
// The same without absent tensors (-1).
std::vector<int> ReadPresent(const TfLiteIntArray* tensors);

// The inputs and outputs of a node or partition, without absent ones.
template <typename T>
std::vector<int> TensorsOf(const T& node) {
  std::vector<int> ids = node.inputs;
  ids.insert(ids.end(), node.outputs.begin(), node.outputs.end());
  ids.erase(std::remove(ids.begin(), ids.end(), kNoTensor), ids.end());
  return ids;
}

// The tensor's TfLiteQuantizationType as a number, since newer runtimes have
// values that are not in the headers' enum.
int QuantizationKind(const TfLiteTensor& tensor);

// The tensor at TFLite's `index`, with TFLite's type and no view yet
// (delegate/graph/float_view.h). A constant of the model's file is
// borrowed and must outlive the result; int4 and int2 constants are unpacked to
// int8. Unknown types become kOther.
Tensor ReadTensor(const TfLiteTensor& tensor, int index);

// "CONV_2D", or "CUSTOM Foo"; "UNKNOWN" if it is newer than the list of names.
std::string OpName(const TfLiteRegistration& registration);

// The node with the attributes from the op's parser; its tensors are TFLite's,
// by index, and those that hybrid weights add to `graph`. Gives its constants
// their views. Errors: what the op does not support.
absl::StatusOr<Node> ParseNode(const OpDefinition& op, const NodeToRead& read,
                               const ReadOptions& options, Graph* graph);

// --- Subgraphs ---------------------------------------------------------------

// The subgraphs that STABLEHLO_COMPOSITE and WHILE nodes stand for.

struct Subgraph {
  TfLiteContext* context = nullptr;  // lives as long as the interpreter
  std::vector<int> plan;             // its nodes, in execution order
};

// The tensors that a STABLEHLO_COMPOSITE or a WHILE exchanges with its
// decomposition or body, by TFLite's index in the subgraph.
struct SubgraphBorder {
  struct Input {
    int id;
    int position;  // in the composite's inputs
  };
  std::vector<Input> inputs;  // those that are used
  std::vector<int> outputs;   // as many as the composite has
};

// Finds a model's other subgraphs while a delegate is applied to one of them,
// in runtimes from 2.14 on.
class Subgraphs {
 public:
  // `own` as a delegate's Prepare gets it; it must outlive this.
  explicit Subgraphs(TfLiteContext* own);

  // The context of a subgraph, by its place in the file. It lives as long as
  // the interpreter, in the state that kernels see it in. kUnimplemented: the
  // runtime is older. kInvalidArgument: the model has no such subgraph.
  absl::StatusOr<TfLiteContext*> Get(int subgraph) const;

  // The addresses of the file's constants in the model's subgraphs except `own`
  // and `those`. None if the runtime is older.
  HashSet<const void*> ConstantsExcept(
      absl::Span<TfLiteContext* const> those) const;

  // Which subgraphs nodes of the model call: bodies, conditions, branches,
  // decompositions. None if the runtime is older.
  HashSet<const TfLiteContext*> Called() const;

 private:
  using Acquire = TfLiteStatus (*)(TfLiteContext*, int, TfLiteContext**);
  using Release = TfLiteStatus (*)(TfLiteContext*, int);

  TfLiteContext* own_;
  Acquire acquire_ = nullptr;  // nullptr: the runtime is older
  Release release_ = nullptr;
  NodeFinder find_;
};

// The subgraph that a WHILE asks before each step.
struct LoopCondition : Subgraph {
  std::vector<SubgraphBorder::Input> inputs;  // those that it reads
  int output = -1;
};

inline bool IsComposite(const TfLiteRegistration& kernel) {
  return kernel.builtin_code == BuiltinOperator_STABLEHLO_COMPOSITE;
}
inline bool IsLoop(const TfLiteRegistration& kernel) {
  return kernel.builtin_code == BuiltinOperator_WHILE;
}

// "odml.rms_norm". "": it has no name.
std::string CompositeName(const TfLiteNode& node);

// A node of a subgraph, by TFLite's index.
using NodeKey = std::pair<TfLiteContext*, int>;

// The subgraph of one composite, or the body of one WHILE, as it was before any
// delegate.
struct Decomposition : Subgraph {
  // Ok, or why its nodes cannot be read; the members below count only if Ok.
  absl::Status status;
  // It leads back to itself, or too deep to tell, or its graph has a fault:
  // TFLite's own kernel may not return from preparing it.
  bool is_unsafe = false;
  SubgraphBorder border;
  std::optional<LoopCondition> condition;  // of a WHILE
  // Of a composite, with those inside.
  int nodes = 1;
  size_t levels = 1;

  // "decomposition", "body": for messages.
  const char* noun() const { return condition ? "body" : "decomposition"; }
  std::vector<TfLiteContext*> subgraphs() const {
    if (!condition) return {context};
    return {context, condition->context};
  }
};

// All composites of a model, those inside decompositions included, and the
// WHILEs of the subgraph that is read.
using Decompositions = HashMap<NodeKey, Decomposition>;

// The composites and loops among the nodes of `plan`. Call it in the delegate's
// Prepare.
Decompositions FindDecompositions(TfLiteContext* context,
                                  const NodeFinder& find,
                                  absl::Span<const int> plan);

// The subgraphs that can be read, each once.
std::vector<TfLiteContext*> SubgraphsOf(const Decompositions& decompositions);

// The composite or loop, and the composites inside, as often as they are
// called. Empty if its subgraph cannot be read, or for another node.
std::vector<NodeKey> CompositesBelow(const Decompositions& decompositions,
                                     const NodeKey& node);

// The tensors of the subgraph that a node stands for, with their shapes for the
// node's inputs, at TFLite's indices.
struct DecomposedGraph {
  std::vector<Tensor> tensors;
  std::vector<bool> is_dynamic;  // its shape is known only at run time
  std::vector<bool> is_of_file;  // a constant of the model's file
};

// `context`'s tensors as they are now, those in `values` as constants.
// `before`, unless nullptr, is an earlier result, which gives the constants of
// the file.
DecomposedGraph ReadDecomposedGraph(const TfLiteContext& context,
                                    const TensorValues& values,
                                    const DecomposedGraph* before);

// --- Shapes ------------------------------------------------------------------

// Computes the shapes of a model's tensors with the runtime's own kernels.
//
// A delegate that supports dynamic tensors
// (kTfLiteDelegateFlagsAllowDynamicTensors) is applied before TFLite prepares
// any node, when shapes are the file's. If an input is resized later, TFLite
// prepares the delegate's kernels, but not the nodes that they replaced. In
// both cases this code calls the nodes' prepare functions, as TFLite does for
// delegates without that flag.

// A value that a loop hands from one step to the next.
struct LoopState {
  std::vector<int> dims;
  std::optional<ConstantData> value;  // if it is known
};

// The steps of a loop whose number is known before the model runs. Of a
// composite: one.
struct Steps {
  // Ok, or why their number is not known, or they cannot be read. The rest
  // counts only if Ok.
  absl::Status status;
  std::vector<DecomposedGraph> graphs;  // the subgraph's tensors in each
  std::vector<LoopState> outputs;       // of a loop
};

// Prepares the node with the runtime's own kernel, with inputs in `values` as
// constants, and without shape signatures: the kernels of SLICE and TOPK_V2
// take a shape with a free extent for unknown, and here it is known. If all of
// the node's inputs are known and its outputs small, runs it and adds them to
// `values`. Outputs that earlier runs left in separate memory first return to
// the arena. Returns the status of the kernel's prepare function; kTfLiteOk for
// a node without one (an unregistered custom op): the file's shapes apply.
TfLiteStatus PrepareWithValues(TfLiteContext* context, TfLiteNode* node,
                               const TfLiteRegistration& registration,
                               TensorValues* values);

// Stores `value` in the runtime's tensor from now on, as kernels do with
// results of their prepare function, so that kernels prepared later treat it as
// a constant. `value` has the tensor's type and current shape. kTfLiteError: no
// memory.
TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value);

// True if an input was resized after tensors were allocated. A delegate that
// supports dynamic tensors then cannot replace nodes: TFLite (2.9 to LiteRT
// 2.1) keeps the memory plan of the old nodes, unless all tensors are allocated
// when it applies the delegate. Call it in the delegate's Prepare.
bool HasOldMemoryPlan(TfLiteContext* context);

// Tensors without a known shape, each with the node whose own kernel refused
// its inputs, or kKnownAtRunTime.
using UnknownShapes = HashMap<int, int>;
inline constexpr int kKnownAtRunTime = -1;

// Facts about a model's tensors before it runs.
struct ShapeFacts {
  UnknownShapes unknown;
  // Values that follow from shapes and constants: SHAPE and RANK, what the
  // runtime's kernels make of these and of small constants, and tensors without
  // elements. They are known when tensors are allocated, and count as constants
  // of the model.
  TensorValues values;
  // Of loops, and of composites as of their last preparation.
  HashMap<NodeKey, Steps> steps;
  // The nodes whose own kernels refused their inputs, with the kernels' words.
  // The outputs of such a node have unknown shapes.
  std::map<int, std::string> refusals;

  // Ok, or the first of `refusals`.
  absl::Status refused() const;
};

// The nodes to read.
struct ModelNodes {
  NodeFinder find;
  std::vector<int> plan;  // all of the model, in execution order
  // CheckGraph() of the plan. Not ok: the rest is not known.
  absl::Status graph;
  Decompositions decompositions;
  // The addresses of the file's constants in other signatures.
  HashSet<const void*> constants_elsewhere;
  // Nodes with tensors of unknown shape stay on the CPU; `values` are
  // constants.
  ShapeFacts shapes;
  // The shapes are trial shapes: the file's own are placeholders.
  bool shapes_are_placeholders = false;
};

// Computes the shapes that nodes write, in the order of the plan, and values
// that follow from shapes. Only the nodes of `own` (default: all) stay
// prepared; others are evaluated if their results follow from shapes, and their
// tensors are restored. Messages of kernels go to ShapeFacts::refusals instead
// of the user. Does not look at nodes.shapes. Errors: a missing node, or no
// tensors can be added.
absl::StatusOr<ShapeFacts> PropagateShapes(
    TfLiteContext* context, const ModelNodes& nodes,
    const std::vector<int>* own = nullptr);

// --- The model ---------------------------------------------------------------

// A node of the model and the result of its check.
struct CheckedNode {
  int index = 0;                     // TFLite's node index
  std::string op;                    // "CONV_2D", "CUSTOM Foo"
  std::string tensors;               // its inputs and outputs, for messages
  std::vector<int> inputs, outputs;  // TFLite's tensor indices, -1: absent
  absl::Status support;              // Ok, or why it stays on the CPU
  // What runs, if `support` is Ok: the node, or those that a
  // STABLEHLO_COMPOSITE or a WHILE stands for. Their tensors are ids of
  // CheckedModel::graph. Empty if all are folded.
  std::vector<Node> nodes;
  bool folded = false;  // its outputs are constants: nothing to run
  // Its outputs depend only on the shapes of the model's inputs; implies
  // `folded`.
  bool follows_from_shapes = false;
};

// The whole model. graph.tensors has TFLite's tensors at TFLite's indices, then
// those of decompositions (InlineComposites()), then tensors added while
// reading (ReadHybridWeights()); the outputs of folded nodes are constants.
// graph.nodes is empty.
struct CheckedModel {
  Graph graph;
  std::vector<CheckedNode> nodes;    // in execution order
  HashMap<int, size_t> position_of;  // by TFLite's node index

  void Add(CheckedNode node) {
    position_of[node.index] = nodes.size();
    nodes.push_back(std::move(node));
  }
  const CheckedNode& node(int index) const {
    return nodes[position_of.at(index)];
  }
};

// All nodes of the execution plan, with every shape known. Call it in the
// delegate's Prepare.
absl::StatusOr<ModelNodes> FindNodes(TfLiteContext* context);

// Reads the model with its current shapes, and checks each node by planning it,
// without GL calls.
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);
// The same for the nodes of FindNodes().
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);

// --- Checks ------------------------------------------------------------------

// Ok if each tensor that nodes of `plan` write has one writer, which comes
// before its readers, if none of them is a constant of the file or a variable,
// and if no node lacks an input or output that its op needs. All that reads a
// model relies on that, as do the runtime's partitioner and kernels, which may
// crash. Otherwise kFailedPrecondition, with the nodes and the tensor;
// kInternal is NodeFinder's. O(tensors + nodes).
absl::Status CheckGraph(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> plan);

// Inputs with unsupported kinds of scales.
absl::Status CheckScales(const Graph& graph, const NodeToRead& node);

// Checks the shapes, types and scales of a node's tensors before its op's
// parser runs. `users_of`: how many nodes use each variable. Refusals are
// kUnimplemented, or kInvalidArgument if no runtime could run the node, and
// name the tensor with its shape and type.
absl::Status CheckNode(const Graph& graph, const NodeToRead& node,
                       const OpDefinition& op, const ReadOptions& options,
                       const UnknownShapes& unknown,
                       const HashMap<int, int>& users_of);

// Activations with types that shaders cannot access. The parser says which of
// them the op takes.
absl::Status CheckTensors(const Graph& graph, const NodeToRead& node,
                          const ReadOptions& options);

// Versions above the op's maximum. `other_types`: the version may be due to
// types other than float. With enable_quantization it always may: models
// converted from 8-bit ones, or mixed models, give float nodes the versions of
// 8-bit ones (such as posenet's depthwise convolutions of version 3).
absl::Status CheckVersion(const OpDefinition& op, int version,
                          bool other_types);

// --- Inlined subgraphs -------------------------------------------------------

// Replaces a STABLEHLO_COMPOSITE by the nodes of its decomposition, and a WHILE
// by those of its body, once for each step.

// Each step of a loop gets its own nodes, rather than dispatches that repeat.
// The step's number is a constant in them, so all places and shapes are known,
// and passes, plans and checks know nothing of loops.

// A node of the model, and which are read in its place: itself, or those that a
// composite or loop stands for, of composites inside and all steps among them.
struct InlinedNodes {
  int index;            // TFLite's
  bool is_inlined;      // a composite or loop
  absl::Status status;  // Ok, or why it cannot be inlined
  size_t begin, end;    // in InlinedModel::all
};

struct InlinedModel {
  std::vector<NodeToRead> all;  // in execution order
  std::vector<InlinedNodes> nodes;
};

// Inlines the composites and loops of `nodes`. `graph` has the model's tensors
// at TFLite's indices; `add` adds those of decompositions, with the view that
// ops see of them, constants once. All must outlive the result. Errors: a
// missing node.
absl::StatusOr<InlinedModel> InlineComposites(
    TfLiteContext* context, const ModelNodes& nodes, const Graph& graph,
    const std::function<TensorId(Tensor)>& add);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
