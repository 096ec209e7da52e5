// Preparing a subgraph without its kernels, which would see shapes that only
// tell tensors apart.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPLACED_PREPARE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPLACED_PREPARE_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/tflite/node_finder.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, the kernels of a subgraph's nodes have another prepare
// function. Afterwards, what the nodes write has the shapes from before: some
// kernels look at the rank.
class ReplacedPrepare {
 public:
  using Prepare = decltype(TfLiteRegistration::prepare);

  ReplacedPrepare(TfLiteContext* subgraph, absl::Span<const int> plan,
                  const NodeFinder& find, Prepare prepare);
  ~ReplacedPrepare();
  ReplacedPrepare(const ReplacedPrepare&) = delete;
  ReplacedPrepare& operator=(const ReplacedPrepare&) = delete;

 private:
  // Once it is done, the destructor runs if the other constructor throws.
  ReplacedPrepare(TfLiteContext* subgraph, const NodeFinder& find)
      : subgraph_(subgraph), find_(find) {}
  TfLiteRegistration* Find(int index, TfLiteNode** node) const;

  TfLiteContext* subgraph_;
  const NodeFinder& find_;
  std::vector<std::pair<int, Prepare>> replaced_;
  std::vector<std::pair<int, std::vector<int>>> dims_;
};

// The tensors that a subgraph's nodes read, except constants, and write.
struct SubgraphTensors {
  HashSet<int> read, written;
};

// kUnimplemented: another delegate has taken some of the nodes.
absl::StatusOr<SubgraphTensors> TensorsOf(TfLiteContext* subgraph,
                                          absl::Span<const int> plan,
                                          const NodeFinder& find);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPLACED_PREPARE_H_
