// How closely a case must agree, by its ops: single_op.h says what the numbers
// mean, and how the bound follows from them. An op that is not here moves
// values or computes exactly: it must agree exactly.
#include <algorithm>
#include <cmath>

#include "tools/cases/model.h"

namespace gles_delegate::cases {
namespace {

using testing::Accuracy;
using testing::Op;

// Integers and bools are exact, whatever the ops.
bool HasFloats(const CaseSpec& spec) {
  const auto is_float = [](const TensorSpec& tensor) {
    return !tensor.absent && !tensor.known &&
           (tensor.type == testing::TensorType::FLOAT32 ||
            tensor.type == testing::TensorType::FLOAT64);
  };
  return std::any_of(
      spec.nodes.begin(), spec.nodes.end(), [&](const NodeSpec& node) {
        return std::any_of(node.inputs.begin(), node.inputs.end(), is_float);
      });
}

// The shape of the node's input, if the row says it.
testing::Shape ShapeOf(const NodeSpec& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input].shape
                                    : testing::Shape();
}

template <typename T>
T Option(const NodeSpec& node, const char* name) {
  return node.options.value("builtin_options", nlohmann::ordered_json::object())
      .value(name, T());
}

// The weights of ops that sum products with them: the input that has them, and
// which of its axes is that of the outputs.
struct Filter {
  Op op;
  size_t input, outputs;
};
constexpr Filter kFilters[] = {
    {Op::CONV_2D, 1, 0},        {Op::DEPTHWISE_CONV_2D, 1, 3},
    {Op::CONV_3D, 1, 4},        {Op::CONV_3D_TRANSPOSE, 1, 3},
    {Op::TRANSPOSE_CONV, 1, 0}, {Op::FULLY_CONNECTED, 1, 0}};

const Filter* FilterOf(const NodeSpec& node) {
  const Op op =
      node.custom == "Convolution2DTransposeBias" ? Op::CONV_2D : node.op;
  for (const Filter& filter : kFilters) {
    if (filter.op == op) return &filter;
  }
  return nullptr;
}

// How many products one element sums.
int ProductsOf(const NodeSpec& node, const Filter& filter) {
  const testing::Shape shape = ShapeOf(node, filter.input);
  if (filter.outputs >= shape.size() || shape[filter.outputs] == 0) return 1;
  return static_cast<int>(testing::ElementCount(shape)) / shape[filter.outputs];
}

// Adds what the node does to the result.
void AddNode(const NodeSpec& node, Accuracy* accuracy) {
  if (const Filter* filter = FilterOf(node)) {
    accuracy->terms += ProductsOf(node, *filter) + 1;  // the bias
    return;
  }
  switch (node.op) {
    case Op::ADD:
      accuracy->terms += 2;
      return;
    case Op::MUL:
      accuracy->terms += 1;
      return;
    case Op::AVERAGE_POOL_2D: {
      const int height = Option<int>(node, "filter_height");
      const int width = Option<int>(node, "filter_width");
      accuracy->terms += height * width;
      accuracy->ulps = 8;  // the division by the count: 2.5 ULP
      // AddReduction() may pool such windows width first: then the rows' means
      // are rounded, too.
      if (height > 4 && width > 4) accuracy->half_roundings = 2;
      return;
    }
    case Op::BATCH_MATMUL: {
      const testing::Shape x = ShapeOf(node, 0);
      if (x.size() < 2) return;  // is refused
      accuracy->terms +=
          Option<bool>(node, "adj_x") ? x[x.size() - 2] : x[x.size() - 1];
      return;
    }
    case Op::RESIZE_BILINEAR: {
      const testing::Shape x = ShapeOf(node, 0);
      if (x.size() != 4) return;  // is refused
      // A position p in the source is rounded by 2^-24 p (twice: the scale, the
      // product), and so are the interpolation's weights, on each axis.
      accuracy->terms += 4;
      accuracy->ulps = 4.0f * (x[1] + x[2]);
      accuracy->magnitude_of_inputs = true;
      return;
    }
    default:
      return;
  }
}

}  // namespace

Accuracy AccuracyOf(const CaseSpec& spec) {
  Accuracy accuracy;
  accuracy.terms = 0;
  if (!HasFloats(spec)) return accuracy;
  for (const NodeSpec& node : spec.nodes) AddNode(node, &accuracy);
  return accuracy;
}

bool HasMagnitude(const CaseSpec& spec) {
  return HasFloats(spec) &&
         std::any_of(
             spec.nodes.begin(), spec.nodes.end(), [](const NodeSpec& node) {
               return node.op == Op::ADD || node.op == Op::AVERAGE_POOL_2D ||
                      node.op == Op::BATCH_MATMUL || FilterOf(node) != nullptr;
             });
}

float DeviationOf(const NodeSpec& node, size_t input) {
  constexpr float kDeviation = 3;
  const Filter* filter = FilterOf(node);
  if (filter == nullptr) return kDeviation;
  if (filter->input != input) return 1;
  return kDeviation / std::sqrt(static_cast<float>(ProductsOf(node, *filter)));
}

}  // namespace gles_delegate::cases
