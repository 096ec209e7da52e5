// Access to a model's other subgraphs, of runtimes from 2.14 on.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPHS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPHS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Finds subgraphs while a delegate is applied to one of them.
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

  // The indices of the subgraph's nodes, in execution order.
  absl::StatusOr<std::vector<int>> PlanOf(TfLiteContext* subgraph) const;

 private:
  using Acquire = TfLiteStatus (*)(TfLiteContext*, int, TfLiteContext**);
  using Release = TfLiteStatus (*)(TfLiteContext*, int);

  TfLiteContext* own_;
  Acquire acquire_ = nullptr;  // nullptr: the runtime is older
  Release release_ = nullptr;
  TfLiteStatus (*get_plan_)(TfLiteContext*, TfLiteIntArray**) = nullptr;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPHS_H_
