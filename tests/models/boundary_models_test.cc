// labels: model quant delegate llvmpipe
// Quantized models from end to end, as they begin and end in the field: a pose
// model like MoveNet (an image of plain uint8 bytes, positions by ARG_MAX and
// integer arithmetic) and a segmentation like DeepLab (a map of int64 classes).
#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/quantized_model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A network of 8-bit convolutions with random weights.
class Network {
 public:
  explicit Network(TensorType type) : type_(type) {}

  ModelBuilder& builder() { return builder_; }
  // The quantization of activations of this scale around the middle.
  ModelQuantization Centred(float scale) const {
    return Q(scale, type_ == TensorType::UINT8 ? 128 : 0);
  }

  // CONV_2D or DEPTHWISE_CONV_2D, SAME, with the tensor that it makes.
  int Conv(int x, const Shape& in, const Shape& out, int kernel, int stride,
           bool depthwise, float in_scale, float out_scale) {
    const float scale = 0.01f;
    const Shape filter = depthwise ? Shape{1, kernel, kernel, out[3]}
                                   : Shape{out[3], kernel, kernel, in[3]};
    const int w = builder_.AddConstantBytes(
        "w", filter, type_, Bytes(ElementCount(filter)), Centred(scale));
    std::vector<int32_t> biases(out[3]);
    for (int32_t& b : biases) b = static_cast<int32_t>(random_() % 2000) - 1000;
    const int bias = builder_.AddConstant<int32_t>("b", {out[3]}, biases,
                                                   Q(in_scale * scale, 0));
    const int y = builder_.AddTensor("y", out, type_, Centred(out_scale));
    if (depthwise) {
      schema::DepthwiseConv2DOptionsT options;
      options.stride_w = options.stride_h = stride;
      options.depth_multiplier = 1;
      builder_.AddOp(Op::DEPTHWISE_CONV_2D, 3, {x, w, bias}, {y}, options);
    } else {
      schema::Conv2DOptionsT options;
      options.stride_w = options.stride_h = stride;
      builder_.AddOp(Op::CONV_2D, 3, {x, w, bias}, {y}, options);
    }
    return y;
  }

 private:
  // int8 from -127, uint8 from 1: symmetric either way.
  std::vector<uint8_t> Bytes(size_t n) {
    std::vector<uint8_t> bytes(n);
    for (uint8_t& b : bytes) {
      const int code = static_cast<int>(random_() % 255) - 127;
      b = static_cast<uint8_t>(type_ == TensorType::UINT8 ? code + 128 : code);
    }
    return bytes;
  }

  TensorType type_;
  ModelBuilder builder_;
  std::mt19937 random_{7};
};

// uint8 image [1,24,24,3] to a heat map of floats [1,12,12,5], of five points.
int HeatMap(Network* net) {
  ModelBuilder& b = net->builder();
  const auto floats = [&](float v) {
    return b.AddConstant<float>("c", {1}, std::vector<float>{v});
  };
  const Shape image = {1, 24, 24, 3};
  const int bytes = b.AddInput("image", image, TensorType::UINT8);
  const int real = b.AddTensor("real", image);
  schema::CastOptionsT cast;
  cast.in_data_type = TensorType::UINT8;
  cast.out_data_type = TensorType::FLOAT32;
  b.AddOp(Op::CAST, 1, {bytes}, {real}, cast);
  // By powers of two, so that no rounding separates the two.
  const int scaled = b.AddTensor("scaled", image);
  b.AddOp(Op::MUL, 1, {real, floats(1 / 128.0f)}, {scaled},
          schema::MulOptionsT());
  const int centred = b.AddTensor("centred", image);
  b.AddOp(Op::SUB, 1, {scaled, floats(1)}, {centred}, schema::SubOptionsT());
  const int quantized = b.AddTensor("quantized", image, TensorType::INT8,
                                    net->Centred(1 / 128.0f));
  b.AddOp(Op::QUANTIZE, 1, {centred}, {quantized});
  int t = net->Conv(quantized, image, {1, 12, 12, 8}, 3, 2, false, 1 / 128.0f,
                    0.05f);
  t = net->Conv(t, {1, 12, 12, 8}, {1, 12, 12, 8}, 3, 1, true, 0.05f, 0.1f);
  t = net->Conv(t, {1, 12, 12, 8}, {1, 12, 12, 5}, 1, 1, false, 0.1f, 0.2f);
  const int heat = b.AddTensor("heat", {1, 12, 12, 5});
  b.AddOp(Op::DEQUANTIZE, 2, {t}, {heat});
  return heat;
}

// Where the heat map [1,12,12,5] is the greatest: row and column, int32 [5].
struct Peaks {
  int y = 0, x = 0;
};
Peaks PeaksOf(int heat, ModelBuilder* builder) {
  ModelBuilder& b = *builder;
  const auto ints = [&](int v) {
    return b.AddConstant<int32_t>("c", {1}, std::vector<int32_t>{v});
  };
  const int rows = b.AddTensor("rows", {144, 5});
  const int rows_shape =
      b.AddConstant<int32_t>("s", {2}, std::vector<int32_t>{144, 5});
  b.AddOp(Op::RESHAPE, 1, {heat, rows_shape}, {rows},
          schema::ReshapeOptionsT());
  const Shape points = {5};
  const int at = b.AddTensor("at", points, TensorType::INT64);
  schema::ArgMaxOptionsT arg;
  arg.output_type = TensorType::INT64;
  const int axis = b.AddConstant<int32_t>("a", {1}, std::vector<int32_t>{0});
  b.AddOp(Op::ARG_MAX, 1, {rows, axis}, {at}, arg);
  const int index = b.AddTensor("index", points, TensorType::INT32);
  schema::CastOptionsT cast;
  cast.in_data_type = TensorType::INT64;
  cast.out_data_type = TensorType::INT32;
  b.AddOp(Op::CAST, 1, {at}, {index}, cast);
  const int y = b.AddTensor("iy", points, TensorType::INT32);
  b.AddOp(Op::FLOOR_DIV, 1, {index, ints(12)}, {y}, schema::FloorDivOptionsT());
  const int before = b.AddTensor("before", points, TensorType::INT32);
  b.AddOp(Op::MUL, 1, {y, ints(12)}, {before}, schema::MulOptionsT());
  const int x = b.AddTensor("ix", points, TensorType::INT32);
  b.AddOp(Op::SUB, 1, {index, before}, {x}, schema::SubOptionsT());
  return {y, x};
}

// uint8 image [1,24,24,3] to [1,1,5,3]: y, x and score of five points.
std::vector<uint8_t> PoseModel() {
  Network net(TensorType::INT8);
  ModelBuilder& b = net.builder();
  const Shape points = {5};
  const int heat = HeatMap(&net);
  const auto [y, x] = PeaksOf(heat, &b);
  const int which = b.AddConstant<int32_t>("which", points,
                                           std::vector<int32_t>{0, 1, 2, 3, 4});
  const int places = b.AddTensor("places", {5, 3}, TensorType::INT32);
  schema::PackOptionsT pack;
  pack.values_count = 3;
  pack.axis = 1;
  b.AddOp(Op::PACK, 1, {y, x, which}, {places}, pack);
  const int volume = b.AddTensor("volume", {12, 12, 5});
  b.AddOp(Op::SQUEEZE, 1, {heat}, {volume}, [] {
    schema::SqueezeOptionsT squeeze;
    squeeze.squeeze_dims = {0};
    return squeeze;
  }());
  const int scores = b.AddTensor("scores", points);
  b.AddOp(Op::GATHER_ND, 1, {volume, places}, {scores},
          schema::GatherNdOptionsT());
  schema::CastOptionsT cast;
  cast.in_data_type = TensorType::INT32;
  cast.out_data_type = TensorType::FLOAT32;
  const int fy = b.AddTensor("fy", points);
  const int fx = b.AddTensor("fx", points);
  b.AddOp(Op::CAST, 1, {y}, {fy}, cast);
  b.AddOp(Op::CAST, 1, {x}, {fx}, cast);
  const int table = b.AddTensor("table", {5, 3});
  b.AddOp(Op::PACK, 1, {fy, fx, scores}, {table}, pack);
  const int out = b.AddTensor("points", {1, 1, 5, 3});
  const int out_shape =
      b.AddConstant<int32_t>("s", {4}, std::vector<int32_t>{1, 1, 5, 3});
  b.AddOp(Op::RESHAPE, 1, {table, out_shape}, {out}, schema::ReshapeOptionsT());
  b.SetOutputs({out});
  return b.Finish();
}

// Quantized uint8 image [1,33,33,3] to a map [1,33,33] of int64 classes.
std::vector<uint8_t> SegmentationModel() {
  Network net(TensorType::UINT8);
  ModelBuilder& b = net.builder();
  const Shape image = {1, 33, 33, 3};
  const int x =
      b.AddInput("image", image, TensorType::UINT8, net.Centred(1 / 128.0f));
  int t = net.Conv(x, image, {1, 17, 17, 8}, 3, 2, false, 1 / 128.0f, 0.05f);
  t = net.Conv(t, {1, 17, 17, 8}, {1, 9, 9, 8}, 3, 2, true, 0.05f, 0.1f);
  t = net.Conv(t, {1, 9, 9, 8}, {1, 9, 9, 21}, 1, 1, false, 0.1f, 0.2f);
  const int size =
      b.AddConstant<int32_t>("s", {2}, std::vector<int32_t>{33, 33});
  const int large = b.AddTensor("large", {1, 33, 33, 21}, TensorType::UINT8,
                                net.Centred(0.2f));
  schema::ResizeBilinearOptionsT resize;
  resize.align_corners = true;
  b.AddOp(Op::RESIZE_BILINEAR, 3, {t, size}, {large}, resize);
  const int axis = b.AddConstant<int32_t>("a", {}, std::vector<int32_t>{3});
  const int classes = b.AddTensor("classes", {1, 33, 33}, TensorType::INT64);
  schema::ArgMaxOptionsT arg;
  arg.output_type = TensorType::INT64;
  b.AddOp(Op::ARG_MAX, 2, {large, axis}, {classes}, arg);
  b.SetOutputs({classes});
  return b.Finish();
}

class BoundaryModelsTest : public DeviceTest {
 protected:
  // The outputs' elements that differ, of all, over three images; the whole
  // model is delegated.
  static void Run(std::vector<uint8_t> bytes, int* differ, int* all) {
    const auto model = LoadOrDie(std::move(bytes));
    const DelegatePtr delegate = MakeDelegate();
    auto cpu = InterpreterOrDie(*model);
    auto gpu = Applied(*model, delegate);
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]) << report;
    EXPECT_EQ(report["partitions"], 1) << report;
    std::mt19937 random(3);
    *differ = *all = 0;
    for (int round = 0; round < 3; ++round) {
      for (uint8_t& byte : cpu->input(0).bytes()) {
        byte = static_cast<uint8_t>(random() % 256);
      }
      const auto image = cpu->input(0).bytes();
      ASSERT_TRUE(gpu->input(0).WriteBytes(image).ok());
      ASSERT_TRUE(cpu->Invoke().ok());
      const absl::Status invoked = gpu->Invoke();
      ASSERT_TRUE(invoked.ok()) << invoked;
      const auto want = cpu->output(0).AsFloats();
      const auto got = gpu->output(0).AsFloats();
      ASSERT_EQ(want.size(), got.size());
      for (size_t i = 0; i < want.size(); ++i) *differ += want[i] != got[i];
      *all += static_cast<int>(want.size());
    }
  }
};

TEST_F(BoundaryModelsTest, PoseFromPlainBytes) {
  int differ = 0, all = 0;
  Run(PoseModel(), &differ, &all);
  EXPECT_EQ(all, 3 * 15);
  EXPECT_EQ(differ, 0);
}

TEST_F(BoundaryModelsTest, SegmentationToInt64) {
  int differ = 0, all = 0;
  Run(SegmentationModel(), &differ, &all);
  EXPECT_EQ(all, 3 * 33 * 33);
  EXPECT_EQ(differ, 0);
}

}  // namespace
}  // namespace gles_delegate::testing
