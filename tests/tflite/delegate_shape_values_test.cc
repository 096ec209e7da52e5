// labels: op delegate llvmpipe softpipe oldest_tflite
// Values that follow from shapes: SHAPE and what integer arithmetic makes of it
// are constants of a partition, and CPU nodes see them when they are prepared.
#include <string>
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Models as converters write them when an extent of the input is free.
class ShapeModel {
 public:
  ShapeModel() : x_(b_.AddInput("x", {1, 2, 3, 4})) {}

  int x() const { return x_; }

  // Extent `axis` of x as a scalar.
  int ExtentOfX(int axis) {
    const int shape = b_.AddTensor("shape", {4}, TensorType::INT32);
    b_.AddOp(Op::SHAPE, 1, {x_}, {shape}, ShapeOptions());
    return ElementOf(shape, axis);
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

struct Case {
  const char* name;
  std::unique_ptr<Model> (*make)();
  int nodes;
};
const Case kCases[] = {{"flatten", FlattenModel, 6},
                       {"positions", PositionsModel, 7},
                       {"shape as output", ShapeAsOutputModel, 7}};

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
        for (int i = 0; i < 3; ++i) {
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

// Nothing but arithmetic on shapes is nothing to bring to a GPU.
TEST_F(DelegateShapeValuesTest, ShapesAloneMakeNoPartition) {
  ShapeModel m;
  const auto model = m.Load({m.CastToFloat(m.Range(m.ExtentOfX(1)))});
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

}  // namespace
}  // namespace gles_delegate::testing
