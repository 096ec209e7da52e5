// A model of one 8-bit op, or of a few, for the tests of nodes on the
// integer path. Many nodes of one op in one model: code_cases.h.
#ifndef GLES_DELEGATE_TESTS_TESTING_CODE_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_CODE_MODEL_H_

#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/single_op.h"
#include "tests/testing/uniform.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

// A model of one op whose activations are of Code, built up by the tests.
template <typename Code>
class CodeModel {
 public:
  static constexpr auto kType = TensorTypeOf<Code>::kValue;
  static constexpr int kLow = std::is_signed<Code>::value ? -128 : 0;

  explicit CodeModel(int seed) : random_(seed) {}

  // Zero points are at either end of the range as often as in between.
  ModelQuantization Draw(float scale) {
    const int ends[] = {kLow, kLow + 255,
                        kLow + static_cast<int>(random_() % 256)};
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    return ModelQuantization::PerTensor(scale * factor(random_),
                                        ends[random_() % 3]);
  }
  int Input(const ModelBuilder::Shape& dims, const ModelQuantization& q) {
    const int id =
        b.AddInput(absl::StrCat("x", model_.inputs.size()), dims, kType, q);
    std::vector<float> values;
    for (Code c : RandomQuantized<Code>(ElementCount(dims), random_)) {
      values.push_back(
          q.scale[0] *
          static_cast<float>(int{c} - static_cast<int>(q.zero_point[0])));
    }
    model_.inputs.push_back(std::move(values));
    return id;
  }
  // Random weights; int8 ones with a scale for each of `channels` of dimension
  // `dimension`, and no zero point.
  int Weights(const ModelBuilder::Shape& dims, int dimension,
              bool per_channel) {
    constexpr bool kSigned = std::is_signed<Code>::value;
    weights_ = ModelQuantization();
    const int count = kSigned && per_channel ? dims[dimension] : 1;
    std::uniform_real_distribution<float> scale(0.002f, 0.01f);
    for (int i = 0; i < count; ++i) {
      weights_.scale.push_back(scale(random_));
      weights_.zero_point.push_back(
          kSigned ? 0 : static_cast<int>(1 + random_() % 255));
    }
    weights_.dimension = count > 1 ? dimension : 0;
    return b.AddConstant<Code>(
        "w", dims, RandomQuantized<Code>(ElementCount(dims), random_),
        weights_);
  }
  // For the weights made last.
  int Bias(int channels, float input_scale) {
    std::vector<int32_t> bias(channels);
    for (int32_t& v : bias) v = static_cast<int32_t>(random_() % 20001) - 10000;
    ModelQuantization q;
    for (float scale : weights_.scale) {
      q.scale.push_back(scale * input_scale);
      q.zero_point.push_back(0);
    }
    return b.AddConstant<int32_t>("b", {channels}, bias, q);
  }
  int Output(const ModelBuilder::Shape& dims, const ModelQuantization& q) {
    const int id = b.AddTensor("y", dims, kType, q);
    scale_ = q.scale[0];
    b.SetOutputs({id});
    return id;
  }

  // Every code as the CPU's, in every storage and precision; the op's node is
  // in integers.
  void ExpectQuantized(const std::string& what) {
    SCOPED_TRACE(absl::StrCat(what, kLow < 0 ? " int8" : " uint8"));
    model_.description = what;
    model_.bytes = b.Finish();
    const RunResult cpu = RunOnCpu(model_);
    ASSERT_TRUE(cpu.status.ok()) << cpu.status;
    for (Precision precision : kPrecisions) {
      for (TfLiteGlesStorage storage : kEveryStorage) {
        RunOptions options;
        options.precision = precision;
        options.storage = storage;
        options.configure = [](TfLiteGlesDelegateOptions& o) {
          o.quantized_compute = kTfLiteGlesQuantizedInteger;
        };
        const RunResult gpu = RunOnDelegate(model_, options);
        ASSERT_TRUE(gpu.status.ok()) << gpu.status;
        ASSERT_THAT(gpu.report,
                    ::testing::HasSubstr("\"nodes_on_integer_path\": 1"));
        ExpectEqual(cpu, gpu);
      }
    }
  }

  ModelBuilder b;
  // The inputs so far.
  const SingleOpModel& model() const { return model_; }
  std::mt19937& random() { return random_; }

 private:
  void ExpectEqual(const RunResult& cpu, const RunResult& gpu) const {
    ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
    const auto& want = cpu.outputs[0].values;
    const auto& got = gpu.outputs[0].values;
    ASSERT_EQ(want.size(), got.size());
    int different = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      if (std::fabs(want[i] - got[i]) > 0.01f * scale_) ++different;
    }
    EXPECT_EQ(different, 0) << "of " << want.size();
  }

  std::mt19937 random_;
  SingleOpModel model_;
  ModelQuantization weights_;
  float scale_ = 1;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_CODE_MODEL_H_
