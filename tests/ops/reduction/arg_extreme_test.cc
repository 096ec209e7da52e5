// labels: op llvmpipe softpipe
// ARG_MAX and ARG_MIN of a NaN in front, beside the rows of tools/cases.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tests/testing/special_floats.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class ArgExtremeTest : public DeviceTest {};

// A number always replaces a NaN, as in TFLite's newest kernel. 2.9's keeps a
// NaN in front, whatever follows, so it is no oracle here: it gives 0 for each
// of these lines.
TEST_F(ArgExtremeTest, ANumberReplacesANanInFront) {
  for (const bool max : {false, true}) {
    SingleOpModel model = cases::ModelOf(
        absl::StrCat(max ? "ARG_MAX" : "ARG_MIN",
                     " x=[6,4] axis=1 output_type=INT32 -> i32"));
    model.inputs[0] = {NAN, 7,    NAN,   NAN,  //
                       NAN, NAN,  5,     6,    //
                       NAN, NAN,  -kInf, NAN,  //
                       NAN, kInf, NAN,   NAN,  //
                       NAN, NAN,  NAN,   NAN,  // none: the first
                       NAN, 1,    NAN,   3};
    const std::vector<int32_t> want = {1, max ? 3 : 2, 2, 1, 0, max ? 3 : 1};
    for (TfLiteGlesStorage storage :
         {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageBuffer}) {
      RunOptions options;
      options.storage = storage;
      const RunResult got = RunOnDelegate(model, options);
      ASSERT_TRUE(got.status.ok()) << got.status;
      EXPECT_EQ(got.outputs[0].ints, want);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
