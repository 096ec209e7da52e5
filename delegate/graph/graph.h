// The delegate's own picture of a model: tensors, nodes, constants. It holds no
// type of TFLite and none of GL, so passes and plans are plain functions of
// plain data.
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
  kOther,  // a type that no op of the delegate takes
};
absl::string_view DataTypeName(DataType type);
// Bytes an element; 0 for kOther.
size_t DataTypeSize(DataType type);

// The extents of a tensor as the GPU holds it: batch, height, width, channels,
// whatever rank TFLite gives the tensor. Rank 4 is [B,H,W,C]; lower ranks keep
// batch first and channels last:
// [] -> 1,1,1,1; [C] -> 1,1,1,C; [B,C] -> B,1,1,C; [B,W,C] -> B,1,W,C. Higher
// ranks fold their leading axes into B: [A,B,H,W,C] -> A*B,H,W,C.
//
// Each extent and the product of all fit 31 bits, as a tensor is accepted only
// where CheckDims() accepts its dims. FromDims() of dims that CheckDims()
// refuses is a shape of no elements.
struct Shape {
  int b = 1;
  int h = 1;
  int w = 1;
  int c = 1;

  static Shape FromDims(absl::Span<const int> dims);
  // The texels that hold the channels of one pixel.
  int slices() const { return c / 4 + (c % 4 != 0); }
  int64_t elements() const { return int64_t{b} * h * w * c; }
  std::string ToString() const;  // "1x224x224x3"
  bool operator==(const Shape& o) const {
    return b == o.b && h == o.h && w == o.w && c == o.c;
  }
  bool operator!=(const Shape& o) const { return !(*this == o); }
};

// Ok where a tensor may have these dims: at most 32 axes, no negative extent,
// and at most 2^31 - 1 elements, as shaders index with 32-bit integers. The
// leading axes alone must keep that limit, too. kInvalidArgument: a rule does
// not hold; the message says which.
absl::Status CheckDims(absl::Span<const int> dims);

// One value (an extent, an index) for each axis: B, H, W, C, and the outer axis
// A, which a tensor of rank 5 has before its batch: [A,B,H,W,C]. The Shape::b
// of such a tensor is A*B.
using AxisArray = std::array<int, 5>;
constexpr int kBatchAxis = 0;
constexpr int kHeightAxis = 1;
constexpr int kWidthAxis = 2;
constexpr int kChannelAxis = 3;
constexpr int kOuterAxis = 4;

// The index into an AxisArray of axis `axis` of a tensor of `rank` <= 5. A
// negative axis counts from the end.
int BhwcAxis(int axis, int rank);

// What codes stand for: real = scale * (code - zero_point). There is one scale
// and zero point for the whole tensor or, in constants only, one for each index
// of `dimension`.
struct Quantization {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int dimension = 0;
  bool empty() const { return scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
};

// The bytes of a constant: borrowed from the model file, which the runtime
// keeps mapped, or owned by all copies together. Cheap to copy.
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

// How a sparse constant is stored. The members are those of TFLite's
// TfLiteSparsity. DENSIFY makes the constant dense.
struct Sparsity {
  struct Dimension {
    bool csr = false;           // compressed sparse rows; false: dense
    int dense_size = 0;         // of a dense dimension
    std::vector<int> segments;  // of a CSR dimension
    std::vector<int> indices;   // of a CSR dimension
  };
  std::vector<int> traversal_order;
  std::vector<int> block_map;
  std::vector<Dimension> dimensions;  // in traversal order
  bool empty() const { return dimensions.empty(); }
};

using TensorId = int;
constexpr TensorId kNoTensor = -1;

// A tensor that has no memory of its own, but lies in that of another tensor.
struct MemoryView {
  enum class Kind {
    // A box of the other tensor. The node that makes the tensor writes it
    // there, so that a concatenation needs no copy
    // (delegate/passes/concat_in_place.h).
    kBox,
    // Rows of pixels of the other tensor, which RESHAPE makes of the tensor's
    // own pixels: each pixel's slices are the slices of one pixel of the other
    // tensor after another, and pixels follow pixels. The node that makes the
    // tensor writes it there, and no node reads it
    // (delegate/passes/write_through.h).
    kRows,
    // What DEPTH_TO_SPACE makes of the other tensor, each texel one of its
    // texels; no node writes it (delegate/passes/read_through.h).
    kDepthToSpace,
    // What RESIZE_BILINEAR makes of the other tensor, likewise; a shader that
    // reads a texel interpolates it.
    kBilinear,
    // What MAX_POOL_2D makes of the other tensor, likewise, by windows of at
    // most 2x2 pixels; a shader that reads a texel takes the largest of four.
    kMaxPool,
  };
  TensorId of = kNoTensor;  // the other tensor
  Kind kind = Kind::kBox;
  // Where the box, or the first of the pixels in a row, begins in B, H, W, C of
  // the other tensor. The channel is a multiple of four; of kRows it is 0.
  std::array<int, 4> at = {};
  int block = 1;      // of kDepthToSpace
  float scale_x = 1;  // of kBilinear: source pixels a pixel
  float scale_y = 1;
  float shift = 0;  // of kBilinear: 0.5 where pixels are at their centers
  // Of kMaxPool, along x and y: source pixels from one window to the next, and
  // the pixels of a window, 1 or 2. What reaches past the source's last pixel
  // is no part of a window.
  std::array<int, 2> step = {1, 1};
  std::array<int, 2> window = {1, 1};

  // A node writes the tensor there. false: it is only read.
  bool IsWritten() const { return kind == Kind::kBox || kind == Kind::kRows; }
  std::string ToString() const;  // " in t3 at 0,0,0,16"; "": it is no view
};

struct Tensor {
  std::string name;
  // The type that ops see: kFloat32 for a quantized tensor in its float view.
  DataType type = DataType::kFloat32;
  // The type of the codes that the runtime's memory holds, for a quantized
  // tensor in its float view (delegate/graph/float_view.h). kOther: the tensor
  // is in no float view.
  DataType codes = DataType::kOther;
  // The type of the values that the runtime's memory holds, where the ops see
  // the same values in another type: int64, and 8- and 16-bit integers without
  // quantization, as int32; float16 as float32 (delegate/tflite/host_view.h).
  // kOther: the ops see the runtime's type.
  DataType host = DataType::kOther;
  std::vector<int> dims;  // TFLite's, whatever rank
  Shape shape;            // FromDims(dims)
  Quantization quantization;
  ConstantData constant;     // empty: computed at run time
  Sparsity sparsity;         // of a sparse constant
  MemoryView view;           // view.of is kNoTensor: memory of its own
  bool is_variable = false;  // keeps its values from one Invoke to the next
  // The GPU stores the tensor, a float view of 8 bits, as its codes, one byte
  // each. Every value that is written must be one that a code stands for.
  bool holds_codes = false;
  // The tensor's floats are stored in 32 bits, even where those of other
  // tensors are stored in 16.
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

// The extents of B, H, W, C and the outer axis, of a tensor of rank <= 5.
AxisArray ExtentsOf(const Tensor& tensor);

// The constant's values as floats, in the tensor's own element order. float16
// is widened; integers are dequantized where the tensor has quantization
// parameters, and converted where it has none; bools are 0 and 1.
// kInvalidArgument: the tensor is not constant, its type has no float view, or
// its bytes are fewer than its shape needs.
absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor);
// The values of an int32, int64 or bool constant (a shape, axes, a condition),
// exactly. kInvalidArgument: likewise, another type, or a value past 32 bits.
absl::StatusOr<std::vector<int>> ConstantInts(const Tensor& tensor);

// An elementwise function that is applied to a value on its way to memory.
// Every op whose shader writes through write_dst() takes post-ops; an
// elementwise node is a copy with post-ops. The function's GLSL is
// op_<function>() of gl_shaders/lib/.
struct PostOp {
  std::string function;              // "clamp", "add", "prelu", ...
  std::array<float, 4> params = {};  // the function's constants
  TensorId operand = kNoTensor;      // second argument, broadcast to the output
  bool operand_first = false;        // f(operand, x) rather than f(x, operand)
  // Channels that the operand lacks are 0. false: the operand is broadcast.
  bool operand_zero_extend = false;
  // The operand is a table of two pixels, the same at every place. The function
  // is f(x, first, second), of the two pixels' values for x's four channels.
  bool operand_table = false;
  // The operand is a table of codes, from which f(x) picks one: 256 pixels of
  // one channel, or 128 x 128 pixels of four channels (65,536 codes: of one
  // 16-bit code, or of a pair of 8-bit codes).
  bool operand_lookup = false;
  // The operand is a view of kMaxPool. A program that may skip the function
  // reads whatever is bound in the operand's place so.
  bool operand_max_pool = false;
};

struct OpDefinition;  // delegate/graph/op.h

struct Node {
  const OpDefinition* op = nullptr;
  int tflite_index = -1;         // in the model's execution plan, for messages
  std::vector<TensorId> inputs;  // kNoTensor: an optional input that is absent
  std::vector<TensorId> outputs;
  std::any attributes;           // the op's own struct
  std::vector<PostOp> post_ops;  // applied to outputs[0], in order
  // The node reads and writes its tensors that hold codes as (code - zero
  // point), not as the real values that the codes stand for
  // (delegate/passes/compute_on_codes.h).
  bool on_codes = false;
  // What the node writes, and the tensors between its own dispatches, are
  // stored in 32 bits, even where other tensors are stored in 16 (option
  // float32_nodes).
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

// Which nodes write and read each tensor, by TensorId. A pass that needs it
// builds it once, in time linear in the graph.
struct Uses {
  explicit Uses(const Graph& graph);
  std::vector<int> producer;  // index of the node that writes it; -1: none
  // Indices of the nodes that read it, as an input or as a post-op's operand.
  std::vector<std::vector<int>> consumers;
  std::vector<bool> is_output;  // of the graph
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_
