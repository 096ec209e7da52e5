// labels: op delegate llvmpipe softpipe oldest_tflite
// Free axes, and values that follow from shapes: SHAPE and what other ops make
// of it are constants of a partition, and CPU nodes see them when they are
// prepared. A refusal has the words of the runtime's kernel.
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Models as converters write them when an extent of the input is free, by the
// texts of cases.
std::unique_ptr<Model> Load(const std::string& text, const std::string& outputs,
                            bool is_free = false) {
  ModelBuilder b = cases::BuilderOf(text);
  b.SetOutputs(Named(b, outputs));
  // Keras's default: all but the channels is free, and 1 in the file.
  for (auto& tensor : b.model().subgraphs[0]->tensors) {
    if (!is_free || tensor->shape.size() != 4) continue;
    tensor->shape_signature = {-1, -1, -1, tensor->shape[3]};
  }
  return LoadOrDie(b.Finish());
}

// SHAPE of x, and extent `axis` of it.
std::string ExtentOfX(int axis) {
  return absl::StrCat(
      "SHAPE x out_type=INT32 -> shape:i32[4] ; STRIDED_SLICE shape b=(", axis,
      ") e=(", axis + 1, ") s=(1) shrink_axis_mask=1 -> n:i32[] ; ");
}
constexpr char kRelu[] = "RELU x=[1,2,3,4] -> r:f32[1,2,3,4] ; ";
constexpr char kFreeRelu[] = "RELU x=[1,1,1,4] -> r:f32[1,1,1,4] ; ";
// 0, 1, ... below n, as floats.
constexpr char kRange[] =
    "RANGE zero=0 n one=1 -> p:i32[1] ; "
    "CAST p in_data_type=INT32 -> q:f32[1]";

// Flatten of Keras with a free batch.
std::unique_ptr<Model> FlattenModel() {
  return Load(
      absl::StrCat(kRelu, ExtentOfX(0),
                   "PACK n m=-1 values_count=2 -> to:i32[2] ; "
                   "RESHAPE r to -> f:f32[1,24] ; NEG f -> y:f32[1,24]"),
      "y");
}

// relu(x) plus the sum of all positions along its height.
std::unique_ptr<Model> PositionsModel() {
  return Load(absl::StrCat(kRelu, ExtentOfX(1), kRange,
                           " ; SUM q axis=(0) -> sum:f32[] ; "
                           "ADD r sum -> y:f32[1,2,3,4]"),
              "y");
}

// A shape within the graph, and as an output of the model.
std::unique_ptr<Model> ShapeAsOutputModel() {
  return Load(
      absl::StrCat(kRelu, ExtentOfX(2),
                   "PACK n m=-1 values_count=2 -> to:i32[2] ; "
                   "RESHAPE r to -> f:f32[3,8] ; NEG f -> y:f32[3,8] ; ",
                   kRange),
      "y q");
}

std::unique_ptr<Model> FreeModel(const char* text) {
  return Load(absl::StrCat(kFreeRelu, text), "y", /*is_free=*/true);
}

std::unique_ptr<Model> FreeSliceModel() {
  return FreeModel(
      "SLICE r b=(0,0,0,1) z=(-1,-1,-1,2) -> t:f32[1,1,1,2] ; "
      "NEG t -> y:f32[1,1,1,2]");
}

std::unique_ptr<Model> FreeTopModel() {
  return FreeModel(
      "TOPK_V2 r k=2 -> top:f32[1,1,1,2] at:i32[1,1,1,2] ; "
      "NEG top1 -> y:f32[1,1,1,2]");
}

// A shape by an op that does no arithmetic.
std::unique_ptr<Model> BroadcastModel() {
  return FreeModel(
      "SHAPE x out_type=INT32 -> shape:i32[4] ; "
      "BROADCAST_ARGS shape ones=(1,1,1,1) -> to:i32[4] ; "
      "RESHAPE r to -> t:f32[1,1,1,4] ; NEG t -> y:f32[1,1,1,4]");
}

// tf.signal.frame: a shape of pieces, one of which has no elements.
std::unique_ptr<Model> EmptyPieceModel() {
  return FreeModel(
      "SHAPE x out_type=INT32 -> shape:i32[4] ; "
      "STRIDED_SLICE shape b=(0) e=(0) s=(1) -> none:i32[0] ; "
      "CONCATENATION none rest=(-1,4) axis=0 -> to:i32[2] ; "
      "RESHAPE r to -> t:f32[1,4] ; NEG t -> y:f32[1,4]");
}

// A shape by arithmetic on constants alone.
std::unique_ptr<Model> ConstantsModel() {
  return FreeModel(
      "SUB a=3 b=1 -> two:i32[] ; PACK m=-1 two values_count=2 -> to:i32[2] ; "
      "RESHAPE r to -> t:f32[2,2] ; NEG t -> y:f32[2,2]");
}

// At the file's sizes there is nothing left of x.
std::unique_ptr<Model> WindowsModel() {
  return FreeModel(
      "STRIDED_SLICE r b=(0,1,0,0) e=(0,0,0,0) s=(1,1,1,1) end_mask=15 -> "
      "t:f32[1,0,1,4] ; NEG t -> y:f32[1,0,1,4]");
}

struct Case {
  const char* name;
  std::unique_ptr<Model> (*make)();
  int nodes;
};
const Case kCases[] = {{"flatten", FlattenModel, 6},
                       {"positions", PositionsModel, 7},
                       {"shape as output", ShapeAsOutputModel, 7},
                       {"free slice", FreeSliceModel, 3},
                       {"free top", FreeTopModel, 3},
                       {"broadcast", BroadcastModel, 5},
                       {"empty piece", EmptyPieceModel, 6},
                       {"constants", ConstantsModel, 5}};

using DelegateShapeValuesTest = DeviceTest;

TEST_F(DelegateShapeValuesTest, AllNodesAreOnePartition) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto model = c.make();
    const DelegatePtr delegate = MakeDelegate();
    const auto interpreter = Applied(*model, delegate);
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["partitions"], 1) << report;
    EXPECT_GE(report["nodes_delegated"].get<int>(), c.nodes) << report;
    EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]) << report;
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }
}

// Whatever node the CPU keeps, and however many partitions there may be: after
// each of a random sequence of resizes the answers are the CPU's.
TEST_F(DelegateShapeValuesTest, AnswersFollowEachResize) {
  Random random("resizes");
  for (const Case& c : kCases) {
    for (int excluded = -1; excluded < c.nodes; ++excluded) {
      for (int limit : {0, 1}) {
        SCOPED_TRACE(::testing::Message() << c.name << ", excluded " << excluded
                                          << ", limit " << limit);
        const std::string exclude = std::to_string(excluded);
        const auto model = c.make();
        const DelegatePtr delegate = MakeDelegate([&](auto& options) {
          options.max_delegated_partitions = limit;
          if (excluded >= 0) options.exclude_nodes = exclude.c_str();
        });
        const auto interpreter = Applied(*model, delegate);
        for (int i = 0; i < 2; ++i) {
          const Shape shape = {random.NextInt(1, 3), random.NextInt(1, 9),
                               random.NextInt(1, 5), 4};
          SCOPED_TRACE(ShapeString(shape));
          ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
          const absl::Status allocated = interpreter->AllocateTensors();
          ASSERT_TRUE(allocated.ok()) << allocated;
          ExpectClose(RunOnce(interpreter.get(), i),
                      CpuResult(*model, i, shape));
        }
      }
    }
  }
}

// The file's sizes only hold a place: nodes are chosen at others, and run on
// the GPU at those that allow it.
TEST_F(DelegateShapeValuesTest, PlaceholdersDoNotDecide) {
  const auto model = WindowsModel();
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3) << ReportOf(delegate);
  for (const Shape& shape : {Shape{1, 1, 1, 4}, Shape{2, 5, 3, 4},
                             Shape{1, 1, 2, 4}, Shape{1, 2, 1, 4}}) {
    SCOPED_TRACE(ShapeString(shape));
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    const absl::Status allocated = interpreter->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
    const auto result = RunOnce(interpreter.get());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->empty(), shape[1] == 1);
    ExpectClose(result, CpuResult(*model, 0, shape));
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["partition"][0].count("on_cpu"), 0u) << report;
    if (shape[1] > 1) {
      EXPECT_GT(report["partition"][0]["dispatches"], 0) << report;
    }
  }
}

// input_shapes: the one start plans for the app's sizes. By TFLite's functions,
// since an Interpreter of these tests allocates tensors at once.
TEST_F(DelegateShapeValuesTest, GivenShapesArePlannedOnce) {
  const auto model = FreeSliceModel();
  const Shape shape = {2, 3, 5, 4};
  for (const char* given : {"x=2x3x5x4", "0=2x3x5x4"}) {
    const DelegatePtr delegate =
        MakeDelegate([&](auto& options) { options.input_shapes = given; });
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreterOptionsAddDelegate(options, delegate.get());
    TfLiteInterpreter* interpreter =
        TfLiteInterpreterCreate(model->get(), options);
    ASSERT_NE(interpreter, nullptr);
    const nlohmann::json planned = ReportOf(delegate)["partition"][0];
    EXPECT_GE(planned["gpu_bytes"]["tensors"], 2 * 3 * 5 * 4 * 4);
    const TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
    EXPECT_EQ(TfLiteTensorDim(input, 1), 1);  // the app resizes
    ASSERT_EQ(
        TfLiteInterpreterResizeInputTensor(interpreter, 0, shape.data(), 4),
        kTfLiteOk);
    ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    EXPECT_EQ(ReportOf(delegate)["partition"][0]["compile_ms"],
              planned["compile_ms"]);
    ASSERT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
    TfLiteInterpreterDelete(interpreter);
    TfLiteInterpreterOptionsDelete(options);
  }
}

TEST_F(DelegateShapeValuesTest, RefusesGivenShapesOfNoInput) {
  const auto model = FreeSliceModel();
  for (const auto& [given, why] :
       {std::pair{"y=2x3x5x4", "no input 'y' has free axes; of these: x"},
        std::pair{"x=2x3x5x3", "'x' has the shape [-1,-1,-1,4], and not"},
        std::pair{"x=2x3", "'x' has the shape [-1,-1,-1,4], and not 2x3"}}) {
    const DelegatePtr delegate = MakeDelegate([&, &given = given](auto& o) {
      o.input_shapes = given;
      o.fallback_to_cpu = 1;
    });
    const auto interpreter = Applied(*model, delegate);
    EXPECT_THAT(ReportOf(delegate)["error"], ::testing::HasSubstr(why));
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }
}

// Kernels such as SHAPE's write when they are prepared, not when they run: a
// partition that falls back to the CPU after a resize gets the known values.
TEST_F(DelegateShapeValuesTest, APartitionOnTheCpuHasTheValues) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto model = c.make();
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      options.memory_limit_bytes = 64 << 10;
      options.fallback_to_cpu = 1;
    });
    const auto interpreter = Applied(*model, delegate);
    const Shape shape = {3, 40, 60, 4};
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    const absl::Status allocated = interpreter->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
    EXPECT_EQ(ReportOf(delegate)["partition"][0].count("on_cpu"), 1u);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, shape));
  }
}

// Nothing but arithmetic on shapes is nothing to bring to a GPU.
TEST_F(DelegateShapeValuesTest, ShapesAloneMakeNoPartition) {
  std::string text = absl::StrCat(ExtentOfX(1), kRange);
  text.replace(text.find(" x"), 2, " x=[1,2,3,4]");
  const auto model = Load(text, "q");
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// --- Shapes that the runtime's own kernel refuses ---------------------------

// A node that TFLite does not prepare, and a word of TFLite's about it.
struct Malformed {
  const char* model;
  const char* words;
};

constexpr Malformed kMalformed[] = {
    {"ADD a=[1,2,3,4] b=[1,2,3,5] -> [1,2,3,5]", "broadcast"},
    {"AVERAGE_POOL_2D x=[1,4,4,3] filter=2 stride=(0,1) padding=VALID -> "
     "[1,3,3,3]",
     "pooling.cc"},
    {"BATCH_MATMUL x=[2,5,6] y=[3,6,7] -> [2,5,7]", "batch_matmul.cc"},
    {"CONCATENATION x=[1,4,4,3]+[1,4,5,5] axis=3 -> [1,4,4,8]",
     "concatenation.cc"},
    {"CONV_2D x=[1,8,8,5] w=const:[6,3,3,4] b=const:[6] -> [1,8,8,6]",
     "conv.cc"},
    {"DEPTH_TO_SPACE x=[1,2,2,6] block_size=2 -> [1,4,4,1]",
     "depth_to_space.cc"},
    {"DEPTHWISE_CONV_2D x=[1,8,8,3] w=const:[2,3,3,6] b=const:[6] "
     "depth_multiplier=2 -> [1,8,8,6]",
     "depthwise_conv.cc"},
    {"EXPAND_DIMS x=[2,1,4] axis=(5) -> [2,1,1,4]", "expand_dims.cc"},
    {"FULLY_CONNECTED x=[2,6] w=const:[3,6] b=const:[4] -> [2,3]",
     "fully_connected.cc"},
    {"PACK x=[3,4]+[4,3] axis=0 values_count=2 -> [2,3,4]", "pack.cc"},
    {"PRELU x=[1,2,2,4] alpha=[1,1,1,3] -> [1,2,2,4]", "broadcast"},
    {"RESHAPE x=[2,3,4] new_shape=(3,7) -> [3,7]", "reshape.cc"},
    {"SELECT c=bool[2,3] a=[2,3] b=[] -> f32[2,3]", "select.cc"},
    {"SPLIT axis=1 x=[2,6] num_splits=4 -> [2,1]*4", "split.cc"},
    {"SQUEEZE x=[2,1,4] squeeze_dims=(0) -> [2,4]", "squeeze.cc"},
    {"TRANSPOSE x=[2,3,4] perm=(1,0) -> [4,2,3]", "transpose.cc"},
    {"UNPACK x=[2,6] axis=0 num=2 -> [6]", "unpack.cc"},
};

// All axes of the model's inputs are free.
void FreeAxes(schema::ModelT& model) {
  schema::SubGraphT& graph = *model.subgraphs[0];
  for (int input : graph.inputs) {
    graph.tensors[input]->shape_signature.assign(
        graph.tensors[input]->shape.size(), -1);
  }
}

// Another op writes the node's first input.
void PutAnOpBefore(schema::ModelT& model) {
  schema::SubGraphT& graph = *model.subgraphs[0];
  auto code = std::make_unique<schema::OperatorCodeT>();
  code->builtin_code = Op::ZEROS_LIKE;
  code->deprecated_builtin_code = static_cast<int8_t>(Op::ZEROS_LIKE);
  auto op = std::make_unique<schema::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
  const int x = graph.inputs[0];
  const auto before = static_cast<int>(graph.tensors.size());
  op->inputs = {before};
  op->outputs = {x};
  graph.tensors.push_back(std::make_unique<schema::TensorT>(*graph.tensors[x]));
  graph.inputs[0] = before;
  model.operator_codes.push_back(std::move(code));
  graph.operators.insert(graph.operators.begin(), std::move(op));
}

// The model is the decomposition of a composite.
void PutInComposite(schema::ModelT& model) {
  const schema::SubGraphT& inside = *model.subgraphs[0];
  auto code = std::make_unique<schema::OperatorCodeT>();
  code->builtin_code = Op::STABLEHLO_COMPOSITE;
  code->deprecated_builtin_code = 127;
  auto outside = std::make_unique<schema::SubGraphT>();
  auto op = std::make_unique<schema::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
  schema::StableHLOCompositeOptionsT options;
  options.name = "any.name";
  options.decomposition_subgraph_index = 1;
  options.composite_attributes = {0, 0, 1, 0, 0, 36, 1};  // an empty map
  op->builtin_options_2.Set(std::move(options));
  for (const bool is_input : {true, false}) {
    for (int id : is_input ? inside.inputs : inside.outputs) {
      const auto tensor = static_cast<int>(outside->tensors.size());
      outside->tensors.push_back(
          std::make_unique<schema::TensorT>(*inside.tensors[id]));
      (is_input ? op->inputs : op->outputs).push_back(tensor);
      (is_input ? outside->inputs : outside->outputs).push_back(tensor);
    }
  }
  outside->operators.push_back(std::move(op));
  model.operator_codes.push_back(std::move(code));
  model.subgraphs.insert(model.subgraphs.begin(), std::move(outside));
}

class RuntimesWordsTest : public ::testing::Test {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }

  // The reasons in the report, and TFLite's log until tensors are allocated,
  // of `text` after `edits`. Both are empty if the runtime lacks an op.
  struct Said {
    std::string report, log;
  };
  static Said Say(const char* text,
                  const std::vector<void (*)(schema::ModelT&)>& edits) {
    const auto spec = cases::ParseCase(text);
    if (!spec.ok()) return {spec.status().ToString(), ""};
    const auto model =
        LoadOrDie(EditModel(cases::BytesOf(*spec), [&](schema::ModelT& model) {
          for (const auto edit : edits) edit(model);
        }));
    const DelegatePtr delegate = MakeDelegate();
    Said said;
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreterOptionsSetErrorReporter(
        options,
        [](void* log, const char* format, va_list arguments) {
          char line[1000];
          (void)std::vsnprintf(line, sizeof(line), format, arguments);
          absl::StrAppend(static_cast<std::string*>(log), line, "\n");
        },
        &said.log);
    TfLiteInterpreter* interpreter =
        TfLiteInterpreterCreate(model->get(), options);
    TfLiteInterpreterOptionsDelete(options);
    if (interpreter == nullptr) return {};
    EXPECT_EQ(
        TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate.get()),
        kTfLiteOk);
    EXPECT_NE(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    said.report = ReportOf(delegate)["cpu"].dump();
    TfLiteInterpreterDelete(interpreter);
    return said;
  }
};

TEST_F(RuntimesWordsTest, AreInReportAndWarning) {
  for (const Malformed& malformed : kMalformed) {
    for (const auto& edits :
         std::vector<std::vector<void (*)(schema::ModelT&)>>{
             {}, {PutAnOpBefore}, {PutInComposite}}) {
      SCOPED_TRACE(malformed.model);
      const Said said = Say(malformed.model, edits);
      if (OnOldestTflite() && said.report.empty()) continue;
      const auto has_words =
          AllOf(HasSubstr("TFLite's own kernel of node"),
                HasSubstr("refuses its inputs: "), HasSubstr(malformed.words));
      EXPECT_THAT(said.report, has_words);
      EXPECT_THAT(said.log, AllOf(HasSubstr("on the CPU (node "), has_words));
    }
  }
}

// At other sizes the node may run, and so it is chosen.
TEST_F(RuntimesWordsTest, AreTheErrorIfAxesAreFree) {
  for (const Malformed& malformed : kMalformed) {
    SCOPED_TRACE(malformed.model);
    EXPECT_THAT(
        Say(malformed.model, {PutAnOpBefore, FreeAxes}).log,
        AllOf(HasSubstr("refuses its inputs: "), HasSubstr(malformed.words)));
  }
}

// Inputs resized after the delegate was applied: the partition is planned
// again.

class DelegateResizeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("carnm"));
    delegate_ = MakeDelegate(
        [](auto& options) { options.max_delegated_partitions = 0; });
    interpreter_ = InterpreterOrDie(*model_);
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
  }

  void TearDown() override { interpreter_.reset(); }

  // Resizes, and compares two runs with the CPU's at that size.
  void ExpectRunsAt(const Shape& shape) {
    SCOPED_TRACE(ShapeString(shape));
    ASSERT_TRUE(interpreter_->ResizeInput(0, shape).ok());
    const absl::Status allocated = interpreter_->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
    EXPECT_EQ(interpreter_->output(0).dims(), shape);
    for (int round : {0, 1}) {
      ExpectClose(RunOnce(interpreter_.get(), round),
                  CpuResult(*model_, round, shape));
    }
    const nlohmann::json report = ReportOf(delegate_);
    EXPECT_EQ(report["partitions"], 2) << report;
    EXPECT_EQ(report["nodes_delegated"], 4) << report;
    EXPECT_EQ(report["partition"].size(), 2u) << report;
  }

  std::unique_ptr<Model> model_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(DelegateResizeTest, LargerSmallerAndBack) {
  ExpectRunsAt({1, 6, 5, 5});
  ExpectRunsAt({1, 17, 33, 5});
  ExpectRunsAt({1, 6, 1, 5});
  ExpectRunsAt({1, 6, 5, 5});
}

TEST_F(DelegateResizeTest, ToOnePixelToBatchThreeAndBack) {
  const auto model = LoadOrDie(ChainModel("canm"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  for (const Shape& shape :
       {Shape{1, 1, 1, 5}, Shape{3, 6, 5, 5}, Shape{1, 6, 5, 5}}) {
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, shape));
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 4);
  }
}

// Five channels are what the filter has: TFLite's own kernels refuse seven, and
// so does AllocateTensors. The delegation holds: at a legal shape it runs
// again, and applied again it finds nothing to do.
TEST_F(DelegateResizeTest, AfterAnIllegalShapeItRunsAgain) {
  for (const Shape& illegal : {Shape{1, 6, 5, 7}, Shape{1, 6, 5}}) {
    SCOPED_TRACE(ShapeString(illegal));
    absl::Status status = interpreter_->ResizeInput(0, illegal);
    if (status.ok()) status = interpreter_->AllocateTensors();
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(RunOnce(interpreter_.get()).ok());
    ExpectRunsAt({1, 7, 5, 5});
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
    ExpectRunsAt({1, 6, 5, 5});
  }
}

// This one TFLite refuses at once, and forgets nothing.
TEST_F(DelegateResizeTest, ANegativeShapeIsAnErrorAndNothingIsLost) {
  EXPECT_FALSE(interpreter_->ResizeInput(0, {1, -6, 5, 5}).ok());
  ExpectRunsAt({1, 6, 5, 5});
  ExpectRunsAt({1, 7, 5, 5});
}

TEST_F(DelegateResizeTest, InvokeBeforeAllocateTensorsIsAnError) {
  ASSERT_TRUE(interpreter_->ResizeInput(0, {1, 8, 8, 5}).ok());
  EXPECT_FALSE(interpreter_->Invoke().ok());
  ExpectRunsAt({1, 8, 8, 5});
}

TEST_F(DelegateResizeTest, TheSameShapeChangesNothing) {
  ExpectClose(RunOnce(interpreter_.get()), CpuResult(*model_));
  ASSERT_TRUE(interpreter_->ResizeInput(0, {1, 6, 5, 5}).ok());
  ASSERT_TRUE(interpreter_->AllocateTensors().ok());
  ExpectClose(RunOnce(interpreter_.get(), 1), CpuResult(*model_, 1));
}

}  // namespace

}  // namespace gles_delegate::testing
