// Convolutions and FULLY_CONNECTED.
#include "tests/testing/op_builders.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {

using testing::Shape;

void AddConvolutionCases(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    testing::ConvParams params;
    params.input = shape;
    list->Add("CONV_2D", "3x3_SAME", shape, [=] { return Conv2d(params); });
  }
}

}  // namespace gles_delegate::conformance
