// An app with its own context, and an interpreter whose ends it binds.
#ifndef GLES_DELEGATE_TESTS_TESTING_APP_CONTEXT_H_
#define GLES_DELEGATE_TESTS_TESTING_APP_CONTEXT_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "egl/context.h"
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
    MakeCurrent();
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

// A context that shares objects with `app`'s, as a renderer's thread has one.
class SharedContext {
 public:
  explicit SharedContext(const egl::Context& app) : app_(app) {
    // Contexts that share want one strategy, and `app` may have either.
    const EGLint lost[] = {EGL_CONTEXT_MAJOR_VERSION,
                           3,
                           EGL_CONTEXT_MINOR_VERSION,
                           1,
                           EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                           EGL_LOSE_CONTEXT_ON_RESET_EXT,
                           EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                           EGL_TRUE,
                           EGL_NONE};
    const EGLint plain[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                            EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    for (const EGLint* attributes : {lost, plain}) {
      context_ = egl::egl().CreateContext(app.display(), EGL_NO_CONFIG_KHR,
                                          app.handle(), attributes);
      if (context_ != EGL_NO_CONTEXT) break;
    }
    EXPECT_NE(context_, EGL_NO_CONTEXT);
  }
  ~SharedContext() { egl::egl().DestroyContext(app_.display(), context_); }
  SharedContext(const SharedContext&) = delete;
  SharedContext& operator=(const SharedContext&) = delete;

  // With it current instead of the app's context.
  void Run(absl::FunctionRef<void()> fn) {
    MakeCurrent(context_);
    fn();
    MakeCurrent(app_.handle());
  }

 private:
  void MakeCurrent(EGLContext context) {
    EXPECT_TRUE(egl::egl().MakeCurrent(app_.display(), EGL_NO_SURFACE,
                                       EGL_NO_SURFACE, context));
  }
  const egl::Context& app_;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// A model of one input and one output on a delegate of the current context.
struct BoundRun {
  explicit BoundRun(std::vector<uint8_t> bytes,
                    const std::string& quantized_compute = "",
                    bool is_applied = true, bool waits = true,
                    bool halves = false)
      : model(LoadOrDie(std::move(bytes))) {
    const auto* graph =
        schema::GetModel(model->bytes().data())->subgraphs()->Get(0);
    input = graph->inputs()->Get(0);
    output = graph->outputs()->Get(0);
    delegate = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.self_check = 0;  // it reads its own buffers
      options.is_precision_loss_allowed = halves ? 1 : 0;
      if (!waits) options.wait_type = kTfLiteGlesWaitDoNotWait;
      if (quantized_compute == "float") {
        options.quantized_compute = kTfLiteGlesQuantizedFloat;
      }
      if (quantized_compute == "integer") {
        options.quantized_compute = kTfLiteGlesQuantizedInteger;
      }
    });
    interpreter = InterpreterOrDie(*model);
    if (is_applied) Apply();
  }
  void Apply() {
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    EXPECT_TRUE(applied.ok()) << applied;
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  }

  // The object stands in for the input, or the output.
  void BindInput(const TfLiteGlesObject& object) { Bind(input, object); }
  void BindOutput(const TfLiteGlesObject& object) { Bind(output, object); }
  void Bind(int tensor, const TfLiteGlesObject& object) {
    ASSERT_EQ(TfLiteGlesDelegateBindObject(delegate.get(), tensor, &object), 0)
        << TfLiteGlesDelegateLastError();
  }
  // Writes what no one may read to the input's memory on the CPU.
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
