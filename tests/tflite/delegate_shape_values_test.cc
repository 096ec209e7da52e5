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

// Models as converters write them when an extent of the input is free.
class ShapeModel {
 public:
  explicit ShapeModel(const Shape& of_file = {1, 2, 3, 4})
      : x_(b_.AddInput("x", of_file)) {
    if (of_file[1] == 1) b_.SetShapeSignature(x_, {-1, -1, -1, 4});
  }

  int x() const { return x_; }

  // Extent `axis` of x as a scalar.
  int ExtentOfX(int axis) { return ElementOf(ShapeOfX(), axis); }
  int ShapeOfX() {
    const int shape = b_.AddTensor("shape", {4}, TensorType::INT32);
    b_.AddOp(Op::SHAPE, 1, {x_}, {shape}, ShapeOptions());
    return shape;
  }

  int ElementOf(int vector, int at) {
    const int begin = Ints({at}), end = Ints({at + 1}), strides = Ints({1});
    const int element = b_.AddTensor("element", {}, TensorType::INT32);
    schema::StridedSliceOptionsT options;
    options.shrink_axis_mask = 1;
    b_.AddOp(Op::STRIDED_SLICE, 1, {vector, begin, end, strides}, {element},
             options);
    return element;
  }

  int Pack(const std::vector<int>& scalars) {
    const int count = static_cast<int>(scalars.size());
    const int vector = b_.AddTensor("vector", {count}, TensorType::INT32);
    schema::PackOptionsT options;
    options.values_count = count;
    b_.AddOp(Op::PACK, 1, scalars, {vector}, options);
    return vector;
  }

  int Unary(Op op, int of, const std::vector<int>& shape) {
    const int y = b_.AddTensor("y", shape);
    b_.AddOp(op, 1, {of}, {y});
    return y;
  }

  int Reshape(int of, int to, const std::vector<int>& shape) {
    const int y = b_.AddTensor("y", shape);
    b_.AddOp(Op::RESHAPE, 1, {of, to}, {y}, schema::ReshapeOptionsT());
    return y;
  }

  // 0, 1, ... below the scalar `count`.
  int Range(int count) {
    const int range = b_.AddTensor("range", {1}, TensorType::INT32);
    b_.AddOp(Op::RANGE, 1, {Int(0), count, Int(1)}, {range},
             schema::RangeOptionsT());
    return range;
  }

  int CastToFloat(int of) {
    const int floats = b_.AddTensor("floats", {1});
    schema::CastOptionsT cast;
    cast.in_data_type = TensorType::INT32;
    cast.out_data_type = TensorType::FLOAT32;
    b_.AddOp(Op::CAST, 1, {of}, {floats}, cast);
    return floats;
  }

  int Sum(int of) {
    const int sum = b_.AddTensor("sum", {});
    b_.AddOp(Op::SUM, 1, {of, Ints({0})}, {sum}, schema::ReducerOptionsT());
    return sum;
  }

  int Add(int a, int b, const std::vector<int>& shape) {
    const int y = b_.AddTensor("y", shape);
    b_.AddOp(Op::ADD, 1, {a, b}, {y}, schema::AddOptionsT());
    return y;
  }

  // Of other integers.
  template <typename Options>
  int IntsOf(Op op, const std::vector<int>& of, const Shape& shape,
             const Options& options) {
    const int y = b_.AddTensor("y", shape, TensorType::INT32);
    b_.AddOp(op, 1, of, {y}, options);
    return y;
  }

  // The extents of y are free in the file, as those of x.
  template <typename Options>
  int Free(Op op, const std::vector<int>& of, const Shape& shape,
           const Options& options) {
    const int y = b_.AddTensor("y", shape);
    Shape signature(shape.size(), -1);
    signature.back() = shape.back();
    b_.SetShapeSignature(y, signature);
    b_.AddOp(op, 1, of, {y}, options);
    return y;
  }
  int FreeRelu() {
    const int y = b_.AddTensor("relu", {1, 1, 1, 4});
    b_.SetShapeSignature(y, {-1, -1, -1, 4});
    b_.AddOp(Op::RELU, 1, {x_}, {y});
    return y;
  }
  int BroadcastArgs(int a, int b) {
    const int y = b_.AddTensor("both", {4}, TensorType::INT32);
    b_.AddOp(Op::BROADCAST_ARGS, 1, {a, b}, {y});
    return y;
  }
  int Top(int k, int of) {
    const Shape shape = {1, 1, 1, k};
    const int top = b_.AddTensor("top", shape);
    const int at = b_.AddTensor("at", shape, TensorType::INT32);
    b_.AddOp(Op::TOPK_V2, 1, {of, Int(k)}, {top, at}, schema::TopKV2OptionsT());
    return top;
  }

  int Int(int value) {
    return b_.AddConstant<int32_t>("int", {}, std::vector<int32_t>{value});
  }
  int Ints(const std::vector<int32_t>& values) {
    return b_.AddConstant<int32_t>(
        "ints", {static_cast<int32_t>(values.size())}, values);
  }

  std::unique_ptr<Model> Load(const std::vector<int>& outputs) {
    b_.SetOutputs(outputs);
    return LoadOrDie(b_.Finish());
  }

 private:
  static schema::ShapeOptionsT ShapeOptions() {
    schema::ShapeOptionsT options;
    options.out_type = TensorType::INT32;
    return options;
  }

  ModelBuilder b_;
  int x_;
};

// Flatten of Keras with a free batch: 6 nodes.
std::unique_ptr<Model> FlattenModel() {
  ShapeModel m;
  const int relu = m.Unary(Op::RELU, m.x(), {1, 2, 3, 4});
  const int to = m.Pack({m.ExtentOfX(0), m.Int(-1)});
  const int flat = m.Reshape(relu, to, {1, 24});
  return m.Load({m.Unary(Op::NEG, flat, {1, 24})});
}

// relu(x) plus the sum of all positions along its height: 7 nodes.
std::unique_ptr<Model> PositionsModel() {
  ShapeModel m;
  const int relu = m.Unary(Op::RELU, m.x(), {1, 2, 3, 4});
  const int sum = m.Sum(m.CastToFloat(m.Range(m.ExtentOfX(1))));
  return m.Load({m.Add(relu, sum, {1, 2, 3, 4})});
}

// A shape within the graph, and as an output of the model: 7 nodes.
std::unique_ptr<Model> ShapeAsOutputModel() {
  ShapeModel m;
  const int rows = m.ExtentOfX(2);
  const int to = m.Pack({rows, m.Int(-1)});
  const int relu = m.Unary(Op::RELU, m.x(), {1, 2, 3, 4});
  const int flat = m.Reshape(relu, to, {3, 8});
  return m.Load({m.Unary(Op::NEG, flat, {3, 8}), m.CastToFloat(m.Range(rows))});
}

// Keras's default: all but the channels is free, and 1 in the file.
const Shape kFree = {1, 1, 1, 4};

std::unique_ptr<Model> FreeSliceModel() {
  ShapeModel m(kFree);
  const int relu = m.FreeRelu();
  const int part =
      m.Free(Op::SLICE, {relu, m.Ints({0, 0, 0, 1}), m.Ints({-1, -1, -1, 2})},
             {1, 1, 1, 2}, schema::SliceOptionsT());
  return m.Load({m.Unary(Op::NEG, part, {1, 1, 1, 2})});
}

std::unique_ptr<Model> FreeTopModel() {
  ShapeModel m(kFree);
  const int relu = m.FreeRelu();
  const int top = m.Top(2, relu);
  return m.Load({m.Unary(Op::NEG, top, {1, 1, 1, 2})});
}

// A shape by an op that does no arithmetic.
std::unique_ptr<Model> BroadcastModel() {
  ShapeModel m(kFree);
  const int to = m.BroadcastArgs(m.ShapeOfX(), m.Ints({1, 1, 1, 1}));
  const int y = m.Reshape(m.FreeRelu(), to, {1, 1, 1, 4});
  return m.Load({m.Unary(Op::NEG, y, {1, 1, 1, 4})});
}

// tf.signal.frame: a shape of pieces, one of which has no elements.
std::unique_ptr<Model> EmptyPieceModel() {
  ShapeModel m(kFree);
  const int relu = m.FreeRelu();
  const int none = m.IntsOf(
      Op::STRIDED_SLICE, {m.ShapeOfX(), m.Ints({0}), m.Ints({0}), m.Ints({1})},
      {0}, schema::StridedSliceOptionsT());
  const int to = m.IntsOf(Op::CONCATENATION, {none, m.Ints({-1, 4})}, {2},
                          schema::ConcatenationOptionsT());
  return m.Load({m.Unary(Op::NEG, m.Reshape(relu, to, {1, 4}), {1, 4})});
}

// A shape by arithmetic on constants alone.
std::unique_ptr<Model> ConstantsModel() {
  ShapeModel m(kFree);
  const int relu = m.FreeRelu();
  const int two =
      m.IntsOf(Op::SUB, {m.Int(3), m.Int(1)}, {}, schema::SubOptionsT());
  const int to = m.Pack({m.Int(-1), two});
  return m.Load({m.Unary(Op::NEG, m.Reshape(relu, to, {2, 2}), {2, 2})});
}

// At the file's sizes there is nothing left of x.
std::unique_ptr<Model> WindowsModel() {
  ShapeModel m(kFree);
  const int relu = m.FreeRelu();
  schema::StridedSliceOptionsT options;
  options.end_mask = 15;
  const int rest = m.Free(
      Op::STRIDED_SLICE,
      {relu, m.Ints({0, 1, 0, 0}), m.Ints({0, 0, 0, 0}), m.Ints({1, 1, 1, 1})},
      {1, 0, 1, 4}, options);
  return m.Load({m.Unary(Op::NEG, rest, {1, 0, 1, 4})});
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
  ShapeModel m;
  const auto model = m.Load({m.CastToFloat(m.Range(m.ExtentOfX(1)))});
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
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
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
