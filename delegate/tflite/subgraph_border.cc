#include "delegate/tflite/subgraph_border.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/tflite/kept_messages.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/replaced_prepare.h"

namespace gles_delegate {
namespace {

// The shapes have no elements, so that such tensors take no memory: [0, n] is
// the composite's input n, [0, 0, n] the subgraph's tensor n.
constexpr int kInputRank = 2, kTensorRank = 3;

std::optional<int> MarkOf(const TfLiteTensor& tensor, int rank) {
  const TfLiteIntArray* dims = tensor.dims;
  if (dims == nullptr || dims->size != rank || dims->data[0] != 0) {
    return std::nullopt;
  }
  return dims->data[rank - 1];
}

// A prepare function.
TfLiteStatus MarkOutputs(TfLiteContext* context, TfLiteNode* node) {
  for (int id : ReadInts(node->outputs)) {
    if (HasTensor(*context, id) && !ResizeTensor(context, id, {0, 0, id})) {
      return kTfLiteError;
    }
  }
  return kTfLiteOk;
}

// While it lives, the composite's inputs have other shapes.
class MarkedInputs {
 public:
  MarkedInputs(TfLiteContext* context, const std::vector<int>& inputs)
      : MarkedInputs(context) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      // A TfLiteIntArray: {int size; int data[]}.
      marks_.push_back({kInputRank, 0, static_cast<int>(i)});
      TfLiteTensor& tensor = context_->tensors[inputs[i]];
      own_.emplace_back(inputs[i], tensor.dims);
      tensor.dims = reinterpret_cast<TfLiteIntArray*>(marks_.back().data());
    }
  }
  MarkedInputs(const MarkedInputs&) = delete;
  MarkedInputs& operator=(const MarkedInputs&) = delete;
  ~MarkedInputs() {
    // An input may be there twice.
    for (auto it = own_.rbegin(); it != own_.rend(); ++it) {
      context_->tensors[it->first].dims = it->second;
    }
  }

 private:
  // Once it is done, the destructor runs if the other constructor throws.
  explicit MarkedInputs(TfLiteContext* context) : context_(context) {}

  TfLiteContext* context_;
  std::deque<std::array<int, kInputRank + 1>> marks_;
  std::vector<std::pair<int, TfLiteIntArray*>> own_;
};

absl::Status CheckKernel(const TfLiteRegistration& registration,
                         const std::vector<int>& inputs,
                         const std::vector<int>& outputs) {
  HashSet<int> seen(inputs.begin(), inputs.end());
  const bool each_once =
      std::all_of(outputs.begin(), outputs.end(),
                  [&seen](int id) { return seen.insert(id).second; });
  if (!each_once || seen.contains(kTfLiteOptionalTensor)) {
    return absl::InvalidArgumentError(
        "a tensor is missing, or is an output and also another one");
  }
  if (registration.prepare == nullptr) {
    return absl::UnimplementedError("the runtime has no kernel for it");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SubgraphBorder> BorderOf(TfLiteContext* context, int node,
                                        TfLiteContext* subgraph,
                                        absl::Span<const int> plan,
                                        const NodeFinder& find) {
  TfLiteNode* composite = nullptr;
  TfLiteRegistration* registration = nullptr;
  RETURN_IF_ERROR(find.Get(context, node, &composite, &registration));
  const std::vector<int> inputs = ReadInts(composite->inputs);
  const std::vector<int> outputs = ReadInts(composite->outputs);
  RETURN_IF_ERROR(CheckKernel(*registration, inputs, outputs));
  ASSIGN_OR_RETURN(auto tensors, TensorsOf(subgraph, plan, find));
  const auto is_input = [&](int id) { return !tensors.written.contains(id); };
  // The runtime prepares kernels again only after an input was resized.
  if (std::none_of(tensors.read.begin(), tensors.read.end(), is_input)) {
    return absl::UnimplementedError("its decomposition reads no input");
  }

  std::vector<std::vector<int>> dims;
  for (int id : outputs) dims.push_back(ReadInts(context->tensors[id].dims));
  KeptMessages messages(context), of_subgraph(subgraph);
  TfLiteStatus prepared;
  {
    const MarkedInputs marked(context, inputs);
    const ReplacedPrepare marking(subgraph, plan, find, MarkOutputs);
    prepared = registration->prepare(context, composite);
  }
  SubgraphBorder border;
  border.inputs.reserve(tensors.read.size());
  border.outputs.reserve(outputs.size());
  for (int id : tensors.read) {
    const auto position = MarkOf(subgraph->tensors[id], kInputRank);
    if (is_input(id) && position &&
        *position < static_cast<int>(inputs.size())) {
      border.inputs.push_back({id, *position});
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TfLiteTensor& outside = context->tensors[outputs[i]];
    const auto written = MarkOf(outside, kTensorRank);
    const auto passed = MarkOf(outside, kInputRank);
    const auto source = std::find_if(
        border.inputs.begin(), border.inputs.end(),
        [&](const auto& input) { return passed && input.position == *passed; });
    if (source != border.inputs.end()) {
      border.outputs.push_back(source->id);
    } else if (written && tensors.written.contains(*written)) {
      border.outputs.push_back(*written);
    }
    ResizeTensor(context, outputs[i], dims[i]);
  }
  if (prepared != kTfLiteOk) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TFLite's own kernel refuses its decomposition: ", messages.Take()));
  }
  if (border.outputs.size() != outputs.size()) {
    return absl::UnimplementedError(
        "its decomposition has an output that no node writes, or whose shape "
        "is known only at run time");
  }
  return border;
}

}  // namespace gles_delegate
