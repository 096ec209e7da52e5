// labels: op quant llvmpipe only_oldest_tflite
// Nodes of versions that TFLite 2.9, whose kernels the other tests compare
// with, has no kernel of: read from a file by the fuzzers' stand-in for a
// runtime, planned with all passes and run, and held against the op's
// definition or against the same node of an older version.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/reader.h"
#include "gmock/gmock.h"
#include "quant/half.h"
#include "tests/fuzz/fake_runtime.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tests/testing/uniform.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

using Values = std::vector<float>;

// int16 values have the zero point 0.
ModelQuantization WideScale(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// Every value on a code of `scale`.
Values Int16Values(size_t n, float scale, int seed) {
  std::mt19937 random(seed);
  Values values(n);
  for (float& v : values) {
    v = scale * static_cast<float>(static_cast<int>(random() % 65536) - 32768);
  }
  return values;
}

// Runs a file of chained nodes, all of which must be taken; its one output is
// float32, or int16 values as the real values that they stand for.
absl::StatusOr<Values> RunFile(
    const std::vector<uint8_t>& file, const std::vector<Values>& inputs,
    const std::function<void(DeviceProfile&)>& tune = {},
    std::string* plan = nullptr) {
  const auto runtime = fuzz::FakeRuntime::Create(file);
  if (runtime == nullptr) return absl::InvalidArgumentError("no model");
  DeviceProfile profile = ProfileFor(TestContext()->device(), {});
  if (tune) tune(profile);
  ASSIGN_OR_RETURN(const auto model,
                   ReadModel(runtime->context(), profile, {}));
  std::vector<int> nodes;
  for (const CheckedNode& node : model.nodes) {
    if (!node.support.ok()) return node.support;
    nodes.push_back(node.index);
  }
  Graph read =
      ExtractPartition(model, nodes, runtime->inputs(), runtime->outputs());
  RETURN_IF_ERROR(RunPasses(PassStage::kRead, {profile}, &read,
                            [](absl::string_view, const Graph&) {}));
  ASSIGN_OR_RETURN(auto planned, PlanPartition(read, profile, nullptr));
  const Graph& graph = planned.graph;
  if (plan != nullptr) *plan = planned.dispatches[0].ToString();
  Values output(graph.tensor(graph.outputs[0]).shape.elements());
  RETURN_IF_ERROR(RunDispatches(graph, planned.dispatches, profile, inputs,
                                absl::MakeSpan(output)));
  return output;
}

void ExpectNear(const absl::StatusOr<Values>& got, const Values& want,
                float bound) {
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR((*got)[i], want[i], bound) << i;
  }
}

// --- Weights beside floats ---------------------------------------------------

constexpr int kRows = 6, kTerms = 7, kOutputs = 5;

// Rows of seven values times five rows of weights, whose scales are
// `q.scale`, one or one an output.
Values RowProducts(const Values& x, const std::vector<int8_t>& weights,
                   const ModelQuantization& q) {
  Values y;
  for (int row = 0; row < kRows; ++row) {
    for (int o = 0; o < kOutputs; ++o) {
      float sum = 0;
      for (int i = 0; i < kTerms; ++i) {
        sum +=
            x[row * kTerms + i] * static_cast<float>(weights[o * kTerms + i]);
      }
      y.push_back(sum * q.scale[q.scale.size() == 1 ? 0 : o]);
    }
  }
  return y;
}

// The same products as a FULLY_CONNECTED or a 1x1 CONV_2D.
struct Products {
  Op op = Op::FULLY_CONNECTED;
  int version = 1;
  std::vector<uint8_t> weights;
  ModelQuantization scales;  // of the weights
  TensorType type = TensorType::INT8;
  bool wide = false;  // 16-bit activations, and a bias of 64 bits
};

std::vector<uint8_t> ModelOf(const Products& p) {
  constexpr float kIn = 1 / 4096.0f, kOut = 1 / 512.0f;
  using Dims = ModelBuilder::Shape;
  const bool convolution = p.op == Op::CONV_2D;
  const auto dims = [=](int channels) {
    return convolution ? Dims{1, 2, 3, channels} : Dims{kRows, channels};
  };
  const TensorType type = p.wide ? TensorType::INT16 : TensorType::FLOAT32;
  const auto quantization = [&p](float scale) {
    return p.wide ? WideScale(scale) : ModelQuantization();
  };
  ModelBuilder b;
  const int x = b.AddInput("x", dims(kTerms), type, quantization(kIn));
  const int w = b.AddConstantBytes(
      "w", convolution ? Dims{kOutputs, 1, 1, kTerms} : Dims{kOutputs, kTerms},
      p.type, p.weights, p.scales);
  const int bias =
      p.wide
          ? b.AddConstant<int64_t>("b", {kOutputs},
                                   std::vector<int64_t>{9000, -70000, 0, 77, 1},
                                   WideScale(kIn * p.scales.scale[0]))
          : b.AddConstant<float>("b", {kOutputs}, Values(kOutputs, 0.0f));
  const int y = b.AddTensor("y", dims(kOutputs), type, quantization(kOut));
  if (convolution) {
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    b.AddOp(p.op, p.version, {x, w, bias}, {y}, options);
  } else {
    b.AddOp(p.op, p.version, {x, w, bias}, {y},
            schema::FullyConnectedOptionsT());
  }
  b.SetOutputs({y});
  return b.Finish();
}

ModelQuantization OneAnOutput() {
  return {{0.5f, 0.03f, 0.25f, 1.0f, 0.1f}, {0, 0, 0, 0, 0}, 0};
}

class NewerVersionsTest : public DeviceTest {};

// Two weights a byte, the first one in the low bits; of an odd number of them.
TEST_F(NewerVersionsTest, WeightsOfFourBits) {
  const std::vector<int8_t> weights =
      Codes<int8_t>(kOutputs * kTerms, -8, 7, 1);
  std::vector<uint8_t> packed((weights.size() + 1) / 2);
  for (size_t i = 0; i < weights.size(); ++i) {
    packed[i / 2] |= (weights[i] & 15) << (i % 2 * 4);
  }
  const Values x = Uniform(kRows * kTerms, -1, 1);
  for (const ModelQuantization& q :
       {ModelQuantization::PerTensor(0.25f, 0), OneAnOutput()}) {
    Products p = {Op::FULLY_CONNECTED, 10, packed, q, TensorType::INT4};
    ExpectNear(RunFile(ModelOf(p), {x}), RowProducts(x, weights, q), 1e-5f);
    p.op = Op::CONV_2D;
    p.version = 7;
    ExpectNear(RunFile(ModelOf(p), {x}), RowProducts(x, weights, q), 1e-5f);
  }
}

// Few rows on a device without SIMD lanes.
TEST_F(NewerVersionsTest, WeightsKeepTheirEightBits) {
  const std::vector<int8_t> weights =
      Codes<int8_t>(kOutputs * kTerms, -128, 127, 1);
  const Values x = Uniform(kRows * kTerms, -1, 1);
  for (const ModelQuantization& q :
       {ModelQuantization::PerTensor(0.25f, 0), OneAnOutput()}) {
    for (int lanes : {1, 2}) {
      for (gl_shaders::Storage storage :
           {gl_shaders::Storage::kBuffer, gl_shaders::Storage::kTexture2d}) {
        std::string plan;
        const auto got = RunFile(
            ModelOf(
                {Op::FULLY_CONNECTED, 12, {weights.begin(), weights.end()}, q}),
            {x},
            [&](DeviceProfile& profile) {
              profile.choices.simd_lanes = 1;
              profile.choices.reduction_lanes = lanes;
              profile.choices.constants = storage;
            },
            &plan);
        ExpectNear(got, RowProducts(x, weights, q), 1e-4f);
        EXPECT_THAT(plan, HasSubstr("weights in 8 bits"));
      }
    }
  }
}

// Weights with a scale for each block of a row, in their own tensor.
struct Blocks {
  TensorType type = TensorType::INT8;
  TensorType scale_type = TensorType::FLOAT16;
  int scales = 0;        // how many; 0: one a block
  int scale_tensor = 1;  // its index; 1: the right one
  bool zero_points = false;
  Op op = Op::FULLY_CONNECTED;
  int rows = kRows;
  int outputs = kOutputs;
  int size = 32;  // of a block
  int in_row = 2;

  int terms() const { return size * in_row; }
  int bits() const {
    return type == TensorType::INT2 ? 2 : type == TensorType::INT4 ? 4 : 8;
  }
};

std::vector<int8_t> QuantizedOf(const Blocks& c) {
  const int half_range = 1 << (c.bits() - 1);
  return Codes<int8_t>(c.outputs * c.terms(), -half_range, half_range - 1, 1);
}

// Of a block: exact in 16 bits.
float ScaleOf(size_t block) {
  return 0.125f * static_cast<float>(block % 10 + 1);
}

int AddBlocks(const Blocks& c, ModelBuilder* b) {
  const std::vector<int8_t> quantized = QuantizedOf(c);
  const int bits = c.bits();
  std::vector<uint8_t> packed(quantized.size() * bits / 8);
  for (size_t i = 0; i < quantized.size(); ++i) {
    packed[i * bits / 8] |= (quantized[i] & ((1 << bits) - 1))
                            << (i * bits % 8);
  }
  const int count = c.scales != 0 ? c.scales : c.outputs * c.in_row;
  std::vector<uint8_t> scales;
  for (int i = 0; i < count; ++i) {
    const float scale = ScaleOf(i);
    const uint16_t half = FloatToHalf(scale);
    const bool is_half = c.scale_type == TensorType::FLOAT16;
    const auto* bytes = is_half ? reinterpret_cast<const uint8_t*>(&half)
                                : reinterpret_cast<const uint8_t*>(&scale);
    scales.insert(scales.end(), bytes, bytes + (is_half ? 2 : 4));
  }
  const int s = b->AddConstantBytes("scales", {count}, c.scale_type, scales);
  const int zeros =
      b->AddConstant<int32_t>("zeros", {1}, std::vector<int32_t>{3});
  const int w =
      b->AddConstantBytes("w", {c.outputs, c.terms()}, c.type, packed);
  schema::BlockwiseQuantizationT blocks;
  blocks.scales = c.scale_tensor == 1 ? s : c.scale_tensor;
  blocks.zero_points = c.zero_points ? zeros : -1;
  blocks.block_size = c.size;
  schema::TensorT& tensor = *b->model().subgraphs[0]->tensors[w];
  tensor.quantization = std::make_unique<schema::QuantizationParametersT>();
  tensor.quantization->details.Set(blocks);
  return w;
}

// Looks up rows of a table in blocks.
absl::StatusOr<Values> LookUpBlocks(const Blocks& c, Values* want) {
  ModelBuilder b;
  const int x = b.AddInput("x", {c.rows});
  const int w = AddBlocks(c, &b);
  const int y = b.AddTensor("y", {c.rows, c.terms()});
  const int ids = b.AddTensor("ids", {c.rows}, TensorType::INT32);
  b.AddOp(Op::CAST, 1, {x}, {ids}, schema::CastOptionsT());
  b.AddOp(c.op, 4, {ids, w}, {y});
  b.SetOutputs({y});
  const std::vector<int8_t> quantized = QuantizedOf(c);
  Values rows;
  for (int row = 0; row < c.rows; ++row) {
    const int id = (row + 1) % c.outputs;
    rows.push_back(static_cast<float>(id));
    for (int i = 0; i < c.terms(); ++i) {
      want->push_back(static_cast<float>(quantized[id * c.terms() + i]) *
                      ScaleOf(id * c.in_row + i / c.size));
    }
  }
  return RunFile(b.Finish(), {rows});
}

// Products with rows of multiples of 1/64, which are exact in 16 bits.
// `magnitude`: the largest sum of absolute products.
absl::StatusOr<Values> MultiplyBlocks(
    const Blocks& c, Values* want, float* magnitude = nullptr,
    const std::function<void(DeviceProfile&)>& tune = {},
    std::string* plan = nullptr) {
  ModelBuilder b;
  const int x = b.AddInput("x", {c.rows, c.terms()});
  const int w = AddBlocks(c, &b);
  const int y = b.AddTensor("y", {c.rows, c.outputs});
  if (c.op == Op::FULLY_CONNECTED) {
    b.AddOp(c.op, 12, {x, w, -1}, {y}, schema::FullyConnectedOptionsT());
  } else {
    schema::BatchMatMulOptionsT options;
    options.adj_y = true;
    b.AddOp(c.op, 4, {x, w}, {y}, options);
  }
  b.SetOutputs({y});
  const std::vector<int8_t> quantized = QuantizedOf(c);
  Values input;
  for (int8_t value : Codes<int8_t>(c.rows * c.terms(), -64, 64, 2)) {
    input.push_back(static_cast<float>(value) / 64);
  }
  for (int row = 0; row < c.rows; ++row) {
    for (int o = 0; o < c.outputs; ++o) {
      double sum = 0, absolute = 0;
      for (int i = 0; i < c.terms(); ++i) {
        const double product = double{input[row * c.terms() + i]} *
                               quantized[o * c.terms() + i] *
                               ScaleOf(o * c.in_row + i / c.size);
        sum += product;
        absolute += std::fabs(product);
      }
      want->push_back(static_cast<float>(sum));
      if (magnitude != nullptr) {
        *magnitude = std::max(*magnitude, static_cast<float>(absolute));
      }
    }
  }
  return RunFile(b.Finish(), {input}, tune, plan);
}

TEST_F(NewerVersionsTest, WeightsInBlocks) {
  for (TensorType type :
       {TensorType::INT8, TensorType::INT4, TensorType::INT2}) {
    for (TensorType scale : {TensorType::FLOAT16, TensorType::FLOAT32}) {
      Values want;
      float magnitude = 0;
      const Blocks c = {type, scale};
      const auto got = MultiplyBlocks(c, &want, &magnitude);
      // Products and their sums, rounded in any order.
      ExpectNear(got, want, 2 * c.terms() * magnitude * 0x1p-24f);
    }
  }
}

// A way to multiply, and the shader that it takes.
struct Way {
  std::string shader;
  int rows;
  std::function<void(DeviceChoices&)> tune;
};

const std::vector<Way>& Ways() {
  static const auto& ways = *new std::vector<Way>{
      {"gemv_by_lanes -DPIXELS=1 -DLANES=1 ", 1,
       [](DeviceChoices& c) { c.simd_lanes = 8; }},
      {"gemv_by_lanes -DPIXELS=1 -DLANES=4 ", 3,
       [](DeviceChoices& c) {
         c.simd_lanes = 1;
         c.reduction_lanes = 4;
       }},
      {"conv_1x1", 20, [](DeviceChoices& c) { c.split_k_target = 0; }},
      {"conv_shared", 20,
       [](DeviceChoices& c) { c.split_k_target = 48 << 10; }},
      {"conv_shared", 37, [](DeviceChoices& c) { c.split_k_target = 1; }}};
  return ways;
}

// All keep the weights in their bits, in blocks of every size, and with one
// scale a row (a block of all terms, here), in every storage and precision.
TEST_F(NewerVersionsTest, EveryProductReadsBlocks) {
  using gl_shaders::Storage;
  for (const Way& way : Ways()) {
    for (TensorType type :
         {TensorType::INT8, TensorType::INT4, TensorType::INT2}) {
      for (int size : {16, 32, 256}) {
        for (bool half : {false, true}) {
          if (half && size != 32) continue;  // which takes other programs
          Blocks c;
          c.type = type;
          c.scale_type =
              size == 256 ? TensorType::FLOAT32 : TensorType::FLOAT16;
          c.rows = way.rows;
          c.outputs = 67;
          c.size = size;
          c.in_row = size == 16 ? 17 : size == 32 ? 3 : 1;
          SCOPED_TRACE(absl::StrCat(way.shader, " ", c.bits(), " bits by ",
                                    size, half ? " half" : ""));
          const Storage storage =
              size == 32 ? Storage::kTexture2d : Storage::kBuffer;
          Values want;
          float magnitude = 0;
          std::string plan;
          const auto got = MultiplyBlocks(
              c, &want, &magnitude,
              [&](DeviceProfile& profile) {
                profile.choices.constants = storage;
                profile.choices.half_arithmetic = half ? 1 : 0;
                profile.options.half = half;
                way.tune(profile.choices);
              },
              &plan);
          EXPECT_THAT(plan, HasSubstr(way.shader));
          EXPECT_THAT(
              plan, HasSubstr(absl::StrCat("weights in ", c.bits(), " bits")));
          float bound = 2 * c.terms() * magnitude * 0x1p-24f;
          // As tests/testing/single_op.h: products in mediump, 16 of which are
          // added in it, and a result of 16 bits.
          if (half) {
            bound += 18 * 0x1p-10f * magnitude + c.terms() * 0x1p-14f;
          }
          ExpectNear(got, want, bound);
        }
      }
    }
  }
}

// The table of token embeddings in a decoder with int4 weights.
TEST_F(NewerVersionsTest, RowsOfWeightsInBlocks) {
  for (TensorType type :
       {TensorType::INT8, TensorType::INT4, TensorType::INT2}) {
    for (int size : {16, 32, 256}) {
      Values want;
      Blocks c;
      c.type = type;
      c.op = Op::EMBEDDING_LOOKUP;
      c.size = size;
      c.in_row = 3;
      ExpectNear(LookUpBlocks(c, &want), want, 0);
    }
  }
}

TEST_F(NewerVersionsTest, RefusesBlocksThatDoNotFit) {
  const auto refusal = [](const Blocks& c) {
    Values want;
    return std::string(MultiplyBlocks(c, &want).status().message());
  };
  Blocks c;
  for (int count : {1, kOutputs * c.in_row - 1, kOutputs * c.in_row + 1}) {
    c.scales = count;
    EXPECT_THAT(refusal(c), HasSubstr("scales for blocks of 32"));
  }
  c = {};
  for (int id : {-1, 0, 1 << 20}) {
    c.scale_tensor = id;
    EXPECT_THAT(refusal(c), HasSubstr("a tensor that is not a constant"));
  }
  c = {};
  c.scale_type = TensorType::INT32;
  EXPECT_THAT(refusal(c), HasSubstr("they may be float16 or float32"));
  c = {};
  c.zero_points = true;
  EXPECT_THAT(refusal(c), HasSubstr("zero points"));
  c = {};
  c.op = Op::BATCH_MATMUL;
  EXPECT_THAT(refusal(c),
              HasSubstr("FULLY_CONNECTED and EMBEDDING_LOOKUP alone"));
}

// FULLY_CONNECTED 12 brought a scale an output beside floats.
TEST_F(NewerVersionsTest, WeightsWithAScaleAnOutput) {
  const std::vector<int8_t> weights =
      Codes<int8_t>(kOutputs * kTerms, -127, 127, 1);
  const Values x = Uniform(kRows * kTerms, -1, 1);
  const Products p = {
      Op::FULLY_CONNECTED, 12, {weights.begin(), weights.end()}, OneAnOutput()};
  ExpectNear(RunFile(ModelOf(p), {x}), RowProducts(x, weights, OneAnOutput()),
             1e-4f);
}

// FULLY_CONNECTED 11 and CONV_2D 8 name the type of the bias, which its tensor
// has, too: the integers of the versions before.
TEST_F(NewerVersionsTest, ATypeOfTheBias) {
  const std::vector<int8_t> weights =
      Codes<int8_t>(kOutputs * kTerms, -127, 127, 1);
  for (const auto& [op, before, with] :
       {std::tuple(Op::CONV_2D, 4, 8),
        std::tuple(Op::FULLY_CONNECTED, 7, 11)}) {
    Products p = {
        op, before, {weights.begin(), weights.end()}, WideScale(0.01f)};
    p.wide = true;
    SingleOpModel model;
    model.bytes = ModelOf(p);
    model.inputs = {Int16Values(kRows * kTerms, 1 / 4096.0f, 3)};
    const RunResult cpu = RunOnCpu(model);
    ASSERT_TRUE(cpu.status.ok()) << cpu.status;
    p.version = with;
    ExpectNear(RunFile(ModelOf(p), model.inputs), cpu.outputs[0].values, 0);
  }
}

// --- int16 values -----------------------------------------------------------

constexpr float kScale = 1 / 1024.0f;

// The file of a case whose shapes its text has; {q} is int16 of that scale.
std::vector<uint8_t> FileOf(const std::string& text) {
  const auto spec = cases::ParseCase(
      absl::StrReplaceAll(text, {{"{q}", "i16@(0.0009765625,0)"}}));
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? cases::BytesOf(*spec) : std::vector<uint8_t>();
}

// LiteRT rounds them down (tests/newer_kernels_test.py runs its kernel).
TEST_F(NewerVersionsTest, RootsOf16Bits) {
  constexpr float kOut = 1 / 4096.0f;
  Values x, want;
  for (int code = 0; code < 32768; code += 31) {
    x.push_back(kScale * static_cast<float>(code));
    want.push_back(kOut * std::floor(std::sqrt(x.back()) / kOut));
  }
  const std::string shape = absl::StrCat("[1,", x.size(), "]");
  ExpectNear(RunFile(FileOf(absl::StrCat("SQRT@2 x={q}", shape,
                                         " -> i16@(0.000244140625,0)", shape)),
                     {x}),
             want, 0);
}

// Where each output element comes from in the input; -1: zero padding.
struct Moved {
  std::vector<uint8_t> file;
  std::vector<int> from;
};

// Rows of an input [1, 2, 3, 1], 0 1 2 / 3 4 5.
std::vector<Moved> Moves() {
  const std::string pads = " pads=[4,2](0,0,0,1,1,1,0,0)";
  return {{FileOf("MIRROR_PAD@3 x={q}[1,2,3,1]" + pads +
                  " mode=REFLECT -> {q}[1,3,5,1]"),
           {1, 0, 1, 2, 1, 4, 3, 4, 5, 4, 1, 0, 1, 2, 1}},
          {FileOf("PADV2@4 x={q}[1,2,3,1]" + pads + " -> {q}[1,3,5,1]"),
           {-1, 0, 1, 2, -1, -1, 3, 4, 5, -1, -1, -1, -1, -1, -1}},
          {FileOf("SPACE_TO_BATCH_ND@4 x={q}[1,2,3,1] block=(2,2) "
                  "pads=[2,2](0,0,1,0) -> {q}[4,1,2,1]"),
           {-1, 1, 0, 2, -1, 4, 3, 5}},
          {FileOf("BATCH_TO_SPACE_ND@4 x={q}[6,1,1,1] block=(2,3) "
                  "crops=[2,2](0,0,1,0) -> {q}[1,2,2,1]"),
           {1, 2, 4, 5}}};
}

TEST_F(NewerVersionsTest, Moves16Bits) {
  const Values x = Int16Values(6, kScale, 5);
  int number = 0;
  for (const Moved& moved : Moves()) {
    SCOPED_TRACE(number++);
    Values want;
    for (int from : moved.from) want.push_back(from < 0 ? 0 : x[from]);
    ExpectNear(RunFile(moved.file, {x}), want, 0);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
