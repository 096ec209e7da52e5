#include "delegate/tflite/block_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/constant_values.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

constexpr int kBlockwise = 2;  // kTfLiteBlockwiseQuantization

// The scales, or zero points, of blocks. kUnimplemented: not a constant.
absl::StatusOr<std::vector<float>> ConstantOf(const Graph& graph, int id) {
  if (id < 0 || id >= static_cast<int>(graph.tensors.size()) ||
      !graph.tensor(id).is_constant()) {
    return absl::UnimplementedError("a tensor that is not a constant");
  }
  return ConstantFloats(graph.tensor(id));
}

absl::StatusOr<std::vector<float>> ScalesOf(const Graph& graph, int id) {
  auto scales = ConstantOf(graph, id);
  if (!scales.ok()) return scales.status();
  const DataType type = graph.tensor(id).stored();
  if (type != DataType::kFloat16 && type != DataType::kFloat32) {
    return absl::UnimplementedError(
        absl::StrCat(DataTypeName(type), "; they may be float16 or float32"));
  }
  return scales;
}

}  // namespace

void BlockWeights::Read(int id, const TfLiteTensor& tensor) {
  if (QuantizationKind(tensor) != kBlockwise ||
      tensor.quantization.params == nullptr) {
    return;
  }
  Blocks blocks;
  std::memcpy(&blocks, tensor.quantization.params, sizeof(blocks));
  blocks_[id] = blocks;
}

// 0 is what a file has that names none.
bool BlockWeights::HasZeroPoints(const Blocks& blocks, const Graph& graph) {
  if (blocks.zero_points <= 0) return false;
  const auto zeros = ConstantOf(graph, blocks.zero_points);
  return !zeros.ok() || std::any_of(zeros->begin(), zeros->end(),
                                    [](float zero) { return zero != 0; });
}

absl::StatusOr<Tensor> BlockWeights::ViewOf(const Tensor& weights,
                                            const Blocks& blocks,
                                            const Graph& graph) {
  const auto refused = [&weights](const auto&... words) {
    return absl::StrCat("the blocks of ", weights.ToString(), " have ",
                        words...);
  };
  const int64_t count = weights.shape.elements();
  const auto quantized = weights.constant.bytes();
  if (!weights.is_constant() || weights.stored() != DataType::kInt8 ||
      weights.dims.size() != 2 ||
      static_cast<int64_t>(quantized.size()) < count) {
    return absl::UnimplementedError(
        refused("to be of a constant matrix of int8, int4 or int2"));
  }
  if (HasZeroPoints(blocks, graph)) {
    return absl::UnimplementedError(refused("zero points"));
  }
  auto scales = ScalesOf(graph, blocks.scales);
  if (!scales.ok()) {
    return absl::UnimplementedError(
        refused("as scales ", scales.status().message()));
  }
  if (blocks.dimension != 0 || blocks.size <= 0 ||
      weights.dims[1] % blocks.size != 0 ||
      static_cast<int64_t>(scales->size()) != count / blocks.size) {
    return absl::InvalidArgumentError(
        refused(scales->size(), " scales for blocks of ", blocks.size,
                " values along dimension ", blocks.dimension));
  }
  Tensor view;
  view.name = weights.name;
  view.dims = weights.dims;
  view.shape = weights.shape;
  view.constant = weights.constant;
  view.quantized = DataType::kInt8;
  view.quantization.bits = weights.quantization.bits;
  view.quantization.block = blocks.size;
  view.quantization.zero_point = {0};
  // Shaders may read a subnormal as zero.
  view.quantization.half_scales =
      graph.tensor(blocks.scales).stored() == DataType::kFloat16 &&
      std::all_of(scales->begin(), scales->end(),
                  [](float scale) { return std::fabs(scale) >= 0x1p-14f; });
  view.quantization.scale = *std::move(scales);
  return view;
}

absl::Status BlockWeights::ViewAsFloat(int builtin_code,
                                       std::vector<int>* inputs,
                                       Graph* graph) const {
  constexpr size_t kWeights = 1;
  if ((builtin_code != BuiltinOperator_FULLY_CONNECTED &&
       builtin_code != BuiltinOperator_EMBEDDING_LOOKUP) ||
      inputs->size() <= kWeights) {
    return absl::OkStatus();
  }
  const auto found = blocks_.find((*inputs)[kWeights]);
  if (found == blocks_.end()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto view,
                   ViewOf(graph->tensor(found->first), found->second, *graph));
  (*inputs)[kWeights] = graph->AddTensor(std::move(view));
  return absl::OkStatus();
}

}  // namespace gles_delegate
