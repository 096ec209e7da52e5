// For the test of an op without a builder: OpVariant and MakeModel
// (op_variant.h), with all that op_models.h brings.
#ifndef GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_
#define GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_

#include "tests/testing/op_models.h"     // IWYU pragma: export
#include "tools/op_models/op_variant.h"  // IWYU pragma: export

#endif  // GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_
