#include "delegate/ops/movement/linear_gather.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/conv/quantized_rows.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::Status AddLinearGather(Planner* planner, TensorId src, TensorId indices,
                             TensorId dst, const LinearGather& gather) {
  ASSIGN_OR_RETURN(auto index, IndicesAsInt32(planner, indices));
  const Tensor& source = planner->tensor(src);
  const Shape from = source.shape;
  const Shape to = planner->tensor(dst).shape;
  Dispatch d("linear_gather");
  if (from.c == to.c && gather.inner == from.c && StaysQuantized(source) &&
      !planner->tensor(dst).is_float_view()) {
    d.Define("QUANTIZED");
    d.Constant(
        PackQuantizedRows("src", source, nullptr, {from.b, 1, from.c, 1}));
  } else {
    // An index picks whole pixels of the source, which are whole pixels of the
    // destination.
    if (from.c == to.c && gather.inner % from.c == 0) d.Define("WHOLE");
    d.Read("src", src);
  }
  d.Read("indices", index).Write("dst", dst);
  int rows = 1;
  for (int i = 0; i < gather.depth; ++i) rows *= gather.extents[i];
  d.uniforms.Int4("extents", gather.extents[0], gather.extents[1],
                  gather.extents[2], gather.extents[3]);
  d.uniforms.Int("depth", gather.depth);
  d.uniforms.Int("inner", gather.inner);
  d.uniforms.Int("count", gather.count);
  d.uniforms.Int("outer", gather.outer);
  d.uniforms.Int("rows", rows);
  d.OverTexels(to);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

absl::Status CheckCountable(const Tensor& tensor) {
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  if (tensor.shape.elements() <= kMax) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(tensor.ToString(), " has ", tensor.shape.elements(),
                   " elements, at most ", kMax, " are counted here"));
}

absl::Status CheckGather(const NodeView& node) {
  for (const Tensor* tensor :
       {node.inputs[0], node.inputs[1], node.outputs[0]}) {
    RETURN_IF_ERROR(CheckCountable(*tensor));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> DepthOfIndices(const Tensor& indices,
                                   absl::Span<const int> dims) {
  const int depth = indices.dims.empty() ? 0 : indices.dims.back();
  const int most = std::min<int>(4, static_cast<int>(dims.size()));
  if (depth >= 1 && depth <= most) return depth;
  return absl::UnimplementedError(absl::StrCat("an index names ", depth,
                                               " axes of ", DimsString(dims),
                                               ", 1 to ", most, " run here"));
}

absl::Status CheckConstantIndices(const Tensor& indices,
                                  absl::Span<const int> extents) {
  if (!indices.is_constant()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto values, ConstantInts(indices));
  for (size_t i = 0; i < values.size(); ++i) {
    const int value = values[i];
    const int extent = extents[i % extents.size()];
    if (value < 0 || value >= extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "index ", value, " is outside an axis of ", extent, " elements"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorId> IndicesAsInt32(Planner* planner, TensorId id) {
  if (planner->tensor(id).type == DataType::kInt32) return id;
  ASSIGN_OR_RETURN(auto values, ConstantInts(planner->tensor(id)));
  const auto bytes = AsBytes<int>(values);
  Tensor ints = planner->tensor(id);
  ints.type = DataType::kInt32;
  ints.constant =
      ConstantData::Own(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  return planner->AddConstantView(ints, ints.shape);
}

}  // namespace gles_delegate
