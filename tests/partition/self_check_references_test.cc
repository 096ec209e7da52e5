// labels: op delegate softpipe
// Ops of integers, of positions, of volumes and of spectra have references,
// too: a right driver is found right, one that writes something else is not.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "delegate/partition/self_check.h"
#include "nlohmann/json.hpp"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edited_shaders.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr char kOneHot[] =
    "ONE_HOT indices=i32[2,7]~-2..6 depth=5 on=0.5 off=-0.25 axis=-1 -> f32";
constexpr char kUpdate[] =
    "DYNAMIC_UPDATE_SLICE x=[2,25,12] update=[1,2,12] start=i32[3](1,1,0)";

constexpr char kSvdf[] =
    "SVDF x=[1,5] feature=const:[6,5] time=const:[6,4] bias=const:[3] "
    "state=state:[1,24] rank=2";
constexpr char kBasicLstm[] =
    "LSTM@2 x=[1,5] h=state:[1,6] w=const:[24,11] bias=const:[24] "
    "c=state:[1,6] kernel_type=BASIC fused_activation_function=TANH "
    "-> y state concat sums";
constexpr char kSequenceLstm[] =
    "UNIDIRECTIONAL_SEQUENCE_LSTM x=[1,3,5] w=const:[6,5]*4 r=const:[6,6]*4 "
    "p=-*3 b=const:[6]*4 none=-*2 h=state:[1,6] c=state:[1,6] norms=-*4 "
    "fused_activation_function=TANH";
constexpr char kLstmOfParts[] =
    "LSTM x=[2,5] w=const:[7,5]*4 r=const:[7,3]*4 p=const:[7]*3 "
    "b=const:[7]*4 projects=const:[3,7] pb=const:[3] h=state:[2,3] "
    "c=state:[2,7] norms=const:[7]*4 fused_activation_function=TANH";

// Of int8, for which TFLite's kernel gives multiples of 1/256.
constexpr char kSoftmax[] =
    "SOFTMAX@2 x=i8@(0.05,3)[3,17] beta=1 -> i8@(0.00390625,-128)";

// Texts and what the driver is given instead; empty: the texts themselves.
using Edits = std::vector<std::pair<std::string, std::string>>;
bool g_edited = false;

// Every shader writes one more, or half as much again.
Edits WritesMore() {
  return {{"int batch, ivec4 v) {", "int batch, ivec4 v) { v += 1;"},
          {"int batch, vec4 v) {", "int batch, vec4 v) { v *= 1.5;"}};
}

nlohmann::json CheckOf(const SingleOpModel& model, const Edits& edits) {
  g_edited = false;
  const EditedShaders shaders([&](std::string* text) {
    g_edited |= absl::StrReplaceAll(edits, text) > 0;
  });
  ForgetSelfChecks();
  const auto loaded = LoadOrDie(model.bytes);
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
  });
  const auto interpreter = InterpreterOrDie(*loaded);
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  ForgetSelfChecks();
  if (!applied.ok()) return {{"verdict", std::string(applied.message())}};
  const nlohmann::json report = ReportOf(delegate);
  return report["partition"].empty() ? nlohmann::json{{"verdict", "none"}}
                                     : report["partition"][0]["self_check"];
}

class SelfCheckReferencesTest : public DeviceTest {};

TEST_F(SelfCheckReferencesTest, WrongProgramsAreFound) {
  const SingleOpModel models[] = {
      cases::ModelOf("ADD a=i32[1,3,4,5] b=i32[1,3,4,5]"),
      cases::ModelOf("FLOOR_MOD a=i32[1,3,4,5] b=i32[1,3,4,5]~1..100"),
      cases::ModelOf("NEG x=i32[1,3,4,5]"),
      cases::ModelOf("LOGICAL_AND a=bool[1,3,4,5] b=bool[1,3,4,5]"),
      cases::ModelOf("LOGICAL_NOT x=bool[1,3,4,5]"),
      cases::ModelOf("REDUCE_ANY x=bool[1,3,4,5] axes=(1) keep_dims=true"),
      cases::ModelOf("SUM x=i32[1,3,4,5] axes=(1,2) keep_dims=true"),
      // In the input's memory: whole texels, and channels of them.
      cases::ModelOf(
          "DYNAMIC_UPDATE_SLICE x=[2,5,12] update=[1,2,12] start=(1,1,0)"),
      cases::ModelOf(
          "DYNAMIC_UPDATE_SLICE x=[2,5,13] update=[1,2,5] start=i32[3](1,1,3)"),
      cases::ModelOf(
          "ARG_MAX x=[1,3,4,9]~i-4..4 axis=3 output_type=INT32 -> i32"),
      cases::ModelOf(
          "ARG_MIN x=i32[1,3,4,9]~-4..4 axis=1 output_type=INT32 -> i32"),
      cases::ModelOf("TOPK_V2 x=[2,9]~i-20..20 k=3 -> f32 i32"),
      cases::ModelOf(kOneHot),
      cases::ModelOf("SCATTER_ND indices=i32[40,2]~(0..9,0..5) "
                     "updates=[40,3]~i-9..9 shape=(10,6,3) -> f32"),
      cases::ModelOf(
          "REVERSE_SEQUENCE x=[2,7,4] lengths=i32[2]~0..7 seq_dim=1"),
      cases::ModelOf(
          "EMBEDDING_LOOKUP ids=i32[4]~0..8 table=const:[9,6] -> f32"),
      cases::ModelOf("EMBEDDING_LOOKUP ids=i32[4]~0..8 table=[9,6] -> f32"),
      cases::ModelOf(
          "EMBEDDING_LOOKUP ids=i32[4]~0..8 table=int8:[9,6] -> f32"),
      cases::ModelOf("FULLY_CONNECTED x=[2,17] w=int8:[5,17] b=const:[5]"),
      cases::ModelOf("FULLY_CONNECTED x=[20,17] w=int8:[5,17] b=const:[5]"),
      cases::ModelOf("SEGMENT_SUM x=[5,6]~i-9..9 ids=(0,0,1,2,2)"),
      cases::ModelOf(
          "UNSORTED_SEGMENT_MAX x=[5,6]~i-9..9 ids=(1,0,1,2,-1) n=3"),
      cases::ModelOf("UNSORTED_SEGMENT_MIN x=i32[5,6] ids=(1,0,1,2,-1) n=3"),
      cases::ModelOf(
          "UNSORTED_SEGMENT_PROD x=[5,6]~i-9..9 ids=(1,0,1,2,-1) n=3"),
      cases::ModelOf(
          "DYNAMIC_UPDATE_SLICE x=[2,7,5] update=[1,3,5] start=i32[3](1,2,0)"),
      cases::ModelOf("CONV_3D x=[1,4,5,6,3] w=const:[3,3,3,3,4] b=const:[4]"),
      cases::ModelOf("CONV_3D_TRANSPOSE shape=(1,4,5,6,4) "
                     "w=const:[3,3,3,4,3] x=[1,4,5,6,3] b=const:[4]"),
      cases::ModelOf("RFFT2D x=[3,1,16]~n(0,1) lengths=(1,16) -> bins:c64 ; "
                     "COMPLEX_ABS bins -> f32"),
      cases::ModelOf(kSvdf),
      cases::ModelOf(kBasicLstm),
      cases::ModelOf("LSTM x=[1,5] w=const:[6,5]*4 r=const:[6,6]*4 p=-*3 "
                     "b=const:[6]*4 none=-*2 h=state:[1,6] c=state:[1,6] "
                     "norms=-*4 fused_activation_function=TANH"),
      cases::ModelOf(kLstmOfParts),
      cases::ModelOf("UNIDIRECTIONAL_SEQUENCE_LSTM x=[3,2,5] wi=- "
                     "w=const:[7,5]*3 ri=- r=const:[7,7]*3 p=-*3 bi=- "
                     "b=const:[7]*3 none=-*2 h=state:[2,7] c=state:[2,7] "
                     "norms=-*4 time_major=true "
                     "fused_activation_function=TANH"),
  };
  for (const SingleOpModel& model : models) {
    SCOPED_TRACE(model.description);
    const nlohmann::json right = CheckOf(model, {});
    EXPECT_EQ(right["verdict"], "right") << right;
    const nlohmann::json wrong = CheckOf(model, WritesMore());
    EXPECT_NE(wrong["verdict"].get<std::string>().find("answers wrongly"),
              std::string::npos)
        << wrong;
  }
}

SingleOpModel Detection(int anchors, int most, const char* regular,
                        const char* score, const char* overlap) {
  return cases::ModelOf(absl::StrCat(
      "TFLite_Detection_PostProcess x=[1,", anchors,
      ",4]~i-60..60/20 scores=[1,", anchors,
      ",4]~i0..2047/2048 anchors=const:[", anchors,
      ",4]~i(40..215,40..215,26..128,26..128)/256 custom=(max_detections=",
      most, ",max_classes_per_detection=1,use_regular_nms=", regular,
      ",nms_score_threshold=", score, ",nms_iou_threshold=", overlap,
      ",num_classes=3,y_scale=10.0,x_scale=10.0,h_scale=5.0,w_scale=5.0) -> "
      "f32*4"));
}

// Of programs that were not checked, and edits that once were called right.
TEST_F(SelfCheckReferencesTest, SmallEditsAreFound) {
  const SingleOpModel fast = Detection(40, 10, "false", "0.3", "0.5");
  const SingleOpModel regular = Detection(40, 10, "true", "0.3", "0.5");
  const SingleOpModel crowded = Detection(300, 50, "false", "0.0", "0.2");
  const struct {
    SingleOpModel model;
    std::pair<std::string, std::string> edit;
  } cases[] = {
      {cases::ModelOf(kSequenceLstm), {"forget * old +", "forget * old -"}},
      {cases::ModelOf(kSequenceLstm),
       {"sigmoid(output_sum) *", "output_sum *"}},
      {cases::ModelOf(kSequenceLstm), {"rows.x + gate", "rows.x"}},
      {cases::ModelOf(kSequenceLstm),
       {"read_cell_state(0, 0, s, batch)", "vec4(0.0)"}},
      {cases::ModelOf(kSequenceLstm),
       {"batch, cell_slices[s]);", "batch, cell_slices[s] * 1.5);"}},
      {cases::ModelOf(kSequenceLstm),
       {"batch, output_slices[s]);", "batch, output_slices[s] * 1.5);"}},
      {cases::ModelOf(kLstmOfParts), {"rows.y + which", "rows.y"}},
      {cases::ModelOf(kLstmOfParts), {"rows.z + gate", "rows.z"}},
      {cases::ModelOf(kLstmOfParts), {"squares += d", "squares -= d"}},
      {cases::ModelOf(kLstmOfParts), {"rows.w + CELL_SLICES * 4", "rows.w"}},
      {cases::ModelOf(kBasicLstm), {"gate(2)", "gate(0)"}},
      {cases::ModelOf(kBasicLstm),
       {"write_kept_state(0, 0, gid.x, gid.y, cell)",
        "write_kept_state(0, 0, gid.x, gid.y, result)"}},
      {cases::ModelOf(kSvdf), {"m < filters.y", "m < filters.y - 1"}},
      {cases::ModelOf(kSvdf), {"== memory - 1", "== memory - 2"}},
      {cases::ModelOf(kSvdf), {"gid.y), e + 1)", "gid.y), e)"}},
      {fast, {"encoding.xy * anchor.zw", "encoding.xy"}},
      {fast, {"0.5 * op_exp", "op_exp"}},
      {fast, {"keys[c] > best.x", "keys[c] < best.x"}},
      {crowded, {"area_a + area_b - shared", "area_a + area_b + shared"}},
      {crowded, {"shared_area > overlap", "shared_area > 3.0 * overlap"}},
      {regular, {"+ gid.z", "+ 0"}},
      {regular, {"vec4(float(row)", "vec4(float(row + 1)"}},
      {cases::ModelOf(kOneHot), {"== at - outer", "== at + 1 - outer"}},
      {cases::ModelOf(kOneHot), {"e - at * inner", "e"}},
      {cases::ModelOf(kUpdate), {"clamp(at, 0, extent - box)", "max(at, 0)"}},
      {cases::ModelOf(kUpdate),
       {"clamp(at, 0, extent - box)", "clamp(at, 0, extent)"}},
      {cases::ModelOf(kUpdate), {"clamp(at, 0, extent - box)", "extent - box"}},
      {cases::ModelOf(kSoftmax),
       {"float(low + 255));", "float(low + 255)); quantized += 2.0;"}},
      {cases::ModelOf(kSoftmax),
       {"float(low + 255));", "float(low + 255)); quantized -= 2.0;"}},
  };
  for (const auto& [model, edit] : cases) {
    SCOPED_TRACE(model.description + ": " + edit.second);
    const nlohmann::json right = CheckOf(model, {});
    EXPECT_EQ(right["verdict"], "right") << right;
    const nlohmann::json wrong = CheckOf(model, {edit});
    EXPECT_TRUE(g_edited);
    EXPECT_TRUE(wrong["verdict"] == "fallback" ||
                absl::StrContains(wrong["verdict"].get<std::string>(),
                                  "answers wrongly"))
        << wrong;
  }
}

nlohmann::json CheckOfQuotients(float scale) {
  return CheckOf(cases::ModelOf(absl::StrCat(
                     "DIV@2 x=u8@(0.25,100)[1,8,8,4] y=u8@(0.0666666667,0)"
                     "[1,8,8,4] -> u8@(",
                     scale, ",5)")),
                 {})["verdict"];
}

// TFLite's kernel overflows for some quotients that are less than a step of the
// output, and the delegate follows (quant/code_table.cc): these are not
// judged, the others are.
TEST_F(SelfCheckReferencesTest, QuotientsNearZeroAreNotRefused) {
  EXPECT_EQ(CheckOfQuotients(80), "partly checked");
  EXPECT_EQ(CheckOfQuotients(0.125f), "right");
}

}  // namespace
}  // namespace gles_delegate::testing
