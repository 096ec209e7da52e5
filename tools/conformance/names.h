// Short names for helpers of tests/testing.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_NAMES_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_NAMES_H_

#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::conformance {

using testing::Act;
using testing::Op;
using testing::Precision;
using testing::Shape;
using testing::ShapeString;
using testing::SingleOpModel;
using testing::TensorType;

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_NAMES_H_
