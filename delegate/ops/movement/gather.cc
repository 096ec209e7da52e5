#include "delegate/ops/movement/gather.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// --- Gathers by index tensors ------------------------------------------------

absl::StatusOr<TensorId> IndicesAsInt32(Planner* planner, TensorId id) {
  if (planner->tensor(id).type == DataType::kInt32) return id;
  ASSIGN_OR_RETURN(auto values, ConstantInts(planner->tensor(id)));
  Tensor ints = planner->tensor(id);
  ints.type = DataType::kInt32;
  ints.constant = ConstantData::Of(values);
  return planner->AddConstantView(ints, ints.shape);
}

namespace {

// kInvalidArgument: a constant index is outside its axis, cycling through
// `extents`. Ignores indices computed at run time.
absl::Status CheckConstantIndices(const Tensor& indices,
                                  absl::Span<const int> extents) {
  if (!indices.is_constant()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto values, ConstantInts(indices));
  for (size_t i = 0; i < values.size(); ++i) {
    const int value = values[i];
    const int extent = extents[i % extents.size()];
    if (value < 0 || value >= extent) {
      return Invalid("index ", value, " is outside an axis of ", extent,
                     " elements");
    }
  }
  return absl::OkStatus();
}

// Elements that each of `count` indices stands for. kInvalidArgument: they do
// not divide the tensor's.
absl::StatusOr<int> ElementsOfEach(const Tensor& tensor, int64_t count) {
  const int64_t elements = tensor.shape.elements();
  if (elements >= count && elements % count == 0) {
    return static_cast<int>(elements / count);
  }
  return Invalid(tensor.ToString(), " is not of ", count, " equal parts");
}

// Depth and extents by indices [..., depth] of the first of `dims`.
// kInvalidArgument: a constant index is outside. kUnimplemented: an index names
// more axes than there are, or than 4.
absl::Status SetExtents(const Tensor& indices, absl::Span<const int> dims,
                        IndexedSlices* slices) {
  const int depth = indices.dims.empty() ? 0 : indices.dims.back();
  const int most = std::min<int>(4, static_cast<int>(dims.size()));
  if (depth < 1 || depth > most) {
    return Unimplemented("an index names ", depth, " axes of ",
                         DimsString(dims), ", 1 to ", most, " run here");
  }
  slices->depth = depth;
  std::copy_n(dims.begin(), depth, slices->extents.begin());
  return CheckConstantIndices(indices, dims.first(depth));
}

void BindSlices(const IndexedSlices& s, Dispatch* d) {
  d->uniforms.Int4("extents", s.extents);
  d->uniforms.Int("depth", s.depth);
  d->uniforms.Int("inner", s.inner);
  d->uniforms.Int("count", s.count);
}

// Indices are clamped to their axes.
absl::Status AddLinearGather(const Node& node, const LinearGather& gather,
                             Planner* planner) {
  const TensorId src = node.inputs[gather.source], dst = node.outputs[0];
  ASSIGN_OR_RETURN(auto index,
                   IndicesAsInt32(planner, node.inputs[1 - gather.source]));
  const Tensor& source = planner->tensor(src);
  const Shape from = source.shape;
  const Shape to = planner->shape(dst);
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
  BindSlices(gather, &d);
  d.uniforms.Int("outer", gather.outer);
  d.uniforms.Int("rows", ProductOf(gather.extents));
  d.OverTexels(to);
  return AddInLightGroups(std::move(d), planner);
}

constexpr int kTableWidth = 1024;  // texels a row, within any texture limit

// batch_dims, counted from the front. kInvalidArgument: batch_dims is past the
// axis or the indices' rank.
absl::StatusOr<int> BatchDims(const NodeView& node, int axis) {
  ASSIGN_OR_RETURN(auto params, node.Get<GatherParams>());
  // Every struct since TFLite 2.5 has batch_dims, and TFLite's kernel reads it
  // at any version of the op.
  int batch_dims = params->batch_dims;
  const int index_rank = static_cast<int>(node.inputs[1]->dims.size());
  if (batch_dims < 0) batch_dims += index_rank;
  if (batch_dims < 0 || batch_dims > axis || batch_dims > index_rank) {
    return Invalid("batch_dims is ", params->batch_dims, ", axis ", axis,
                   ", the indices' rank ", index_rank);
  }
  return batch_dims;
}

// TFLite reads uint8 as int8 here, and no zero points.
absl::Status CheckQuantizedTable(const Tensor& table) {
  if (!table.is_float_view() ||
      (table.is_constant() && table.quantized == DataType::kInt8 &&
       !table.quantization.has_zero_point())) {
    return absl::OkStatus();
  }
  return Unimplemented("the table ", table.ToString(),
                       " is quantized; it must be constant, int8 or int4, with "
                       "zero points of 0");
}

}  // namespace

absl::StatusOr<ParsedNode> ParseGather(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<GatherParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  const Tensor& indices = *node.inputs[1];
  const int rank = static_cast<int>(dims.size());
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank));
  ASSIGN_OR_RETURN(auto batch_dims, BatchDims(node, axis));
  RETURN_IF_ERROR(CheckConstantIndices(indices, {dims[axis]}));
  const auto axes = absl::MakeConstSpan(dims);
  GatherAttributes a;
  if (!indices.is_constant() || batch_dims > 0 || rank > 4) {
    LinearGather linear;
    linear.outer = ProductOf(axes.subspan(batch_dims, axis - batch_dims));
    linear.extents[0] = dims[axis];
    linear.inner = ProductOf(axes.subspan(axis + 1));
    linear.count =
        ProductOf(absl::MakeConstSpan(indices.dims).subspan(batch_dims));
    a.linear = linear;
    return ParsedNode{std::move(a)};
  }
  ASSIGN_OR_RETURN(a.indices, ConstantInts(indices));
  std::vector<int> picked = dims;
  picked[axis] = static_cast<int>(a.indices.size());
  a.axis = BhwcAxis(axis, rank);
  a.picked = Shape::FromDims(picked);
  return ParsedNode{std::move(a)};
}

absl::Status AddGather(Planner* planner, TensorId src, TensorId dst, int axis,
                       const std::vector<int>& indices) {
  constexpr int kComponents[] = {3, 1, 0, 2};  // of B, H, W, C in the shader
  Dispatch d = TexelDispatch("gather", src, dst, *planner);
  d.Define("AXIS", kComponents[axis]);
  const int count = static_cast<int>(indices.size());
  PackedConstant table("table", kTableWidth,
                       (count + kTableWidth - 1) / kTableWidth);
  table.always_float32 = true;  // exact up to 2^24, past any axis
  table.fill = [indices = std::make_shared<const std::vector<int>>(indices)](
                   absl::Span<float> texels) {
    for (size_t i = 0; i < indices->size(); ++i) texels[4 * i] = (*indices)[i];
  };
  d.Constant(std::move(table));
  return AddInLightGroups(std::move(d), planner);
}

absl::Status PlanGather(const Node& node, Planner* planner) {
  const auto& a = node.Get<GatherAttributes>();
  const TensorId output = node.outputs[0];
  if (a.linear.has_value()) return AddLinearGather(node, *a.linear, planner);
  return AddInShape(
      planner, "picked slices", a.picked, output, [&](TensorId dst) {
        return AddGather(planner, node.inputs[0], dst, a.axis, a.indices);
      });
}

// GATHER_ND: each row of the indices [..., depth] selects an element or slice
// at the input's first `depth` axes: the output has the indices' leading axes,
// then the input's trailing ones. Input of float32, int32 or bool and any rank,
// depth 1 to 4; indices int32, or int64 constants. At run time, indices outside
// their axis are clamped; TFLite fails.
absl::StatusOr<ParsedNode> ParseGatherNd(const NodeView& node) {
  const std::vector<int>& dims = node.inputs[0]->dims;
  LinearGather gather;
  RETURN_IF_ERROR(SetExtents(*node.inputs[1], dims, &gather));
  const int64_t picks = node.inputs[1]->shape.elements() / gather.depth;
  gather.count = static_cast<int>(picks);
  ASSIGN_OR_RETURN(gather.inner, ElementsOfEach(*node.outputs[0], picks));
  return ParsedNode{gather};
}

absl::Status PlanLinearGather(const Node& node, Planner* planner) {
  return AddLinearGather(node, node.Get<LinearGather>(), planner);
}

// EMBEDDING_LOOKUP: one row of a table per index. The table is float32, or
// constant and float16, int8 or int4 with one scale or one per row and zero
// points of 0; results are float32. Indices are a vector, int32 at run time,
// int32 or int64 if constant. At run time, indices outside the table are
// clamped; TFLite fails.

absl::StatusOr<ParsedNode> ParseEmbeddingLookup(const NodeView& node) {
  const Tensor& indices = *node.inputs[0];
  const Tensor& table = *node.inputs[1];
  RETURN_IF_ERROR(CheckQuantizedTable(table));
  if (indices.dims.size() != 1 || table.dims.size() < 2) {
    return Invalid("the indices are ", DimsString(indices.dims),
                   " and the table is ", DimsString(table.dims),
                   "; they must be a vector and a matrix");
  }
  RETURN_IF_ERROR(CheckConstantIndices(indices, {table.dims[0]}));
  LinearGather rows;
  rows.source = 1;
  rows.extents[0] = table.dims[0];
  rows.count = indices.dims[0];
  rows.inner = static_cast<int>(table.shape.elements() / table.dims[0]);
  return ParsedNode{rows};
}

// --- ONE_HOT -----------------------------------------------------------------

absl::StatusOr<ParsedNode> ParseOneHot(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<OneHotParams>());
  ASSIGN_OR_RETURN(auto depth, IntsOfInput(node, 1));
  const std::vector<int>& dims = node.inputs[0]->dims;
  const int rank = static_cast<int>(dims.size());
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank + 1));
  OneHotAttributes a;
  a.depth = depth.front();
  for (int i = axis; i < rank; ++i) a.inner *= dims[i];
  return ParsedNode{a};
}

absl::Status PlanOneHot(const Node& node, Planner* planner) {
  const auto& a = node.Get<OneHotAttributes>();
  ASSIGN_OR_RETURN(auto indices, IndicesAsInt32(planner, node.inputs[0]));
  Dispatch d = TexelDispatch("one_hot", node, *planner, {});
  d.Read("indices", indices);
  d.Read("on_value", node.inputs[2]).Read("off_value", node.inputs[3]);
  d.uniforms.Int("depth", a.depth);
  d.uniforms.Int("inner", a.inner);
  return AddInLightGroups(std::move(d), planner);
}

// --- SCATTER_ND, segments ----------------------------------------------------

namespace {

// Each texel of the output reads every index: past this many reads the CPU,
// which reads each once, is faster.
constexpr int64_t kMaxReads = int64_t{1} << 27;

absl::Status CheckScatterReads(const Tensor& output, const Tensor& indices) {
  const Shape& to = output.shape;
  const int64_t texels = int64_t{to.b} * to.h * to.w * to.slices();
  const int64_t reads = indices.shape.elements();
  if (texels <= kMaxReads / reads) return absl::OkStatus();
  return Unimplemented("each of the ", texels,
                       " texels of the output would read ", reads,
                       " indices; at most ", kMaxReads, " reads run here");
}

absl::StatusOr<ParsedNode> ParseSegments(const NodeView& node, int segments,
                                         Reducer reducer) {
  const Tensor& data = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  Scatter scatter;
  scatter.indices_input = 1;
  scatter.updates_input = 0;
  scatter.extents[0] = segments;
  scatter.reducer = reducer;
  scatter.count = static_cast<int>(node.inputs[1]->shape.elements());
  ASSIGN_OR_RETURN(scatter.inner, ElementsOfEach(data, scatter.count));
  RETURN_IF_ERROR(CheckScatterReads(output, *node.inputs[1]));
  return ParsedNode{scatter};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseScatterNd(const NodeView& node) {
  const Tensor& indices = *node.inputs[0];
  const Tensor& updates = *node.inputs[1];
  const Tensor& output = *node.outputs[0];
  Scatter scatter;
  RETURN_IF_ERROR(SetExtents(indices, output.dims, &scatter));
  RETURN_IF_ERROR(CheckScatterReads(output, indices));
  const int64_t count = indices.shape.elements() / scatter.depth;
  scatter.count = static_cast<int>(count);
  ASSIGN_OR_RETURN(scatter.inner, ElementsOfEach(updates, count));
  return ParsedNode{scatter};
}

absl::Status PlanScatterNd(const Node& node, Planner* planner) {
  const auto& scatter = node.Get<Scatter>();
  ASSIGN_OR_RETURN(auto index,
                   IndicesAsInt32(planner, node.inputs[scatter.indices_input]));
  Dispatch d = TexelDispatch("scatter_nd", node, *planner, {});
  DefineReducer(scatter.reducer, planner->tensor(node.outputs[0]).type, &d);
  d.Read("updates", node.inputs[scatter.updates_input]);
  d.Read("indices", index);
  BindSlices(scatter, &d);
  return planner->Add(std::move(d));
}

// SEGMENT_SUM and UNSORTED_SEGMENT_SUM, _PROD, _MAX and _MIN: row s of the
// output is the sum (product, maximum, minimum) of the rows of input 0 whose id
// is s. Input 1: the ids, int32; those of SEGMENT_SUM must be constant, as the
// output's shape follows from them. Input 2 of the others: the number of
// segments, constant. At run time a row whose id is past it is ignored; TFLite
// fails on it. All are a SCATTER_ND whose indices are the ids.
absl::StatusOr<ParsedNode> ParseSegmentSum(const NodeView& node) {
  const std::vector<int>& dims = node.outputs[0]->dims;
  return ParseSegments(node, dims.empty() ? 1 : dims[0], Reducer::kSum);
}

absl::StatusOr<ParsedNode> ParseUnsortedSegments(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto segments, IntsOfInput(node, 2));
  if (node.inputs[1]->is_constant()) {
    ASSIGN_OR_RETURN(auto ids, ConstantInts(*node.inputs[1]));
    // A negative id drops its row.
    for (int id : ids) {
      if (id < segments.front()) continue;
      return Invalid("id ", id, " is outside of ", segments.front(),
                     " segments");
    }
  }
  return ParseSegments(node, segments.front(),
                       ReducerOf(*FindOp(node.builtin_code, "")));
}

// --- Functions of moved values -----------------------------------------------

namespace {

using Kind = MovedRead::Kind;

std::string LoopsOf(int step) { return absl::StrCat("loops", step); }
std::string StridesOf(int step) { return absl::StrCat("strides", step); }

// The value of a step that reads, as statements.
std::string ReadText(const MovedRead& read, int index, int step) {
  const std::string in = InputName(index), value = ValueName(step);
  if (read.kind == Kind::kSame) {
    return DefineValue(step, absl::StrCat("read_", in, "(p.x, p.y, s, p.w)"));
  }
  const std::string at =
      absl::StrCat("op_moved(t, ", LoopsOf(step), ", ", StridesOf(step), ")");
  const std::string texel = absl::StrCat("read_", in, "(q.x, q.y, q.z, q.w)");
  if (read.kind == Kind::kTexels) {
    return absl::StrCat("vec4 ", value, "; { ivec4 q = op_place_of(", at, ", ",
                        in, "_size); ", value, " = ", texel, "; } ");
  }
  const std::string element = absl::StrCat("ivec4 q = op_place_of_element(e, ",
                                           in, "_size, ", in, "_aux.x); ");
  const std::string component =
      absl::StrCat("op_component(", texel, ", e % ", in, "_aux.x)");
  if (read.step == 0) {
    return absl::StrCat("vec4 ", value, "; { int e = ", at, "; ", element,
                        value, " = vec4(", component, "); } ");
  }
  // The innermost loop goes from texel to texel.
  return absl::StrCat("vec4 ", value,
                      "; for (int i = 0; i < 4; ++i) { int e = ", at,
                      " + i * (", StridesOf(step), ".w / 4); ", element, value,
                      "[i] = ", component, "; } ");
}

std::string Definition(const MovedStep& step, int i) {
  if (step.index >= 0) return ReadText(step.read, step.index, i);
  return DefineValue(i, step.Call(i));
}

// The value of a part of the slices.
std::string PartText(const MovedFunctionsAttributes& a, int part) {
  const int result = a.parts[part].result;
  const std::string text = DefinitionsOf(
      a.steps, {result}, [&](int i) { return Definition(a.steps[i], i); });
  const auto end = [](int of) { return absl::StrCat("part_ends[", of, "]"); };
  const std::string first = part == 0 ? "0" : end(part - 1);
  return absl::StrCat("if (p.z < ", end(part), ") { int s = p.z - ", first,
                      "; int t = pixel * (", end(part), " - ", first, ") + s; ",
                      text, "return ", ValueName(result), "; } ");
}

void AddMoveParams(const MovedFunctionsAttributes& a, Dispatch* d) {
  std::array<int, MovedFunctionsAttributes::kMaxParts> ends = {};
  for (size_t i = 0; i < a.parts.size(); ++i) ends[i] = a.parts[i].end;
  d->uniforms.Int4("part_ends", ends);
  std::string members = "ivec4 part_ends; ";
  for (size_t i = 0; i < a.steps.size(); ++i) {
    const MovedStep& step = a.steps[i];
    const int at = static_cast<int>(i);
    if (step.index < 0) {
      absl::StrAppend(&members, "vec4 ", ParamsName(at), "; ");
      d->uniforms.Float4(ParamsName(at), step.params);
    } else if (step.read.kind != Kind::kSame) {
      absl::StrAppend(&members, "ivec4 ", LoopsOf(at), "; ivec4 ",
                      StridesOf(at), "; ");
      const MovedRead& r = step.read;
      d->uniforms.Int4(LoopsOf(at), r.offset, r.sizes[1], r.sizes[2],
                       r.sizes[3]);
      d->uniforms.Int4(StridesOf(at), r.strides);
    }
  }
  d->Define("MOVE_PARAMS", members);
}

// Defines MOVE_PARAMS, with their uniforms, and MOVED_PARTS for the shader's
// moved_value(). Binds the inputs.
void DefineMovedValue(const MovedFunctionsAttributes& a,
                      absl::Span<const TensorId> inputs, Dispatch* d) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    d->Read(InputName(static_cast<int>(i)), inputs[i]);
  }
  AddMoveParams(a, d);
  std::string parts;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    absl::StrAppend(&parts, PartText(a, static_cast<int>(i)));
  }
  d->Define("MOVED_PARTS", parts);
}

}  // namespace

absl::Status PlanMovedFunctions(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("moved_functions", node, *planner, {});
  DefineMovedValue(node.Get<MovedFunctionsAttributes>(), node.inputs, &d);
  return planner->Add(std::move(d));
}

// --- DYNAMIC_UPDATE_SLICE ----------------------------------------------------

absl::StatusOr<ParsedNode> ParseDynamicUpdateSlice(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& update = *node.inputs[1];
  const int rank = static_cast<int>(input.dims.size());
  for (const Tensor* t : {&update, node.outputs[0]}) {
    RETURN_IF_ERROR(CheckOneQuantization(input, *t));
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], input.dims));
  bool fits = update.dims.size() == input.dims.size();
  for (int i = 0; fits && i < rank; ++i) {
    fits = update.dims[i] <= input.dims[i];
  }
  if (!fits) {
    return Invalid("an update of ", DimsString(update.dims),
                   " does not fit into ", DimsString(input.dims));
  }
  UpdateSlice slice;
  slice.extents = ExtentsOf(input);
  slice.box = ExtentsOf(update);
  for (int i = 0; i < rank; ++i) slice.which[BhwcAxis(i, rank)] = i;
  return ParsedNode{slice};
}

namespace {

// The most slices that have channels of the update, wherever it begins.
int TouchedSlices(const Shape& update, const Shape& dst) {
  return std::min(dst.slices(), (update.c + 2) / 4 + 1);
}

// How much of `dst` a dispatch for an update of shape `update` writes.
Shape WrittenPart(const UpdateSlice& a, const Shape& update, const Shape& dst) {
  if (!a.in_place) return dst;
  Shape part = update;
  if (!a.CoversChannels()) part.c = 4 * TouchedSlices(update, dst);
  return part;
}

}  // namespace

absl::Status PlanDynamicUpdateSlice(const Node& node, Planner* planner) {
  const auto& a = node.Get<UpdateSlice>();
  ASSIGN_OR_RETURN(auto start, IndicesAsInt32(planner, node.inputs[2]));
  const Shape& dst = planner->shape(node.outputs[0]);
  const Shape update =
      a.moved == nullptr ? planner->shape(node.inputs[1]) : a.moved_shape;
  Dispatch d("dynamic_update_slice");
  if (!a.in_place || !a.CoversChannels()) d.Read("src", node.inputs[0]);
  d.Read("start", start).Write("dst", node.outputs[0]);
  BindAxes("which", a.which, &d);
  d.uniforms.Int4("outer", a.which[kOuterAxis], a.extents[kBatchAxis],
                  a.box[kBatchAxis], TouchedSlices(update, dst));
  if (a.moved == nullptr) {
    d.Read("update", node.inputs[1]);
  } else {
    d.Define("MOVED");
    d.uniforms.Int4("moved_size", update.w, update.h, update.slices(),
                    update.b);
    d.uniforms.Int4("moved_channels", update.c, 0, 0, 0);
    DefineMovedValue(*a.moved, absl::MakeSpan(node.inputs).subspan(3), &d);
  }
  if (a.in_place) d.Define(a.CoversChannels() ? "IN_PLACE" : "PARTS_IN_PLACE");
  d.OverTexels(WrittenPart(a, update, dst));
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
