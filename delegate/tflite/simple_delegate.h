// C++ interfaces of a delegate and its kernels, modelled on TFLite's
// SimpleDelegateInterface; the .cc has the C structs and callbacks.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_

#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- Messages ----------------------------------------------------------------

// Each message to a runtime's error reporter is one line with its newline,
// since some reporters concatenate them (Python's, into an exception's text).
// The reason for a failure comes first and alone: warnings are held back until
// the runtime's call is over, and dropped if it fails.

// Reports a warning after the runtime's current call (HeldWarnings).
void Warn(TfLiteContext* context, absl::string_view text);

// Reports "TfLiteGlesDelegate: " and the text immediately; for messages that
// are neither warnings nor failures.
void Tell(TfLiteContext* context, absl::string_view text);

// Holds the warnings of one call by the runtime. A call may span several
// threads, one after the other: each part has a Scope.
class HeldWarnings {
 public:
  class Scope {
   public:
    explicit Scope(HeldWarnings* warnings);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    HeldWarnings* const before_;
  };

  // Ends the call: reports the warnings, or only the failure. The only place
  // that converts a Status to TFLite's status and message.
  TfLiteStatus End(TfLiteContext* context, const absl::Status& status);

 private:
  friend void Warn(TfLiteContext* context, absl::string_view text);
  std::vector<std::string> texts_;
};

// --- The interfaces ----------------------------------------------------------

// The nodes that one kernel replaces, as partitioned by the runtime.
struct ModelPartition {
  std::vector<int> nodes;  // TFLite's indices, in execution order
  // TFLite's tensor indices. Inputs include constants, but no absent tensors.
  // An output may be absent (-1), since TFLite treats an absent output of the
  // model as one of a partition; replacing such a partition corrupts TFLite's
  // memory.
  std::vector<int> inputs, outputs;

  bool operator==(const ModelPartition& o) const {
    return nodes == o.nodes && inputs == o.inputs && outputs == o.outputs;
  }
};

// One partition's kernel. Threads: with a worker (SimpleDelegate::worker())
// always its thread. Otherwise the thread that applied the delegate (Submit
// checks this), and any for destruction.
class SimpleDelegateKernel {
 public:
  virtual ~SimpleDelegateKernel() = default;
  // Called whenever TFLite prepares the node, possibly with new input shapes,
  // before it allocates tensors: the kernel may place tensors that only it uses
  // in its own memory.
  virtual absl::Status Prepare(TfLiteContext* context) = 0;
  // One inference. True, if `may_split`: submitted; call Wait(), which provides
  // the outputs. Other kernels may run before that. False: all is done. After
  // an error do not call Wait().
  virtual absl::StatusOr<bool> Submit(TfLiteContext* context,
                                      bool may_split) = 0;
  virtual absl::Status Wait(TfLiteContext* context) = 0;
  // With a worker, for the thread that calls Invoke, before and after the
  // worker's part. If BeforeSubmit() fails, there is no inference; AfterWait()
  // is called after a success.
  virtual GpuQueue* queue() = 0;
  // Called before deletion: returns that memory, so that the runtime allocates
  // the tensors again.
  virtual void TakeMemoryBack(TfLiteContext* context) = 0;
};

// Decides what is delegated. Threads: with a worker, everything but
// ContextOfCaller(), FallsBackToCpu() and worker() runs on its thread,
// destruction included; simple_delegate.cc ensures that.
class SimpleDelegate {
 public:
  virtual ~SimpleDelegate() = default;
  // The app's context to share objects with, on the applying thread.
  // An error: there is none, with the reason.
  virtual ContextOrError ContextOfCaller() const = 0;
  // Called on each application, before any node is checked, with the result of
  // ContextOfCaller().
  virtual absl::Status Initialize(TfLiteContext* context,
                                  const ContextOrError& of_caller) = 0;
  // Ok, or why the node stays on the CPU.
  virtual absl::Status IsNodeSupported(int node_index) = 0;
  // Selects the partitions that are worthwhile from the runtime's preview.
  virtual std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) = 0;
  // Builds what runs the partitions before any node is replaced, since the
  // runtime cannot handle kernel errors later. Returns those to replace; on an
  // error none is. Called again for the remaining partitions if some were given
  // back.
  virtual absl::StatusOr<std::vector<ModelPartition>> BuildPartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) = 0;
  // The kernel of one of those, while the delegate is being applied.
  virtual absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext* context, const ModelPartition& partition) = 0;
  // Whether a failure to apply is only reported.
  virtual bool FallsBackToCpu() const = 0;
  // The thread on which the delegate and its kernels work; nullptr: the
  // callers'.
  virtual std::shared_ptr<WorkerThread> worker() const = 0;
  // Copies a tensor's values from or to the buffer that is its handle.
  // kFailedPrecondition, with the reason: there is no such buffer.
  virtual absl::Status CopyHandle(TfLiteBufferHandle, TfLiteTensor&,
                                  bool to_handle) = 0;
  // Called after the partitions are replaced, or Initialize failed. `applied`:
  // Ok, or why the delegate could not be applied. Writes the report, or lets it
  // wait for the next inference.
  virtual void Finish(TfLiteContext* context, const absl::Status& applied) = 0;
  // Writes the report to the user's file, if any. Also called on deletion.
  virtual absl::Status WriteReport() = 0;
  // Whether Finish() has left the file as it was.
  bool report_waits() const { return report_waits_; }

  // Call it when the delegate is applied: it belongs to this process from then
  // on.
  void TakeProcess() { process_ = getpid(); }
  // Ok, also if the delegate was never applied. kFailedPrecondition in a forked
  // child, which must not use it: neither drivers nor threads survive a fork.
  absl::Status CheckProcess() const;

 protected:
  std::atomic<bool> report_waits_ = false;

 private:
  std::atomic<pid_t> process_ = 0;
};

// Wraps a delegate for TFLite. Its `data_` and each kernel share ownership of
// `delegate`, so that they may be deleted in any order.
TfLiteDelegate* WrapDelegate(std::unique_ptr<SimpleDelegate> delegate);
// kInvalidArgument: not made by WrapDelegate (according to its Prepare
// function).
absl::StatusOr<SimpleDelegate*> Unwrapped(TfLiteDelegate* delegate);
// The delegate that a tensor belongs to. nullptr: none, or another library's.
const SimpleDelegate* DelegateOfTensor(const TfLiteTensor& tensor);
// Runs fn with such a delegate, on its thread. kFailedPrecondition: a forked
// child.
absl::Status OnItsThread(TfLiteDelegate* delegate,
                         absl::FunctionRef<absl::Status(SimpleDelegate&)> fn);
// Deletes a delegate made by WrapDelegate, or nullptr.
void DeleteWrapped(TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
