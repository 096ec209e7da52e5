// A delegate and its kernels as C++ sees them, after TFLite's own
// SimpleDelegateInterface; the C structs and callbacks are in the .cc.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/runtime/worker_thread.h"
#include "egl/context.h"
#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Nodes that one kernel replaces, as the runtime cut them out of the model.
struct ModelPartition {
  std::vector<int> nodes;  // TFLite's indices, in execution order
  // TFLite's tensor indices. The inputs hold the constants, too, and no absent
  // ones. An output may be absent (-1), as TFLite takes an absent output of the
  // model for one of a partition: to replace that corrupts TFLite's memory.
  std::vector<int> inputs, outputs;

  bool operator==(const ModelPartition& o) const {
    return nodes == o.nodes && inputs == o.inputs && outputs == o.outputs;
  }
};
ModelPartition PartitionOf(const TfLiteDelegateParams& params);

using ContextOrError = absl::StatusOr<std::shared_ptr<egl::Context>>;

// One partition's kernel. Threads: with a worker (SimpleDelegate::worker()),
// all on the worker's thread. Without: all on the thread that applied the
// delegate (Eval checks), but destruction on any.
class SimpleDelegateKernel {
 public:
  virtual ~SimpleDelegateKernel() = default;
  // Whenever TFLite prepares its node: the shapes of its inputs may have
  // changed.
  virtual absl::Status Prepare(TfLiteContext* context) = 0;
  // One inference.
  virtual absl::Status Eval(TfLiteContext* context) = 0;
  // One inference in two halves, between which other kernels may begin and end
  // theirs. True: the inference is under way, and EndEval() is due, which waits
  // for it and gives the outputs. False: all is done. Where either fails,
  // nothing is due.
  virtual absl::StatusOr<bool> BeginEval(TfLiteContext* context) = 0;
  virtual absl::Status EndEval(TfLiteContext* context) = 0;
  // With a worker, on the thread that calls Invoke, before and after the
  // worker's part: brings what is current there in order with it. Where the
  // first fails, there is no inference; the second follows what succeeded.
  virtual absl::Status BeforeEvalOnWorker() { return absl::OkStatus(); }
  virtual absl::Status AfterEvalOnWorker() { return absl::OkStatus(); }
  // Once, after the kernel is made: what HandleOwner() says of tensors whose
  // buffer handle is for this delegate.
  virtual void SetHandleOwner(const void*) {}
  // After each Prepare() that TFLite asked for, when it is about to allocate
  // tensors: those that the kernel alone reads or writes may lie in memory of
  // the kernel's. Before the next such Prepare(), and before the kernel is
  // deleted, the memory is taken back: the runtime allocates the tensors again.
  virtual void LendMemory(TfLiteContext*) {}
  virtual void TakeMemoryBack(TfLiteContext*) {}
};

// Of a tensor with a delegate of WrapDelegate's, what tells that one from
// others. nullptr: it has none, or another library's.
const void* HandleOwner(const TfLiteTensor& tensor);

// What of a model is delegated. Threads: with a worker, all but Name(),
// ContextOfCaller(), FallsBackToCpu() and worker() on the worker's thread,
// destruction as well; simple_delegate.cc sees to it.
class SimpleDelegate {
 public:
  virtual ~SimpleDelegate() = default;
  // "TfLiteGlesDelegate", the name of the nodes that replace partitions.
  virtual const char* Name() const = 0;
  // The app's context that the delegate is to share objects with, on the thread
  // that applies it. kFailedPrecondition: none, and why.
  virtual ContextOrError ContextOfCaller() const {
    return absl::FailedPreconditionError("it is not asked for");
  }
  // Before any node is asked about, each time the delegate is applied, with
  // what ContextOfCaller() gave.
  virtual absl::Status Initialize(TfLiteContext* context,
                                  const ContextOrError& of_caller) = 0;
  // Ok, or why the node stays on the CPU.
  virtual absl::Status IsNodeSupported(int node_index) = 0;
  // Picks from the runtime's own preview of the partitions the ones that are
  // worth it.
  virtual std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) = 0;
  // Makes ready what runs those, before any node is replaced: the runtime takes
  // no error from a kernel afterwards. Gives those that are to be replaced; an
  // error: none is. Called again with what the runtime makes of the rest where
  // some were given back.
  virtual absl::StatusOr<std::vector<ModelPartition>> BuildPartitions(
      TfLiteContext*, std::vector<ModelPartition> partitions) {
    return partitions;
  }
  // The kernel of one of those, while the delegate is being applied.
  virtual absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext* context, const ModelPartition& partition) = 0;
  // Whether a failure to apply is reported and nothing else.
  virtual bool FallsBackToCpu() const { return false; }
  // The thread that does the work of the delegate and of its kernels; nullptr:
  // each caller's own.
  virtual std::shared_ptr<WorkerThread> worker() const { return nullptr; }
  // Binds an object of the app's to TFLite's tensor; nullptr unbinds.
  // kFailedPrecondition, with the reason: it can never be used.
  virtual absl::Status BindObject(int tensor,
                                  const TfLiteGlesObject* object) = 0;
  // The values of a tensor, from and to the buffer that is its handle.
  // kFailedPrecondition, with the reason: the delegate has no such buffer.
  virtual absl::Status CopyFromHandle(TfLiteBufferHandle, TfLiteTensor*) {
    return absl::UnimplementedError("the delegate takes no buffer handles");
  }
  virtual absl::Status CopyToHandle(TfLiteBufferHandle, const TfLiteTensor&) {
    return absl::UnimplementedError("the delegate takes no buffer handles");
  }
  // After the partitions are replaced (or Initialize failed). `applied`: Ok, or
  // why the delegate could not be applied.
  virtual void Finish(TfLiteContext* context, const absl::Status& applied) = 0;
  // Writes the report to the file that the user asks for, if any: after
  // Finish(), and when the delegate is deleted.
  virtual absl::Status WriteReport() { return absl::OkStatus(); }
  // What the delegate did, as a JSON object; valid until the next call.
  virtual const char* Report() = 0;

  // To be called when the delegate is applied: it belongs to this process from
  // then on.
  void TakeProcess();
  // Ok, also if the delegate was never applied. kFailedPrecondition in a child
  // that was forked from its process, which must call nothing of it: neither a
  // driver nor a thread survives a fork.
  absl::Status CheckProcess() const;

 private:
  std::atomic<pid_t> process_ = 0;
};

// Wraps a delegate for TFLite. Its `data_` owns a reference to `delegate`, as
// does each kernel, so that either side may be deleted first.
TfLiteDelegate* WrapDelegate(std::unique_ptr<SimpleDelegate> delegate);
// SimpleDelegate::BindObject(). kInvalidArgument: not made by WrapDelegate.
absl::Status BindObjectOfWrapped(TfLiteDelegate* delegate, int tensor,
                                 const TfLiteGlesObject* object);
// SimpleDelegate::Report(), where the delegate has a worker from its thread:
// the text is then the calling thread's, and valid until its next call.
// kInvalidArgument: not made by WrapDelegate (told by its Prepare function).
// kFailedPrecondition: a forked child.
absl::StatusOr<const char*> ReportOfWrapped(TfLiteDelegate* delegate);
// Deletes what WrapDelegate made; nullptr is allowed.
void DeleteWrapped(TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
