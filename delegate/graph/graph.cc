#include "delegate/graph/graph.h"

#include <iterator>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

struct TypeInfo {
  absl::string_view name;
  size_t bytes = 0;
};

// By DataType.
constexpr TypeInfo kTypes[] = {
    {"float32", 4}, {"float16", 2},  {"int64", 8}, {"int32", 4},
    {"int16", 2},   {"int8", 1},     {"uint8", 1}, {"bool", 1},
    {"float64", 8}, {"uint16", 2},   {"uint32"},   {"uint64"},
    {"int4"},       {"int2"},        {"uint4"},    {"bfloat16"},
    {"complex64"},  {"complex128"},  {"string"},   {"resource"},
    {"variant"},    {"unknown type"}};
static_assert(std::size(kTypes) == static_cast<size_t>(DataType::kOther) + 1);

}  // namespace

absl::string_view DataTypeName(DataType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

size_t DataTypeSize(DataType type) {
  return kTypes[static_cast<size_t>(type)].bytes;
}

absl::Status CheckDims(absl::Span<const int> dims) {
  constexpr size_t kMaxAxes = 32;
  constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max();
  const auto refuse = [&dims](auto... why) {
    return Invalid("the shape [", absl::StrJoin(dims, ","), "] has ", why...);
  };
  if (dims.size() > kMaxAxes) {
    return Invalid("a shape has ", dims.size(), " axes, of at most ", kMaxAxes);
  }
  int64_t elements = 1;
  for (int extent : dims) {
    if (extent < 0) return refuse("a negative extent");
    // Below 2^31 * 2^31.
    elements *= extent;
    if (elements > kMaxElements) {
      return refuse("more than ", kMaxElements, " elements");
    }
  }
  return absl::OkStatus();
}

Shape Shape::FromDims(absl::Span<const int> dims) {
  if (!CheckDims(dims).ok()) return {0, 0, 0, 0};
  Shape s;
  const int rank = static_cast<int>(dims.size());
  if (rank >= 1) s.c = dims[rank - 1];
  if (rank == 2) s.b = dims[0];
  if (rank >= 3) s.w = dims[rank - 2];
  if (rank == 3) s.b = dims[0];
  if (rank >= 4) {
    s.h = dims[rank - 3];
    for (int i = 0; i < rank - 3; ++i) s.b *= dims[i];
  }
  return s;
}

std::string Shape::ToString() const {
  return absl::StrCat(b, "x", h, "x", w, "x", c);
}

int BhwcAxis(int axis, int rank) {
  if (axis < 0) axis += rank;
  switch (rank) {
    case 1:
      return 3;
    case 2:
      return axis == 0 ? 0 : 3;
    case 3:
      return axis == 0 ? 0 : axis + 1;
    case 5:
      return axis == 0 ? kOuterAxis : axis - 1;
    default:
      return axis;
  }
}

AxisArray ExtentsOf(const Tensor& tensor, int outer) {
  const Shape& s = tensor.shape;
  if (outer == 0) outer = tensor.dims.size() == 5 ? tensor.dims[0] : 1;
  return {outer == 0 ? 0 : s.b / outer, s.h, s.w, s.c, outer};
}

ConstantData ConstantData::Borrow(absl::Span<const uint8_t> bytes) {
  ConstantData data;
  data.bytes_ = bytes;
  return data;
}

ConstantData ConstantData::Own(std::vector<uint8_t> bytes) {
  ConstantData data;
  data.owned_ = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  data.bytes_ = *data.owned_;
  return data;
}

MemoryView::Kind Tensor::addressed_as() const {
  // Slices from the first one on, in one batch.
  const bool is_alike =
      view.slices != 0 && view.at[kChannelAxis] == 0 && shape.b == 1;
  return view.of == kNoTensor || is_alike ? MemoryView::Kind::kNone : view.kind;
}

std::string Tensor::TypeText() const {
  return absl::StrCat(DataTypeName(is_host_view() ? host : type), "[",
                      absl::StrJoin(dims, ","), "]");
}

std::string Tensor::ToString() const {
  return absl::StrCat("'", PrintableName(name), "' ", TypeText());
}

bool Quantization::has_zero_point() const {
  return absl::c_any_of(zero_point, [](int64_t zero) { return zero != 0; });
}

bool SameQuantized(const Tensor& a, const Tensor& b) {
  return a.quantized == b.quantized &&
         a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

namespace {

void AddOperands(const std::vector<PostOp>& ops, std::vector<TensorId>* ids) {
  for (const PostOp& op : ops) {
    if (op.operand != kNoTensor) ids->push_back(op.operand);
  }
}

}  // namespace

std::vector<TensorId> OperandsOf(const std::vector<Stage>& stages) {
  std::vector<TensorId> ids;
  for (const Stage& stage : stages) AddOperands(stage.ops, &ids);
  return ids;
}

std::vector<TensorId> OperandsOf(const Node& node) {
  std::vector<TensorId> ids = OperandsOf(node.stages);
  AddOperands(node.post_ops, &ids);
  return ids;
}

std::string NameOf(const Node& node) {
  std::string name(node.op->name);
  for (const Stage& stage : node.stages) {
    if (stage.op == nullptr) continue;
    name = stage.follows ? absl::StrCat(name, "+", stage.op->name)
                         : absl::StrCat(stage.op->name, "+", name);
  }
  return name;
}

Uses::Uses(const Graph& graph)
    : producer(graph.tensors.size(), -1),
      consumers(graph.tensors.size()),
      is_output(graph.tensors.size(), false) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (TensorId id : node.outputs) {
      if (id != kNoTensor) producer[id] = static_cast<int>(n);
    }
    for (TensorId id : node.inputs) {
      if (id != kNoTensor) consumers[id].push_back(static_cast<int>(n));
    }
    for (TensorId id : OperandsOf(node)) {
      consumers[id].push_back(static_cast<int>(n));
    }
  }
  for (TensorId id : graph.outputs) is_output[id] = true;
}

}  // namespace gles_delegate
