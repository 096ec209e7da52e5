// labels: op egl delegate llvmpipe softpipe
// GL buffers of the app's that stand in for inputs and outputs
// (TfLiteGlesDelegateBindObject).
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "egl/objects.h"
#include "tests/testing/app_context.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::Program;

constexpr float kUntouched = 12345;

// TFLite's tensor indices of a model's first input and output.
struct Ends {
  explicit Ends(const Model& model) {
    const auto* graph =
        schema::GetModel(model.bytes().data())->subgraphs()->Get(0);
    input = graph->inputs()->Get(0);
    output = graph->outputs()->Get(0);
  }
  int input = -1, output = -1;
};

class DelegateBuffersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
    Load(ChainModel("can"));
  }
  void TearDown() override {
    interpreter_.reset();
    delegate_.reset();
    buffers_.clear();
  }

  void Load(std::vector<uint8_t> bytes) {
    interpreter_.reset();
    model_ = LoadOrDie(std::move(bytes));
    ends_ = std::make_unique<Ends>(*model_);
    // The self-check reads its own buffers.
    delegate_ = MakeDelegate([](auto& options) { options.self_check = 0; });
    interpreter_ = InterpreterOrDie(*model_);
  }
  void Apply() {
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
    ASSERT_EQ(ReportOf(delegate_)["partitions"], 1);
  }

  // A round's inputs (see RunOnce()) and the CPU's answer.
  struct Case {
    std::vector<float> input, output;
  };
  // A buffer of exactly these values.
  GLuint BufferOf(const std::vector<float>& values) {
    auto made = Buffer::Create(values.size() * sizeof(float), values.data(),
                               GL_DYNAMIC_COPY);
    EXPECT_TRUE(made.ok()) << made.status();
    buffers_.push_back(*std::move(made));
    return buffers_.back().id();
  }
  // One for the output of a case, which nothing has written.
  GLuint UntouchedBuffer(const Case& c) {
    return BufferOf(std::vector<float>(c.output.size(), kUntouched));
  }
  std::vector<float> Read(GLuint id) {
    for (const Buffer& buffer : buffers_) {
      if (buffer.id() == id) return ReadAll<float>(buffer);
    }
    return {};
  }
  int Bind(int tensor, GLuint buffer) {
    return BindBuffer(delegate_.get(), tensor, buffer);
  }
  Case CaseOf(int round) {
    auto cpu = InterpreterOrDie(*model_);
    Case result;
    result.output = *RunOnce(cpu.get(), round);
    result.input = cpu->input(0).AsFloats();
    return result;
  }

  // Writes what no one may read to the tensors of the CPU's side.
  void Poison() {
    const auto input = interpreter_->input(0).data<float>();
    std::fill(input.begin(), input.end(),
              std::numeric_limits<float>::quiet_NaN());
    const auto output = interpreter_->output(0).data<float>();
    std::fill(output.begin(), output.end(), kUntouched);
  }
  void Invoke() {
    ASSERT_EQ(TfLiteInterpreterInvoke(interpreter_->get()), kTfLiteOk)
        << ::testing::PrintToString(interpreter_->log());
  }
  void ExpectFails(const std::string& said) {
    interpreter_->TakeLog();
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter_->get()), kTfLiteError);
    EXPECT_THAT(interpreter_->log(), Contains(HasSubstr(said)));
  }

  std::unique_ptr<AppContext> app_;
  std::vector<Buffer> buffers_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Ends> ends_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

// With every channel tail, as buffers end with their last element; bound before
// the delegate is applied and after that.
TEST_F(DelegateBuffersTest, NoByteOfABoundTensorCrossesToTheCpu) {
  for (const Shape& shape : {Shape{1, 6, 5, 5}, Shape{1, 4, 3, 3},
                             Shape{2, 3, 5, 8}, Shape{2, 9, 7, 1}}) {
    for (bool before : {true, false}) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      Load(ChainModel("can", shape));
      const Case c = CaseOf(0);
      const GLuint input = BufferOf(c.input);
      const GLuint output = UntouchedBuffer(c);
      CountedCalls counted;
      if (!before) Apply();
      counted.Reset();
      ASSERT_EQ(Bind(ends_->input, input), 0) << TfLiteGlesDelegateLastError();
      ASSERT_EQ(Bind(ends_->output, output), 0);
      if (before) Apply();
      Poison();
      Invoke();
      EXPECT_EQ(counted.host_calls(), 0);
      EXPECT_THAT(interpreter_->output(0).data<float>(), Each(kUntouched));
      ExpectClose(Read(output), c.output);
      EXPECT_EQ(ReportOf(delegate_)["gpu_bytes"]["transfers"], 0);
    }
  }
}

TEST_F(DelegateBuffersTest, AnotherBufferCostsNothing) {
  Apply();
  std::vector<Case> cases;
  std::vector<GLuint> inputs, outputs;
  for (int round = 0; round < 3; ++round) {
    cases.push_back(CaseOf(round));
    inputs.push_back(BufferOf(cases.back().input));
    outputs.push_back(UntouchedBuffer(cases.back()));
  }
  const auto run = [&](int i) {
    ASSERT_EQ(Bind(ends_->input, inputs[i]), 0);
    ASSERT_EQ(Bind(ends_->output, outputs[i]), 0);
    Invoke();
  };
  run(0);
  {
    CountedCalls counted;
    run(1);
    run(2);
    EXPECT_EQ(counted.host_calls(), 0);
    EXPECT_EQ(counted.programs(), 0);
  }
  for (int i = 0; i < 3; ++i) ExpectClose(Read(outputs[i]), cases[i].output);
}

TEST_F(DelegateBuffersTest, OneEndMayBeBoundAndUnboundAgain) {
  Apply();
  const Case c = CaseOf(1);
  const GLuint input = BufferOf(c.input);
  const GLuint output = UntouchedBuffer(c);
  ExpectClose(RunOnce(interpreter_.get(), 0), CaseOf(0).output);
  ASSERT_EQ(Bind(ends_->input, input), 0);
  Poison();
  Invoke();
  ExpectClose(interpreter_->output(0).AsFloats(), c.output);
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(delegate_.get(), ends_->input), 0);
  ASSERT_EQ(Bind(ends_->output, output), 0);
  EXPECT_THAT(*RunOnce(interpreter_.get(), 1), Each(::testing::_));
  ExpectClose(Read(output), c.output);
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(delegate_.get(), ends_->output), 0);
  ExpectClose(RunOnce(interpreter_.get(), 2), CaseOf(2).output);
  // Twice is not an error.
  EXPECT_EQ(TfLiteGlesDelegateUnbindObject(delegate_.get(), ends_->output), 0);
}

// An app's shader writes the input and reads the output, without a barrier of
// its own.
TEST_F(DelegateBuffersTest, ShadersOfTheAppSeeAndAreSeen) {
  constexpr char kScale[] = R"(#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data { float value[]; };
void main() { value[gl_GlobalInvocationID.x] *= 0.5; }
)";
  const auto scale = Program::Compile(kScale, "scale");
  ASSERT_TRUE(scale.ok()) << scale.status();
  const auto halve = [&](GLuint buffer, size_t count) {
    gl().UseProgram(scale->id());
    gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    gl().DispatchCompute(static_cast<GLuint>(count), 1, 1);
  };
  Apply();
  const Case c = CaseOf(0);
  std::vector<float> doubled = c.input, half = c.output;
  for (float& v : doubled) v *= 2;
  for (float& v : half) v /= 2;
  const GLuint input = BufferOf(doubled);
  const GLuint output = UntouchedBuffer(c);
  ASSERT_EQ(Bind(ends_->input, input), 0);
  ASSERT_EQ(Bind(ends_->output, output), 0);
  Invoke();  // builds
  halve(input, doubled.size());
  Invoke();
  // The app's own state is as the app left it.
  GLint bound = 0, program = 0;
  gl().GetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 0, &bound);
  gl().GetIntegerv(GL_CURRENT_PROGRAM, &program);
  EXPECT_EQ(static_cast<GLuint>(bound), input);
  EXPECT_EQ(static_cast<GLuint>(program), scale->id());
  halve(output, half.size());
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);  // for this test's read
  ExpectClose(Read(output), half);
}

TEST_F(DelegateBuffersTest, TwoModelsShareABuffer) {
  Apply();
  const auto second_model = LoadOrDie(ChainModel("nm"));
  const Ends second_ends(*second_model);
  const DelegatePtr second_delegate = MakeDelegate();
  auto second = Applied(*second_model, second_delegate);
  const Case c = CaseOf(0);
  ASSERT_EQ(second->input(0).elements(), c.output.size());
  const GLuint between = UntouchedBuffer(c);
  ASSERT_EQ(Bind(ends_->output, between), 0);
  ASSERT_EQ(BindBuffer(second_delegate.get(), second_ends.input, between), 0);
  ASSERT_TRUE(RunOnce(interpreter_.get(), 0).ok());
  ASSERT_EQ(TfLiteInterpreterInvoke(second->get()), kTfLiteOk);
  auto cpu = InterpreterOrDie(*second_model);
  ASSERT_TRUE(cpu->input(0).WriteFloats(c.output).ok());
  ASSERT_TRUE(cpu->Invoke().ok());
  ExpectClose(second->output(0).AsFloats(), cpu->output(0).AsFloats());
  second.reset();
}

TEST_F(DelegateBuffersTest, AResizeKeepsTheBinding) {
  Apply();
  const Case c = CaseOf(0);
  ASSERT_EQ(Bind(ends_->input, BufferOf(c.input)), 0);
  Invoke();
  const Shape larger = {1, 9, 5, 5};
  Resize(interpreter_.get(), larger);
  ExpectFails("bytes");
  auto cpu = InterpreterOrDie(*model_);
  Resize(cpu.get(), larger);
  const auto expected = *RunOnce(cpu.get());
  ASSERT_EQ(Bind(ends_->input, BufferOf(cpu->input(0).AsFloats())), 0);
  Poison();
  Invoke();
  ExpectClose(interpreter_->output(0).AsFloats(), expected);
}

TEST_F(DelegateBuffersTest, WhatCannotBeBoundIsRefusedWithTheReason) {
  const GLuint buffer = BufferOf(CaseOf(0).input);
  const auto refused = [&](TfLiteDelegate* delegate, int tensor, GLuint name,
                           int layout, const std::string& why) {
    EXPECT_EQ(BindBuffer(delegate, tensor, name, layout), 1);
    EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr(why));
  };
  Apply();
  refused(delegate_.get(), ends_->input, 0, 0, "name 0 is no object");
  refused(delegate_.get(), ends_->input, buffer, 7, "layout 7");
  refused(delegate_.get(), 9999, buffer, 0, "tensor 9999");
  refused(nullptr, ends_->input, buffer, 0, "not one of this library");
  const DelegatePtr worker =
      MakeDelegate([](auto& o) { o.thread_mode = kTfLiteGlesThreadWorker; });
  refused(worker.get(), ends_->input, buffer, 0, "context of its own");
  const DelegatePtr own = MakeDelegate(
      [](auto& o) { o.thread_mode = kTfLiteGlesThreadCallerOwnContext; });
  refused(own.get(), ends_->input, buffer, 0, "context of its own");
  // All is as before.
  ExpectClose(RunOnce(interpreter_.get()), CaseOf(0).output);
}

TEST_F(DelegateBuffersTest, WhatTheNextInvokeSeesFailsIt) {
  Apply();
  const Case c = CaseOf(0);
  ASSERT_EQ(Bind(ends_->input, BufferOf(std::vector<float>(c.input.begin(),
                                                           c.input.end() - 1))),
            0);
  ExpectFails(std::to_string(c.input.size() * sizeof(float) - 4) + " bytes");
  ASSERT_EQ(Bind(ends_->input, 54321), 0);
  ExpectFails("no buffer 54321");
  ASSERT_EQ(Bind(ends_->input, BufferOf(c.input)), 0);
  Invoke();
  ExpectClose(interpreter_->output(0).AsFloats(), c.output);
}

// A context of the delegate's own, found out when it is applied.
TEST_F(DelegateBuffersTest, AContextOfItsOwnIsSaidAtInvoke) {
  ASSERT_EQ(Bind(ends_->input, BufferOf(CaseOf(0).input)), 0);
  app_->Leave();
  Apply();
  ExpectFails("EGLContext of its own");
  app_->MakeCurrent();
}

// "r" stays on the CPU, and would read a missing value.
TEST_F(DelegateBuffersTest, ATensorThatTheCpuReadsIsRefused) {
  Load(ChainModel("canrn"));
  interpreter_->TakeLog();
  Apply();
  // Tensors between the partition and the CPU's nodes: t2.
  const auto* graph =
      schema::GetModel(model_->bytes().data())->subgraphs()->Get(0);
  int between = -1;
  for (flatbuffers::uoffset_t i = 0; i < graph->tensors()->size(); ++i) {
    if (graph->tensors()->Get(i)->name()->str() == "t2") between = i;
  }
  ASSERT_GE(between, 0);
  ASSERT_EQ(Bind(between, BufferOf(std::vector<float>(10000))), 0)
      << TfLiteGlesDelegateLastError();
  ExpectFails("reads it from the CPU's memory");
}

}  // namespace
}  // namespace gles_delegate::testing
