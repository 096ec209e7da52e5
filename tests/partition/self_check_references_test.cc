// labels: op delegate softpipe
// Ops of integers, of positions, of volumes and of spectra have references,
// too: a right driver is found right, one that writes something else is not.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "delegate/partition/self_check.h"
#include "egl/testing.h"
#include "nlohmann/json.hpp"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

bool g_broken = false;

// Where g_broken, every shader writes one more, or half as much again.
void AlteredShaderSource(GLuint shader, GLsizei, const GLchar* const* texts,
                         const GLint* lengths) {
  std::string text(texts[0], lengths == nullptr
                                 ? std::strlen(texts[0])
                                 : static_cast<size_t>(lengths[0]));
  if (g_broken) {
    text = absl::StrReplaceAll(
        text, {{"int batch, ivec4 v) {", "int batch, ivec4 v) { v += 1;"},
               {"int batch, vec4 v) {", "int batch, vec4 v) { v *= 1.5;"}});
  }
  const GLchar* const pointer = text.c_str();
  egl::driver_gl().ShaderSource(shader, 1, &pointer, nullptr);
}

nlohmann::json CheckOf(const SingleOpModel& model, bool broken) {
  g_broken = broken;
  ForgetSelfChecks();
  const auto loaded = LoadOrDie(model.bytes);
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
  });
  const auto interpreter = InterpreterOrDie(*loaded);
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  g_broken = false;
  ForgetSelfChecks();
  if (!applied.ok()) return {{"verdict", std::string(applied.message())}};
  const nlohmann::json report = ReportOf(delegate);
  return report["partition"].empty() ? nlohmann::json{{"verdict", "none"}}
                                     : report["partition"][0]["self_check"];
}

TEST(SelfCheckReferencesTest, WrongProgramsAreFound) {
  GLES_SKIP_WITHOUT_DEVICE();
  const egl::ScopedGlOverride<
      GlApi, decltype(static_cast<GlApi*>(nullptr)->ShaderSource)>
      source(&GlApi::ShaderSource, AlteredShaderSource);
  IntegerBinaryParams add, modulo;
  modulo.op = Op::FLOOR_MOD;
  for (IntegerBinaryParams* p : {&add, &modulo}) p->a = p->b = {1, 3, 4, 5};
  Conv3dParams transposed;
  transposed.transposed = true;
  OneHotCase one_hot;
  one_hot.indices = {2, 7};
  FullyConnectedParams few, many;
  few.weights = many.weights = Weights::kInt8;
  few.input = {2, 17};
  many.input = {20, 17};
  const SingleOpModel models[] = {
      IntegerBinary(add),
      IntegerBinary(modulo),
      IntegerNeg({1, 3, 4, 5}),
      Logical(Op::LOGICAL_AND, {1, 3, 4, 5}, {1, 3, 4, 5}),
      LogicalNot({1, 3, 4, 5}),
      ReduceBools(Op::REDUCE_ANY, {1, 3, 4, 5}, {1}, true),
      ReduceInts(Op::SUM, {1, 3, 4, 5}, {1, 2}, true),
      // In the input's memory: whole texels, and channels of them.
      DynamicUpdateSlice({2, 5, 12}, {1, 2, 12}, {1, 1, 0}, false),
      DynamicUpdateSlice({2, 5, 13}, {1, 2, 5}, {1, 1, 3}, true),
      ArgExtreme(Op::ARG_MAX, {1, 3, 4, 9}, 3),
      ArgExtreme(Op::ARG_MIN, {1, 3, 4, 9}, 1, TensorType::INT32),
      TopK({2, 9}, 3),
      OneHot(one_hot),
      ScatterNd({10, 6, 3}, 40, 2),
      ReverseSequence({2, 7, 4}, 1, 0, true),
      EmbeddingLookup({9, 6}, 4, Weights::kFloat),
      EmbeddingLookup({9, 6}, 4, Weights::kRuntime),
      EmbeddingLookup({9, 6}, 4, Weights::kInt8),
      FullyConnected(few),
      FullyConnected(many),
      SegmentSum({5, 6}, {0, 0, 1, 2, 2}, 0),
      SegmentSum({5, 6}, {1, 0, 1, 2, -1}, 3, TensorType::FLOAT32,
                 Op::UNSORTED_SEGMENT_MAX),
      SegmentSum({5, 6}, {1, 0, 1, 2, -1}, 3, TensorType::INT32,
                 Op::UNSORTED_SEGMENT_MIN),
      SegmentSum({5, 6}, {1, 0, 1, 2, -1}, 3, TensorType::FLOAT32,
                 Op::UNSORTED_SEGMENT_PROD),
      DynamicUpdateSlice({2, 7, 5}, {1, 3, 5}, {1, 2, 0}, true),
      Conv3d(Conv3dParams()),
      Conv3d(transposed),
      Spectrum({3, 1, 16}, 16),
  };
  for (const SingleOpModel& model : models) {
    SCOPED_TRACE(model.description);
    const nlohmann::json right = CheckOf(model, false);
    EXPECT_EQ(right["verdict"], "right") << right;
    const nlohmann::json wrong = CheckOf(model, true);
    EXPECT_NE(wrong["verdict"].get<std::string>().find("answers wrongly"),
              std::string::npos)
        << wrong;
  }
}

nlohmann::json CheckOfQuotients(float scale) {
  const std::vector<int> dims = {1, 8, 8, 4};
  ModelBuilder b;
  const int x = b.AddInput("x", dims, TensorType::UINT8,
                           ModelQuantization::PerTensor(0.25f, 100));
  const int y = b.AddInput("y", dims, TensorType::UINT8,
                           ModelQuantization::PerTensor(1.0f / 15, 0));
  const int quotient = b.AddTensor("quotient", dims, TensorType::UINT8,
                                   ModelQuantization::PerTensor(scale, 5));
  b.AddOp(Op::DIV, 2, {x, y}, {quotient}, schema::DivOptionsT());
  b.SetOutputs({quotient});
  SingleOpModel model;
  model.bytes = b.Finish();
  return CheckOf(model, false)["verdict"];
}

// TFLite's kernel overflows for some quotients that are less than a step of the
// output, and the delegate follows (quant/code_quotient.cc): these are not
// judged, the others are.
TEST(SelfCheckReferencesTest, QuotientsNearZeroAreNotRefused) {
  GLES_SKIP_WITHOUT_DEVICE();
  EXPECT_EQ(CheckOfQuotients(80), "partly checked");
  EXPECT_EQ(CheckOfQuotients(0.125f), "right");
}

}  // namespace
}  // namespace gles_delegate::testing
