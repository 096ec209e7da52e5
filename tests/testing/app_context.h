// An app with a context of its own, and an interpreter whose ends it binds.
#ifndef GLES_DELEGATE_TESTS_TESTING_APP_CONTEXT_H_
#define GLES_DELEGATE_TESTS_TESTING_APP_CONTEXT_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egl/context.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/make_context.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {

// Current on this thread while it lives. No GL error may be left at its end.
class AppContext {
 public:
  AppContext() : context_(MakeContext()) { MakeCurrent(); }
  ~AppContext() {
    EXPECT_EQ(egl::gl().GetError(), GLenum{GL_NO_ERROR});
    Leave();
  }
  void MakeCurrent() {
    EXPECT_TRUE(egl::egl().MakeCurrent(context_->display(), EGL_NO_SURFACE,
                                       EGL_NO_SURFACE, context_->handle()));
  }
  void Leave() {
    egl::egl().MakeCurrent(context_->display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                           EGL_NO_CONTEXT);
  }
  egl::Context& get() { return *context_; }

 private:
  std::unique_ptr<egl::Context> context_;
};

// A model of one input and one output on a delegate of the current context.
struct BoundRun {
  explicit BoundRun(std::vector<uint8_t> bytes,
                    const std::string& quantized_compute = "")
      : model(LoadOrDie(std::move(bytes))) {
    const auto* graph =
        schema::GetModel(model->bytes().data())->subgraphs()->Get(0);
    input = graph->inputs()->Get(0);
    output = graph->outputs()->Get(0);
    delegate = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.self_check = 0;  // it has buffers of its own, which it reads
      if (quantized_compute == "float") {
        options.quantized_compute = kTfLiteGlesQuantizedFloat;
      }
      if (quantized_compute == "integer") {
        options.quantized_compute = kTfLiteGlesQuantizedInteger;
      }
    });
    interpreter = InterpreterOrDie(*model);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    EXPECT_TRUE(applied.ok()) << applied;
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  }

  // Writes what nobody may read to the input's memory on the CPU.
  void PoisonInput() {
    const auto bytes = interpreter->input(0).bytes();
    std::memset(bytes.data(), 0x5a, bytes.size());
  }
  void Invoke() {
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk)
        << ::testing::PrintToString(interpreter->log());
  }

  std::unique_ptr<Model> model;
  int input = -1, output = -1;  // TFLite's tensor indices
  DelegatePtr delegate;
  std::unique_ptr<Interpreter> interpreter;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_APP_CONTEXT_H_
