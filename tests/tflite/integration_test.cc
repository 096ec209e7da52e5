// labels: op delegate llvmpipe oldest_tflite
// The code of docs/integration.md: each of its blocks stands here, word for
// word (tests/lint/lint_tree.py), and runs.
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gles_delegate/gles_delegate.h"
#include "gmock/gmock.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/make_context.h"
#include "tests/testing/matchers.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_abi.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::gl;

class IntegrationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    loaded_ = LoadOrDie(ChainModel("can"));
    expected_ = CpuResult(*loaded_);
    model = loaded_->get();
    auto values = InterpreterOrDie(*loaded_);
    ASSERT_TRUE(RunOnce(values.get()).ok());
    input = values->input(0).AsFloats();
  }

  void ExpectOutput(TfLiteInterpreter* interpreter) {
    const TensorView output(TfLiteInterpreterGetOutputTensor(interpreter, 0));
    ExpectClose(output.AsFloats(), expected_);
  }
  void WriteInput(TfLiteInterpreter* interpreter) {
    TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(interpreter, 0),
                               input.data(), input.size() * sizeof(float));
  }

  // Of a new interpreter to which the delegate is applied. Deletes both.
  void ExpectRuns(TfLiteDelegate* delegate) {
    TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, nullptr);
    EXPECT_EQ(TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate),
              kTfLiteOk);
    EXPECT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    WriteInput(interpreter);
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    ExpectOutput(interpreter);
    TfLiteInterpreterDelete(interpreter);
    TfLiteGlesDelegateDelete(delegate);
  }

  absl::Span<const uint8_t> bytes() const { return loaded_->bytes(); }
  const std::vector<float>& expected() const { return expected_; }

  const TfLiteModel* model = nullptr;
  std::vector<float> input;

 private:
  std::unique_ptr<Model> loaded_;
  std::vector<float> expected_;
};

TEST_F(IntegrationTest, WhetherToUseIt) {
  // clang-format off
  TfLiteInterpreterOptions* interpreter_options = TfLiteInterpreterOptionsCreate();
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateBestOptions();
  TfLiteDelegate* delegate = nullptr;
  if (TfLiteGlesDelegateIsSupported(&options)) {
    delegate = TfLiteGlesDelegateCreate(&options);
    TfLiteInterpreterOptionsAddDelegate(interpreter_options, delegate);
  } else {
    fprintf(stderr, "%s\n", TfLiteGlesDelegateLastError());
    TfLiteInterpreterOptionsSetNumThreads(interpreter_options, 4);
  }
  // clang-format on
  const auto software = TfLiteGlesDelegateOptionsDefault();
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&software), 1);
  TfLiteInterpreter* interpreter =
      TfLiteInterpreterCreate(model, interpreter_options);
  ASSERT_NE(interpreter, nullptr);
  TfLiteInterpreterOptionsDelete(interpreter_options);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
  WriteInput(interpreter);
  ASSERT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  if (delegate == nullptr) ExpectOutput(interpreter);  // else in 16 bits
  TfLiteInterpreterDelete(interpreter);
  TfLiteGlesDelegateDelete(delegate);
}

TEST_F(IntegrationTest, Threads) {
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.thread_mode = kTfLiteGlesThreadWorker;
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);

  const auto serve = [&] {  // on each of the server's threads
    TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, nullptr);
    TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
    TfLiteInterpreterAllocateTensors(interpreter);
    WriteInput(interpreter);
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    ExpectOutput(interpreter);
    TfLiteInterpreterDelete(interpreter);
  };
  std::thread first(serve), second(serve);
  first.join();
  second.join();
  TfLiteGlesDelegateDelete(delegate);
  // clang-format on
}

TEST_F(IntegrationTest, DisplayOfTheApp) {
  const EGLDisplay display = MakeContext()->display();
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.thread_mode = kTfLiteGlesThreadWorker;
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreateOnDisplay(&options, display);
  // clang-format on
  ExpectRuns(delegate);
}

TEST_F(IntegrationTest, Failure) {
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.fallback_to_cpu = 1;
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, nullptr);
  TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
  TfLiteInterpreterAllocateTensors(interpreter);
  WriteInput(interpreter);
  TfLiteStatus status = kTfLiteError;
  for (int tries = 0; tries < 4 && status != kTfLiteOk; ++tries) {
    status = TfLiteInterpreterInvoke(interpreter);
  }
  // clang-format on
  EXPECT_EQ(status, kTfLiteOk);
  ExpectOutput(interpreter);
  TfLiteInterpreterDelete(interpreter);
  TfLiteGlesDelegateDelete(delegate);
}

TEST_F(IntegrationTest, SeveralInterpretersOfOneModel) {
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.share_key = "segmentation";
  const auto serve = [&] {  // on each of the server's threads
    TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
    TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, nullptr);
    TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
    TfLiteInterpreterAllocateTensors(interpreter);
    WriteInput(interpreter);
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    ExpectOutput(interpreter);
    TfLiteInterpreterDelete(interpreter);
    TfLiteGlesDelegateDelete(delegate);
  };
  std::thread first(serve), second(serve);
  first.join();
  second.join();
  // clang-format on
}

TEST_F(IntegrationTest, Memory) {
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.memory_limit_bytes = 64 << 20;
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
  // clang-format on
  ExpectRuns(delegate);
}

TEST_F(IntegrationTest, Buffers) {
  const auto app = MakeContext();
  const absl::Status status = app->Run([&] {
    const auto* graph = schema::GetModel(bytes().data())->subgraphs()->Get(0);
    const int input_index = graph->inputs()->Get(0);
    const int output_index = graph->outputs()->Get(0);
    const egl::Buffer in = Must(egl::Buffer::Create(
        input.size() * sizeof(float), input.data(), GL_STATIC_DRAW));
    const egl::Buffer out = Must(egl::Buffer::Create(
        expected().size() * sizeof(float), nullptr, GL_DYNAMIC_COPY));
    const GLuint input_buffer = in.id(), output_buffer = out.id();
    // clang-format off
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(nullptr);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, nullptr);
  TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
  TfLiteInterpreterAllocateTensors(interpreter);
  TfLiteGlesObject buffer = TfLiteGlesDelegateObjectDefault();
  buffer.name = input_buffer;  // float32, packed BHWC
  TfLiteGlesDelegateBindObject(delegate, input_index, &buffer);
  buffer.name = output_buffer;
  TfLiteGlesDelegateBindObject(delegate, output_index, &buffer);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    // clang-format on
    ExpectClose(ReadAll<float>(out), expected());
    TfLiteInterpreterDelete(interpreter);
    TfLiteGlesDelegateDelete(delegate);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(IntegrationTest, Textures) {
  const auto app = MakeContext();
  const absl::Status status = app->Run([&] {
    const auto loaded = LoadOrDie(ChainModel("n", {1, 8, 8, 4}));
    const auto* graph =
        schema::GetModel(loaded->bytes().data())->subgraphs()->Get(0);
    const int input_index = graph->inputs()->Get(0);
    const int output_index = graph->outputs()->Get(0);
    egl::Texture in =
        Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA8, 640, 480, 1}));
    const std::vector<uint8_t> white(640 * 480 * 4, 255);
    in.Upload(0, 0, 0, 640, 480, 1, white.data());
    const egl::Texture out =
        Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA16F, 8, 8, 1}));
    const GLuint camera_texture = in.id(), overlay_texture = out.id();
    TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(nullptr);
    TfLiteInterpreter* interpreter =
        TfLiteInterpreterCreate(loaded->get(), nullptr);
    TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
    TfLiteInterpreterAllocateTensors(interpreter);
    // clang-format off
  TfLiteGlesObject camera = TfLiteGlesDelegateObjectDefault();
  camera.type = kTfLiteGlesObjectTexture2d;
  camera.name = camera_texture;
  camera.scale = 2;  // of 0 to 1, as shaders sample GL_RGBA8
  camera.bias = -1;
  camera.resize = 1;
  camera.crop_x = 80;
  camera.crop_width = 480;
  camera.crop_height = 480;
  EXPECT_EQ(TfLiteGlesDelegateBindObject(delegate, input_index, &camera), 0);
  TfLiteGlesObject overlay = TfLiteGlesDelegateObjectDefault();
  overlay.type = kTfLiteGlesObjectTexture2d;
  overlay.name = overlay_texture;
  EXPECT_EQ(TfLiteGlesDelegateBindObject(delegate, output_index, &overlay), 0);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    // clang-format on
    EXPECT_THAT(ReadTexture(out), ::testing::Each(-1.0f));
    TfLiteInterpreterDelete(interpreter);
    TfLiteGlesDelegateDelete(delegate);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

// A picture of 8 by 8, all white.
void DrawPicture(GLuint texture) {
  const std::vector<uint8_t> white(8 * 8 * 4, 255);
  gl().BindTexture(GL_TEXTURE_2D, texture);
  gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE,
                     white.data());
}
void ExpectOverlay(GLuint texture) {
  EXPECT_THAT(ReadTexture(texture, 8, 8), ::testing::Each(-1.0f));
}

TEST_F(IntegrationTest, Fences) {
  AppContext app;
  SharedContext renderer(app.get());
  const egl::Texture in =
      Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA8, 8, 8, 1}));
  const egl::Texture out =
      Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA16F, 8, 8, 1}));
  const GLuint camera_texture = in.id(), overlay_texture = out.id();
  BoundRun run(ChainModel("n", {1, 8, 8, 4}), "", /*is_applied=*/false,
               /*waits=*/false);
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.type = kTfLiteGlesObjectTexture2d;
  object.name = camera_texture;
  run.BindInput(object);
  object.name = overlay_texture;
  run.BindOutput(object);
  run.Apply();
  TfLiteInterpreter* interpreter = run.interpreter->get();
  GLsync drawn = nullptr;
  // clang-format off
  renderer.Run([&] {
    DrawPicture(camera_texture);
    drawn = gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl().Flush();
  });
  gl().WaitSync(drawn, 0, GL_TIMEOUT_IGNORED);  // on the GPU
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  const GLsync ready = gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl().Flush();
  renderer.Run([&] {
    gl().WaitSync(ready, 0, GL_TIMEOUT_IGNORED);
    ExpectOverlay(overlay_texture);
  });
  // clang-format on
  gl().DeleteSync(drawn);
  gl().DeleteSync(ready);
}

TEST_F(IntegrationTest, AWorkerWithTheAppsObjects) {
  AppContext app;
  const egl::Texture in =
      Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA8, 8, 8, 1}));
  const egl::Texture out =
      Must(egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA16F, 8, 8, 1}));
  BoundRun run(ChainModel("n", {1, 8, 8, 4}), "", /*is_applied=*/false);
  const int input_index = run.input, output_index = run.output;
  TfLiteInterpreter* interpreter = run.interpreter->get();
  TfLiteGlesObject camera = TfLiteGlesDelegateObjectDefault();
  camera.type = kTfLiteGlesObjectTexture2d;
  TfLiteGlesObject overlay = camera;
  camera.name = in.id();
  overlay.name = out.id();
  // clang-format off
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.thread_mode = kTfLiteGlesThreadWorkerSharing;
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
  TfLiteGlesDelegateBindObject(delegate, input_index, &camera);
  TfLiteGlesDelegateBindObject(delegate, output_index, &overlay);
  // The app's context is current here.
  TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
  DrawPicture(camera.name);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  ExpectOverlay(overlay.name);
  // clang-format on
  run.interpreter.reset();
  TfLiteGlesDelegateDelete(delegate);
}

// Int64 tensors: ops compute them in 32 bits, and refuse what does not fit.

constexpr int64_t kPastInt32 = int64_t{1} << 31;

class Int64Test : public DeviceTest {};

// op(x [4], constant [1]) of int64.
std::vector<uint8_t> WithConstant(const char* op, int64_t constant) {
  return cases::ModelOf(
             absl::StrCat(op, " x=i64[4] c=const:i64[1](", constant, ")"))
      .bytes;
}

std::string WhyOnCpu(const std::vector<uint8_t>& bytes) {
  const auto model = LoadOrDie(bytes);
  const DelegatePtr delegate = MakeDelegate();
  InterpreterOptions options;
  options.delegate = delegate.get();
  (void)Interpreter::Create(*model, options);
  const nlohmann::json report = ReportOf(delegate);
  return report["cpu"].empty() ? ""
                               : report["cpu"][0]["reason"].get<std::string>();
}

TEST_F(Int64Test, InputsPastInt32AreErrors) {
  const auto model = LoadOrDie(WithConstant("ADD", 1));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 1);
  const auto invoke = [&](std::vector<int64_t> values) {
    EXPECT_TRUE(interpreter->input(0).Write(values).ok());
    return interpreter->Invoke();
  };
  EXPECT_TRUE(invoke({1, 2, -kPastInt32, kPastInt32 - 2}).ok());
  EXPECT_THAT(interpreter->output(0).data<int64_t>(),
              ::testing::ElementsAre(2, 3, 1 - kPastInt32, kPastInt32 - 1));
  for (int64_t great : {kPastInt32, -kPastInt32 - 1, int64_t{1} << 40}) {
    const absl::Status status = invoke({1, 2, great, 4});
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("tensor 'x' holds ", great,
                                       " at element 2; int64 is computed in "
                                       "32 bits here")));
  }
  EXPECT_TRUE(invoke({1, 2, 3, 4}).ok());
}

TEST_F(Int64Test, ConstantsPastInt32StayOnTheCpu) {
  EXPECT_EQ(WhyOnCpu(WithConstant("ADD", kPastInt32 - 1)), "");
  EXPECT_THAT(WhyOnCpu(WithConstant("ADD", kPastInt32)),
              HasSubstr("'c' int64[1] holds 2147483648; int64 is computed in "
                        "32 bits here"));
  EXPECT_THAT(WhyOnCpu(WithConstant("MUL", 805459861)),
              HasSubstr("holds 805459861; int64 is computed in 32 bits here, "
                        "and factors past 32768 stay on the CPU"));
}

// A CAST alone sees all 64 bits still; beside an ADD the values must fit.
TEST_F(Int64Test, CastsBesideSums) {
  for (bool sum : {false, true}) {
    const auto model = LoadOrDie(
        cases::ModelOf(absl::StrCat("CAST x=i64[2] in_data_type=INT64 -> f32",
                                    sum ? " ; ADD x x -> i64" : ""))
            .bytes);
    const DelegatePtr delegate = MakeDelegate();
    auto interpreter = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], sum ? 2 : 1);
    const std::vector<int64_t> values = {3, kPastInt32 * 4};
    ASSERT_TRUE(interpreter->input(0).Write(values).ok());
    EXPECT_EQ(interpreter->Invoke().ok(), !sum);
    if (!sum) {
      EXPECT_EQ(interpreter->output(0).data<float>()[1], kPastInt32 * 4.0f);
    }
  }
}

}  // namespace

}  // namespace gles_delegate::testing
