// The engine of all graph passes, and their ordered list.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// --- The engine --------------------------------------------------------------

// Parameters of the passes.
struct PassContext {
  const DeviceProfile& profile;
  // The kernels that quantized nodes must match.
  quant::CpuKernels cpu = quant::CpuKernels::kTflite;
  quant::KernelTraits traits = quant::TraitsOf(cpu);
  // Output of integer_path: number of nodes on the integer path.
  int* nodes_on_integer_path = nullptr;
  // Gets a line for each node that a pass leaves as it is although it looks
  // like one for it, with the reason.
  std::vector<std::string>* notes = nullptr;
};

// The engine of all passes. It knows who makes and who reads each tensor while
// nodes change, keeps the nodes in an order in which they can run, and counts
// what a node binds. A pass looks at the graph through it and changes nodes
// through it alone.
//
// Nodes have numbers, in execution order, which stay theirs while a pass runs.
class Rewriter {
 public:
  // `pass` is its name, for messages. All must outlive the object.
  Rewriter(Graph* graph, const PassContext& context, absl::string_view pass);
  // Moves the nodes that are left into their order. Without it the graph is
  // not to be used. Not the destructor's, since it takes memory.
  void Finish();
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const PassContext& context() const { return context_; }
  const DeviceProfile& profile() const { return context_.profile; }
  const DeviceChoices& choices() const { return profile().choices; }

  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  Tensor& tensor(TensorId id) { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  TensorId AddTensor(Tensor tensor) {
    return graph_.AddTensor(std::move(tensor));
  }

  // The number of nodes, with those that are gone.
  int size() const { return static_cast<int>(places_.size()); }
  bool is_gone(int n) const { return places_[n].is_gone; }
  const Node& node(int n) const { return graph_.nodes[n]; }
  // Its own struct; nullptr if it has another, or for node -1.
  template <typename T>
  const T* AttributesOf(int n) const {
    return n < 0 ? nullptr : node(n).As<T>();
  }

  // --- Who makes and reads a tensor -----------------------------------------

  // The node that makes it; -1: none.
  int MakerOf(TensorId id) const;
  // The nodes that read it, as inputs or operands, in order and each as often
  // as it does.
  const std::vector<int>& ReadersOf(TensorId id) const;
  // Whether it is an output of the graph.
  bool IsOutput(TensorId id) const {
    return id < static_cast<int>(is_output_.size()) && is_output_[id];
  }
  // The one node that reads it, once; -1: there is none, or it is an output of
  // the graph.
  int OnlyReaderOf(TensorId id) const;
  // The one node that takes the only result of node n, once, as data rather
  // than as an operand; -1: there is none, or the result is a view, which a
  // concatenation in place reads as well.
  int TakerOf(int n) const;
  // The node that makes a tensor which node n alone reads, once; -1: none.
  int MakerFor(TensorId id, int n) const;
  // Whether it is no output of the graph, and all nodes that read it fit.
  template <typename F>
  bool IsReadOnlyBy(TensorId id, const F& fits) const {
    return !IsOutput(id) && absl::c_all_of(ReadersOf(id), fits);
  }
  // Whether node a comes before node b.
  bool IsBefore(int a, int b) const;

  // --- Changes ---------------------------------------------------------------

  // Puts a node in the place of node n.
  void Replace(int n, Node node);
  // Node n, for changes of all but the tensors that it reads and writes.
  Node& own(int n) { return graph_.nodes[n]; }
  // Changes node n in any way.
  template <typename F>
  void Change(int n, const F& change) {
    Node node = graph_.nodes[n];
    change(node);
    Replace(n, std::move(node));
  }
  void Remove(int n);
  // Removes node n and returns it.
  Node Take(int n);
  // Adds a node before or after node n (-1: after none) of the graph as it was,
  // behind those that are added there already. Its number.
  int InsertBefore(int n, Node node);
  int InsertAfter(int n, Node node);
  // All that reads tensor `from` reads `to`.
  void ReadInstead(TensorId from, TensorId to);
  // `fused` takes the place of node `at`, and `others` go. False, and nothing
  // is changed, if the device has no room for it.
  bool Fuse(int at, absl::Span<const int> others, Node fused);
  // Removes the makers of tensors that nothing reads, then what only they
  // needed. Nodes with state (a variable among the inputs) stay.
  void RemoveUnread(std::vector<TensorId> ids);
  // The same for all nodes.
  void RemoveDead();

  // --- Limits ----------------------------------------------------------------

  // Whether the device can bind all that the node's dispatch reads and writes,
  // with any storage, and `more` tensors.
  bool CanBind(const Node& node, int more = 0) const;
  // The most tensors that a dispatch may bind (MaxBoundTensors()).
  int max_tensors() const { return max_tensors_; }

  // The pass ends with this error, of a malformed constant.
  void Fail(const absl::Status& why) { status_.Update(why); }
  const absl::Status& status() const { return status_; }

  // Notes, for GLES_DELEGATE_DEBUG=plan, why the pass leaves node n as it is
  // although it looks like one for it.
  template <typename... Args>
  void Decline(int n, const Args&... why) {
    if (notes_ != nullptr) Note(n, absl::StrCat(why...));
  }

 private:
  // A place in the order: beside node `at` of the graph as it was.
  struct Place {
    int at = 0;
    int offset = 0;
    bool is_gone = false;
  };

  bool IsDead(int n) const;
  void Note(int n, const std::string& why);
  void Link(int n);
  void Unlink(int n);
  int Insert(Place place, Node node);

  Graph& graph_;
  const PassContext& context_;
  const absl::string_view pass_;
  std::vector<std::string>* const notes_;
  const int max_tensors_;
  std::vector<int> maker_;                 // by tensor
  std::vector<std::vector<int>> readers_;  // by tensor
  std::vector<bool> is_output_;            // by tensor
  std::vector<Place> places_;              // by node
  int inserted_ = 0;
  absl::Status status_;
};

// --- Questions that several passes ask ---------------------------------------

// All tensors that the node reads, each as often as it does.
std::vector<TensorId> ReadBy(const Node& node);
// True if it reads a variable.
bool KeepsState(const Graph& graph, const Node& node);
// True if one of the node's post-ops or stages has `tensor` as an operand.
bool IsOperand(TensorId tensor, const Node& node);
// Number of tensors that the node's post-ops and stages read.
int CountOperands(const Node& node);
// True if the function does not depend on the value's position.
bool IsSameEverywhere(const PostOp& op);
// True if the function's operand, if there is one, is broadcast to the output.
bool BroadcastsOperand(const PostOp& op);

// True if both are stored alike, regardless of quantization parameters.
bool IsStoredAlike(const Tensor& a, const Tensor& b);
// True if equal bits have equal meaning in both.
bool LieAlike(const Tensor& a, const Tensor& b);
// True for floats that are not a float view.
bool IsFloat(const Tensor& tensor);
// True for those that are no state either: real numbers, constant or computed.
bool IsReal(const Tensor& tensor);
// True for a tensor that a node computes, or an input of the graph, in its own
// memory.
bool OwnsMemory(const Tensor& tensor);
// True for real numbers of that kind.
bool IsComputedFloat(const Tensor& tensor);

// True if both have the same axes on the GPU. Those before the fourth from the
// end, which are part of the batch, follow from the dims only.
bool HaveSameAxes(const Tensor& a, const Tensor& b);

// Makes the node a RESHAPE of its first input.
void MakeReshape(Node& node);
Node ReshapeNode(TensorId from, TensorId to);
// Adds a computed tensor of the same type with other dims.
TensorId AddLike(const Tensor& like, std::string name, std::vector<int> dims,
                 Graph* graph);
// Adds a constant of the same bytes in another shape with as many elements.
TensorId AddConstantAs(const Shape& shape, TensorId constant, Graph* graph);

// The most post-ops that passes give a node. A driver takes longer the longer a
// program is: llvmpipe's compiler 0.1 s for each TANH or SIN, and past a
// hundred more than in proportion. No known model has more than 8 in a node.
inline constexpr size_t kMaxPostOps = 16;
// Whether a pass may add `more` post-ops to `ops`.
bool HasRoomFor(size_t more, const std::vector<PostOp>& ops);
// Appends functions to those of a node.
void AddFunctions(const std::vector<PostOp>& more, std::vector<PostOp>* ops);

// --- The list ----------------------------------------------------------------

enum class PassStage {
  // Once, when a partition is read: determines the contents of the partition's
  // inputs and outputs. Only if quantized_compute asks for the integer path.
  kRead,
  // Each time the partition is planned, on a copy of the graph as read. May
  // change the contents of constants and of tensors between nodes.
  kFold,
  // After kFold. All remaining tensors keep their contents.
  kFuse,
};

// A rule looks at node n, for each node in order, or at the whole graph. It
// takes linear time, and preserves the graph's outputs and their tensor ids.
using NodeRule = void (*)(Rewriter& r, int n);
using GraphRule = void (*)(Rewriter& r);

struct Pass {
  absl::string_view name;
  PassStage stage;
  std::variant<NodeRule, GraphRule> rule;
  // The names of the passes that it must follow, separated by spaces.
  absl::string_view follows = "";
  // False: not on this device. nullptr: on all.
  bool (*gate)(const DeviceProfile& profile) = nullptr;
};

// In execution order. A pass that runs twice is listed twice.
absl::Span<const Pass> Passes();

// Called after each pass with its name and the resulting graph.
using PassObserver =
    absl::FunctionRef<void(absl::string_view pass, const Graph& graph)>;

// Runs the passes of one stage, up to the first error. kInvalidArgument: a
// malformed constant.
absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer);

// Runs one pass alone.
absl::Status RunPass(const Pass& pass, const PassContext& context,
                     Graph* graph);

// --- The rules ---------------------------------------------------------------

// Each is described in its file, and in short in docs/architecture.md;
// passes.cc has their order.

void ConcatInPlace(Rewriter& r, int n);
void FoldHeads(Rewriter& r, int n);
void FoldScales(Rewriter& r);
void FoldTransposes(Rewriter& r, int n);
void FuseAttention(Rewriter& r, int n);
void FuseChannelPadding(Rewriter& r, int n);
void FuseDepthwise(Rewriter& r, int n);
void FuseElementwise(Rewriter& r, int n);
void FuseGates(Rewriter& r, int n);
void FuseInputs(Rewriter& r, int n);
void FuseMovement(Rewriter& r);
void FuseNext(Rewriter& r, int n);
void FusePadding(Rewriter& r, int n);
void FusePlanes(Rewriter& r, int n);
void FuseRows(Rewriter& r, int n);
void FuseSqueezeExcite(Rewriter& r, int n);
void FuseUpdates(Rewriter& r, int n);
void JoinProducts(Rewriter& r, int n);
void KeepFloat32(Rewriter& r);
void NormalizeFewRows(Rewriter& r, int n);
void ReadThrough(Rewriter& r, int n);
void RealignOperands(Rewriter& r, int n);
void RemoveIdentityNodes(Rewriter& r);
void SinkReshapes(Rewriter& r);
void UpdateInPlace(Rewriter& r);
void UseIntegerPath(Rewriter& r);
void ViewSlices(Rewriter& r, int n);
void WriteThrough(Rewriter& r, int n);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
