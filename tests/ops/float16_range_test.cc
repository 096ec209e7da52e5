// labels: op delegate llvmpipe softpipe
// Values past the largest 16-bit float (65504), in a model made to have them.
#include <functional>
#include <limits>
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Node 0 makes x * 1024, a pooling that nothing fuses with (node 1) keeps it,
// node 2 divides by 1024 again.
std::vector<uint8_t> OverflowingModel() {
  return cases::ModelOf(
             "MUL x=[1,2,2,4] k=(1024.0) -> large ; AVERAGE_POOL_2D large "
             "filter=2 stride=2 -> pooled ; MUL pooled l=(0.0009765625)")
      .bytes;
}

class Float16RangeTest : public DeviceTest {
 protected:
  // All four pixels are `values`.
  std::vector<float> Run(
      const std::vector<float>& values,
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure) {
    const auto model = LoadOrDie(OverflowingModel());
    const DelegatePtr delegate = MakeDelegate(configure);
    auto interpreter = Applied(*model, delegate);
    std::vector<float> x;
    for (int pixel = 0; pixel < 4; ++pixel) {
      x.insert(x.end(), values.begin(), values.end());
    }
    EXPECT_TRUE(interpreter->input(0).WriteFloats(x).ok());
    const absl::Status invoked = interpreter->Invoke();
    EXPECT_TRUE(invoked.ok()) << invoked;
    return interpreter->output(0).AsFloats();
  }

  // In 16 bits.
  std::vector<float> RunHalf(
      const std::vector<float>& values, int storage,
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    return Run(values, [&](TfLiteGlesDelegateOptions& o) {
      o.is_precision_loss_allowed = 1;
      o.storage = storage;
      if (configure) configure(o);
    });
  }
};

constexpr float kSaturated = 65504 / 1024.0f;

TEST_F(Float16RangeTest, In32BitsNothingOverflows) {
  EXPECT_THAT(Run({60, 100, -100, 1}, {}), ElementsAre(60, 100, -100, 1));
}

TEST_F(Float16RangeTest, In16BitsFiniteStaysFinite) {
  for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
    SCOPED_TRACE(storage);
    EXPECT_THAT(RunHalf({60, 100, -100, 1}, storage),
                ElementsAre(60, FloatEq(kSaturated), FloatEq(-kSaturated), 1));
    // Infinite values stay infinite, and an input may be past 65504.
    EXPECT_THAT(RunHalf({kInfinity, -kInfinity, 70, 1e30f}, storage),
                ElementsAre(kInfinity, -kInfinity, FloatEq(kSaturated),
                            FloatEq(kSaturated)));
  }
}

TEST_F(Float16RangeTest, OrAnOverflowIsAnInfinityByChoice) {
  for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
    SCOPED_TRACE(storage);
    const auto run = [&](const std::vector<float>& values) {
      return RunHalf(values, storage, [](auto& o) {
        o.float16_overflow = kTfLiteGlesFloat16OverflowInfinity;
      });
    };
    EXPECT_THAT(run({60, 100, -100, 1}),
                ElementsAre(60, kInfinity, -kInfinity, 1));
    EXPECT_THAT(run({kInfinity, -kInfinity, 64, 1e30f}),
                ElementsAre(kInfinity, -kInfinity, kInfinity, kInfinity));
  }
}

// Nodes 0 and 1 overflow; named, they are as in 32 bits.
TEST_F(Float16RangeTest, NamedNodesStayIn32Bits) {
  for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
    SCOPED_TRACE(storage);
    const auto run = [&](const char* nodes) {
      return RunHalf({60, 100, -100, 1}, storage,
                     [&](auto& o) { o.float32_nodes = nodes; });
    };
    EXPECT_THAT(run("0-1"), ElementsAre(60, 100, -100, 1));
    EXPECT_THAT(run("0,1"), ElementsAre(60, 100, -100, 1));
    // Node 2 is fused into the pooling, which writes what is small again.
    EXPECT_THAT(run("0"), ElementsAre(60, 100, -100, 1));
    EXPECT_THAT(run("2"),
                ElementsAre(60, FloatEq(kSaturated), FloatEq(-kSaturated), 1));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
