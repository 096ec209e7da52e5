// Chains of ops on 8- or int16 values, one after the other, in which an error
// of one code would grow: every node must compute on the integer path, and
// every code of the outputs must be that of TFLite's CPU kernels.
//
//   class Chain : public CodeChain<int8_t> {
//    public:
//     using CodeChain::CodeChain;
//     void Relu() { Unary(Op::RELU, 2, /*gain=*/1.0f); }
//   };
//   Chain chain(/*seed=*/1, {1, 8, 8, 9});
//   chain.Relu();
//   ExpectEveryCode("chain 1", chain, /*all_outputs=*/true, storage);
//
// A chain draws the quantized values of its input and of its constants. The
// range of each tensor is guessed from what the op makes of a spread of values,
// so that quantized values stay spread. int16 values have the zero point 0.
// Threads: one at a time. Errors: the current test fails.
#ifndef GLES_DELEGATE_TESTS_TESTING_CODE_CHAIN_H_
#define GLES_DELEGATE_TESTS_TESTING_CODE_CHAIN_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

template <typename CodeType>
class CodeChain {
 public:
  using Code = CodeType;
  using Dims = ModelBuilder::Shape;
  static constexpr auto kType = TensorTypeOf<Code>::kValue;
  static constexpr bool kInt16 = sizeof(Code) == 2;
  static constexpr int kLow = std::numeric_limits<Code>::min();
  static constexpr int kHigh = std::numeric_limits<Code>::max();
  // The ratio of a scale for int8 to one for this many bits.
  static constexpr float kCode = kInt16 ? 1.0f / 256 : 1.0f;

  // `dims`: of the chain's input, whose every code is drawn.
  CodeChain(int seed, Dims dims) : random_(seed), dims_(std::move(dims)) {
    q_ = Q(0.005f * kCode);
    x_ = b_.AddInput("x", dims_, kType, q_);
    std::vector<float> values;
    for (Code code : Codes(dims_)) {
      values.push_back(
          q_.scale[0] *
          static_cast<float>(int{code} - static_cast<int>(q_.zero_point[0])));
    }
    model_.inputs.push_back(std::move(values));
  }

  int depth() const { return static_cast<int>(outputs_.size()); }
  std::mt19937& random() { return random_; }

  // `all_outputs`: each tensor on the way is an output, which nothing fuses
  // over; else only the last.
  SingleOpModel Finish(bool all_outputs) {
    b_.SetOutputs(all_outputs ? outputs_ : std::vector<int>{outputs_.back()});
    model_.bytes = b_.Finish();
    return model_;
  }

 protected:
  // The last tensor, which the next node reads.
  int x() const { return x_; }
  const Dims& dims() const { return dims_; }
  const ModelQuantization& q() const { return q_; }
  float scale() const { return q_.scale[0]; }
  int channels() const { return dims_.back(); }
  // The tensor that was written `nodes` nodes before the last; the last where
  // there are fewer.
  int Before(int nodes) const {
    return depth() > nodes ? outputs_[depth() - 1 - nodes] : x_;
  }

  // A scale of about this size, and a zero point about the middle.
  ModelQuantization Q(float scale) {
    std::uniform_real_distribution<float> factor(0.8f, 1.25f);
    const int zero = kLow + 100 + static_cast<int>(random_() % 56);
    return ModelQuantization::PerTensor(scale * factor(random_),
                                        kInt16 ? 0 : zero);
  }
  int Constant(const Dims& dims, const ModelQuantization& q) {
    return b_.AddConstant<Code>("c", dims, Codes(dims), q);
  }
  int Ints(const std::vector<int32_t>& values, Dims dims = {}) {
    if (dims.empty()) dims = {static_cast<int>(values.size())};
    return b_.AddConstant<int32_t>("i", dims, values);
  }
  std::vector<Code> Codes(const Dims& dims) {
    size_t n = 1;
    for (int d : dims) n *= static_cast<size_t>(d);
    std::vector<Code> quantized(n);
    for (Code& c : quantized) c = static_cast<Code>(random_() >> 16);
    return quantized;
  }

  // The next tensor, which `node` writes from the last.
  using AddNode = std::function<void(int x, int y)>;
  void Next(const ModelQuantization& q, const Dims& dims, const AddNode& node) {
    const int y =
        b_.AddTensor(absl::StrCat("t", outputs_.size()), dims, kType, q);
    node(x_, y);
    outputs_.push_back(y);
    x_ = y;
    q_ = q;
    dims_ = dims;
  }
  void Next(const ModelQuantization& q, const AddNode& node) {
    Next(q, Dims(dims_), node);
  }
  void Unary(Op op, int version, float gain) {
    Next(Q(gain * scale()),
         [&](int x, int y) { b_.AddOp(op, version, {x}, {y}); });
  }
  // `op` of the last tensor and a constant, or of the two the other way round.
  template <typename Options>
  void Binary(Op op, int version, const Dims& dims, float other_scale,
              float out_scale, bool constant_first, Options options) {
    const int c = Constant(dims, Q(other_scale));
    Next(Q(out_scale), [&](int x, int y) {
      b_.AddOp(op, version,
               constant_first ? std::vector<int>{c, x} : std::vector<int>{x, c},
               {y}, options);
    });
  }
  // `op` of the last tensor and `other`, ints that say what to do.
  template <typename Options>
  void Shaped(Op op, int version, const ModelQuantization& q, const Dims& dims,
              const std::vector<int>& others, Options options) {
    Next(q, dims, [&](int x, int y) {
      std::vector<int> inputs = {x};
      inputs.insert(inputs.end(), others.begin(), others.end());
      b_.AddOp(op, version, inputs, {y}, options);
    });
  }

  ModelBuilder b_;

 private:
  std::mt19937 random_;
  SingleOpModel model_;
  Dims dims_;            // of x_
  ModelQuantization q_;  // of x_
  int x_ = 0;
  std::vector<int> outputs_;
};

// A tensor of fewer different quantized values would hide what went wrong
// before: one in ten may be so, the last may not.
inline bool IsNarrow(const std::vector<float>& values) {
  const std::set<float> distinct(values.begin(), values.end());
  return distinct.size() <= (values.size() < 64 ? 3u : 15u);
}

// Runs `chain` by TFLite and by the delegate, in 32-bit floats.
template <typename Chain>
void ExpectEveryCode(const std::string& what, Chain* chain, bool all_outputs,
                     TfLiteGlesStorage storage) {
  SCOPED_TRACE(absl::StrCat(what, " of ",
                            schema::EnumNameTensorType(Chain::kType),
                            " quantized values"));
  const int depth = chain->depth();
  const SingleOpModel model = chain->Finish(all_outputs);
  RunOptions options;
  options.storage = storage;
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  const RunResult gpu = RunOnDelegate(model, options);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_THAT(gpu.report,
              ::testing::HasSubstr(absl::StrCat("\"nodes\": ", depth)));
  EXPECT_THAT(gpu.report, ::testing::HasSubstr(absl::StrCat(
                              "\"nodes_on_integer_path\": ", depth)));
  ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
  size_t narrow = 0;
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    const std::vector<float>& want = cpu.outputs[o].values;
    narrow += IsNarrow(want);
    const std::vector<float>& got = gpu.outputs[o].values;
    ASSERT_EQ(want.size(), got.size()) << "tensor " << o;
    int different = 0;
    for (size_t i = 0; i < want.size(); ++i) different += want[i] != got[i];
    EXPECT_EQ(different, 0)
        << "of " << want.size() << " quantized values of tensor " << o;
  }
  EXPECT_LE(narrow, cpu.outputs.size() / 10);
  EXPECT_FALSE(IsNarrow(cpu.outputs.back().values));
}

// The functions of a chain that add a node or several to it.
template <typename Chain>
using ChainOps = std::vector<void (Chain::*)()>;

// Runs the chain of `ops` in random order, the last `fixed` where they stand,
// which is one of `depth` nodes.
template <typename Chain>
void ExpectChain(int seed, ChainOps<Chain> ops, int fixed, int depth,
                 bool all_outputs, TfLiteGlesStorage storage) {
  Chain chain(seed);
  std::shuffle(ops.begin(), ops.end() - fixed, chain.random());
  for (const auto op : ops) (chain.*op)();
  ASSERT_EQ(chain.depth(), depth);
  ExpectEveryCode(absl::StrCat("chain ", seed), &chain, all_outputs, storage);
}

// Chains of both 8-bit types, in each storage. Chain<Code>::Expect(seed,
// all_outputs, storage) runs one.
template <template <typename> class Chain>
void ExpectEveryTensorOnTheWay() {
  Chain<int8_t>::Expect(1, true, kTfLiteGlesStorageTextureArray);
  Chain<uint8_t>::Expect(2, true, kTfLiteGlesStorageBuffer);
}
template <template <typename> class Chain>
void ExpectFusedChains() {
  Chain<int8_t>::Expect(3, false, kTfLiteGlesStorageTexture2d);
  Chain<uint8_t>::Expect(3, false, kTfLiteGlesStorageAuto);
  Chain<int8_t>::Expect(4, false, kTfLiteGlesStorageAuto);
  Chain<uint8_t>::Expect(5, false, kTfLiteGlesStorageTextureArray);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_CODE_CHAIN_H_
