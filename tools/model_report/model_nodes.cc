#include "tools/model_report/model_nodes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/unpack_model.h"
#include "tools/runner/model_layers.h"

namespace gles_delegate {
namespace {

std::string QuantizationText(const schema::TensorT& tensor) {
  if (tensor.quantization == nullptr || tensor.quantization->scale.empty()) {
    return "";
  }
  const auto& scale = tensor.quantization->scale;
  const auto& zero = tensor.quantization->zero_point;
  if (scale.size() > 1) {
    return absl::StrCat(scale.size(), " scales, one a channel");
  }
  return absl::StrFormat("scale %.4g, zero point %d", scale[0],
                         zero.empty() ? 0 : zero[0]);
}

TensorFacts FactsOf(const schema::ModelT& model,
                    const schema::TensorT& tensor) {
  TensorFacts facts;
  facts.name = tensor.name;
  facts.type = absl::AsciiStrToLower(schema::EnumNameTensorType(tensor.type));
  facts.dims = tensor.shape;
  facts.quantization = QuantizationText(tensor);
  facts.constant = tensor.buffer < model.buffers.size() &&
                   model.buffers[tensor.buffer] != nullptr &&
                   !model.buffers[tensor.buffer]->data.empty();
  return facts;
}

// Each output element is a sum, and each of its terms one multiplication. A sum
// has as many terms as the filter has elements for one output channel. 0 where
// the shapes are not a convolution's.
int64_t MultiplicationsOf(const ModelNode& node) {
  if (node.inputs.size() < 2 || node.outputs.empty()) return 0;
  const std::vector<int>& filter = node.inputs[1].dims;
  const int64_t outputs = node.outputs[0].elements();
  if (node.op == "CONV_2D" && filter.size() == 4) {
    return outputs * filter[1] * filter[2] * filter[3];
  }
  if (node.op == "DEPTHWISE_CONV_2D" && filter.size() == 4) {
    return outputs * filter[1] * filter[2];
  }
  if (node.op == "FULLY_CONNECTED" && filter.size() == 2) {
    return outputs * filter[1];
  }
  return 0;
}

bool IsMobile(const ModelNode& node) {
  if (node.op == "DEPTHWISE_CONV_2D") return true;
  if (node.op != "CONV_2D" || node.inputs.size() < 2) return false;
  const std::vector<int>& filter = node.inputs[1].dims;
  return filter.size() == 4 && filter[1] == 1 && filter[2] == 1;
}

// The tensors of `ids` without those that are absent.
absl::StatusOr<std::vector<TensorFacts>> TensorsOf(
    const schema::ModelT& model, const std::vector<int>& ids) {
  const auto& tensors = model.subgraphs[0]->tensors;
  std::vector<TensorFacts> facts;
  for (int id : ids) {
    if (id < 0) continue;
    if (id >= static_cast<int>(tensors.size()) || tensors[id] == nullptr) {
      return absl::InvalidArgumentError("a tensor's index leads nowhere");
    }
    facts.push_back(FactsOf(model, *tensors[id]));
  }
  return facts;
}

}  // namespace

std::string TensorFacts::ToString() const {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

int64_t TensorFacts::elements() const {
  int64_t product = 1;
  for (int extent : dims) product *= extent;
  return product;
}

absl::StatusOr<ModelFacts> FactsOfModel(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(auto model, UnpackModel(bytes));
  ASSIGN_OR_RETURN(auto names, OpNamesOf(*model));
  ModelFacts facts;
  facts.subgraphs = static_cast<int>(model->subgraphs.size());
  std::map<int, int> writer;  // of each tensor
  int index = 0;
  for (const auto& op : model->subgraphs[0]->operators) {
    ModelNode node;
    node.index = index;
    node.op = names[index];
    ASSIGN_OR_RETURN(auto inputs, TensorsOf(*model, op->inputs));
    node.inputs = std::move(inputs);
    ASSIGN_OR_RETURN(auto outputs, TensorsOf(*model, op->outputs));
    node.outputs = std::move(outputs);
    for (int id : op->inputs) {
      const auto from = writer.find(id);
      if (from == writer.end()) continue;
      if (std::find(node.reads.begin(), node.reads.end(), from->second) ==
          node.reads.end()) {
        node.reads.push_back(from->second);
      }
    }
    for (int id : op->outputs) writer[id] = index;
    node.multiplications = MultiplicationsOf(node);
    node.depthwise_or_pointwise = IsMobile(node);
    facts.nodes.push_back(std::move(node));
    ++index;
  }
  return facts;
}

}  // namespace gles_delegate
