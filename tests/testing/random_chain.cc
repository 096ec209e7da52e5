#include "tests/testing/random_chain.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "absl/strings/str_join.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ChainDims = ModelBuilder::Shape;

constexpr int kMaxOps = 8;
constexpr int kMaxElements = 4096;  // of a tensor

int ElementsOf(const ChainDims& dims) {
  int elements = 1;
  for (int d : dims) elements *= d;
  return elements;
}

// A tensor on the way.
struct ChainValue {
  int id = 0;
  ChainDims dims;  // of rank 4
  float most = 0;  // about the largest magnitude
  ModelQuantization q;
};

class ChainMaker {
 public:
  ChainMaker(uint32_t seed, ChainNumbers numbers)
      : random_(seed * 3 + static_cast<uint32_t>(numbers)), numbers_(numbers) {}

  RandomChain Make();

 private:
  using Link = void (ChainMaker::*)();

  bool IsFloat() const { return numbers_ == ChainNumbers::kFloat; }
  bool IsInt16() const { return numbers_ == ChainNumbers::kInt16; }
  int Below(int n) { return static_cast<int>(random_() % n); }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool OneIn(int n) { return Below(n) == 0; }
  float Uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(random_() >> 8) / (1 << 24);
  }
  // The version of an op for the chain's numbers.
  int Version(int of_floats, int of_quantized, int of_int16) const {
    return IsFloat() ? of_floats : IsInt16() ? of_int16 : of_quantized;
  }

  TensorType Type() const {
    return IsFloat()   ? TensorType::FLOAT32
           : IsInt16() ? TensorType::INT16
                       : TensorType::INT8;
  }
  ModelQuantization QuantizationFor(float most);
  ChainValue New(const ChainDims& dims, float most) {
    return New(dims, most, QuantizationFor(most));
  }
  ChainValue New(const ChainDims& dims, float most,
                 const ModelQuantization& q) {
    const ChainValue v = {0, dims, most, q};
    ChainValue made = v;
    made.id =
        b_.AddTensor("t" + std::to_string(names_.size()), dims, Type(), q);
    return made;
  }
  int Constant(const ChainDims& dims, float most);
  int Ints(const std::vector<int32_t>& values, const ChainDims& dims) {
    return b_.AddConstant<int32_t>("ints", dims, values);
  }
  int Ints(const std::vector<int32_t>& values) {
    return Ints(values, {static_cast<int>(values.size())});
  }
  // The weights of `channels` outputs along `axis`, and their bias.
  std::pair<int, int> Weights(const ChainDims& dims, int axis, float most);

  template <typename Options>
  void Add(Op op, int version, const std::vector<int>& inputs,
           const ChainValue& y, Options options) {
    b_.AddOp(op, version, inputs, {y.id}, options);
    Added(op, y);
  }
  void Add(Op op, int version, const std::vector<int>& inputs,
           const ChainValue& y) {
    b_.AddOp(op, version, inputs, {y.id});
    Added(op, y);
  }
  void Added(Op op, const ChainValue& y) {
    names_.emplace_back(schema::EnumNameBuiltinOperator(op));
    earlier_.push_back(y);
    x_ = y;
  }
  Act Activation() {
    constexpr Act kActs[] = {Act::NONE, Act::NONE, Act::RELU, Act::RELU6};
    return kActs[Below(4)];
  }
  void Binary(Op op, int a, int b, const ChainValue& y);
  ChainValue Function(Op op);  // of x_, whose values it squashes
  ChainValue Mean(const std::vector<int32_t>& axes);
  void Convolve(int outputs, int kernel, Act activation);

  void Convolution() {
    Convolve(Between(1, 12), OneIn(2) ? 1 : 3, Activation());
  }
  void Pointwise() { Convolve(4 * Between(1, 4), 1, Activation()); }
  void Depthwise();
  void FullyConnected();
  void Normalization();
  void Residual();
  void ChannelScale();
  void Swish();
  void SquashedResidual();
  void Softmax();
  void MeanOf();
  void LayerNorm();
  void Reshape();
  void Transpose();
  void Pad();
  void Pool();
  void Concatenation();
  void Resize();
  void Slice();
  void Unary();
  void SpaceAndDepth();
  void BatchMatMul();

  std::mt19937 random_;
  const ChainNumbers numbers_;
  ModelBuilder b_;
  ChainValue x_;
  std::vector<ChainValue> earlier_;  // x_ the last
  std::vector<std::string> names_;
};

ModelQuantization ChainMaker::QuantizationFor(float most) {
  if (IsFloat()) return {};
  most *= Uniform(0.7f, 1.2f);
  if (IsInt16()) return ModelQuantization::PerTensor(most / 32768, 0);
  return ModelQuantization::PerTensor(most / 128, Between(-30, 30));
}

int ChainMaker::Constant(const ChainDims& dims, float most) {
  const int elements = ElementsOf(dims);
  if (IsFloat()) {
    std::vector<float> values(elements);
    for (float& v : values) v = Uniform(-most, most);
    return b_.AddConstant<float>("c", dims, values);
  }
  const ModelQuantization q = QuantizationFor(most);
  if (IsInt16()) {
    std::vector<int16_t> quantized(elements);
    for (int16_t& v : quantized) v = static_cast<int16_t>(random_());
    return b_.AddConstant<int16_t>("c", dims, quantized, q);
  }
  std::vector<int8_t> quantized(elements);
  for (int8_t& v : quantized) v = static_cast<int8_t>(random_());
  return b_.AddConstant<int8_t>("c", dims, quantized, q);
}

std::pair<int, int> ChainMaker::Weights(const ChainDims& dims, int axis,
                                        float most) {
  const int outputs = dims[axis];
  if (IsFloat()) {
    return {Constant(dims, most), Constant({outputs}, 0.5f * most)};
  }
  ModelQuantization weights, bias;
  weights.dimension = axis;
  // FULLY_CONNECTED has one scale.
  const int scales = dims.size() == 2 ? 1 : outputs;
  for (int i = 0; i < scales; ++i) {
    weights.scale.push_back(most * Uniform(0.5f, 1) / 127);
    weights.zero_point.push_back(0);
    bias.scale.push_back(weights.scale.back() * x_.q.scale[0]);
    bias.zero_point.push_back(0);
  }
  std::vector<int8_t> quantized(ElementsOf(dims));
  for (int8_t& c : quantized) c = static_cast<int8_t>(Between(-127, 127));
  const int w = b_.AddConstant<int8_t>("w", dims, quantized, weights);
  const int range = IsInt16() ? 500000 : 2000;
  std::vector<int64_t> sums(outputs);
  for (int64_t& v : sums) v = Between(-range, range);
  if (IsInt16()) {
    return {w, b_.AddConstant<int64_t>("b", {outputs}, sums, bias)};
  }
  const std::vector<int32_t> narrow(sums.begin(), sums.end());
  return {w, b_.AddConstant<int32_t>("b", {outputs}, narrow, bias)};
}

void ChainMaker::Convolve(int outputs, int kernel, Act activation) {
  const int channels = x_.dims[3];
  const int stride = OneIn(3) ? 2 : 1;
  const bool same = OneIn(2) || x_.dims[1] < kernel || x_.dims[2] < kernel;
  const float most = 2 / std::sqrt(static_cast<float>(channels * kernel));
  const auto [w, b] = Weights({outputs, kernel, kernel, channels}, 0, most);
  const auto extent = [&](int in) {
    return same ? (in + stride - 1) / stride : (in - kernel) / stride + 1;
  };
  const ChainValue y =
      New({x_.dims[0], extent(x_.dims[1]), extent(x_.dims[2]), outputs},
          x_.most * 2);
  schema::Conv2DOptionsT options;
  options.stride_w = options.stride_h = stride;
  options.padding = same ? schema::Padding::SAME : schema::Padding::VALID;
  options.fused_activation_function = activation;
  Add(Op::CONV_2D, Version(1, 3, 4), {x_.id, w, b}, y, options);
}

void ChainMaker::Depthwise() {
  const int kernel = OneIn(4) ? 5 : 3;
  const int channels = x_.dims[3];
  const int multiplier = OneIn(4) && channels < 16 ? 2 : 1;
  const int outputs = channels * multiplier;
  const auto [w, b] = Weights({1, kernel, kernel, outputs}, 3, 0.6f);
  const ChainValue y =
      New({x_.dims[0], x_.dims[1], x_.dims[2], outputs}, x_.most * 2);
  schema::DepthwiseConv2DOptionsT options;
  options.stride_w = options.stride_h = 1;
  options.depth_multiplier = multiplier;
  options.padding = schema::Padding::SAME;
  options.fused_activation_function = Activation();
  Add(Op::DEPTHWISE_CONV_2D, Version(1, 3, 5), {x_.id, w, b}, y, options);
}

void ChainMaker::FullyConnected() {
  const int outputs = Between(1, 16), channels = x_.dims[3];
  const auto [w, b] = Weights({outputs, channels}, 0,
                              2 / std::sqrt(static_cast<float>(channels)));
  ChainDims dims = x_.dims;
  dims[3] = outputs;
  const ChainValue y = New(dims, x_.most * 2);
  schema::FullyConnectedOptionsT options;
  options.keep_num_dims = true;
  options.fused_activation_function = Activation();
  Add(Op::FULLY_CONNECTED, Version(5, 5, 7), {x_.id, w, b}, y, options);
}

void ChainMaker::Binary(Op op, int a, int b, const ChainValue& y) {
  const Act activation = Activation();
  if (op == Op::ADD) {
    schema::AddOptionsT options;
    options.fused_activation_function = activation;
    options.pot_scale_int16 = false;
    Add(op, Version(1, 2, 3), {a, b}, y, options);
  } else if (op == Op::SUB) {
    schema::SubOptionsT options;
    options.fused_activation_function = activation;
    options.pot_scale_int16 = false;
    Add(op, Version(1, 2, 5), {a, b}, y, options);
  } else if (op == Op::MUL) {
    schema::MulOptionsT options;
    options.fused_activation_function = activation;
    Add(op, Version(1, 2, 4), {a, b}, y, options);
  } else {
    Add(op, Version(1, 2, 3), {a, b}, y);
  }
}

// (x - mean) / deviation, as converters write it.
void ChainMaker::Normalization() {
  const int count = Between(1, 3);
  constexpr Op kOps[] = {Op::MUL, Op::SUB, Op::ADD};
  for (int i = 0; i < count; ++i) {
    const Op op = kOps[Below(3)];
    const int channels = x_.dims[3];
    const ChainDims dims = OneIn(3)   ? ChainDims{1}
                           : OneIn(2) ? ChainDims{channels}
                                      : ChainDims{1, 1, 1, channels};
    const float most = op == Op::MUL ? Uniform(0.2f, 5) : x_.most;
    const int c = Constant(dims, most);
    const ChainValue y =
        New(x_.dims, op == Op::MUL ? x_.most * most : x_.most + most);
    const bool first = OneIn(4);
    Binary(op, first ? c : x_.id, first ? x_.id : c, y);
  }
}

void ChainMaker::Residual() {
  const ChainValue x = x_;
  std::vector<ChainValue> fitting;
  for (const ChainValue& v : earlier_) {
    if (v.dims == x.dims) fitting.push_back(v);
  }
  const ChainValue other = fitting[Below(static_cast<int>(fitting.size()))];
  const bool product = OneIn(3);
  const ChainValue y =
      New(x.dims, product ? x.most * other.most : x.most + other.most);
  Binary(product ? Op::MUL : OneIn(3) ? Op::SUB : Op::ADD, x.id, other.id, y);
}

ChainValue ChainMaker::Function(Op op) {
  const float unit = IsInt16()        ? 1.0f / 32768
                     : op == Op::TANH ? 1.0f / 128
                                      : 1.0f / 256;
  const int zero = IsInt16() || op == Op::TANH ? 0 : -128;
  const ChainValue y =
      New(x_.dims, 1,
          IsFloat() ? ModelQuantization()
                    : ModelQuantization::PerTensor(unit, zero));
  Add(op, Version(1, 2, 3), {x_.id}, y);
  return y;
}

ChainValue ChainMaker::Mean(const std::vector<int32_t>& axes) {
  ChainDims dims = x_.dims;
  for (int axis : axes) dims[axis] = 1;
  const ChainValue y = New(dims, x_.most);
  schema::ReducerOptionsT options;
  options.keep_dims = true;
  Add(Op::MEAN, Version(1, 2, 2), {x_.id, Ints(axes)}, y, options);
  return y;
}

// A squeeze-excite block.
void ChainMaker::ChannelScale() {
  const ChainValue x = x_;
  Mean({1, 2});
  if (OneIn(2)) Convolve(Between(1, 8), 1, Act::RELU);
  Convolve(x.dims[3], 1, Act::NONE);
  const ChainValue channel_scale = Function(Op::LOGISTIC);
  Binary(Op::MUL, x.id, channel_scale.id, New(x.dims, x.most));
}

void ChainMaker::Swish() {
  const ChainValue x = x_;
  const ChainValue y = Function(OneIn(2) ? Op::LOGISTIC : Op::TANH);
  Binary(Op::MUL, x.id, y.id, New(x.dims, x.most));
}

void ChainMaker::SquashedResidual() {
  const ChainValue x = x_;
  const ChainValue y = Function(OneIn(2) ? Op::LOGISTIC : Op::TANH);
  Binary(OneIn(3) ? Op::SUB : Op::ADD, x.id, y.id, New(x.dims, x.most + 1));
}

void ChainMaker::Softmax() {
  const ModelQuantization q =
      IsFloat()   ? ModelQuantization()
      : IsInt16() ? ModelQuantization::PerTensor(1.0f / 32768, 0)
                  : ModelQuantization::PerTensor(1.0f / 256, -128);
  schema::SoftmaxOptionsT options;
  options.beta = 1;
  const ChainValue y = New(x_.dims, 1, q);
  Add(Op::SOFTMAX, Version(1, 2, 3), {x_.id}, y, options);
}

void ChainMaker::MeanOf() { OneIn(2) ? Mean({1, 2}) : Mean({3}); }

void ChainMaker::LayerNorm() {
  const ChainValue x = x_;
  const ChainValue mean = Mean({3});
  if (!IsFloat()) {
    Binary(Op::SUB, x.id, mean.id, New(x.dims, 2 * x.most));
    return;
  }
  ChainValue off = New(x.dims, 2 * x.most);
  Add(Op::SUB, 1, {x.id, mean.id}, off, schema::SubOptionsT());
  const float square = off.most * off.most;
  if (OneIn(2)) {
    Add(Op::SQUARED_DIFFERENCE, 1, {x.id, mean.id}, New(x.dims, square));
  } else {
    Add(Op::MUL, 1, {off.id, off.id}, New(x.dims, square),
        schema::MulOptionsT());
  }
  Mean({3});
  const int epsilon = b_.AddConstant<float>("c", {1}, std::vector{1e-3f});
  Add(Op::ADD, 1, {x_.id, epsilon}, New(x_.dims, square),
      schema::AddOptionsT());
  const ChainValue root = New(x_.dims, 1);
  Add(Op::RSQRT, 1, {x_.id}, root);
  Add(Op::MUL, 1, {off.id, root.id}, New(x.dims, 3), schema::MulOptionsT());
}

void ChainMaker::Reshape() {
  const ChainDims& d = x_.dims;
  const ChainDims to = OneIn(2)   ? ChainDims{d[0], d[1] * d[2], 1, d[3]}
                       : OneIn(2) ? ChainDims{d[0], d[3], d[1], d[2]}
                       : d[3] % 2 == 0
                           ? ChainDims{d[0], d[1], d[2] * 2, d[3] / 2}
                           : ChainDims{d[0], 1, 1, d[1] * d[2] * d[3]};
  schema::ReshapeOptionsT options;
  options.new_shape = to;
  Add(Op::RESHAPE, 1, {x_.id, Ints(to)}, New(to, x_.most, x_.q), options);
}

void ChainMaker::Transpose() {
  std::vector<int32_t> order = {1, 2, 3};
  std::shuffle(order.begin(), order.end(), random_);
  order.insert(order.begin(), 0);
  ChainDims to;
  for (int axis : order) to.push_back(x_.dims[axis]);
  Add(Op::TRANSPOSE, Version(1, 2, 2), {x_.id, Ints(order)},
      New(to, x_.most, x_.q), schema::TransposeOptionsT());
}

void ChainMaker::Pad() {
  std::vector<int32_t> edges = {0, 0};
  ChainDims to = x_.dims;
  for (int axis = 1; axis < 4; ++axis) {
    const bool pads = axis < 3 || OneIn(4);
    const int before = pads ? Below(3) : 0, after = pads ? Below(3) : 0;
    edges.push_back(before);
    edges.push_back(after);
    to[axis] += before + after;
  }
  Add(Op::PAD, Version(1, 2, 2), {x_.id, Ints(edges, {4, 2})},
      New(to, x_.most, x_.q), schema::PadOptionsT());
}

void ChainMaker::Pool() {
  schema::Pool2DOptionsT options;
  const bool max = OneIn(2);
  options.filter_width = options.filter_height = Between(2, 3);
  options.stride_w = options.stride_h = Between(1, 2);
  options.padding = schema::Padding::SAME;
  const auto extent = [&](int in) {
    return (in + options.stride_w - 1) / options.stride_w;
  };
  const ChainDims to = {x_.dims[0], extent(x_.dims[1]), extent(x_.dims[2]),
                        x_.dims[3]};
  Add(max ? Op::MAX_POOL_2D : Op::AVERAGE_POOL_2D, Version(1, 2, 3), {x_.id},
      New(to, x_.most, x_.q), options);
}

void ChainMaker::Concatenation() {
  const int axis = OneIn(2) ? 3 : Between(1, 2);
  std::vector<int> parts = {x_.id};
  ChainDims to = x_.dims;
  for (const ChainValue& v : earlier_) {
    ChainDims like = v.dims;
    like[axis] = x_.dims[axis];
    const bool alike = IsFloat() || v.q.scale == x_.q.scale;
    if (like != x_.dims || !alike || parts.size() > 2) continue;
    parts.insert(OneIn(2) ? parts.begin() : parts.end(), v.id);
    to[axis] += v.dims[axis];
  }
  schema::ConcatenationOptionsT options;
  options.axis = axis;
  Add(Op::CONCATENATION, Version(1, 2, 3), parts, New(to, x_.most, x_.q),
      options);
}

void ChainMaker::Resize() {
  const ChainDims to = {x_.dims[0], Between(1, 9), Between(1, 9), x_.dims[3]};
  const int size = Ints({to[1], to[2]});
  if (OneIn(2)) {
    schema::ResizeBilinearOptionsT options;
    options.half_pixel_centers = OneIn(2);
    Add(Op::RESIZE_BILINEAR, Version(3, 3, 4), {x_.id, size},
        New(to, x_.most, x_.q), options);
  } else {
    schema::ResizeNearestNeighborOptionsT options;
    options.half_pixel_centers = OneIn(2);
    Add(Op::RESIZE_NEAREST_NEIGHBOR, Version(3, 3, 4), {x_.id, size},
        New(to, x_.most, x_.q), options);
  }
}

void ChainMaker::Slice() {
  std::vector<int32_t> begin = {0}, size = {x_.dims[0]}, end = {x_.dims[0]};
  for (int axis = 1; axis < 4; ++axis) {
    begin.push_back(Below(x_.dims[axis]));
    size.push_back(Between(1, x_.dims[axis] - begin[axis]));
    end.push_back(begin[axis] + size[axis]);
  }
  const ChainValue y = New({size.begin(), size.end()}, x_.most, x_.q);
  if (OneIn(2)) {
    Add(Op::SLICE, Version(1, 2, 4), {x_.id, Ints(begin), Ints(size)}, y,
        schema::SliceOptionsT());
  } else {
    Add(Op::STRIDED_SLICE, Version(1, 2, 4),
        {x_.id, Ints(begin), Ints(end), Ints({1, 1, 1, 1})}, y,
        schema::StridedSliceOptionsT());
  }
}

void ChainMaker::Unary() {
  const auto version = [&] { return Version(1, 2, 2); };
  if (!IsFloat()) {
    if (OneIn(2)) {
      schema::LeakyReluOptionsT options;
      options.alpha = 0.3f;
      Add(Op::LEAKY_RELU, 2, {x_.id}, New(x_.dims, x_.most), options);
    } else {
      Add(OneIn(2) ? Op::RELU : Op::RELU6, Version(1, 2, 3), {x_.id},
          New(x_.dims, x_.most));
    }
    return;
  }
  constexpr Op kOps[] = {Op::RELU, Op::RELU6,  Op::ABS,        Op::NEG,
                         Op::ELU,  Op::SQUARE, Op::HARD_SWISH, Op::SIN,
                         Op::COS,  Op::EXP,    Op::TANH,       Op::LOGISTIC};
  const Op op = kOps[Below(12)];
  const float most = op == Op::SQUARE ? x_.most * x_.most
                     : op == Op::EXP  ? std::exp(std::min(x_.most, 80.0f))
                                      : x_.most;
  Add(op, version() > 1 ? 2 : 1, {x_.id}, New(x_.dims, most));
}

void ChainMaker::SpaceAndDepth() {
  const ChainDims& d = x_.dims;
  if (d[3] % 4 == 0 && !IsInt16()) {
    schema::DepthToSpaceOptionsT options;
    options.block_size = 2;
    Add(Op::DEPTH_TO_SPACE, 1, {x_.id},
        New({d[0], d[1] * 2, d[2] * 2, d[3] / 4}, x_.most, x_.q), options);
  } else if (d[1] % 2 == 0 && d[2] % 2 == 0 && !IsInt16()) {
    schema::SpaceToDepthOptionsT options;
    options.block_size = 2;
    Add(Op::SPACE_TO_DEPTH, 1, {x_.id},
        New({d[0], d[1] / 2, d[2] / 2, d[3] * 4}, x_.most, x_.q), options);
  } else {
    Reshape();
  }
}

void ChainMaker::BatchMatMul() {
  // x by itself, transposed: scores of an attention.
  ChainDims to = x_.dims;
  to[3] = x_.dims[2];
  schema::BatchMatMulOptionsT options;
  options.adj_y = true;
  const float most = x_.most * x_.most * std::sqrt(float(x_.dims[3]));
  Add(Op::BATCH_MATMUL, Version(1, 2, 3), {x_.id, x_.id}, New(to, most),
      options);
}

RandomChain ChainMaker::Make() {
  constexpr Link kLinks[] = {&ChainMaker::Convolution,
                             &ChainMaker::Pointwise,
                             &ChainMaker::Depthwise,
                             &ChainMaker::Depthwise,
                             &ChainMaker::FullyConnected,
                             &ChainMaker::Normalization,
                             &ChainMaker::Normalization,
                             &ChainMaker::Normalization,
                             &ChainMaker::Residual,
                             &ChainMaker::Residual,
                             &ChainMaker::ChannelScale,
                             &ChainMaker::Swish,
                             &ChainMaker::SquashedResidual,
                             &ChainMaker::Softmax,
                             &ChainMaker::MeanOf,
                             &ChainMaker::LayerNorm,
                             &ChainMaker::Reshape,
                             &ChainMaker::Transpose,
                             &ChainMaker::Pad,
                             &ChainMaker::Pad,
                             &ChainMaker::Pool,
                             &ChainMaker::Concatenation,
                             &ChainMaker::Resize,
                             &ChainMaker::Slice,
                             &ChainMaker::Unary,
                             &ChainMaker::Unary,
                             &ChainMaker::SpaceAndDepth,
                             &ChainMaker::BatchMatMul,
                             &ChainMaker::Pointwise,
                             &ChainMaker::Convolution};
  const ChainDims dims = {1, Between(1, 8), Between(1, 8), Between(1, 12)};
  const ModelQuantization q = QuantizationFor(2);
  x_ = {b_.AddInput("x", dims, Type(), q), dims, 2, q};
  earlier_ = {x_};
  const int most = Between(1, kMaxOps);
  while (static_cast<int>(names_.size()) < most) {
    (this->*kLinks[Below(std::size(kLinks))])();
    if (ElementsOf(x_.dims) > kMaxElements) break;
  }
  std::vector<int> outputs = {x_.id};
  if (OneIn(4)) {
    const int id = earlier_[Below(static_cast<int>(earlier_.size()))].id;
    if (id != x_.id && id != earlier_[0].id) outputs.push_back(id);
  }
  b_.SetOutputs(outputs);
  return {absl::StrJoin(names_, " "), b_.Finish()};
}

}  // namespace

RandomChain MakeRandomChain(uint32_t seed, ChainNumbers numbers) {
  return ChainMaker(seed, numbers).Make();
}

}  // namespace gles_delegate::testing
