// labels: model delegate llvmpipe slow
// A whole detector, its post-processing on the GPU too, against TFLite's CPU on
// photographs: as many boxes, their classes, scores and order, and the boxes
// themselves but for rounding.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/photo.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

constexpr char kModel[] = "models/ssd_mobilenet_v1_quant.tflite";

// Boxes, classes, scores, count.
using Detections = std::array<std::vector<float>, 4>;

Detections Detect(Interpreter* interpreter,
                  const std::vector<float>& photograph) {
  Detections found;
  const absl::Status written = interpreter->input(0).WriteFloats(photograph);
  EXPECT_TRUE(written.ok()) << written;
  const absl::Status invoked = interpreter->Invoke();
  EXPECT_TRUE(invoked.ok()) << invoked;
  for (int i = 0; i < 4; ++i) found[i] = interpreter->output(i).AsFloats();
  return found;
}

TEST(DetectionModelTest, RunsWholeAndFindsWhatTheCpuFinds) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::string path = SharedFile(kModel);
  if (path.empty()) {
    GTEST_SKIP() << "NO REAL MODEL, NOTHING TESTED: set "
                    "GLES_DELEGATE_SHARED_DIR to a folder that holds "
                 << kModel;
  }
  auto model = Model::FromFile(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const DelegatePtr delegate = MakeDelegate();
  auto gpu = InterpreterOrDie(**model);
  auto cpu = InterpreterOrDie(**model);
  const absl::Status applied = gpu->ApplyDelegate(delegate.get());
  ASSERT_TRUE(applied.ok()) << applied;
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], 64) << report;
  EXPECT_EQ(report["partitions"].size(), 1);

  const TfLiteQuantizationParams quantized = cpu->input(0).quantization();
  const float low = quantized.scale * static_cast<float>(-quantized.zero_point);
  int found = 0;
  for (const char* name : {"pets.jpg", "bird.bmp", "cat.bmp", "face.jpg",
                           "sunflower.bmp", "mnist_nine.bmp"}) {
    SCOPED_TRACE(name);
    const auto photograph =
        LoadPhoto(SharedFile(std::string("images/") + name),
                  cpu->input(0).dims(), low, low + 255 * quantized.scale);
    ASSERT_TRUE(photograph.ok()) << photograph.status();
    const Detections want = Detect(cpu.get(), *photograph);
    const Detections got = Detect(gpu.get(), *photograph);
    ASSERT_EQ(got[3], want[3]);
    found += static_cast<int>(want[3][0]);
    for (int i = 0; i < static_cast<int>(want[3][0]); ++i) {
      EXPECT_EQ(got[1][i], want[1][i]) << "class of box " << i;
      EXPECT_EQ(got[2][i], want[2][i]) << "score of box " << i;
      for (int k = 4 * i; k < 4 * i + 4; ++k) {
        // As in custom_ops_test.cc; reaches here are up to 1.
        EXPECT_NEAR(got[0][k], want[0][k],
                    16 * 0x1p-24f * (std::fabs(want[0][k]) + 1));
      }
    }
  }
  EXPECT_GT(found, 20);
}

}  // namespace
}  // namespace gles_delegate::testing
