// delegate_case.h. The file's name keeps it out of builds without the delegate
// (tests/CMakeLists.txt).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/two_negations.h"
#include "tools/cases/model.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Adds the op of one letter; returns its output.
int AddLetter(char letter, int index, int input, const Shape& shape,
              ModelBuilder* builder) {
  const std::string name = absl::StrCat("t", index);
  const int output = builder->AddTensor(name, shape);
  const int channels = shape.back();
  Random random(absl::StrCat("chain ", index));
  const auto constant = [&](const char* what, const Shape& dims) {
    const size_t n = ElementCount(dims);
    return builder->AddConstant<float>(absl::StrCat(name, "_", what), dims,
                                       random.Gaussian(n));
  };
  switch (letter) {
    case 'c': {
      schema::Conv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      const int filter = constant("filter", {channels, 3, 3, channels});
      builder->AddOp(Op::CONV_2D, 1,
                     {input, filter, constant("bias", {channels})}, {output},
                     options);
      return output;
    }
    case 'n':
      builder->AddOp(Op::NEG, 1, {input}, {output});
      return output;
    case 'a':
      builder->AddOp(Op::ADD, 1, {input, constant("operand", {channels})},
                     {output}, schema::AddOptionsT());
      return output;
    case 'm':
      builder->AddOp(Op::MUL, 1, {input, constant("operand", {channels})},
                     {output}, schema::MulOptionsT());
      return output;
    case 'r': {
      schema::Pool2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      options.filter_width = options.filter_height = 1;
      builder->AddOp(Op::L2_POOL_2D, 1, {input}, {output}, options);
      return output;
    }
    default:
      ADD_FAILURE() << "no op for the letter " << letter;
      return output;
  }
}

}  // namespace

DelegatePtr MakeDelegate(
    const std::function<void(TfLiteGlesDelegateOptions&)>& configure) {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  // The tests' models are too small to be worth their own partition.
  options.max_delegated_partitions = 1;
  if (configure) configure(options);
  DelegatePtr delegate(TfLiteGlesDelegateCreate(&options),
                       TfLiteGlesDelegateDelete);
  EXPECT_NE(delegate, nullptr) << TfLiteGlesDelegateLastError();
  return delegate;
}

nlohmann::json ReportOf(const DelegatePtr& delegate) {
  const char* text = TfLiteGlesDelegateReport(delegate.get());
  nlohmann::json report = nlohmann::json::parse(text == nullptr ? "" : text,
                                                nullptr, /*exceptions=*/false);
  if (!report.is_object()) {
    ADD_FAILURE() << "no JSON object: " << (text == nullptr ? "NULL" : text);
    report = nlohmann::json::object();
  }
  return report;
}

std::unique_ptr<Model> LoadOrDie(std::vector<uint8_t> bytes) {
  return LoadOrEnd(std::move(bytes));
}

std::unique_ptr<Model> LoadCase(const std::string& text) {
  return LoadOrDie(cases::ModelOf(text).bytes);
}

std::unique_ptr<Interpreter> InterpreterOrDie(const Model& model) {
  auto interpreter = Interpreter::Create(model);
  if (!interpreter.ok()) {
    ADD_FAILURE() << interpreter.status();
    std::abort();
  }
  return *std::move(interpreter);
}

std::unique_ptr<Interpreter> Applied(const Model& model,
                                     const DelegatePtr& delegate) {
  auto interpreter = InterpreterOrDie(model);
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  EXPECT_TRUE(applied.ok()) << applied;
  return interpreter;
}

absl::StatusOr<std::unique_ptr<Interpreter>> CreatedWith(
    const Model& model, const DelegatePtr& delegate) {
  InterpreterOptions options;
  options.delegate = delegate.get();
  options.apply = InterpreterOptions::Apply::kOptions;
  return Interpreter::Create(model, options);
}

void Resize(Interpreter* interpreter, const Shape& shape) {
  absl::Status status = interpreter->ResizeInput(0, shape);
  if (status.ok()) status = interpreter->AllocateTensors();
  EXPECT_TRUE(status.ok()) << status;
}

absl::StatusOr<std::vector<float>> RunOnce(Interpreter* interpreter,
                                           int round) {
  for (int i = 0; i < interpreter->inputs(); ++i) {
    const TensorView input = interpreter->input(i);
    Random random(absl::StrCat("input ", i, " of round ", round));
    RETURN_IF_ERROR(input.WriteFloats(random.Gaussian(input.elements())));
  }
  RETURN_IF_ERROR(interpreter->Invoke());
  std::vector<float> all;
  for (int i = 0; i < interpreter->outputs(); ++i) {
    const std::vector<float> one = interpreter->output(i).AsFloats();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::vector<float> CpuResult(const Model& model, int round,
                             const Shape& shape) {
  auto interpreter = InterpreterOrDie(model);
  if (!shape.empty()) {
    Resize(interpreter.get(), shape);
  }
  auto result = RunOnce(interpreter.get(), round);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : std::vector<float>();
}

void OnBothProcessors(
    const Model& model, int nodes,
    const std::function<void(Interpreter& interpreter, bool on_gpu)>& run) {
  run(*InterpreterOrDie(model), /*on_gpu=*/false);
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = Applied(model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], nodes);
  run(*interpreter, /*on_gpu=*/true);
}

void ExpectClose(const absl::StatusOr<std::vector<float>>& actual,
                 const std::vector<float>& expected) {
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(actual->size(), expected.size());
  float magnitude = 1;
  for (float e : expected) magnitude = std::max(magnitude, std::fabs(e));
  for (size_t i = 0; i < expected.size(); ++i) {
    // Written so that NaN fails.
    ASSERT_TRUE(std::fabs((*actual)[i] - expected[i]) <= 1e-5f * magnitude)
        << "element " << i << " is " << (*actual)[i] << ", not " << expected[i];
  }
}

std::vector<uint8_t> ChainModel(const std::string& letters,
                                const Shape& shape) {
  ModelBuilder builder;
  int tensor = builder.AddInput("x", shape);
  for (size_t i = 0; i < letters.size(); ++i) {
    tensor =
        AddLetter(letters[i], static_cast<int>(i), tensor, shape, &builder);
  }
  builder.SetOutputs({tensor});
  return builder.Finish();
}

void ExpectCloseHoweverApplied(const Model& model,
                               const std::function<DelegatePtr()>& make,
                               int nodes) {
  for (auto how : {InterpreterOptions::Apply::kOptions,
                   InterpreterOptions::Apply::kModifyGraph}) {
    const DelegatePtr delegate = make();
    InterpreterOptions options;
    options.delegate = delegate.get();
    options.apply = how;
    auto interpreter = Interpreter::Create(model, options);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], nodes);
    ExpectClose(RunOnce(interpreter->get()), CpuResult(model));
  }
}

}  // namespace gles_delegate::testing
