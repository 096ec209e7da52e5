// labels: op llvmpipe softpipe oldest_tflite
// UNIDIRECTIONAL_SEQUENCE_LSTM and LSTM, full and basic kernel, against
// TFLite's own, over several invokes with the state kept; what the parsers
// refuse.
#include "delegate/ops/recurrent/lstm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/recurrent/basic_lstm.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/real_model.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/stateful.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class LstmTest : public StatefulTest {};

TEST_P(LstmTest, EveryTail) {
  for (int steps : {0, 3}) {
    LstmCase params;
    params.steps = steps;
    ForEachTail(params, {&LstmCase::cells, &LstmCase::inputs},
                [&](const LstmCase& c) { Check(Lstm(c)); });
  }
}

TEST_P(LstmTest, BatchesAndTimeMajor) {
  for (bool time_major : {false, true}) {
    LstmCase c;
    c.steps = 4;
    c.batch = 3;
    c.time_major = time_major;
    Check(Lstm(c));
  }
}

// A mix of the optional parts, of 32.
LstmCase Variant(int bits) {
  LstmCase c = LstmWithParts(bits / 2);
  c.steps = bits % 2 == 0 ? 3 : 0;
  c.projection_bias = c.outputs > 0 && c.cifg;
  return c;
}

TEST_P(LstmTest, Variants) {
  for (int bits = 0; bits < 32; ++bits) {
    SCOPED_TRACE(absl::StrCat("bits ", bits));
    Check(Lstm(Variant(bits)));
  }
}

// Sums of padding channels are NaN then, and no term of any other.
TEST_P(LstmTest, AnInfinity) {
  for (int bits = 0; bits < 32; ++bits) {
    SCOPED_TRACE(absl::StrCat("bits ", bits));
    const LstmCase c = Variant(bits);
    SingleOpModel model;
    model.bytes = Lstm(c);
    model.inputs.emplace_back(c.batch * std::max(1, c.steps) * c.inputs, 0.5f);
    model.inputs[0][1] = INFINITY;
    model.accuracy.absolute = 0x1p-17f;  // as StatefulPair::Step()
    model.stateful = true;
    RunOptions options;
    options.precision = GetParam();
    options.invokes = 1;
    EXPECT_THAT(RunOnDelegate(model, options), MatchesCpu(model, GetParam()));
  }
}

// Several invocations compute a sum, as on devices of which no vector's width
// is known. On llvmpipe they would be no more than fill a vector.
TEST_P(LstmTest, SumsByLanes) {
  for (const char* lanes : {"2", "32"}) {
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,reduction_lanes=", lanes));
    for (int bits = 0; bits < 32; bits += 3) {
      SCOPED_TRACE(absl::StrCat(lanes, " lanes, bits ", bits));
      Check(Lstm(Variant(bits)));
    }
  }
}

// One gate's sums after the other: a row of the tuning table may ask for it.
TEST_P(LstmTest, GatesInTurn) {
  for (const char* lanes : {"1", "2", "32"}) {
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,few_registers=1,reduction_lanes=", lanes));
    for (int bits = 0; bits < 32; bits += 2) {
      SCOPED_TRACE(absl::StrCat(lanes, " lanes, bits ", bits));
      Check(Lstm(Variant(bits)));
    }
  }
}

TEST_P(LstmTest, ClipsAndActivations) {
  using Activation = schema::ActivationFunctionType;
  for (Activation activation : {Activation::TANH, Activation::RELU,
                                Activation::RELU6, Activation::RELU_N1_TO_1}) {
    LstmCase c;
    c.steps = 3;
    c.activation = activation;
    c.cell_clip = 0.25f;
    c.outputs = 9;
    c.proj_clip = 0.125f;
    SCOPED_TRACE(schema::EnumNameActivationFunctionType(activation));
    Check(Lstm(c));
  }
}

// More slices than columns of a work group, and outputs than cells.
TEST_P(LstmTest, Large) {
  LstmCase c;
  c.steps = 2;
  c.cells = 530;
  c.inputs = 40;
  Check(Lstm(c));
  {
    const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "few_registers=1");
    Check(Lstm(c));
  }
}

TEST_P(LstmTest, ProjectionWiderThanTheCells) {
  // 2.21's kernel projects into scratch memory of `cells` floats, past its end.
  if (!OnOldestTflite()) {
    GTEST_SKIP() << "TensorFlow Lite " << TfLiteVersion()
                 << " writes past its scratch memory here";
  }
  LstmCase c;
  c.steps = 2;
  c.inputs = 40;
  c.cells = 20;
  c.outputs = 70;
  Check(Lstm(c));
}

GLES_AT_EACH_PRECISION(LstmTest);

// The model with its matrices in 8 bits (dynamic range quantization), or with
// the floats that those quantized values represent.
std::vector<uint8_t> RoundMatrices(const std::vector<uint8_t>& bytes,
                                   bool as_quantized) {
  schema::ModelT model;
  schema::GetModel(bytes.data())->UnPackTo(&model);
  for (auto& tensor : model.subgraphs[0]->tensors) {
    std::vector<uint8_t>& data = model.buffers[tensor->buffer]->data;
    if (tensor->shape.size() != 2 || data.empty()) continue;
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
    float max = 0;
    for (float v : values) max = std::max(max, std::fabs(v));
    const float scale = max / 127;
    std::vector<int8_t> quantized;
    for (float& v : values) {
      quantized.push_back(static_cast<int8_t>(std::lround(v / scale)));
      v = quantized.back() * scale;
    }
    if (!as_quantized) {
      std::memcpy(data.data(), values.data(), data.size());
      continue;
    }
    data.assign(quantized.begin(), quantized.end());
    tensor->type = TensorType::INT8;
    tensor->quantization = std::make_unique<schema::QuantizationParametersT>();
    tensor->quantization->scale = {scale};
    tensor->quantization->zero_point = {0};
  }
  if (as_quantized) model.operator_codes[0]->version = 3;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Model::Pack(builder, &model),
                 schema::ModelIdentifier());
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

// TFLite's hybrid kernel rounds the data to 8 bits on its way, which the GPU
// need not: compared with its float kernel on the same weights.
TEST(LstmQuantizedTest, WeightsOfDynamicRange) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int steps : {0, 3}) {
    LstmCase c;
    c.steps = steps;
    c.batch = 3;
    c.cells = 9;
    c.outputs = 5;
    const std::vector<uint8_t> bytes = Lstm(c);
    StatefulPair pair(RoundMatrices(bytes, false), RoundMatrices(bytes, true));
    for (int i = 0; i < 3; ++i) pair.Step();
  }
}

// Resizing allocates the states again, as zeros.
TEST(LstmResizeTest, ALongerSequenceBeginsAgain) {
  GLES_SKIP_WITHOUT_DEVICE();
  LstmCase c;
  c.steps = 2;
  StatefulPair pair(Lstm(c));
  pair.Step();
  pair.Step();
  for (int steps : {5, 1}) {
    pair.Resize({c.batch, steps, c.inputs});
    pair.Step();
    pair.Step();
  }
}

TEST(LstmStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (TfLiteGlesStorage storage : kEveryStorage) {
    for (Precision precision : kPrecisions) {
      LstmCase c;
      c.steps = 3;
      c.batch = 3;
      c.layer_norm = c.peephole = true;
      c.outputs = 5;
      ExpectSameStates(Lstm(c), precision, storage);
    }
  }
}

// --- The basic kernel -------------------------------------------------------

class BasicLstmTest : public DeviceTest {};

TEST_F(BasicLstmTest, EveryTail) {
  for (Precision precision : kPrecisions) {
    ForEachTail(
        BasicCase(), {&BasicCase::depth, &BasicCase::inputs},
        [&](const BasicCase& c) { ExpectSameStates(BasicLstm(c), precision); });
  }
}

TEST_F(BasicLstmTest, EveryStorage) {
  for (TfLiteGlesStorage storage : kEveryStorage) {
    ExpectSameStates(BasicLstm({3, 5, 6}), Precision::kFloat32, storage);
    ExpectSameStates(BasicLstm({3, 5, 6}), Precision::kFloat16, storage);
  }
}

TEST_F(BasicLstmTest, RuntimeWeights) {
  BasicCase c;
  c.runtime_weights = true;
  ExpectSameStates(BasicLstm(c));
}

// States that the app hands in: TFLite's kernel overwrites them with the new
// ones, so that an app which leaves them alone goes on.
TEST_F(BasicLstmTest, StatesThatAreInputs) {
  BasicCase c;
  c.variables = false;
  StatefulPair pair(BasicLstm(c));
  for (int i = 0; i < 3; ++i) pair.Step();  // all inputs are set each time
  pair.StepKeepingOtherInputs();
  pair.StepKeepingOtherInputs();
  pair.Step();
}

// --- A real model -----------------------------------------------------------

TEST(LstmModelTest, MnistRunsWholeAndKeepsItsState) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::string path = SharedFile("models/mnist_lstm_float.tflite");
  if (path.empty()) {
    GTEST_SKIP() << "NO REAL MODEL, NOTHING TESTED: set "
                    "GLES_DELEGATE_SHARED_DIR to a folder that holds "
                    "models/mnist_lstm_float.tflite";
  }
  const auto model = Model::FromFile(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto bytes = (*model)->bytes();
  ExpectSameStates({bytes.begin(), bytes.end()});
}

// --- What is refused --------------------------------------------------------

// Sequence of 2 batches, 3 steps of 5 inputs, 4 cells, with everything optional
// but a projection.
struct SequenceNode {
  std::vector<Tensor> tensors;
  std::vector<bool> there = std::vector<bool>(lstm::kInputs, true);
  Tensor output = FakeTensor({2, 3, 4});
  SequenceLstmParams params = {kActTanh, 0, 0, false, false, false};
  int version = 1;

  SequenceNode() : tensors(lstm::kInputs) {
    tensors[lstm::kData] = FakeTensor({2, 3, 5});
    for (int g = 0; g < lstm::kGates; ++g) {
      tensors[lstm::kInputWeights + g] = FakeConstant({4, 5});
      tensors[lstm::kRecurrentWeights + g] = FakeConstant({4, 4});
      tensors[lstm::kBiases + g] = FakeConstant({4});
      tensors[lstm::kNormCoefficients + g] = FakeConstant({4});
      if (g < 3) tensors[lstm::kPeepholes + g] = FakeConstant({4});
    }
    tensors[lstm::kProjectionWeights] = FakeConstant({4, 4});
    tensors[lstm::kProjectionBias] = FakeConstant({4});
    tensors[lstm::kOutputState] = FakeState({2, 4});
    tensors[lstm::kCellState] = FakeState({2, 4});
    there[lstm::kProjectionWeights] = there[lstm::kProjectionBias] = false;
  }

  std::string Refused() const {
    NodeView node;
    node.builtin_params = &params;
    node.version = version;
    for (size_t i = 0; i < tensors.size(); ++i) {
      node.inputs.push_back(there[i] ? &tensors[i] : nullptr);
    }
    node.outputs = {&output};
    return RefusalOf(ParseSequenceLstm, node);
  }
  std::string RefusedWithout(int input) const {
    SequenceNode other = *this;
    other.there[input] = false;
    return other.Refused();
  }
};

TEST(LstmParseTest, TakesTheDefault) {
  EXPECT_EQ(SequenceNode().Refused(), "");
  SequenceNode projected;
  projected.there[lstm::kProjectionWeights] = true;
  EXPECT_EQ(projected.Refused(), "");
}

TEST(LstmParseTest, RefusesPartsWithoutTheirOthers) {
  const SequenceNode node;
  EXPECT_THAT(node.RefusedWithout(lstm::kInputWeights),
              HasSubstr("input gate's recurrent weights is there, others"));
  EXPECT_THAT(node.RefusedWithout(lstm::kInputWeights + 1),
              HasSubstr("forget gate's input weights is absent"));
  EXPECT_THAT(node.RefusedWithout(lstm::kBiases + 3),
              HasSubstr("output gate's bias is absent"));
  EXPECT_THAT(node.RefusedWithout(lstm::kPeepholes),
              HasSubstr("peephole of the input gate is absent"));
  EXPECT_THAT(node.RefusedWithout(lstm::kPeepholes + 2),
              HasSubstr("peephole of the input gate is there, others"));
  EXPECT_THAT(node.RefusedWithout(lstm::kNormCoefficients + 2),
              HasSubstr("cell gate's layer norm coefficients is absent"));
  EXPECT_THAT(node.RefusedWithout(lstm::kCellState),
              HasSubstr("the cell state must be a variable tensor"));
  SequenceNode bias;
  bias.there[lstm::kProjectionBias] = true;
  EXPECT_THAT(bias.Refused(), HasSubstr("the projection's bias is there"));
}

TEST(LstmParseTest, RefusesShapesThatDisagree) {
  for (int input = 0; input < lstm::kInputs; ++input) {
    SequenceNode node;
    node.there[lstm::kProjectionWeights] = true;
    node.there[lstm::kProjectionBias] = true;
    Tensor& t = node.tensors[input];
    const bool variable = t.is_variable;
    std::vector<int> dims = t.dims;
    dims.back() += 4;
    t = t.is_constant() ? FakeConstant(dims) : FakeTensor(dims);
    t.is_variable = variable;
    EXPECT_NE(node.Refused(), "") << "input " << input;
  }
  SequenceNode output;
  output.output = FakeTensor({2, 3, 5});
  EXPECT_THAT(output.Refused(), HasSubstr("output is 2x3x5"));
  SequenceNode rank;
  rank.tensors[lstm::kData] = FakeTensor({2, 5});
  EXPECT_THAT(rank.Refused(), HasSubstr("its rank must be 3"));
  SequenceNode few;
  few.tensors.resize(21);
  EXPECT_THAT(few.Refused(), HasSubstr("has 21 inputs, must have 20 or 24"));
}

TEST(LstmParseTest, RefusesWhatIsNotSupported) {
  SequenceNode runtime;
  runtime.tensors[lstm::kInputWeights] = FakeTensor({4, 5});
  EXPECT_THAT(runtime.Refused(), HasSubstr("is computed at run time"));
  SequenceNode state;
  state.tensors[lstm::kOutputState].is_variable = false;
  EXPECT_THAT(state.Refused(), HasSubstr("must be a variable tensor"));
  SequenceNode clip;
  clip.params.cell_clip = -1;
  EXPECT_THAT(clip.Refused(), HasSubstr("must not be negative"));
  SequenceNode diagonal;
  diagonal.params.diagonal_recurrent_tensors = true;
  EXPECT_EQ(diagonal.Refused(), "");  // older structs end before the field
  diagonal.version = 4;
  EXPECT_THAT(diagonal.Refused(), HasSubstr("diagonal recurrent weights"));
  SequenceNode activation;
  activation.params.activation = kActSignBit;
  EXPECT_THAT(activation.Refused(), HasSubstr("activation 5"));
  activation.params.activation = kActNone;
  EXPECT_THAT(activation.Refused(), HasSubstr("without an activation"));
}

class LstmPlanTest : public DeviceTest {};

TEST_F(LstmPlanTest, RefusesStatesPastSharedMemory) {
  LstmCase c;
  c.steps = 2;
  c.cells = 20000;
  c.inputs = 1;
  c.cifg = true;
  c.outputs = 1;
  const auto model = LoadOrDie(Lstm(c));
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("bytes of shared memory, the device has"));
}

// Whether a shader that is planned for the case, with these tuning parameters,
// has a line with this text.
bool PlansText(const LstmCase& c, const char* parameters, const char* text) {
  const ScratchDirectory folder;
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", parameters);
  const ScopedDebug dump("shaders=" + folder.path());
  const auto model = LoadOrDie(Lstm(c));
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = InterpreterOrDie(*model);
  EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::ifstream stream(file.path());
    const std::string shader(std::istreambuf_iterator<char>(stream), {});
    if (absl::StrContains(shader, text)) return true;
  }
  return false;
}

bool TakesGatesInTurn(const LstmCase& c) {
  return PlansText(c, "few_registers=1", "#define IN_TURN");
}

// A work group runs on one core: a second vector of it gains nothing.
TEST_F(LstmPlanTest, LanesFillOneVectorWhereItIsKnown) {
  LstmCase c;
  c.steps = 2;
  c.inputs = 64;  // terms enough for 8 lanes
  c.cells = 16;   // four columns
  const auto lanes = [&](const char* parameters, int count) {
    return PlansText(c, parameters,
                     absl::StrCat("#define LANES ", count, "\n").c_str());
  };
  EXPECT_TRUE(lanes("simd_lanes=1,reduction_lanes=8", 8));
  EXPECT_TRUE(lanes("simd_lanes=8,reduction_lanes=8", 2));
  EXPECT_TRUE(lanes("simd_lanes=4,reduction_lanes=8", 1));
  EXPECT_TRUE(lanes("simd_lanes=2,reduction_lanes=8", 1));
}

// Their sums take shared memory, of which no driver at hand has more than 64
// KiB.
TEST_F(LstmPlanTest, GatesAreTakenInTurnWhereTheirSumsFit) {
  LstmCase c;
  c.steps = 2;
  c.inputs = 1;
  c.cifg = true;
  c.outputs = 1;
  c.cells = 40;
  EXPECT_TRUE(TakesGatesInTurn(c));
  c.cells = 3200;  // 25 KiB without the sums, 68 KiB with them
  EXPECT_FALSE(TakesGatesInTurn(c));
}

struct BasicNode : FakeNode<LstmParams, ParseLstm> {
  BasicNode() {
    inputs = {FakeTensor({2, 5}), FakeState({2, 6}), FakeConstant({24, 11}),
              FakeConstant({24}), FakeState({2, 6})};
    outputs = {FakeTensor({2, 6}), FakeTensor({2, 6}), FakeTensor({2, 11}),
               FakeTensor({2, 24})};
    params = {kActTanh, 0, 0, kLstmBasic, false};
  }
};

TEST(BasicLstmParseTest, RefusesShapesAndStates) {
  EXPECT_EQ(BasicNode().Refused(), "");
  for (size_t i = 0; i < 5; ++i) {
    BasicNode node;
    Tensor& t = node.inputs[i];
    const bool variable = t.is_variable;
    std::vector<int> dims = t.dims;
    dims.back() += 1;
    t = t.is_constant() ? FakeConstant(dims) : FakeTensor(dims);
    t.is_variable = variable;
    EXPECT_NE(node.Refused(), "") << "input " << i;
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_THAT(BasicNode().RefusedWithOutput(i, FakeTensor({2, 7})),
                HasSubstr("is 2x7, must be 2x"));
  }
  BasicNode made;
  made.inputs[4].is_variable = false;
  EXPECT_THAT(made.Refused(),
              HasSubstr("the previous state is made by another"));
  EXPECT_THAT(BasicNode().RefusedWithInput(1, FakeState({2, 1 << 30})),
              HasSubstr("1073741824 cells are past"));
  BasicNode kernel;
  kernel.params.kernel_type = 7;
  EXPECT_THAT(kernel.Refused(), HasSubstr("kernel type 7 is unknown"));
}

}  // namespace
}  // namespace gles_delegate::testing
