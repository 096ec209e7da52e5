// Many nodes of one 8- or 16-bit op in one model, each with its own tensors,
// scales and zero points, so that a few programs serve hundreds of cases; every
// code that the delegate gives must be that of TFLite's CPU kernel.
//
//   CodeCases<int8_t> cases(/*seed=*/1);
//   const int x = cases.Input({1, 4, 4, 8}, cases.Draw(0.05f));
//   cases.b.AddOp(..., {x}, {cases.Output({1, 1, 1, 8}, cases.Draw(0.05f))});
//   cases.ExpectQuantized("MEAN");
//
// Codes of inputs: all 256 where there is room, in random order, then random
// ones. int16 values (int16_t) are random, the ends among them, of the zero
// point 0, and run with 32-bit floats alone: those of 16 hold no such codes.
// Threads: one at a time.
#ifndef GLES_DELEGATE_TESTS_TESTING_CODE_CASES_H_
#define GLES_DELEGATE_TESTS_TESTING_CODE_CASES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

template <typename Code>
class CodeCases {
 public:
  using Dims = ModelBuilder::Shape;
  static constexpr auto kType = TensorTypeOf<Code>::kValue;
  static constexpr bool kInt16 = sizeof(Code) == 2;
  static constexpr int kLow = kInt16                        ? -32768
                              : std::is_signed<Code>::value ? -128
                                                            : 0;
  static constexpr int kHigh = kLow + (kInt16 ? 65535 : 255);
  static constexpr int kUnused = kInt16 ? 16 : 24;  // bits of a random number

  explicit CodeCases(int seed) : random_(seed) {}

  // From half of `scale` to all of it. Zero points are at either end of the
  // range as often as in between.
  ModelQuantization Draw(float scale) {
    const int any = kLow + static_cast<int>(random_() % 256);
    const int zeros[] = {kLow, kHigh, any};
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    return ModelQuantization::PerTensor(scale * factor(random_),
                                        kInt16 ? 0 : zeros[random_() % 3]);
  }
  // A power of ten from `least` to `most`.
  float Power(int min, int max) {
    return std::pow(10.0f, static_cast<float>(Int(min, max)));
  }
  int Int(int min, int max) {
    return std::uniform_int_distribution<int>(min, max)(random_);
  }

  int Input(const Dims& dims, const ModelQuantization& q) {
    return Input(dims, q, Codes(dims));
  }
  int Input(const Dims& dims, const ModelQuantization& q,
            const std::vector<Code>& quantized) {
    std::vector<float> values;
    for (Code c : quantized) {
      values.push_back(
          q.scale[0] *
          static_cast<float>(int{c} - static_cast<int>(q.zero_point[0])));
    }
    const int id =
        b.AddInput(absl::StrCat("x", model_.inputs.size()), dims, kType, q);
    model_.inputs.push_back(std::move(values));
    return id;
  }
  std::vector<Code> Codes(const Dims& dims) {
    size_t count = 1;
    for (int d : dims) count *= static_cast<size_t>(d);
    std::vector<Code> quantized(std::max<size_t>(count, 256));
    for (size_t i = 0; i < quantized.size(); ++i) {
      quantized[i] =
          static_cast<Code>(i < 256 && !kInt16 ? i : random_() >> kUnused);
    }
    if (kInt16) {
      quantized[0] = static_cast<Code>(kLow);
      quantized[1] = static_cast<Code>(kHigh);
      quantized[2] = 0;
    }
    std::shuffle(quantized.begin(), quantized.end(), random_);
    quantized.resize(count);
    return quantized;
  }
  int Constant(const Dims& dims, const ModelQuantization& q) {
    return b.AddConstant<Code>("c", dims, Codes(dims), q);
  }
  int Ints(const Dims& dims, const std::vector<int32_t>& values) {
    return b.AddConstant<int32_t>("i", dims, values);
  }
  int Output(const Dims& dims, const ModelQuantization& q,
             TensorType type = kType) {
    const int id =
        b.AddTensor(absl::StrCat("y", outputs_.size()), dims, type, q);
    outputs_.push_back(id);
    return id;
  }

  // Whether TFLite's kernels take the model. No node is added afterwards.
  bool RunsOnCpu() {
    b.SetOutputs(outputs_);
    model_.bytes = b.Finish();
    return RunOnCpu(model_).status.ok();
  }

  // `nodes_on_integer_path`: -1: as many as there are outputs.
  void ExpectQuantized(const std::string& what,
                       int nodes_on_integer_path = -1) {
    SCOPED_TRACE(absl::StrCat(what, kInt16     ? " int16"
                                    : kLow < 0 ? " int8"
                                               : " uint8"));
    b.SetOutputs(outputs_);
    model_.description = what;
    model_.bytes = b.Finish();
    const int wanted = nodes_on_integer_path < 0
                           ? static_cast<int>(outputs_.size())
                           : nodes_on_integer_path;
    const RunResult cpu = RunOnCpu(model_);
    ASSERT_TRUE(cpu.status.ok()) << cpu.status;
    for (const auto& [precision, storage] :
         {std::pair(Precision::kFloat32, kTfLiteGlesStorageTextureArray),
          std::pair(kInt16 ? Precision::kFloat32 : Precision::kFloat16,
                    kTfLiteGlesStorageBuffer)}) {
      RunOptions options;
      options.precision = precision;
      options.storage = storage;
      options.invokes = 1;
      options.configure = [](TfLiteGlesDelegateOptions& o) {
        o.quantized_compute = kTfLiteGlesQuantizedInteger;
      };
      const RunResult gpu = RunOnDelegate(model_, options);
      ASSERT_TRUE(gpu.status.ok()) << gpu.status;
      const size_t at = gpu.report.find("\"nodes_on_integer_path\"");
      ASSERT_NE(at, std::string::npos);
      EXPECT_THAT(gpu.report.substr(at, 40),
                  ::testing::HasSubstr(absl::StrCat(": ", wanted, ",")));
      ExpectEqual(cpu, gpu);
    }
  }

  ModelBuilder b;

 private:
  static void ExpectEqual(const RunResult& cpu, const RunResult& gpu) {
    ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
    for (size_t o = 0; o < cpu.outputs.size(); ++o) {
      const auto& want = cpu.outputs[o].values;
      const auto& got = gpu.outputs[o].values;
      ASSERT_EQ(want.size(), got.size());
      int different = 0;
      size_t first = 0;
      for (size_t i = want.size(); i-- > 0;) {
        if (want[i] == got[i]) continue;
        ++different;
        first = i;
      }
      EXPECT_EQ(different, 0)
          << "of " << want.size() << " quantized values of case " << o
          << ": element " << first << " is " << got[first] << ", wants "
          << want[first];
    }
  }

  std::mt19937 random_;
  SingleOpModel model_;
  std::vector<int> outputs_;
};

// Four models of 52 cases each, of the seeds 1 to 4. `add` adds case i to one.
constexpr int kCaseSeeds = 4, kCasesOfOne = 52;
template <typename Code>
void ExpectCases(const std::string& what,
                 const std::function<void(CodeCases<Code>& cases, int i)>& add,
                 int nodes_on_integer_path = -1) {
  for (int seed = 1; seed <= kCaseSeeds; ++seed) {
    CodeCases<Code> cases(seed);
    for (int i = 0; i < kCasesOfOne; ++i) add(cases, i);
    cases.ExpectQuantized(absl::StrCat(what, " seed ", seed),
                          nodes_on_integer_path);
  }
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_CODE_CASES_H_
