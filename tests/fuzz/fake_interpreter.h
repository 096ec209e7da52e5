// A runtime's work with a delegate, on a FakeRuntime's model: partitions,
// replaces nodes, allocates memory, prepares and runs the delegate's kernels.
// The model's own kernels do nothing.
#ifndef GLES_DELEGATE_TESTS_FUZZ_FAKE_INTERPRETER_H_
#define GLES_DELEGATE_TESTS_FUZZ_FAKE_INTERPRETER_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "tensorflow/lite/c/common.h"
#include "tests/fuzz/fake_runtime.h"

namespace gles_delegate::fuzz {

// Of one subgraph.
class FakeInterpreter {
 public:
  // `runtime` must outlive it.
  explicit FakeInterpreter(FakeRuntime* runtime);
  ~FakeInterpreter();
  FakeInterpreter(const FakeInterpreter&) = delete;
  FakeInterpreter& operator=(const FakeInterpreter&) = delete;

  // False where the delegate fails; its kernels are gone then.
  bool Apply(TfLiteDelegate* delegate);
  // AllocateTensors: false where a kernel fails.
  bool Allocate();
  // Runs the delegate's kernels.
  void Invoke();
  // The inputs' free extents become `extent`. Without any, batches of 1 become
  // as many, in every tensor that is not a constant.
  void Resize(int extent);

 private:
  struct Partition {
    std::vector<int> nodes, inputs, outputs;
  };
  struct Kernel {
    TfLiteRegistration registration;
    int node;
  };

  static FakeInterpreter& Of(TfLiteContext* context);
  std::vector<Partition> Cut(const TfLiteIntArray& nodes);
  TfLiteStatus Preview(const TfLiteIntArray& nodes,
                       TfLiteDelegateParams** params, int* count);
  TfLiteStatus Replace(const TfLiteRegistration& registration,
                       const TfLiteIntArray& nodes, TfLiteDelegate* delegate);
  TfLiteDelegateParams ParamsOf(const Partition& partition,
                                TfLiteDelegate* delegate);
  TfLiteIntArray* Ints(std::vector<int> values);
  void FreeKernels();
  TfLiteNode& NodeOf(const Kernel& kernel);

  FakeRuntime* runtime_;
  TfLiteContext* context_;
  std::deque<std::vector<int>> ints_;
  std::vector<TfLiteDelegateParams> previewed_;
  std::vector<Kernel> kernels_;
  std::vector<int> own_plan_;                 // without a delegate
  std::vector<std::vector<uint8_t>> memory_;  // by tensor
};

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_FAKE_INTERPRETER_H_
