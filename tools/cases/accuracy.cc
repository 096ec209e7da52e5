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

constexpr char kDetection[] = "TFLite_Detection_PostProcess";

// Integers and bools are exact, whatever the ops.
bool HasFloats(const CaseSpec& spec) {
  const auto is_float = [](const TensorSpec& tensor) {
    return !tensor.absent && !tensor.known &&
           (tensor.type == testing::TensorType::FLOAT32 ||
            tensor.type == testing::TensorType::FLOAT64);
  };
  return std::any_of(
      spec.nodes.begin(), spec.nodes.end(), [&](const NodeSpec& node) {
        // Boxes are floats, whatever they are made of.
        return node.custom == kDetection ||
               std::any_of(node.inputs.begin(), node.inputs.end(), is_float);
      });
}

struct OpAccuracy {
  Op op;
  int terms;  // of one element of the result
  float ulps;
  float absolute;
};

// The precision of each function by GLSL ES 3.10 (4.5.1) on the data of the
// rows; its ULP is two units of 2^-24. If it promises none (sin, cos), the
// precision that drivers reach.
constexpr OpAccuracy kOps[] = {
    {Op::ADD, 2, 4, 0},
    {Op::SUB, 2, 4, 0},
    {Op::STABLEHLO_ADD, 2, 4, 0},
    {Op::MUL, 1, 4, 0},
    {Op::STABLEHLO_MULTIPLY, 1, 4, 0},
    {Op::SQUARED_DIFFERENCE, 1, 4, 0},
    {Op::SQUARE, 1, 4, 0},
    {Op::HARD_SWISH, 1, 4, 0},
    {Op::LEAKY_RELU, 1, 4, 0},
    {Op::PRELU, 1, 4, 0},
    {Op::DIV, 1, 8, 0},  // within 2.5 ULP
    // exp2(y log2(x)) of 3 + 2|x| ULP and 3 ULP; |y log2 x| is at most 7: 17
    // ULP, and 3 ULP of log2 grow by 7 ln 2.
    {Op::POW, 1, 64, 0},
    // exp(-x) of 3 + 2|x| ULP counts where it is not small beside 1.
    {Op::LOGISTIC, 1, 32, 0x1p-23},
    // Near zero, exp(x) - 1 keeps exp's absolute error: 3 ULP of 1.
    {Op::TANH, 1, 32, 0x1p-21},
    {Op::ELU, 1, 32, 0x1p-21},
    {Op::EXP, 1, 48, 0},       // 3 + 2|x| ULP, |x| up to 8, and TFLite's own
    {Op::LOG, 1, 8, 0x1p-21},  // in [0.5, 2]
    {Op::SQRT, 1, 12, 0},      // 1 / inversesqrt(x): 2 + 2.5 ULP
    {Op::RSQRT, 1, 8, 0},      // 2 ULP
    {Op::SIN, 1, 4, 0x1p-20},  // NVIDIA's fast sine on [-pi, pi]
    {Op::COS, 1, 4, 0x1p-20},
    // 1 + erf or 1 + tanh errs by some 2^-23 beside 1, times x / 2: up to 4
    // units of |x|, which is below 8.
    {Op::GELU, 1, 16, 0},
    // A quotient of 2.5 ULP, the polynomial's two roundings, one each for the
    // octant, the quadrant and pi itself.
    {Op::ATAN2, 1, 12, 0},
};

bool HasOp(const CaseSpec& spec, Op op) {
  return std::any_of(spec.nodes.begin(), spec.nodes.end(),
                     [op](const NodeSpec& node) { return node.op == op; });
}

bool IsActivated(const NodeSpec& node) {
  const auto fields =
      node.options.value("builtin_options", nlohmann::ordered_json::object());
  return fields.value("fused_activation_function", "NONE") != "NONE";
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

constexpr Filter kFilters[] = {
    {Op::CONV_2D, 1, 0},        {Op::DEPTHWISE_CONV_2D, 1, 3},
    {Op::CONV_3D, 1, 4},        {Op::CONV_3D_TRANSPOSE, 1, 3},
    {Op::TRANSPOSE_CONV, 1, 0}, {Op::FULLY_CONNECTED, 1, 0}};

// That of a node.
const Filter* FilterOfNode(const NodeSpec& node) {
  return FilterOf(node.custom == "Convolution2DTransposeBias" ? Op::CONV_2D
                                                              : node.op);
}

// How many products one element sums.
int ProductsOf(const NodeSpec& node, const Filter& filter) {
  const testing::Shape shape = ShapeOf(node, filter.input);
  if (filter.outputs >= shape.size() || shape[filter.outputs] == 0) return 1;
  return static_cast<int>(testing::ElementCount(shape)) / shape[filter.outputs];
}

// How many elements the node makes one of, along its constant axes.
int ReducedBy(const NodeSpec& node) {
  const testing::Shape shape = ShapeOf(node, 0);
  const int rank = static_cast<int>(shape.size());
  if (node.inputs.size() < 2) return 1;
  std::vector<bool> over(shape.size());
  int count = 1;
  for (double value : node.inputs[1].data.values) {
    int axis = static_cast<int>(value);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || over[axis]) continue;
    over[axis] = true;
    count *= shape[axis];
  }
  return count;
}

// How long the input's rows are.
int RowOf(const NodeSpec& node) {
  const testing::Shape shape = ShapeOf(node, 0);
  return shape.empty() ? 1 : shape.back();
}

bool IsStatefulNode(const NodeSpec& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [](const TensorSpec& tensor) { return tensor.variable; });
}

void AddCustomNode(const NodeSpec& node, Accuracy* accuracy) {
  if (node.custom == "MaxUnpooling2D") return;
  accuracy->terms += 1;
  if (node.custom == "MaxPoolingWithArgmax2D") {
    accuracy->ulps = 2;  // of the 0.1 that is added to the positions
  } else if (node.custom == "Landmarks2TransformMatrix") {
    // Landmarks of up to 64 are rotated, boxed and rotated back: a few dozen
    // roundings of 64 * 2^-24, times the scales of at most 2 (half a grid of
    // 64).
    accuracy->absolute = 32 * 64 * 2 * 0x1p-24f;
  } else if (node.custom == kDetection) {
    // A coordinate is the difference or sum of a middle and a reach, both of up
    // to 1, which err by about four roundings each; GLSL ES leaves 2.5 units in
    // the last place to the division and the rest of 16 to exp.
    accuracy->ulps = 16;
    accuracy->absolute = 16 * 0x1p-24f;
  } else if (node.custom == "TransformLandmarks") {
    accuracy->terms += 2;
    accuracy->absolute = 0x1p-20f;  // terms of up to 4 that cancel: 4 ulps
  } else {                          // of four pixels
    accuracy->terms += 3;
    accuracy->magnitude_of_inputs = true;
  }
}

// Adds what the node does to the result.
void AddNode(const NodeSpec& node, Accuracy* accuracy) {
  if (const Filter* filter = FilterOfNode(node)) {
    accuracy->terms += ProductsOf(node, *filter) + 1;  // the bias
    return;
  }
  if (node.op == Op::CUSTOM) return AddCustomNode(node, accuracy);
  if (IsStatefulNode(node)) {
    // Sums of some dozen terms and functions whose slope is 1 at most, a few
    // steps long; a state is rounded to half once each invoke, and an old error
    // shrinks.
    accuracy->terms += 64;
    accuracy->absolute = 0x1p-17f;
    accuracy->half_roundings = 4;
    accuracy->magnitude_of_inputs = true;
    return;
  }
  for (const OpAccuracy& op : kOps) {
    if (op.op != node.op) continue;
    accuracy->terms += op.terms;
    accuracy->ulps = std::max(accuracy->ulps, op.ulps);
    accuracy->absolute = std::max(accuracy->absolute, op.absolute);
    return;
  }
  switch (node.op) {
    case Op::ADD_N: {
      const int inputs = static_cast<int>(node.inputs.size());
      accuracy->terms += inputs;
      // Partial sums may be stored, each in half.
      accuracy->half_roundings = std::max(1, inputs - 1);
      return;
    }
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
    case Op::SUM:
    case Op::MEAN:
    case Op::CUMSUM:
      accuracy->terms += ReducedBy(node);
      if (node.op != Op::CUMSUM) accuracy->ulps = 8;
      return;
    case Op::REDUCE_PROD:
      // A product's roundings multiply: 2^-24 for each factor.
      accuracy->terms += ReducedBy(node);
      accuracy->ulps = 2.0f * ReducedBy(node);
      return;
    case Op::LOG_SOFTMAX:
      // The logarithm of a sum of exponentials: GLSL's log is within 2^-21
      // absolute in [0.5, 2] and 3 ULP elsewhere, exp as in SOFTMAX, whose
      // relative error is this one's absolute error.
      accuracy->absolute = 8e-6f;
      accuracy->magnitude_of_inputs = true;
      [[fallthrough]];
    case Op::SOFTMAX:
      accuracy->terms += RowOf(node);
      // exp(x - max) of 3 + 2|x - max| ULP; |x - max| beyond 14 leaves little.
      accuracy->ulps = 64;
      return;
    case Op::L2_NORMALIZATION:
      accuracy->terms += RowOf(node);
      accuracy->ulps = 16;  // a root of 4.5 ULP and a quotient of 2.5
      return;
    case Op::LOCAL_RESPONSE_NORMALIZATION:
      accuracy->terms +=
          std::min(2 * Option<int>(node, "radius") + 1, RowOf(node));
      // TFLite slides its window: it adds each square once and takes it away
      // once, so its sum errs by what passed through it, up to all channels.
      accuracy->ulps = 32 + 4.0f * RowOf(node);
      return;
    case Op::RFFT2D:
      accuracy->terms += 1;  // SetSpectrum() says more
      return;
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

const Filter* FilterOf(Op op) {
  for (const Filter& filter : kFilters) {
    if (filter.op == op) return &filter;
  }
  return nullptr;
}

Accuracy AccuracyOf(const CaseSpec& spec) {
  Accuracy accuracy;
  accuracy.terms = 0;
  if (!HasFloats(spec)) return accuracy;
  for (const NodeSpec& node : spec.nodes) {
    AddNode(node, &accuracy);
    for (const TensorSpec& tensor : node.inputs) {
      accuracy.range_ends |= tensor.data.range_ends;
    }
  }
  // A sum of products of what another node computed: that was rounded to half,
  // and so is each result on the way.
  if (std::any_of(spec.nodes.begin() + 1, spec.nodes.end(),
                  [](const NodeSpec& node) { return FilterOfNode(node); })) {
    accuracy.half_roundings += static_cast<int>(spec.nodes.size()) - 1;
  }
  // Past 2^24 a quotient is whole, and errs as DIV's does.
  if (accuracy.range_ends && HasOp(spec, Op::FLOOR_DIV)) {
    accuracy.terms = 1;
    accuracy.ulps = 8;
  }
  accuracy.magnitude_of_inputs |= HasOp(spec, Op::GELU);
  accuracy.rounds_to_half =
      HasOp(spec, Op::FLOOR_DIV) || HasOp(spec, Op::FLOOR_MOD);
  return accuracy;
}

bool IsStateful(const CaseSpec& spec) {
  return std::any_of(spec.nodes.begin(), spec.nodes.end(), IsStatefulNode);
}

// TFLite's hybrid kernels round a row of activations to 8 bits around 0, so
// each errs by up to half of max|x| / 127, and is multiplied by up to 127 steps
// of the weights' scale.
void SetHybrid(const CaseSpec& spec, testing::SingleOpModel* model) {
  for (const NodeSpec& node : spec.nodes) {
    const Filter* filter = FilterOfNode(node);
    if (filter == nullptr || node.inputs.size() <= filter->input) continue;
    const TensorSpec& weights = node.inputs[filter->input];
    const TensorSpec& data = node.inputs[0];
    if (weights.quantization.scale.empty() || data.known ||
        data.type != testing::TensorType::FLOAT32) {
      continue;
    }
    double largest = 0;
    for (double value : data.data.values) {
      largest = std::max(largest, std::fabs(value));
    }
    for (float value :
         model->inputs.empty() ? std::vector<float>() : model->inputs[0]) {
      largest = std::max(largest, std::fabs(double{value}));
    }
    model->accuracy.absolute +=
        static_cast<float>(ProductsOf(node, *filter) * largest / 2 *
                           weights.quantization.scale[0]);
  }
}

void SetUnwritten(const CaseSpec& spec, testing::SingleOpModel* model) {
  const auto& map = spec.nodes[0].map;
  if (spec.nodes[0].custom != kDetection || map.empty()) return;
  model->rows_each = map.value("use_regular_nms", false)
                         ? 1
                         : map.value("max_classes_per_detection", 1);
  model->written_rows = std::min(model->rows_each, map.value("num_classes", 1));
}

void SetSpectrum(const CaseSpec& spec, testing::SingleOpModel* model) {
  if (!HasOp(spec, Op::RFFT2D) || model->inputs.empty()) return;
  const auto row = static_cast<size_t>(RowOf(spec.nodes[0]));
  const auto length =
      static_cast<float>(spec.nodes[0].inputs[1].data.values.back());
  const std::vector<float>& samples = model->inputs[0];
  float largest = 0;
  for (size_t at = 0; at + row <= samples.size(); at += row) {
    float sum = 0;
    for (size_t i = at; i < at + row; ++i) sum += std::abs(samples[i]);
    largest = std::max(largest, sum);
  }
  model->accuracy.absolute =
      (4 * std::sqrt(length) + model->accuracy.ulps) * std::ldexp(largest, -24);
}

bool HasMagnitude(const CaseSpec& spec) {
  // A gate's activation is a part of it.
  return HasFloats(spec) && !IsStateful(spec) &&
         std::any_of(
             spec.nodes.begin(), spec.nodes.end(), [](const NodeSpec& node) {
               // An activation hides how large the result was before it.
               return node.op == Op::ADD || node.op == Op::SUB ||
                      node.op == Op::ADD_N || node.op == Op::AVERAGE_POOL_2D ||
                      node.op == Op::BATCH_MATMUL || node.op == Op::SUM ||
                      node.op == Op::MEAN || node.op == Op::CUMSUM ||
                      FilterOfNode(node) != nullptr || IsActivated(node);
             });
}

float DeviationOf(const NodeSpec& node, size_t input) {
  constexpr float kDeviation = 3;
  if (IsStatefulNode(node)) {
    const testing::Shape shape = ShapeOf(node, input);
    return shape.empty() ? 1 : 1 / std::sqrt(static_cast<float>(shape.back()));
  }
  const Filter* filter = FilterOfNode(node);
  if (filter == nullptr) return kDeviation;
  if (filter->input != input) return 1;
  return kDeviation / std::sqrt(static_cast<float>(ProductsOf(node, *filter)));
}

}  // namespace gles_delegate::cases
