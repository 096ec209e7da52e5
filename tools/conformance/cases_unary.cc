// Functions of one tensor.
#include "tests/testing/op_builders.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {

using testing::Shape;

void AddUnaryCases(CaseList* list) {
  for (testing::UnaryOp op : testing::kUnaryOps) {
    const std::string name = testing::UnaryOpName(op);
    for (const Shape& shape : testing::StandardShapes()) {
      list->Add(name, "plain", shape,
                [=] { return testing::Unary(op, shape); });
    }
  }
}

}  // namespace gles_delegate::conformance
