// labels: op llvmpipe softpipe
// SVDF over several invokes and a reset, beside the rows of tools/cases.
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class SvdfTest : public StatefulTest {};

TEST_P(SvdfTest, KeepsItsState) {
  Check(cases::ModelOf("SVDF x=[3,5] feature=const:[6,5] time=const:[6,4] "
                       "bias=const:[3] state=state:[3,24] rank=2")
            .bytes);
}

GLES_AT_EACH_PRECISION(SvdfTest);

}  // namespace
}  // namespace gles_delegate::testing
