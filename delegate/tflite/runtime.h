// The TFLite runtime that loaded the delegate: its library, version and integer
// kernels (docs/quantization.md has their table), and its nodes and tensors.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct Runtime {
  // The file with the functions of the TfLiteContext. "": unknown.
  std::string library;
  // The result of that library's TfLiteVersion(), or TF_Version() in
  // TensorFlow's wheels. "": it exports neither, as TFLite's Python wheels.
  std::string version;
  // sizeof(TfLiteRegistration) there, which grew between versions, from the
  // distance between two nodes of the model. 0: unknown.
  int registration_bytes = 0;
  bool of_2_14 = false;  // IsRuntimeOf214()
  // The result of AskForCpuKernels(); nullopt: not run, or no result.
  std::optional<quant::CpuKernels> asked = std::nullopt;
};

// Determines the above; calls no functions of the runtime except the context's
// and the two version functions. Members of the context may be nullptr.
Runtime RuntimeOf(TfLiteContext* context);

// Runtime::registration_bytes.
int RegistrationBytesOf(TfLiteContext* context);

// True if the runtime is 2.14 or newer, false if it is older or unknown. Needs
// no symbols, which hosts may hide: 2.14 appended AcquireSubgraphContext to
// TfLiteContext, so the word after 2.13's context is a function of the runtime
// from 2.14 on, and before that another member of the runtime's subgraph, which
// contains the context. `context` is as given to a delegate's Prepare; a
// context outside a subgraph is not read past its end.
bool IsRuntimeOf214(const TfLiteContext& context);

// The minor version of a release 2.x (up to 14) whose parameter structs
// (builtin_params.h) the runtime has. 0: unknown, as for the wheel
// tflite-runtime 2.12 and, with a model of one node, 2.13.
int ParamsMinorOf(const Runtime& runtime);

// The runtime's default integer kernels: the measured ones, else according to
// version and structs, else those of the newest known runtime.
quant::CpuKernels CpuKernelsOf(const Runtime& runtime);

// The values of the option integer_rounding except "auto".
absl::string_view CpuKernelsName(quant::CpuKernels kernels);
// kInvalidArgument: an unknown `name`; the message lists all.
absl::StatusOr<quant::CpuKernels> CpuKernelsFromName(absl::string_view name);

// --- Integer kernels ---------------------------------------------------------

// Detects a TFLite library's integer kernels by running four models of one op,
// whose sums are ties, through its C API, with XNNPACK if the library applies
// it. The version number is not enough: builds of one version differ.

// `library`: path of a loaded library. Runs once per process and library; any
// thread. nullopt: it does not export TFLite's C API (Python wheels do not), or
// its results match no known kernels.
std::optional<quant::CpuKernels> AskForCpuKernels(const std::string& library);

struct ModelNodes;

// Detects differences between runtimes' kernels by running the kernels of a
// model's nodes on small tensors. Python wheels export nothing else that would
// tell. `traits` updated by the results. `follows`: also detect rounding;
// otherwise the user chose it, and only CAST is run. Call it in the delegate's
// Prepare.
quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows);

// --- Nodes and tensors -------------------------------------------------------

// The runtime's nodes and tensors by index, and what is lent to them, hidden
// from them or limited while their kernels run outside the runtime's own calls.

// A node of the runtime and its kernel.
struct FoundNode {
  TfLiteNode* node = nullptr;
  TfLiteRegistration* kernel = nullptr;
};

// Finds nodes by index. TFLite provides the functions only in a delegate's
// Prepare, but they work as long as the interpreter lives, for the nodes of all
// subgraphs, and also find replaced nodes, which TFLite keeps.
class NodeFinder {
 public:
  NodeFinder() = default;
  // `context` as a delegate's Prepare gets it.
  explicit NodeFinder(const TfLiteContext& context)
      : get_(context.GetNodeAndRegistration),
        get_plan_(context.GetExecutionPlan) {}

  // kInternal: no such node, or one with inputs or outputs that are not tensors
  // (-1 means absent). The pointers are valid until nodes are added (a delegate
  // is applied).
  absl::StatusOr<FoundNode> Get(TfLiteContext* context, int index) const;
  // The indices of the subgraph's nodes, in execution order.
  absl::StatusOr<std::vector<int>> PlanOf(TfLiteContext* subgraph) const;

 private:
  decltype(TfLiteContext::GetNodeAndRegistration) get_ = nullptr;
  decltype(TfLiteContext::GetExecutionPlan) get_plan_ = nullptr;
};

// Whether the runtime has the tensor. A node's inputs, outputs, intermediates
// and temporaries, and a model's outputs, may be -1.
inline bool HasTensor(const TfLiteContext& context, int id) {
  return id >= 0 && static_cast<size_t>(id) < context.tensors_size;
}

// False: the runtime refuses.
bool ResizeTensor(TfLiteContext* context, int id, const std::vector<int>& dims);

// Whether the runtime allocates the tensor in its arena.
bool IsInArena(const TfLiteTensor& t);

// A constant of the file.
bool IsConstant(const TfLiteTensor& t);

// False: a tensor with elements, or one that is sized as the model runs.
bool IsEmpty(const TfLiteTensor& tensor);

bool HasOwnMemory(const TfLiteTensor& t);  // outside the arena
// Returns a tensor to the arena that an earlier call or a kernel gave separate
// memory.
void ReturnToArena(TfLiteTensor* tensor);

// 0: strings, handles, and types of newer runtimes.
size_t ElementBytes(TfLiteType type);

// The tensor's size, by its shape if need be: TensorFlow Lite 2.21 and LiteRT
// set the size of tensors that they plan no memory for to zero. 0: it is past
// any address, too.
size_t BytesOf(const TfLiteTensor& t);

// Changes to tensors, which end with it, the last one first. By index: kernels
// add tensors, which may move the others.
class TensorChanges {
 public:
  explicit TensorChanges(TfLiteContext* context) : context_(context) {}
  ~TensorChanges() {
    for (auto it = undo_.rbegin(); it != undo_.rend(); ++it) (*it)(context_);
  }
  TensorChanges(const TensorChanges&) = delete;
  TensorChanges& operator=(const TensorChanges&) = delete;

  template <typename T>
  void Set(int id, T TfLiteTensor::*member, std::decay_t<T> value) {
    T& now = context_->tensors[id].*member;
    AtTheEnd([id, member, before = now](TfLiteContext* context) {
      context->tensors[id].*member = before;
    });
    now = value;
  }
  // `fn` gets the context.
  void AtTheEnd(std::function<void(TfLiteContext*)> fn) {
    undo_.push_back(std::move(fn));
  }
  void SetData(int id, const void* raw) {
    TfLitePtrUnion data = {};
    data.data = const_cast<void*>(raw);
    Set(id, &TfLiteTensor::data, data);
  }

 private:
  TfLiteContext* context_;
  std::vector<std::function<void(TfLiteContext*)>> undo_;
};

// Memory by tensor. 16-byte aligned, as TFLite's kernels expect.
using ScratchMemory = HashMap<int, std::vector<uint8_t>>;

// Until `changes` end, lends a node `memory` to run outside the runtime's
// Invoke, for everything that it writes: outputs, intermediates and
// temporaries; except absent (-1) and empty tensors, variables that have
// memory, tensors outside the arena, and those for which `keeps` is true.
void LendToNode(const TfLiteContext& context, const TfLiteNode& node,
                absl::FunctionRef<bool(int tensor)> keeps,
                ScratchMemory* memory, TensorChanges* changes);

// Values in the runtime's representation, by TFLite's tensor index.
using TensorValues = HashMap<int, ConstantData>;

// While it lives, the context refuses to resize a tensor outside the arena
// (kTfLiteDynamic, kTfLitePersistentRo) to more than `bytes`, as if memory had
// run out; the kernel's message says so. Objects on one thread end
// in reverse order of construction. The smallest limit of those counts.
class ResizeLimit {
 public:
  ResizeLimit(TfLiteContext* context, size_t bytes);
  ~ResizeLimit();
  ResizeLimit(const ResizeLimit&) = delete;
  ResizeLimit& operator=(const ResizeLimit&) = delete;

 private:
  TfLiteContext* const context_;
  decltype(TfLiteContext::ResizeTensor) const before_;
  const size_t limit_before_;
};

// While it lives, what the runtime's kernels report through the context is kept
// instead. Objects on one thread end in the reverse order of their making, and
// those that live at the same time keep one text together.
class KeptMessages {
 public:
  explicit KeptMessages(TfLiteContext* context);
  ~KeptMessages();
  KeptMessages(const KeptMessages&) = delete;
  KeptMessages& operator=(const KeptMessages&) = delete;

  // All messages since the last call, separated by "; ".
  std::string Take();

 private:
  TfLiteContext* const context_;
  void (*const told_by_)(TfLiteContext*, const char*, ...);
  std::string before_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_
