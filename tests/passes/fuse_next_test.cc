// labels: op llvmpipe softpipe
// A convolution that computes a 1x1 convolution of its result as well: both
// results against their definition. On quantized values:
// quantized_depthwise_test.cc. convolution_pairs.txt has the graphs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;

constexpr int kAll = 1 << 30;

void FuseAll(DeviceProfile& profile) {
  profile.choices.split_k_target = 48 << 10;
  profile.choices.fused_depthwise_work = kAll;
  profile.choices.fused_next_texels = kAll;
}

DeviceProfile Fusing() {
  DeviceProfile profile = RoomyProfile();
  FuseAll(profile);
  return profile;
}

struct Case {
  BhwcShape src;
  int channels = 8;  // of the first result
  int next = 12;     // of the second one
  int kernel = 1;    // of the first convolution
  int stride = 1;
  bool depthwise = false;  // a 3x3 one before the first, fused with it
  bool residual = false;   // added to the first result
};

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

HostTensor AsFloats(const BhwcShape& shape, const std::vector<double>& values) {
  return {shape, std::vector<float>(values.begin(), values.end())};
}

// The graph of a case, and what its convolutions compute by definition.
class Chain {
 public:
  explicit Chain(const Case& c) : case_(c), random_("fuse next") {
    src = Make(c.src);
    TensorId x = AddTensor(&graph, Dims(c.src));
    graph.inputs = {x};
    NaiveResult value = {{src.values.begin(), src.values.end()}, {}};
    for (const float v : src.values) value.magnitudes.push_back(std::abs(v));
    BhwcShape shape = c.src;
    if (c.depthwise) {
      x = AddDepthwise(x, shape, &value);
    }
    x = AddConvolution(x, c.channels, c.kernel, c.stride, &shape, &value);
    if (c.residual) AddResidual(shape, &value);
    first = {x, value};
    x = AddConvolution(x, c.next, 1, 1, &shape, &value);
    graph.nodes.back().post_ops = {{"clamp", {-1, 1, 0, 0}}};
    for (double& v : value.values) v = std::clamp(v, -1.0, 1.0);
    next = {x, value};
  }

  struct Result {
    TensorId id = kNoTensor;
    NaiveResult value;
  };
  Graph graph;
  HostTensor src;
  std::vector<std::vector<float>> inputs() const {
    std::vector<std::vector<float>> all = {src.values};
    if (case_.residual) all.push_back(residual_.values);
    return all;
  }
  Result first, next;

 private:
  HostTensor Make(const BhwcShape& shape) {
    return {shape, random_.Gaussian(shape.elements())};
  }
  Node* AddNode(const char* op, TensorId x, const HostTensor& weights,
                const std::vector<float>& bias, const BhwcShape& dst) {
    Node node;
    node.op = FindOpNamed(op);
    node.inputs = {x, AddConstant(&graph, Dims(weights.shape), weights.values),
                   AddConstant(&graph, {dst.c}, bias)};
    node.outputs = {AddTensor(&graph, Dims(dst))};
    graph.nodes.push_back(node);
    return &graph.nodes.back();
  }
  TensorId AddDepthwise(TensorId x, const BhwcShape& shape,
                        NaiveResult* value) {
    DepthwiseConv2dAttributes window;
    window.pad_top = window.pad_left = 1;
    const HostTensor weights = Make({1, 3, 3, shape.c});
    const std::vector<float> bias = random_.Gaussian(shape.c);
    Node* node = AddNode("DEPTHWISE_CONV_2D", x, weights, bias, shape);
    node->attributes = window;
    const auto compute = [&](const std::vector<double>& of) {
      return NaiveDepthwise({AsFloats(shape, of), weights, bias}, window,
                            shape);
    };
    *value = {compute(value->values).values,
              compute(value->magnitudes).magnitudes};
    return node->outputs[0];
  }
  TensorId AddConvolution(TensorId x, int channels, int kernel, int stride,
                          BhwcShape* shape, NaiveResult* value) {
    Conv2dAttributes window;
    window.stride_h = window.stride_w = stride;
    window.pad_top = window.pad_left = kernel / 2;
    const BhwcShape from = *shape;
    shape->h = (from.h + kernel / 2 * 2 - kernel) / stride + 1;
    shape->w = (from.w + kernel / 2 * 2 - kernel) / stride + 1;
    shape->c = channels;
    const HostTensor weights = Make({channels, kernel, kernel, from.c});
    const std::vector<float> bias = random_.Gaussian(channels);
    Node* node = AddNode("CONV_2D", x, weights, bias, *shape);
    node->attributes = window;
    const auto compute = [&](const std::vector<double>& of) {
      return NaiveConv({AsFloats(from, of), weights, bias}, window, *shape);
    };
    *value = {compute(value->values).values,
              compute(value->magnitudes).magnitudes};
    return node->outputs[0];
  }
  void AddResidual(const BhwcShape& shape, NaiveResult* value) {
    residual_ = Make(shape);
    PostOp add{"add"};
    add.operand = AddTensor(&graph, Dims(shape));
    graph.inputs.push_back(add.operand);
    graph.nodes.back().post_ops = {add};
    for (size_t i = 0; i < value->values.size(); ++i) {
      value->values[i] += residual_.values[i];
      value->magnitudes[i] += std::abs(residual_.values[i]);
    }
  }

  Case case_;
  Random random_;
  HostTensor residual_;
};

// Runs the case, fused, and hands `expect` what each result is and should be.
void Check(
    const Case& c, absl::FunctionRef<void(DeviceProfile&)> adjust,
    absl::FunctionRef<void(const std::vector<float>&, const NaiveResult&)>
        expect) {
  SCOPED_TRACE(::testing::Message()
               << c.src.ToString() << " to " << c.channels << " to " << c.next
               << " kernel " << c.kernel << " stride " << c.stride);
  Chain chain(c);
  RunPass("fuse_depthwise", &chain.graph, Fusing());
  RunPass("fuse_next", &chain.graph, Fusing());
  ASSERT_EQ(chain.graph.nodes.size(), 1u);
  for (const Chain::Result& result : {chain.first, chain.next}) {
    chain.graph.outputs = {result.id};
    const auto got =
        RunGraph(chain.graph, chain.inputs(), [&](DeviceProfile& profile) {
          FuseAll(profile);
          adjust(profile);
        });
    ASSERT_TRUE(got.ok()) << got.status();
    expect(*got, result.value);
  }
}

void Check(const Case& c, Storage storage = Storage::kBuffer) {
  Check(
      c, [&](DeviceProfile& p) { p.choices.storage = storage; },
      ExpectWithinRoundings);
}

// In 16-bit storage each convolution's inputs and weights are rounded, and what
// is stored in the end: five roundings of 2^-11, and a sixth for their
// products.
void CheckInHalves(const Case& c) {
  Check(
      c,
      [](DeviceProfile& p) {
        p.choices.storage = Storage::kBuffer;
        p.options.half = true;
      },
      [](const std::vector<float>& got, const NaiveResult& want) {
        ASSERT_EQ(got.size(), want.values.size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_NEAR(got[i], want.values[i], 6 * 0x1p-11 * want.magnitudes[i])
              << i;
        }
      });
}

TEST(FuseNextTest, BothResultsMatchDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  Check({{1, 5, 7, 5}});
  Check({{2, 9, 8, 8}, 24, 33, 3, 2});
  Check({{1, 6, 5, 17}, 6, 5, 1, 1, false, true});
  Check({{1, 9, 9, 24}, 16, 72, 1, 1, true});
  Check({{2, 7, 8, 40}, 40, 9, 1, 1, true, true});
  Check({{1, 14, 14, 130}, 61, 100});
  Check({{1, 4, 4, 3}, 1, 1, 3});
}

TEST(FuseNextTest, InEveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Storage storage :
       {Storage::kTextureArray, Storage::kTexture2d, Storage::kTexelBuffer}) {
    Check({{2, 5, 7, 5}, 7, 18, 3, 1, false, true}, storage);
  }
}

TEST(FuseNextTest, InSixteenBits) {
  GLES_SKIP_WITHOUT_DEVICE();
  CheckInHalves({{1, 5, 7, 5}});
  CheckInHalves({{1, 6, 5, 17}, 6, 5, 1, 1, false, true});
  CheckInHalves({{1, 9, 9, 24}, 16, 72, 1, 1, true});
}

}  // namespace
}  // namespace gles_delegate::testing
