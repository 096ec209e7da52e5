// The delegate's model representation: tensors, nodes, constants. It has no
// types of TFLite or GL, so that passes and plans are plain functions of plain
// data.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_

#include <any>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gl_shaders/shader.h"
#include "quant/half.h"

namespace gles_delegate {

// Ids of tensors, and tensors in the memory of others.

using TensorId = int;
constexpr TensorId kNoTensor = -1;

// A tensor stored in another tensor's memory.
struct MemoryView {
  // Producers write kBox, a part of a concatenation, and kRows, which no node
  // reads. No node writes the others, nor a kBox with `slices`
  // (delegate/passes/views.cc).
  using Kind = gl_shaders::View;
  TensorId of = kNoTensor;  // the other tensor
  Kind kind = Kind::kBox;
  // The origin of the box or row in B, H, W, C of the other tensor. The channel
  // is a multiple of four; for kRows it is 0.
  std::array<int, 4> at = {};
  // Of a kBox: 0, or its slices in a batch if its batches follow one another
  // through all batches of the other tensor (delegate/passes/views.cc).
  int slices = 0;
  int block = 1;      // of kDepthToSpace
  float scale_x = 1;  // of kBilinear: source pixels a pixel
  float scale_y = 1;
  float shift = 0;  // of kBilinear: 0.5 where pixels are at their centers
  // For kMaxPool, along x and y: the stride, and the window's size, 1 or 2.
  // Pixels past the source's edge are not part of a window.
  std::array<int, 2> step = {1, 1};
  std::array<int, 2> window = {1, 1};

  // True if a node writes the tensor there; otherwise it is only read.
  bool IsWritten() const {
    return (kind == Kind::kBox && slices == 0) || kind == Kind::kRows;
  }
  std::string ToString() const;  // " in t3 at 0,0,0,16"; "": not a view
};

enum class DataType {  // as DataTypeName() has them
  kFloat32,
  kFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBool,
  kFloat64,  // of CAST alone, as kUint16
  kUint16,
  // Types that no op of the delegate takes.
  kUint32,
  kUint64,
  kInt4,
  kInt2,
  kUint4,
  kBfloat16,
  kComplex64,
  kComplex128,
  kString,
  kResource,
  kVariant,
  kOther,  // one unknown here
};
absl::string_view DataTypeName(DataType type);
// Bytes per element; 0 for types that no op takes.
size_t DataTypeSize(DataType type);

// The extents of a tensor on the GPU: batch, height, width, channels, for any
// TFLite rank. Rank 4 is [B,H,W,C]; lower ranks keep batch first and channels
// last: [] -> 1,1,1,1; [C] -> 1,1,1,C; [B,C] -> B,1,1,C; [B,W,C] -> B,1,W,C.
// Higher ranks fold their leading axes into B: [A,B,H,W,C] -> A*B,H,W,C.
//
// Each extent and their product fit 31 bits, since tensors must pass
// CheckDims(). FromDims() of invalid dims gives an empty shape.
struct Shape {
  int b = 1;
  int h = 1;
  int w = 1;
  int c = 1;

  static Shape FromDims(absl::Span<const int> dims);
  // Texels for the channels of one pixel.
  int slices() const { return c / 4 + (c % 4 != 0); }
  int64_t elements() const { return int64_t{b} * h * w * c; }
  std::vector<int> dims() const { return {b, h, w, c}; }
  std::string ToString() const;  // "1x224x224x3"
  bool operator==(const Shape& o) const {
    return b == o.b && h == o.h && w == o.w && c == o.c;
  }
  bool operator!=(const Shape& o) const { return !(*this == o); }
};

// Ok if a tensor may have these dims: at most 32 axes, no negative extent, and
// at most 2^31 - 1 elements, also for the leading axes alone, since shaders
// index with 32-bit integers. kInvalidArgument, with the rule that fails.
absl::Status CheckDims(absl::Span<const int> dims);

// One value (an extent, an index) per axis: B, H, W, C, and the outer axis A,
// which tensors of rank 5 have before the batch: [A,B,H,W,C]. Their Shape::b is
// A*B.
using AxisArray = std::array<int, 5>;
constexpr int kBatchAxis = 0;
constexpr int kHeightAxis = 1;
constexpr int kWidthAxis = 2;
constexpr int kChannelAxis = 3;
constexpr int kOuterAxis = 4;

// The index into an AxisArray for axis `axis` of a tensor of `rank` <= 5.
// Negative axes count from the end.
int BhwcAxis(int axis, int rank);

// Quantization parameters: real = scale * (quantized - zero_point), with one
// pair for the whole tensor or, in constants only, one for each index of
// `dimension` or one scale for each `block` values.
struct Quantization {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int dimension = 0;
  int block = 0;             // values with the same scale; 0: no blocks
  bool half_scales = false;  // the scales are normal 16-bit floats
  int bits = 8;              // of an int8 constant's values: 8, 4 or 2
  bool is_unknown = false;   // of a kind that has no float view
  bool empty() const { return scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
  bool has_zero_point() const;  // other than 0
};

// A constant's bytes: borrowed from the model file, which the runtime keeps
// mapped, or owned by all copies together. Cheap to copy.
class ConstantData {
 public:
  ConstantData() = default;
  static ConstantData Borrow(absl::Span<const uint8_t> bytes);
  static ConstantData Own(std::vector<uint8_t> bytes);
  // Owns a copy of the values.
  template <typename T>
  static ConstantData Of(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    return Own({bytes, bytes + values.size() * sizeof(T)});
  }
  bool empty() const { return bytes_.empty(); }
  // True for a constant of the model file, which XNNPACK takes as one, too.
  bool is_borrowed() const { return !empty() && owned_ == nullptr; }
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // Whether other subgraphs of the model have it, too: then it is packed in the
  // layout that most shaders read, so that it is on the GPU once.
  bool is_in_other_subgraphs() const { return is_in_other_subgraphs_; }
  void SetInOtherSubgraphs(bool is) { is_in_other_subgraphs_ = is; }

 private:
  bool is_in_other_subgraphs_ = false;
  absl::Span<const uint8_t> bytes_;
  std::shared_ptr<const std::vector<uint8_t>> owned_;
};

// The storage of a sparse constant, with the members of TFLite's
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

struct Tensor {
  std::string name;
  // The type that ops see: kFloat32 for a quantized tensor's float view.
  DataType type = DataType::kFloat32;
  // The quantized type in the runtime's memory, for a float view
  // (delegate/graph/float_view.h). kOther: not a float view.
  DataType quantized = DataType::kOther;
  // The type in the runtime's memory if ops see the same values in another
  // type: int64, and 8- and 16-bit integers without quantization, as int32;
  // float16 as float32 (delegate/tflite/reader.h). kOther: ops see the
  // runtime's type.
  DataType host = DataType::kOther;
  // Of int64 that the ops see as int32: a value past int32 that comes from the
  // runtime fails Invoke.
  bool must_fit = false;
  std::vector<int> dims;  // TFLite's, whatever rank
  Shape shape;            // FromDims(dims)
  Quantization quantization;
  ConstantData constant;  // empty: computed at run time
  Sparsity sparsity;      // of a sparse constant
  MemoryView view;        // view.of is kNoTensor: memory of its own
  // The runtime's complex64: here float32 of twice as many channels, real and
  // imaginary parts in turn, which are the same bytes.
  bool is_complex = false;
  bool is_variable = false;  // keeps its values from one Invoke to the next
  // The GPU stores this 8-bit float view as quantized values, one byte each.
  // Only representable values may be written.
  bool holds_quantized = false;
  // Floats are stored in 32 bits, even with 16-bit storage.
  bool always_float32 = false;
  // Not 0: a step of a loop ends here, and the next has this number of nodes.
  // Passes fuse whole steps or none, so that all steps have the same programs.
  size_t nodes_of_step = 0;
  // -1: made by a pass or an op. Past the model's tensors: a composite's.
  int tflite_index = -1;
  // The tensor of the same values that has taken this one's place in the graph
  // (delegate/passes/sink_reshapes.cc).
  TensorId replaced_by = kNoTensor;

  bool is_constant() const { return !constant.empty(); }
  bool is_float_view() const { return quantized != DataType::kOther; }
  // The type in the runtime's memory.
  DataType stored() const {
    return is_float_view() ? quantized : is_host_view() ? host : type;
  }
  bool is_host_view() const { return host != DataType::kOther; }
  void SetDims(std::vector<int> new_dims) {
    dims = std::move(new_dims);
    shape = Shape::FromDims(dims);
  }
  // How shaders address it.
  MemoryView::Kind addressed_as() const;
  std::string TypeText() const;  // "float32[1,112,112,32]"
  std::string ToString() const;  // "'conv1' float32[1,112,112,32]"
};

// True if equal quantized values mean the same in both tensors: equal type,
// scale and zero point.
bool SameQuantized(const Tensor& a, const Tensor& b);

// The extents of B, H, W, C and the outer axis, of a tensor of rank <= 5, or of
// one whose batch consists of `outer` groups.
AxisArray ExtentsOf(const Tensor& tensor, int outer = 0);

using gl_shaders::OperandAs;
using gl_shaders::PostOp;

struct OpDefinition;  // delegate/graph/op.h

// Functions that a node's shaders apply, in order, to a value other than the
// one that they store: what a convolution reads, say. The shaders call them as
// <name>(x, y, slice, batch, v) (gl_shaders/shader.h).
// Their names are constants of delegate/ops/dispatches.h.
struct Stage : gl_shaders::StageFunctions {
  // In a dispatch: the tensor whose values they are functions of, if operands
  // have its shape or are [1,1,1,C]. kNoTensor: operands are broadcast.
  TensorId of = kNoTensor;
  // Of a node: the op whose results they are functions of, if the stage
  // computes one as well, and that op's own struct.
  const OpDefinition* op = nullptr;
  std::any attributes = {};
  // The op's weights among the node's inputs; its bias follows.
  size_t weights = 0;
  // The op takes the node's results. False: the node takes the op's.
  bool follows = false;
};

struct Node {
  const OpDefinition* op = nullptr;
  int tflite_index = -1;         // in the model's execution plan, for messages
  std::vector<TensorId> inputs;  // kNoTensor: an optional input that is absent
  std::vector<TensorId> outputs;
  std::any attributes;           // the op's own struct
  std::vector<PostOp> post_ops;  // applied to outputs[0], in order
  std::vector<Stage> stages;     // only of what passes fuse
  // The node reads and writes quantized tensors as (quantized value - zero
  // point) instead of real values (delegate/passes/integer_path/recipe.h).
  bool integer_path = false;
  // The node's outputs, and tensors between its dispatches, are stored in 32
  // bits even with 16-bit storage (option float32_nodes).
  bool always_float32 = false;

  static Node Of(const OpDefinition* op, std::vector<TensorId> inputs,
                 std::vector<TensorId> outputs, std::any attributes = {}) {
    Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.attributes = std::move(attributes);
    return node;
  }

  // The attributes of this type; nullptr if they are of another.
  template <typename T>
  const T* As() const {
    return std::any_cast<T>(&attributes);
  }
  template <typename T>
  T* As() {
    return std::any_cast<T>(&attributes);
  }
  // Those of a node that has them.
  template <typename T>
  const T& Get() const {
    return std::any_cast<const T&>(attributes);
  }
  template <typename T>
  T& Get() {
    return std::any_cast<T&>(attributes);
  }
};

// The tensors that functions read, each as often as they do: those of stages,
// and of a node's post-ops and stages.
std::vector<TensorId> OperandsOf(const std::vector<Stage>& stages);
std::vector<TensorId> OperandsOf(const Node& node);

// Tensors by id. References outlive push_back(). A move does not allocate: one
// of a std::deque does, and ends a process whose memory has ended, since moves
// of absl::StatusOr may not throw.
class TensorList {
 public:
  TensorList() = default;
  TensorList(TensorList&&) noexcept = default;
  TensorList& operator=(TensorList&&) noexcept = default;
  TensorList(const TensorList& other) {
    for (const Tensor& tensor : other) push_back(tensor);
  }
  TensorList& operator=(const TensorList& other) {
    return *this = TensorList(other);
  }

  size_t size() const { return tensors_.size(); }
  Tensor& operator[](size_t id) { return *tensors_[id]; }
  const Tensor& operator[](size_t id) const { return *tensors_[id]; }
  void push_back(Tensor tensor) {
    tensors_.push_back(std::make_unique<Tensor>(std::move(tensor)));
  }

  template <typename T>
  struct Iterator {
    const std::unique_ptr<Tensor>* at;
    T& operator*() const { return **at; }
    void operator++() { ++at; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator<Tensor> begin() { return {tensors_.data()}; }
  Iterator<Tensor> end() { return {tensors_.data() + size()}; }
  Iterator<const Tensor> begin() const { return {tensors_.data()}; }
  Iterator<const Tensor> end() const { return {tensors_.data() + size()}; }

 private:
  std::vector<std::unique_ptr<Tensor>> tensors_;
};

struct Graph {
  TensorList tensors;
  std::vector<Node> nodes;  // in execution order
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::map<int, std::string> composites;  // their names, by tflite_index
  // Why nodes are in 32 bits although floats are stored in 16, by tflite_index.
  std::map<int, const char*> float32_reasons;

  const Tensor& tensor(TensorId id) const { return tensors[id]; }
  Tensor& tensor(TensorId id) { return tensors[id]; }
  TensorId AddTensor(Tensor tensor) {
    tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(tensors.size()) - 1;
  }
};

// Producers and consumers of each tensor, by TensorId. Takes linear time.
struct Uses {
  explicit Uses(const Graph& graph);
  std::vector<int> producer;  // index of the node that writes it; -1: none
  // Indices of the nodes that read it, as inputs or as operands.
  std::vector<std::vector<int>> consumers;
  std::vector<bool> is_output;  // of the graph
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_H_
