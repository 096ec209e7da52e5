// A delegate and its kernels as C++ sees them, after TFLite's own
// SimpleDelegateInterface; the C structs and callbacks are in the .cc.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// One partition's kernel. Threads: Prepare and Eval on the thread that applied
// the delegate (Eval checks); destruction on any.
class SimpleDelegateKernel {
 public:
  virtual ~SimpleDelegateKernel() = default;
  // Reads the partition; once.
  virtual absl::Status Init(TfLiteContext* context,
                            const TfLiteDelegateParams* params) = 0;
  // After Init, with `node` nullptr, and whenever TFLite prepares the node: the
  // shapes of its inputs may have changed.
  virtual absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) = 0;
  // One inference.
  virtual absl::Status Eval(TfLiteContext* context, TfLiteNode* node) = 0;
};

// What of a model is delegated.
class SimpleDelegate {
 public:
  virtual ~SimpleDelegate() = default;
  // "TfLiteGlesDelegate", the name of the nodes that replace partitions.
  virtual const char* Name() const = 0;
  // Before any node is asked about, each time the delegate is applied.
  virtual absl::Status Initialize(TfLiteContext* context) = 0;
  // Ok, or why the node stays on the CPU.
  virtual absl::Status IsNodeSupported(int node_index) = 0;
  // Picks from the runtime's own preview of the partitions (each a list of
  // node indices): the ones that are worth it.
  virtual std::vector<std::vector<int>> ChoosePartitions(
      std::vector<std::vector<int>> partitions) = 0;
  virtual std::unique_ptr<SimpleDelegateKernel> CreateKernel() = 0;
  // Whether a failure to apply is reported and nothing else.
  virtual bool FallsBackToCpu() const { return false; }
  // After the partitions are replaced (or Initialize failed).
  virtual void Finish(TfLiteContext* context) = 0;
  // What the delegate did, as a JSON object; valid until the next call.
  virtual const char* Report() = 0;
};

// Wraps a delegate for TFLite. Its `data_` owns a reference to `delegate`, as
// does each kernel, so that either side may be deleted first.
TfLiteDelegate* WrapDelegate(std::shared_ptr<SimpleDelegate> delegate);
// nullptr: not made by WrapDelegate (told by its Prepare function).
SimpleDelegate* UnwrapDelegate(TfLiteDelegate* delegate);
// Deletes what WrapDelegate made; nullptr is allowed.
void DeleteWrapped(TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SIMPLE_DELEGATE_H_
