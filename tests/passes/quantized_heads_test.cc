// labels: op quant llvmpipe softpipe
// The heads of a detector on 8-bit codes: convolutions laid as rows, joined,
// and a function of all. Every code is that of TFLite's integer kernels where
// the convolutions write the rows by themselves.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/code_chain.h"
#include "tests/testing/device.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

template <typename Code>
class Heads : public CodeChain<Code> {
 public:
  using Base = CodeChain<Code>;
  using Base::random;
  Heads(int seed, int parts, int channels)
      : Base(seed, {1, 6, 5, 16}), channels_(channels) {
    input_ = Base::x();
    input_q_ = Base::q();
    // Rows of int8 have the scale of the whole; those of uint8 need not.
    whole_q_ = Base::Q(0.02f);
    const int first = AddRow(parts), second = AddRow(2 * parts);
    AddConcatenation(first, second, 30 * 3 * parts);
    Base::Next(ModelQuantization::PerTensor(1.0f / 256, Base::kLow),
               [&](int x, int y) { b_.AddOp(Op::LOGISTIC, 2, {x}, {y}); });
  }

 private:
  static constexpr bool kSigned = std::is_signed<Code>::value;

  // The weights of `outputs`, of int8 with a scale for each.
  int AddRow(int parts) {
    const int outputs = parts * channels_;
    const ModelQuantization q = kSigned ? whole_q_ : Base::Q(0.02f);
    ModelQuantization w, bias;
    for (int c = 0; c < (kSigned ? outputs : 1); ++c) {
      w.scale.push_back(q.scale[0] / input_q_.scale[0] * 0.0025f *
                        static_cast<float>(1 + c % 5));
      w.zero_point.push_back(kSigned ? 0 : random()() % 256);
      bias.scale.push_back(w.scale.back() * input_q_.scale[0]);
      bias.zero_point.push_back(0);
    }
    std::vector<int32_t> values(outputs);
    for (int32_t& v : values)
      v = static_cast<int32_t>(random()() % 4001) - 2000;
    const int weights = Base::Constant({outputs, 1, 1, 16}, w);
    const int biases =
        b_.template AddConstant<int32_t>("b", {outputs}, values, bias);
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    Base::Next(q, {1, 6, 5, outputs}, [&](int, int y) {
      b_.AddOp(Op::CONV_2D, 3, {input_, weights, biases}, {y}, options);
    });
    schema::ReshapeOptionsT to;
    to.new_shape = {1, 30 * parts, channels_};
    const int dims = Base::Ints(to.new_shape);
    Base::Next(q, to.new_shape, [&](int x, int y) {
      b_.AddOp(Op::RESHAPE, 1, {x, dims}, {y}, to);
    });
    return Base::x();
  }
  void AddConcatenation(int first, int second, int pixels) {
    schema::ConcatenationOptionsT options;
    options.axis = 1;
    Base::Next(whole_q_, {1, pixels, channels_}, [&](int, int y) {
      b_.AddOp(Op::CONCATENATION, 2, {first, second}, {y}, options);
    });
  }

  using Base::b_;
  int channels_;
  int input_ = 0;
  ModelQuantization input_q_, whole_q_;
};

template <typename Code>
void ExpectCpuQuantized(int seed, TfLiteGlesStorage storage) {
  for (const auto& [parts, channels] :
       {std::pair(3, 4), std::pair(1, 6), std::pair(2, 1), std::pair(3, 21)}) {
    SCOPED_TRACE(absl::StrCat(parts, " parts of ", channels, " channels"));
    Heads<Code> heads(seed, parts, channels);
    ExpectEveryCode("heads", &heads, /*all_outputs=*/false, storage);
    RunOptions options;
    options.storage = storage;
    const RunResult gpu = RunOnDelegate(
        Heads<Code>(seed, parts, channels).Finish(false), options);
    ASSERT_TRUE(gpu.status.ok()) << gpu.status;
    EXPECT_TRUE(absl::StrContains(gpu.report, "\"CONV_2D "));
    EXPECT_FALSE(absl::StrContains(gpu.report, "\"RESHAPE "));
  }
}

TEST(QuantizedHeadsTest, EveryCodeIsTheCpus) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING",
                                 "split_k_target=49152,read_through=1");
  ExpectCpuQuantized<int8_t>(1, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized<uint8_t>(2, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized<int8_t>(3, kTfLiteGlesStorageTextureArray);
  ExpectCpuQuantized<uint8_t>(4, kTfLiteGlesStorageTexture2d);
  ExpectCpuQuantized<uint8_t>(5, kTfLiteGlesStorageBuffer);
}

}  // namespace
}  // namespace gles_delegate::testing
