// labels: unit
// The messages of an error reporter: separate lines, the reason for a failure
// first and alone, names that a terminal does not obey.
#include <cstdarg>
#include <string>

#include "delegate/graph/graph.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/simple_delegate.h"
#include "tests/testing/matchers.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

std::string* g_told = nullptr;

// A reporter that joins what it gets, as Python's does.
void Join(TfLiteContext*, const char* format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  *g_told += text;
}

class MessagesTest : public ::testing::Test {
 protected:
  MessagesTest() {
    g_told = &told_;
    context_.ReportError = Join;
  }

  std::string told_;
  TfLiteContext context_ = {};
};

TEST_F(MessagesTest, EachIsALine) {
  Warn(&context_, "one");
  Tell(&context_, "two");
  EXPECT_EQ(told_,
            "WARNING: TfLiteGlesDelegate: one\nTfLiteGlesDelegate: two\n");
}

TEST_F(MessagesTest, WarningsComeOnceTheCallHasSucceeded) {
  HeldWarnings warnings;
  {
    const HeldWarnings::Scope scope(&warnings);
    Warn(&context_, "one");
  }
  EXPECT_EQ(told_, "");
  EXPECT_EQ(warnings.End(&context_, absl::OkStatus()), kTfLiteOk);
  EXPECT_EQ(told_, "WARNING: TfLiteGlesDelegate: one\n");
  EXPECT_EQ(warnings.End(&context_, absl::OkStatus()), kTfLiteOk);
  EXPECT_EQ(told_, "WARNING: TfLiteGlesDelegate: one\n");
}

TEST_F(MessagesTest, AFailureStandsAlone) {
  HeldWarnings warnings;
  {
    const HeldWarnings::Scope scope(&warnings);
    Warn(&context_, "one");
    HeldWarnings inner;
    {
      const HeldWarnings::Scope inner_scope(&inner);
      Warn(&context_, "two");
    }
    Warn(&context_, "three");
  }
  EXPECT_EQ(warnings.End(&context_, absl::InternalError("the reason")),
            kTfLiteError);
  EXPECT_EQ(told_, "TfLiteGlesDelegate: the reason\n");
}

TEST_F(MessagesTest, ATerminalObeysNoName) {
  Warn(&context_, "a\x1b[2Jb\rc\nd\te\x7f\xc3\xa9");
  EXPECT_EQ(
      told_,
      "WARNING: TfLiteGlesDelegate: a\\x1b[2Jb\\x0dc\nd\te\\x7f\xc3\xa9\n");
  EXPECT_EQ(PrintableName("a\nb\tc"), "a\\x0ab\\x09c");
  // No UTF-8: a stray byte, a surrogate, a long form, an end too early.
  EXPECT_EQ(PrintableName("\xff \xed\xa0\x80 \xc0\xaf \xe2\x82"),
            "\\xff \\xed\\xa0\\x80 \\xc0\\xaf \\xe2\\x82");
  EXPECT_EQ(PrintableName("\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xe2\x82\xac\xf0\x9f\x98\x80");
  Tensor tensor;
  tensor.name = "x\nWARNING: y";
  EXPECT_THAT(tensor.ToString(), HasSubstr("'x\\x0aWARNING: y'"));
}

std::string NameOf(int code, const char* custom = nullptr) {
  TfLiteRegistration registration = {};
  registration.builtin_code = code;
  registration.custom_name = custom;
  return OpName(registration);
}

TEST(OpNameTest, EachOpOfTheNewestSchemaHasOne) {
  EXPECT_EQ(NameOf(203), "DILATE");
  EXPECT_EQ(NameOf(206), "STABLEHLO_COMPOSITE");
  EXPECT_EQ(NameOf(209), "STABLEHLO_CASE");
  EXPECT_EQ(NameOf(210), "builtin op 210");
  EXPECT_EQ(NameOf(32, "a\nb"), "CUSTOM a\\x0ab");
}

// Blocks of int4 weights were refused as "int8", which is what they unpack to.
TEST(CheckScalesTest, ScalesOfBlocksAreNamed) {
  constexpr int kBlockwise = 2;  // newer than the headers here
  TfLiteTensor tensors[2] = {};
  Graph graph;
  const auto read = [&] {
    graph = Graph();
    for (int i = 0; i < 2; ++i) graph.AddTensor(ReadTensor(tensors[i], i));
  };
  const NodeToRead node = {{}, nullptr, {0, 1}, {}};
  tensors[0].quantization.type = kTfLiteAffineQuantization;
  tensors[1].name = "w";
  read();
  EXPECT_TRUE(CheckScales(graph, node).ok());
  tensors[1].quantization.type =
      static_cast<TfLiteQuantizationType>(kBlockwise);
  read();
  EXPECT_THAT(std::string(CheckScales(graph, node).message()),
              AllOf(HasSubstr("'w'"), HasSubstr("blockwise quantization")));
}

}  // namespace
}  // namespace gles_delegate
