// For tests that build a model node by node: OpVariant and MakeModel
// (op_variant.h), with all that single_op.h brings.
#ifndef GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_
#define GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_

#include "tests/testing/single_op.h"     // IWYU pragma: export
#include "tools/op_models/op_variant.h"  // IWYU pragma: export

#endif  // GLES_DELEGATE_TESTS_TESTING_OP_MODEL_MAKER_H_
