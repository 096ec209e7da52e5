// labels: op delegate llvmpipe softpipe
// Files that are not models, shapes that disagree, tensors too large, drivers
// that fail: a clear error each, and the CPU runs on.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/op_list.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/edited_shaders.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/scratch_directory.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::After;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

// --- Files ------------------------------------------------------------------

std::string WriteModel(const ScratchDirectory& folder,
                       const std::string& bytes) {
  const std::string path = folder.path() + "/model.tflite";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(BadFileTest, NoModel) {
  const ScratchDirectory folder;
  const std::string path = WriteModel(folder, "This is a sentence, no model.");
  const auto model = Model::FromFile(path);
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(model.status().message()), HasSubstr(path));
}

TEST(BadFileTest, TruncatedModel) {
  const std::vector<uint8_t> whole = ChainModel("can");
  const ScratchDirectory folder;
  const std::string path = WriteModel(
      folder, std::string(whole.begin(), whole.begin() + whole.size() / 2));
  const auto model = Model::FromFile(path);
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(model.status().message()),
              AllOf(HasSubstr(path), HasSubstr("truncated")));
}

// --- Graphs that no runtime can split ----------------------------------------

// A fault of a graph, made in NEG, ABS, SQUARE, in a row.
struct GraphFault {
  std::string name;
  std::function<void(schema::SubGraphT&)> make;
  std::string message;
};

const std::vector<GraphFault>& GraphFaults() {
  using Graph = schema::SubGraphT;
  static const auto& faults = *new std::vector<GraphFault>{
      {"OwnOutput", [](Graph& g) { g.operators[1]->inputs = {2}; },
       "ABS (node 1) reads its own output 't1'"},
      {"LaterNode", [](Graph& g) { g.operators[1]->inputs = {3}; },
       "ABS (node 1) reads 't2' (tensor 3), which SQUARE (node 2) writes "
       "later"},
      {"TwoWriters", [](Graph& g) { g.operators[2]->outputs = {1}; },
       "NEG (node 0) and SQUARE (node 2) both write 't0'"},
      {"TwoWritersOfOtherShapes",
       [](Graph& g) {
         g.operators[0]->inputs = {4};  // ten times as large
         g.operators[2]->outputs = {1};
       },
       "both write 't0'"},
      {"Variable", [](Graph& g) { g.tensors[2]->is_variable = true; },
       "ABS (node 1) writes 't1' (tensor 2), a variable"},
      {"Constant", [](Graph& g) { g.operators[1]->outputs = {5}; },
       "ABS (node 1) writes 'c' (tensor 5), a constant"},
  };
  return faults;
}

class BadGraphTest : public DeviceTestWithParam<GraphFault> {
 protected:
  static ModelBuilder Row() {
    ModelBuilder b = cases::BuilderOf(
        "NEG x=[1,4] -> t0:f32[1,4] ; ABS t0 -> t1:f32[1,4] ; "
        "SQUARE t1 -> t2:f32[1,4]");
    b.AddInput("y", {10, 4});
    b.AddConstant<float>("c", {1, 4}, std::vector<float>(4, 3));
    return b;
  }
};

// TFLite 2.9's partitioner crashes on some of them, which the CPU takes.
TEST_P(BadGraphTest, IsRefusedAsAWhole) {
  ModelBuilder b = Row();
  GetParam().make(*b.model().subgraphs[0]);
  const auto model = LoadOrDie(b.Finish());
  for (bool falls_back : {false, true}) {
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.fallback_to_cpu = falls_back ? 1 : 0;
      options.max_delegated_partitions = 0;
    });
    auto interpreter = InterpreterOrDie(*model);
    EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    EXPECT_THAT(interpreter->log(), Contains(HasSubstr(GetParam().message)));
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  }
}

// A composite's decomposition stays on the CPU with its composite.
TEST_P(BadGraphTest, IsRefusedInADecomposition) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4});
  const int y = b.AddTensor("y", {1, 4});
  b.AddComposite("any.name", 1, {x, b.AddInput("z", {10, 4})}, {y});
  b.SetOutputs({y});
  b.AddSubgraph(Row());
  GetParam().make(*b.model().subgraphs[1]);
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.fallback_to_cpu = 1; });
  auto interpreter = InterpreterOrDie(*model);
  EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, BadGraphTest, ::testing::ValuesIn(GraphFaults()),
                         [](const auto& fault) { return fault.param.name; });

// The runtime's kernel would follow a null pointer as it is prepared, so that
// tensors cannot be allocated before.
TEST(AbsentTensorTest, StaysOnTheCpu) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int which : {0, 1, 2, 3}) {
    const bool in_composite = which % 2 == 1, is_output = which > 1;
    ModelBuilder inner;
    const int x = inner.AddInput("x", {2, 4});
    const int t = inner.AddTensor("t", {2, 4});
    const int y = inner.AddTensor("y", {4, 2});
    inner.AddOp(Op::NEG, 1, {x}, {t});
    const int axes = inner.AddConstant<int32_t>("axes", {2}, std::vector{1, 0});
    inner.AddOp(Op::TRANSPOSE, 1, {is_output ? t : -1, axes},
                {is_output ? -1 : y}, schema::TransposeOptionsT());
    inner.SetOutputs({t, y});
    ModelBuilder outer;
    const int out = outer.AddTensor("out", {2, 4});
    const int out2 = outer.AddTensor("out2", {4, 2});
    outer.AddComposite("any.name", 1, {outer.AddInput("in", {2, 4})},
                       {out, out2});
    outer.SetOutputs({out, out2});
    outer.AddSubgraph(inner);
    const auto model =
        LoadOrDie(in_composite ? outer.Finish() : inner.Finish());
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreter* interpreter =
        TfLiteInterpreterCreate(model->get(), options);
    TfLiteInterpreterOptionsDelete(options);
    const DelegatePtr delegate = MakeDelegate();
    EXPECT_EQ(
        TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate.get()),
        kTfLiteOk);
    const auto report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], 0);
    EXPECT_THAT(report["cpu"].dump(),
                HasSubstr(is_output ? "TRANSPOSE (node 1) lacks an output"
                                    : "TRANSPOSE (node 1) has no input 0"));
    TfLiteInterpreterDelete(interpreter);
  }
}

// --- Shapes that disagree ---------------------------------------------------

// Which TFLite's kernels do not all refuse, and weights are packed by.
TEST(InconsistentShapesTest, ParsersRefuseThem) {
  ConvParams conv = {};
  conv.padding = kPaddingSame;
  conv.stride_width = conv.stride_height = 1;
  conv.dilation_width_factor = conv.dilation_height_factor = 1;
  const Tensor x = FakeTensor({1, 8, 8, 3});
  const Tensor bias = FakeConstant({4});
  const auto refusal = [&](const Tensor& filter, const Tensor& bias,
                           std::vector<int> output) {
    return Refusal(ParseConv2d, {x, filter, bias}, {FakeTensor(output)}, &conv);
  };
  EXPECT_EQ(refusal(FakeConstant({4, 3, 3, 3}), bias, {1, 8, 8, 4}), "");
  EXPECT_NE(refusal(FakeConstant({4, 3, 3, 5}), bias, {1, 8, 8, 4}), "");
  EXPECT_NE(
      refusal(FakeConstant({4, 3, 3, 3}), FakeConstant({5}), {1, 8, 8, 4}), "");
  EXPECT_NE(refusal(FakeConstant({4, 3, 3, 3}), bias, {1, 8, 8, 5}), "");
  EXPECT_NE(refusal(FakeConstant({4, 3, 3}), bias, {1, 8, 8, 4}), "");

  FullyConnectedParams full = {};
  EXPECT_NE(Refusal(ParseFullyConnected,
                    {FakeTensor({2, 6}), FakeConstant({4, 7}), bias},
                    {FakeTensor({2, 4})}, &full),
            "");
  EXPECT_NE(Refusal(ParseConv2d, {x, FakeConstant({4, 3, 3, 3}), bias},
                    {FakeTensor({1, 8, 8, 4})}, nullptr),
            "");
}

// The file says that the output is larger than it is. TFLite works shapes out
// again; the delegate must take those, not the file's.
TEST(InconsistentShapesTest, TheFilesOutputShapeIsNotBelieved) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(
      cases::BuilderOf("NEG x=[1,2,3,5] -> t:f32[7,9,9,9] ; EXP t -> f32[1]")
          .Finish());
  ExpectCloseHoweverApplied(
      *model, [] { return MakeDelegate(); }, 2);
}

// A file whose op TFLite itself cannot prepare: no delegate helps, none hides
// TFLite's words.
TEST(InconsistentShapesTest, WhatTfliteRefusesStaysTflitesError) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(
      cases::BuilderOf("ADD a=[1,2,3,5] b=[1,2,4,5] -> [1,2,3,5]").Finish());
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = CreatedWith(*model, delegate);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_THAT(std::string(interpreter.status().message()),
              HasSubstr("broadcast"));
}

// A file may name a node's temporary tensors. They have no shape before that
// node is prepared, which fails here.
TEST(InconsistentShapesTest, AnInputWithoutAShape) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel lstm = cases::ModelOf(
      "UNIDIRECTIONAL_SEQUENCE_LSTM x=[1,3,5] w=const:[6,5]*4 r=const:[6,6]*4 "
      "p=-*3 b=const:[6]*4 none=-*2 h=state:[1,6] c=state:[1,6] norms=-*4 "
      "fused_activation_function=TANH");
  const auto model = LoadOrDie(EditModel(lstm.bytes, [](schema::ModelT& model) {
    schema::SubGraphT& graph = *model.subgraphs[0];
    graph.tensors[graph.operators[0]->inputs[12]]->shape = {};  // a bias
    auto code = std::make_unique<schema::OperatorCodeT>();
    code->builtin_code = schema::BuiltinOperator::SOFTMAX;
    code->deprecated_builtin_code =
        static_cast<int8_t>(schema::BuiltinOperator::SOFTMAX);
    model.operator_codes.push_back(std::move(code));
    auto softmax = std::make_unique<schema::OperatorT>();
    softmax->opcode_index = 1;
    softmax->inputs = {static_cast<int>(graph.tensors.size()) + 1};
    softmax->outputs = {static_cast<int>(graph.tensors.size())};
    softmax->builtin_options.Set(schema::SoftmaxOptionsT());
    graph.tensors.push_back(
        std::make_unique<schema::TensorT>(*graph.tensors[0]));
    graph.operators.push_back(std::move(softmax));
  }));
  const DelegatePtr delegate = MakeDelegate();
  EXPECT_FALSE(CreatedWith(*model, delegate).ok());
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("SOFTMAX) reads a tensor without a shape"));
}

// --- Lists of tensors -------------------------------------------------------

class TensorListsTest : public DeviceTest {};

TEST_F(TensorListsTest, AnOutputThatIsListedTwice) {
  const auto model =
      LoadOrDie(EditModel(ChainModel("can"), [](schema::ModelT& model) {
        model.subgraphs[0]->outputs.push_back(model.subgraphs[0]->outputs[0]);
      }));
  ExpectCloseHoweverApplied(
      *model, [] { return MakeDelegate(); }, 3);
}

// TFLite takes a file's intermediate tensors as they are. The delegate runs the
// nodes on the CPU because the new shapes need more memory than allowed.
TEST_F(TensorListsTest, IntermediatesOfANodeThatRunsOnTheCpu) {
  const auto model =
      LoadOrDie(EditModel(ChainModel("can"), [](schema::ModelT& model) {
        for (auto& node : model.subgraphs[0]->operators) {
          node->intermediates = {-7, -1, 1 << 28};
        }
      }));
  const DelegatePtr delegate = MakeDelegate(
      [](auto& options) { options.memory_limit_bytes = 100 << 10; });
  auto interpreter = Applied(*model, delegate);
  const Shape large = {1, 60, 50, 5};
  Resize(interpreter.get(), large);
  EXPECT_EQ(*RunOnce(interpreter.get()), CpuResult(*model, 0, large));
  EXPECT_TRUE(ReportOf(delegate)["partition"][0].contains("on_cpu"));
}

// --- The driver -------------------------------------------------------------

class BadDriverTest : public ChainTest {
 protected:
  // Applies a delegate that must fail, and looks whether the CPU runs on.
  // Returns the error.
  std::string FailToApply(
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    const DelegatePtr delegate = MakeDelegate(configure);
    auto interpreter = InterpreterOrDie(*model_);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    EXPECT_FALSE(applied.ok());
    EXPECT_TRUE(interpreter->AllocateTensors().ok());
    const auto actual = RunOnce(interpreter.get());
    EXPECT_TRUE(actual.ok()) << actual.status();
    if (actual.ok()) {
      EXPECT_EQ(*actual, expected_);
    }
    return std::string(applied.message());
  }
};

// A driver with smaller limits.
class SmallLimitsTest : public BadDriverTest {
 protected:
  // Applies a delegate, compares with the CPU; returns the report.
  nlohmann::json RunWithLimits(const Model& model, GLint texture_size,
                               GLint layers, GLint64 buffer_bytes,
                               int storage) {
    const After<&GlApi::GetIntegerv> ints([&](GLenum name, GLint* value) {
      if (name == GL_MAX_TEXTURE_SIZE) *value = texture_size;
      if (name == GL_MAX_ARRAY_TEXTURE_LAYERS) *value = layers;
    });
    const After<&GlApi::GetInteger64v> longs([&](GLenum name, GLint64* value) {
      if (name == GL_MAX_SHADER_STORAGE_BLOCK_SIZE) {
        *value = buffer_bytes;
      }
    });
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.storage = storage;
      options.thread_mode =
          kTfLiteGlesThreadCallerOwnContext;  // whose limits are read again
      options.max_delegated_partitions = 0;
    });
    auto interpreter = Applied(model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(model));
    log_ = interpreter->TakeLog();
    return ReportOf(delegate);
  }

  std::vector<std::string> log_;
};

TEST_F(SmallLimitsTest, ATensorTooLargeForAStorageTakesAnother) {
  // 70 wide, 40 high, 3 slices: too large for one limit after the other.
  const auto model = LoadOrDie(ChainModel("can", {1, 40, 70, 9}));
  for (int storage : {0, 1, 2, 3}) {
    SCOPED_TRACE(::testing::Message() << "storage " << storage);
    const GLint64 much = 1 << 26;
    // All fit; no 2-D texture; no array either; no texture at all.
    for (const auto& [size, layers] :
         {std::pair(512, 256), {80, 256}, {80, 2}, {16, 2}}) {
      SCOPED_TRACE(::testing::Message() << size << ", " << layers << " layers");
      const nlohmann::json report =
          RunWithLimits(*model, size, layers, much, storage);
      EXPECT_EQ(report["nodes_delegated"], 3) << report["cpu"];
    }
    // No buffer: 16 bytes a texel, 8400 texels.
    const nlohmann::json report =
        RunWithLimits(*model, 512, 256, 128000, storage);
    EXPECT_EQ(report["nodes_delegated"], 3) << report["cpu"];
  }
}

TEST_F(SmallLimitsTest, ATensorThatFitsNowhereStaysOnTheCpu) {
  const auto model = LoadOrDie(ChainModel("can", {1, 40, 70, 9}));
  const nlohmann::json report = RunWithLimits(*model, 16, 2, 1000, 0);
  EXPECT_EQ(report["nodes_delegated"], 0);
  EXPECT_THAT(log_, Contains(AllOf(HasSubstr("CONV_2D stays on the CPU"),
                                   HasSubstr("fits no storage"),
                                   HasSubstr("1x40x70x9"))));
}

// The partition's output does not fit a buffer; the other partition runs.
TEST_F(SmallLimitsTest, APartitionWithALargeEdgeStaysOnTheCpuAlone) {
  const auto model = LoadCase(
      "NEG x=[1,2,2,4] -> t ; L2_POOL_2D t filter=1 -> pooled ; "
      "TILE pooled times=(1,20,20,1) -> large");
  const nlohmann::json report = RunWithLimits(*model, 512, 256, 20000, 0);
  EXPECT_EQ(report["nodes_delegated"], 1) << report["cpu"];
  EXPECT_THAT(report["cpu"].dump(),
              AllOf(HasSubstr("'large' float32[1,40,40,4] needs 256"),
                    HasSubstr("past the device's buffers of 20000")));
}

TEST_F(BadDriverTest, AShaderThatDoesNotCompileIsNamed) {
  const EditedShaders shaders([](std::string* text) {
    *text = "#version 310 es\nthis_is_garbage();\n";
  });
  EXPECT_THAT(FailToApply(), AllOf(HasSubstr("does not compile on this driver"),
                                   HasSubstr(".comp"), HasSubstr("error")));
}

// The second node's shader alone.
TEST_F(BadDriverTest, TheOpOfAShaderThatDoesNotCompileIsNamed) {
  const EditedShaders shaders([](std::string* text) {
    if (!absl::StrContains(*text, "// conv")) return;
    *text = "#version 310 es\nvoid main() { garbage(); }\n";
  });
  EXPECT_THAT(FailToApply(), AllOf(HasSubstr("CONV_2D 0 (conv"),
                                   HasSubstr(".comp)"), HasSubstr("garbage")));
}

TEST_F(BadDriverTest, OutOfMemoryIsAnError) {
  for (int storage : {1, 2, 3}) {
    bool is_out_of_memory = false;
    const Instead<&GlApi::TexStorage2D> textures(
        [&](auto...) { is_out_of_memory = true; });
    const Instead<&GlApi::TexStorage3D> arrays(
        [&](auto...) { is_out_of_memory = true; });
    const Instead<&GlApi::BufferData> buffers(
        [&](auto...) { is_out_of_memory = true; });
    const Instead<&GlApi::GetError> error([&](auto...) -> GLenum {
      if (!std::exchange(is_out_of_memory, false)) {
        return egl::driver_gl().GetError();
      }
      return GL_OUT_OF_MEMORY;
    });
    EXPECT_THAT(FailToApply([&](auto& options) { options.storage = storage; }),
                HasSubstr("GL_OUT_OF_MEMORY"));
  }
}

// A failed delegate may be applied again when the trouble is over.
TEST_F(BadDriverTest, AfterAFailureTheDelegateWorksAgain) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model_);
  {
    const After<&GlApi::GetShaderiv> status(
        [](GLuint, GLenum name, GLint* value) {
          if (name == GL_COMPILE_STATUS) *value = GL_FALSE;
        });
    EXPECT_FALSE(interpreter->ApplyDelegate(delegate.get()).ok());
  }
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  ASSERT_TRUE(applied.ok()) << applied;
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

// A dispatch that the driver refuses is Invoke's error, not silence.
TEST_F(BadDriverTest, AnErrorAtInvokeIsReported) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  {
    const Instead<&GlApi::DispatchCompute> dispatch([](auto...) {
      egl::driver_gl().Enable(0xFFFF);  // leaves GL_INVALID_ENUM
    });
    const auto result = RunOnce(interpreter.get());
    EXPECT_THAT(std::string(result.status().message()),
                HasSubstr("GL_INVALID_ENUM"));
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

}  // namespace
}  // namespace gles_delegate::testing
