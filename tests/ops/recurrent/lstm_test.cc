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
#include "absl/strings/str_replace.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/real_model.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A sequence of the full kernel, without optional parts.
std::string Sequence(int steps, int inputs, int cells) {
  return absl::StrCat("UNIDIRECTIONAL_SEQUENCE_LSTM x=[1,", steps, ",", inputs,
                      "] w=const:[", cells, ",", inputs, "]*4 r=const:[", cells,
                      ",", cells, "]*4 p=-*3 b=const:[", cells,
                      "]*4 none=-*2 h=state:[1,", cells, "] c=state:[1,", cells,
                      "] norms=-*4 fused_activation_function=TANH");
}
// One with a projection to `outputs`, and with CIFG.
std::string Projected(int steps, int inputs, int cells, int outputs) {
  return absl::StrCat(
      "UNIDIRECTIONAL_SEQUENCE_LSTM x=[1,", steps, ",", inputs,
      "] wi=- w=const:[", cells, ",", inputs, "]*3 ri=- r=const:[", cells, ",",
      outputs, "]*3 p=-*3 bi=- b=const:[", cells, "]*3 projects=const:[",
      outputs, ",", cells, "] pb=- h=state:[1,", outputs, "] c=state:[1,",
      cells, "] norms=-*4 fused_activation_function=TANH");
}
const char kBasic[] =
    "LSTM@2 x=[1,5] h=state:[1,6] w=const:[24,11] bias=const:[24] "
    "c=state:[1,6] kernel_type=BASIC fused_activation_function=TANH "
    "-> y state concat sums";

// Each mix of the optional parts: the rows that say whether they project.
const std::vector<std::string>& Parts() {
  static const auto& parts = *[] {
    auto* found = new std::vector<std::string>;
    for (const cases::Row& row : cases::AllRows()) {
      if (row.list != "recurrent") continue;
      for (const std::string& text : row.cases) {
        if (absl::StrContains(text, "projection=")) found->push_back(text);
      }
    }
    return found;
  }();
  return parts;
}

class LstmTest : public StatefulTest {
 protected:
  // Every `step`th mix.
  void CheckParts(size_t step) {
    for (size_t i = 0; i < Parts().size(); i += step) {
      SCOPED_TRACE(Parts()[i]);
      Check(cases::ModelOf(Parts()[i]).bytes);
    }
  }
};

TEST_P(LstmTest, KeepsItsState) { CheckParts(5); }

// Sums of padding channels are NaN then, and no term of any other.
TEST_P(LstmTest, AnInfinity) {
  for (const std::string& text : Parts()) {
    SCOPED_TRACE(text);
    SingleOpModel model = cases::ModelOf(text);
    std::fill(model.inputs[0].begin(), model.inputs[0].end(), 0.5f);
    model.inputs[0][1] = INFINITY;
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
    CheckParts(5);
  }
}

// One gate's sums after the other: a row of the tuning table may ask for it.
TEST_P(LstmTest, GatesInTurn) {
  for (const char* lanes : {"1", "2", "32"}) {
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,few_registers=1,reduction_lanes=", lanes));
    CheckParts(3);
  }
}

// More slices than columns of a work group, and outputs than cells.
TEST_P(LstmTest, Large) {
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "few_registers=1");
  Check(cases::ModelOf(Sequence(2, 40, 530)).bytes);
}

TEST_P(LstmTest, ProjectionWiderThanTheCells) {
  // 2.21's kernel projects into scratch memory of `cells` floats, past its end.
  if (!OnOldestTflite()) {
    GTEST_SKIP() << "TensorFlow Lite " << TfLiteVersion()
                 << " writes past its scratch memory here";
  }
  Check(cases::ModelOf(Projected(2, 40, 20, 70)).bytes);
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
  for (const char* op :
       {"LSTM x=[3,5]", "UNIDIRECTIONAL_SEQUENCE_LSTM x=[3,3,5]"}) {
    const std::vector<uint8_t> bytes =
        cases::ModelOf(absl::StrCat(op,
                                    " w=const:[9,5]*4 r=const:[9,5]*4 p=-*3 "
                                    "b=const:[9]*4 projects=const:[5,9] pb=- "
                                    "h=state:[3,5] c=state:[3,9] norms=-*4 "
                                    "fused_activation_function=TANH"))
            .bytes;
    StatefulPair pair(RoundMatrices(bytes, false), RoundMatrices(bytes, true));
    for (int i = 0; i < 3; ++i) pair.Step();
  }
}

// Resizing allocates the states again, as zeros.
TEST(LstmResizeTest, ALongerSequenceBeginsAgain) {
  GLES_SKIP_WITHOUT_DEVICE();
  StatefulPair pair(cases::ModelOf(Sequence(2, 5, 6)).bytes);
  pair.Step();
  pair.Step();
  for (int steps : {5, 1}) {
    pair.Resize({1, steps, 5});
    pair.Step();
    pair.Step();
  }
}

// --- The basic kernel -------------------------------------------------------

class BasicLstmTest : public DeviceTest {};

TEST_F(BasicLstmTest, KeepsItsState) {
  for (Precision precision : kPrecisions) {
    ExpectSameStates(cases::ModelOf(kBasic).bytes, precision);
  }
}

// States that the app hands in: TFLite's kernel overwrites them with the new
// ones, so that an app which leaves them alone goes on.
TEST_F(BasicLstmTest, StatesThatAreInputs) {
  StatefulPair pair(
      cases::ModelOf(absl::StrReplaceAll(kBasic, {{"state:", ""}})).bytes);
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
  const auto model = LoadOrDie(cases::ModelOf(Projected(2, 1, 20000, 1)).bytes);
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("bytes of shared memory, the device has"));
}

// Whether a shader that is planned for the case, with these tuning parameters,
// has a line with this text.
bool PlansText(const std::string& c, const char* parameters, const char* text) {
  const ScratchDirectory folder;
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", parameters);
  const ScopedDebug dump("shaders=" + folder.path());
  const auto model = LoadOrDie(cases::ModelOf(c).bytes);
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

bool TakesGatesInTurn(const std::string& c) {
  return PlansText(c, "few_registers=1", "#define IN_TURN");
}

// A work group runs on one core: a second vector of it gains nothing.
TEST_F(LstmPlanTest, LanesFillOneVectorWhereItIsKnown) {
  // Terms enough for 8 lanes, four columns.
  const std::string c = Sequence(2, 64, 16);
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
  EXPECT_TRUE(TakesGatesInTurn(Projected(2, 1, 40, 1)));
  // 25 KiB without the sums, 68 KiB with them.
  EXPECT_FALSE(TakesGatesInTurn(Projected(2, 1, 3200, 1)));
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
