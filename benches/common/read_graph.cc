#include "benches/common/read_graph.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {
namespace {

// A delegate that takes nothing: it is shown the model as any delegate is.
struct Onlooker {
  const DeviceProfile& profile;
  absl::StatusOr<Graph> graph = absl::InternalError("no delegate was applied");
};

absl::Span<const int> Ids(const TfLiteIntArray* array) {
  return {array->data, static_cast<size_t>(array->size)};
}

absl::StatusOr<Graph> Read(TfLiteContext* context,
                           const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto model, ReadModel(context, profile, ReadOptions()));
  std::vector<int> supported = {0};  // TfLiteIntArray: the count comes first
  absl::Status refusal;
  for (const CheckedNode& node : model.nodes) {
    if (node.support.ok()) {
      supported.push_back(node.index);
    } else {
      refusal.Update(absl::UnimplementedError(
          absl::StrCat(node.op, ": ", node.support.message())));
    }
  }
  supported[0] = static_cast<int>(supported.size()) - 1;
  if (supported[0] == 0) return refusal;
  TfLiteDelegateParams* partitions = nullptr;
  int count = 0;
  if (context->PreviewDelegatePartitioning(
          context, reinterpret_cast<const TfLiteIntArray*>(supported.data()),
          &partitions, &count) != kTfLiteOk ||
      count == 0) {
    return absl::InternalError("the runtime makes no partitions");
  }
  const TfLiteDelegateParams& largest = *std::max_element(
      partitions, partitions + count, [](const auto& a, const auto& b) {
        return a.nodes_to_replace->size < b.nodes_to_replace->size;
      });
  return ExtractPartition(model, Ids(largest.nodes_to_replace),
                          Ids(largest.input_tensors),
                          Ids(largest.output_tensors));
}

TfLiteStatus Look(TfLiteContext* context, TfLiteDelegate* delegate) {
  auto* onlooker = static_cast<Onlooker*>(delegate->data_);
  onlooker->graph = Read(context, onlooker->profile);
  return kTfLiteOk;
}

}  // namespace

absl::StatusOr<Graph> ReadGraph(const Model& model,
                                const DeviceProfile& profile) {
  Onlooker onlooker{profile};
  TfLiteDelegate delegate = {};
  delegate.data_ = &onlooker;
  delegate.Prepare = Look;
  InterpreterOptions options;
  options.delegate = &delegate;
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(model, options));
  return std::move(onlooker.graph);
}

}  // namespace gles_delegate
