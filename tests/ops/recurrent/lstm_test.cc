// labels: op llvmpipe softpipe oldest_tflite
// UNIDIRECTIONAL_SEQUENCE_LSTM and LSTM, full and basic kernel, against
// TFLite's own, over several invokes with the state kept; their plans.
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
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
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

// --- Plans ------------------------------------------------------------------

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

}  // namespace
}  // namespace gles_delegate::testing
