// labels: op llvmpipe softpipe oldest_tflite
// UNIDIRECTIONAL_SEQUENCE_LSTM and LSTM, full and basic kernel, against
// TFLite's own, over several invokes with the state kept; their plans.
#include <algorithm>
#include <cmath>
#include <cstring>
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
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"

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

TEST_P(LstmTest, ProjectionWiderThanTheCells) {
  // 2.21's kernel projects into scratch memory of `cells` floats, past its end.
  if (!OnOldestTflite()) {
    GTEST_SKIP() << "TensorFlow Lite " << TfLiteVersion()
                 << " writes past its scratch memory here";
  }
  Check(cases::ModelOf(Projected(2, 40, 20, 70)).bytes);
}

GLES_AT_EACH_PRECISION(LstmTest);

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
  const auto interpreter = Applied(*model, delegate);
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("bytes of shared memory, the device has"));
}

}  // namespace
}  // namespace gles_delegate::testing
