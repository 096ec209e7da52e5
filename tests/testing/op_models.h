// For the test of an op: models of one op (op_builders.h), RunOnDelegate
// and MatchesCpu (single_op.h). A complete test:
//
//   // labels: op llvmpipe softpipe
//   // CONV_2D against TFLite's own kernel, on shapes with every channel tail.
//   #include "tests/testing/device_test.h"
//   #include "tests/testing/op_models.h"
//
//   namespace gles_delegate::testing {
//   namespace {
//
//   class Conv2dTest : public DeviceTestWithParam<Precision> {};
//
//   TEST_P(Conv2dTest, EveryChannelTail) {
//     for (const Shape& shape : StandardShapes()) {
//       for (int out_channels : StandardChannels()) {
//         ConvParams params;
//         params.input = shape;
//         params.out_channels = out_channels;
//         const SingleOpModel model = Conv2d(params);
//         EXPECT_THAT(RunOnDelegate(model, GetParam()),
//                     MatchesCpu(model, GetParam()));
//       }
//     }
//   }
//
//   INSTANTIATE_TEST_SUITE_P(Precisions, Conv2dTest,
//                            ::testing::ValuesIn(kPrecisions),
//                            [](const auto& info) {
//                              return PrecisionName(info.param);
//                            });
//
//   }  // namespace
//   }  // namespace gles_delegate::testing
//
// The first line's words are CTest labels (tests/CMakeLists.txt); the file's
// name, conv_2d_test.cc, gives the label conv_2d. An op that has no builder
// here is built with tools/common/model_builder.h and put into a SingleOpModel.
#ifndef GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_
#define GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_

#include "tests/testing/single_op.h"      // IWYU pragma: export
#include "tools/op_models/op_builders.h"  // IWYU pragma: export

#endif  // GLES_DELEGATE_TESTS_TESTING_OP_MODELS_H_
