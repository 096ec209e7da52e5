// Functions of two tensors.
#include "tests/testing/op_builders.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {

using testing::Shape;

void AddBinaryCases(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    testing::BinaryParams params;
    params.a = params.b = shape;
    list->Add("ADD", "same_shape", shape, [=] { return Binary(params); });
  }
}

}  // namespace gles_delegate::conformance
