// labels: op quant llvmpipe softpipe
// A detector on 8-bit codes where the device profile reads and writes through:
// heads laid as rows by their convolutions, joined, and a function of all; a
// convolution that adds the MAX_POOL_2D of a tensor before it. Every code is
// that of TFLite's integer kernels.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/device.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/quantized_nodes.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

// Rows of int8 must have the scale of the whole.
void UniteRows(SingleOpModel* model) {
  model->bytes = EditModel(model->bytes, [](schema::ModelT& root) {
    std::vector<schema::QuantizationParametersT*> rows;
    for (const auto& tensor : root.subgraphs[0]->tensors) {
      if (tensor->name.size() == 1 && tensor->name != "x") {
        rows.push_back(tensor->quantization.get());
      }
    }
    for (schema::QuantizationParametersT* row : rows) *row = *rows.back();
  });
}

// `p` to `t`: rows of `parts` of a pixel, and of twice as many, joined.
SingleOpModel Heads(TensorType type, int seed, int parts, int channels) {
  const auto row = [&](const char* x, int n, char a, char b) {
    const std::string y(1, a);
    return absl::StrCat("CONV_2D@3 ", x, " w_", y, "=const:[", n * channels,
                        ",1,1,16] b_", y, "=const:[", n * channels, "] -> ", y,
                        " ; RESHAPE ", y, " s_", y, "=(1,", 30 * n, ",",
                        channels, ") -> ", std::string(1, b), " ; ");
  };
  SingleOpModel model =
      NodesOn(type,
              absl::StrCat(row("x=[1,6,5,16]", parts, 'p', 'q'),
                           row("x", 2 * parts, 'r', 's'),
                           "CONCATENATION@2 q s axis=1 -> t ; LOGISTIC@2 t"),
              seed);
  if (type == TensorType::INT8) UniteRows(&model);
  return model;
}

// A block of a face detector.
constexpr char kBlock[] =
    "CONV_2D@3 x=[1,9,6,16] w=const:[16,1,1,16] b=const:[16] -> s ; "
    "MAX_POOL_2D@2 s filter=2 stride=2 -> m ; "
    "CONV_2D@3 s v=const:[16,1,1,16] d=const:[16] stride=2 -> c ; ADD@2 c m";

// All without `absent`.
void ExpectFused(const SingleOpModel& model, TfLiteGlesStorage storage,
                 const char* absent) {
  const RunResult gpu = ExpectEveryCode(model, storage);
  EXPECT_TRUE(absl::StrContains(gpu.report, "\"CONV_2D "));
  EXPECT_FALSE(absl::StrContains(gpu.report, absent));
}

void ExpectCpuQuantized(TensorType type, int seed, TfLiteGlesStorage storage) {
  ExpectFused(NodesOn(type, kBlock, seed), storage, "\"MAX_POOL_2D ");
  for (const auto& [parts, channels] :
       {std::pair(3, 4), std::pair(1, 6), std::pair(2, 1), std::pair(3, 21)}) {
    SCOPED_TRACE(absl::StrCat(parts, " parts of ", channels, " channels"));
    ExpectFused(Heads(type, seed, parts, channels), storage, "\"RESHAPE ");
  }
}

TEST(QuantizedHeadsTest, EveryCodeIsTheCpus) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING",
                                 "split_k_target=49152,read_through=1");
  ExpectCpuQuantized(TensorType::INT8, 1, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized(TensorType::UINT8, 2, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized(TensorType::INT8, 3, kTfLiteGlesStorageTextureArray);
  ExpectCpuQuantized(TensorType::UINT8, 4, kTfLiteGlesStorageTexture2d);
  ExpectCpuQuantized(TensorType::UINT8, 5, kTfLiteGlesStorageBuffer);
}

}  // namespace
}  // namespace gles_delegate::testing
