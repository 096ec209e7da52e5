// labels: op llvmpipe softpipe
// Updates written into their input's memory: whole models against TFLite's CPU
// in every storage. update_in_place.txt has the graphs.
#include <string>

#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class UpdatedModelTest : public DeviceTest {
 protected:
  // Channels of updates, and where the second one's begin.
  struct Part {
    int channels = 0;
    int first = 0;
  };

  // Two updates of a cache, with readers between. `is_input`: of an input of
  // the model. `ends`: the cache is an output, else what reads it.
  static SingleOpModel Model(int channels, Part part, bool is_input,
                             bool ends) {
    return MakeModel("two updates", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
      const auto gaussian = [&](const std::string& name, int rows, int c) {
        return v.Input(name, {2, rows, 3, c},
                       v.random().Gaussian(2 * rows * 3 * c));
      };
      const auto update = [&](int cache, const std::string& name, float row,
                              int first) {
        const int at = v.OfInts(
            v.Input(name + " at", {4}, {0, row, 0, static_cast<float>(first)}));
        return v.Op(Op::DYNAMIC_UPDATE_SLICE, 1,
                    {cache, gaussian(name, 2, part.channels), at});
      };
      int cache = gaussian("cache", 9, channels);
      if (!is_input) cache = v.Op(Op::NEG, 1, {cache});
      const int old = v.Op(Op::ABS, 1, {cache});
      cache = update(cache, "first", 3, 0);
      const int between = v.Op(Op::NEG, 1, {cache});
      cache = update(cache, "second", 8, part.first);  // clamped to 7
      if (ends) return cache;
      const int sum = v.Op(Op::MAXIMUM, 1, {old, between});
      return v.Op(Op::MAXIMUM, 1, {sum, cache});
    });
  }
};

TEST_F(UpdatedModelTest, MatchesTheCpu) {
  for (bool is_input : {false, true}) {
    for (bool ends : {false, true}) {
      for (int channels : {3, 4, 5}) {
        ExpectMatchesCpuOnce(Model(channels, {channels}, is_input, ends));
      }
      ExpectMatchesCpu(Model(8, {8}, is_input, ends));
    }
  }
}

// Texels of which some channels stay as they are.
TEST_F(UpdatedModelTest, OfSomeChannelsMatchesTheCpu) {
  for (bool is_input : {false, true}) {
    for (bool ends : {false, true}) {
      for (int channels = 1; channels < 8; ++channels) {
        for (int first = 0; first <= 13; first += is_input ? 1 : 5) {
          ExpectMatchesCpuOnce(Model(13, {channels, first}, is_input, ends));
        }
      }
      ExpectMatchesCpu(Model(8, {3, 2}, is_input, ends));
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
