// The delegate's own picture of a model: tensors, nodes, constants. No TfLite
// type and no GL type lives past here, so passes and plans are plain functions
// of plain data.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_

#include <any>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quant/half.h"

namespace gles_delegate {

enum class DataType {
  kFloat32,
  kFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBool,
  kOther,  // what no op here takes
};
absl::string_view DataTypeName(DataType type);
// Bytes an element; 0 for kOther.
size_t DataTypeSize(DataType type);

// A tensor as the GPU holds it: batch, height, width, channels, whatever the
// rank was. Rank 4 is [B,H,W,C]; lower ranks keep batch first and channels
// last:
// [] -> 1,1,1,1; [C] -> 1,1,1,C; [B,C] -> B,1,1,C; [B,W,C] -> B,1,W,C. Higher
// ranks fold their leading axes into B: [A,B,H,W,C] -> A*B,H,W,C.
//
// Extents and their product fit 31 bits: CheckDims() is asked before a tensor
// is accepted, and FromDims() gives dims that it refuses no elements.
struct Shape {
  int b = 1;
  int h = 1;
  int w = 1;
  int c = 1;

  static Shape FromDims(absl::Span<const int> dims);
  // Texels of four channels that one pixel takes.
  int slices() const { return c / 4 + (c % 4 != 0); }
  int64_t elements() const { return int64_t{b} * h * w * c; }
  std::string ToString() const;  // "1x224x224x3"
  bool operator==(const Shape& o) const {
    return b == o.b && h == o.h && w == o.w && c == o.c;
  }
  bool operator!=(const Shape& o) const { return !(*this == o); }
};

// Whether a tensor may have these dims: at most 32 axes, no negative extent,
// and no more than 2^31 - 1 elements, the products of leading axes included
// (shaders index with 32-bit integers). kInvalidArgument: which of these does
// not hold.
absl::Status CheckDims(absl::Span<const int> dims);

// An extent or an index for each of B, H, W and C, and of the axis before the
// batch, which tensors of rank 5 have: [A,B,H,W,C], where Shape::b is A*B.
using AxisArray = std::array<int, 5>;
constexpr int kBatchAxis = 0;
constexpr int kHeightAxis = 1;
constexpr int kWidthAxis = 2;
constexpr int kChannelAxis = 3;
constexpr int kOuterAxis = 4;

// Where in an AxisArray axis `axis` of a tensor of `rank` <= 5 lies. Negative
// axes count from the end.
int BhwcAxis(int axis, int rank);

// real = scale * (code - zero_point); one pair, or one per index of
// `dimension` (constants only).
struct Quantization {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int dimension = 0;
  bool empty() const { return scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
};

// The bytes of a constant, borrowed from the runtime's mapped model file or
// owned. Cheap to copy.
class ConstantData {
 public:
  ConstantData() = default;
  static ConstantData Borrow(absl::Span<const uint8_t> bytes);
  static ConstantData Own(std::vector<uint8_t> bytes);
  bool empty() const { return bytes_.empty(); }
  absl::Span<const uint8_t> bytes() const { return bytes_; }

 private:
  absl::Span<const uint8_t> bytes_;
  std::shared_ptr<const std::vector<uint8_t>> owned_;
};

// How a sparse constant is stored, as TFLite's TfLiteSparsity has it; DENSIFY
// makes it dense.
struct Sparsity {
  struct Dimension {
    bool csr = false;           // else dense
    int dense_size = 0;         // of a dense dimension
    std::vector<int> segments;  // of a CSR one
    std::vector<int> indices;
  };
  std::vector<int> traversal_order;
  std::vector<int> block_map;
  std::vector<Dimension> dimensions;  // in traversal order
  bool empty() const { return dimensions.empty(); }
};

using TensorId = int;
constexpr TensorId kNoTensor = -1;

// A tensor that is a box of another's memory: what makes it writes there, so
// that a concatenation needs no copy (delegate/passes/concat_in_place.h).
struct MemoryView {
  TensorId of = kNoTensor;
  // Where in B, H, W, C of that tensor it begins; the channel is a multiple of
  // four.
  std::array<int, 4> at = {};
};

struct Tensor {
  std::string name;
  // What the ops see. A quantized tensor in its float view is kFloat32 here.
  DataType type = DataType::kFloat32;
  // What the runtime's memory holds where that is not `type`: the codes of a
  // quantized tensor in its float view (delegate/graph/float_view.h).
  DataType codes = DataType::kOther;
  // What the runtime's memory holds where the values are those of `type` in
  // another type: int64 and 8- and 16-bit integers without quantization as
  // int32, float16 as float32 (delegate/tflite/host_view.h). kOther: `type`.
  DataType host = DataType::kOther;
  std::vector<int> dims;  // TFLite's, whatever rank
  Shape shape;            // FromDims(dims)
  Quantization quantization;
  ConstantData constant;  // empty: computed at run time
  Sparsity sparsity;      // of a sparse constant
  MemoryView view;        // of kNoTensor: memory of its own
  bool is_variable = false;
  // An 8-bit float view that the GPU stores as its codes, a byte each. Every
  // value written must be on a code.
  bool holds_codes = false;
  // Floats that are stored in 32 bits even where others are in 16.
  bool always_float32 = false;
  int tflite_index = -1;  // -1: made by a pass or an op

  bool is_constant() const { return !constant.empty(); }
  bool is_float_view() const { return codes != DataType::kOther; }
  // The type of the bytes that the runtime holds.
  DataType stored() const {
    if (is_float_view()) return codes;
    return is_host_view() ? host : type;
  }
  bool is_host_view() const { return host != DataType::kOther; }
  std::string ToString() const;  // "'conv1' float32[1,112,112,32]"
};

// B, H, W, C and outer extents of a tensor of rank <= 5.
AxisArray ExtentsOf(const Tensor& tensor);

// The constant's values as floats: float16 widened, integers dequantized where
// the tensor carries quantization and converted where it does not, bool as 0/1.
// In the tensor's own element order. kInvalidArgument: not constant, a type
// that has no float view, or fewer bytes than the shape needs.
absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor);
// Likewise for int32, int64 and bool constants (shapes, axes, conditions),
// exactly.
absl::StatusOr<std::vector<int>> ConstantInts(const Tensor& tensor);

// An elementwise function applied to a value on its way to memory. Any op whose
// shader writes through write_dst() takes them; elementwise nodes are nothing
// else. The GLSL is op_<function>() of gl_shaders/lib/elementwise.glsl.
struct PostOp {
  std::string function;              // "clamp", "add", "prelu", ...
  std::array<float, 4> params = {};  // the function's constants
  TensorId operand = kNoTensor;      // second argument, broadcast to the output
  bool operand_first = false;        // f(operand, x) rather than f(x, operand)
  bool operand_zero_extend = false;  // its missing channels are 0, no broadcast
  // The operand is a table of two pixels, whatever the place: f(x, first,
  // second), each the four values of x's channels.
  bool operand_table = false;
  // The operand is a table of codes, of 256 pixels of one channel (table[f(x)])
  // or of 128 x 128 pixels of four (65,536 codes, or a table of two codes).
  bool operand_lookup = false;
};

struct OpDefinition;  // delegate/graph/op.h

struct Node {
  const OpDefinition* op = nullptr;
  int tflite_index = -1;         // in the model's execution plan, for messages
  std::vector<TensorId> inputs;  // kNoTensor: an optional input that is absent
  std::vector<TensorId> outputs;
  std::any attributes;           // the op's own struct
  std::vector<PostOp> post_ops;  // applied to outputs[0], in order
  // Reads and writes tensors that hold codes as (code - zero point), not as the
  // real values that these stand for (delegate/passes/compute_on_codes.h).
  bool on_codes = false;
  // What it writes, and the tensors between its own dispatches, are stored in
  // 32 bits even where others are in 16 (option float32_nodes).
  bool always_float32 = false;
};

struct Graph {
  std::deque<Tensor> tensors;  // a deque: references outlive AddTensor()
  std::vector<Node> nodes;     // in execution order
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;

  const Tensor& tensor(TensorId id) const { return tensors[id]; }
  Tensor& tensor(TensorId id) { return tensors[id]; }
  TensorId AddTensor(Tensor tensor) {
    tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(tensors.size()) - 1;
  }
};

// Who makes and who takes each tensor; built once by a pass that needs it, in
// time linear in the graph.
struct Uses {
  explicit Uses(const Graph& graph);
  std::vector<int> producer;  // node index, -1: none
  std::vector<std::vector<int>>
      consumers;                // node indices, inputs and post-op operands
  std::vector<bool> is_output;  // of the graph
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_
