// For tests of models: RunOnDelegate and MatchesCpu (single_op.h). Models of an
// op come from a line of tools/cases (tools/cases/model.h), others from
// tools/common/model_builder.h. The first line of a test has its CTest labels
// (tests/CMakeLists.txt); the file's name, conv_2d_test.cc, gives the label
// conv_2d.
#ifndef GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_
#define GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_

#include "tests/testing/single_op.h"      // IWYU pragma: export
#include "tools/op_models/op_builders.h"  // IWYU pragma: export

#endif  // GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_
