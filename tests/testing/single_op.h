// One op run by TFLite's own CPU kernel and by the delegate, and compared.
//
//   #include "tools/cases/model.h"
//   const auto model = cases::ModelOf("SOFTMAX x=[1,1,1,17] beta=1");
//   EXPECT_THAT(RunOnDelegate(model, Precision::kFloat16),
//               MatchesCpu(model, Precision::kFloat16));
//
// How closely the two must agree is derived, not tuned:
//
// float32. A sum of n terms t, rounded after each addition, errs by about
//   sqrt(n) * 2^-24 * sum |t| (worst case n instead of sqrt(n); roundings are
//   as often up as down). Two such sums may differ by
//       (4 sqrt(n) + ulps) * 2^-24 * M,    M = sum |t|,
//   which is six standard deviations. M is computed, per output element, by
//   running the same op on the absolute values of data and weights
//   (SingleOpModel::magnitude_bytes, op_model.h); if an op has no such
//   model, M is the element's own magnitude. `ulps` covers functions whose
//   precision OpenGL ES leaves to the driver (division, exp, ...).
//
// float16. Constants and inputs are first rounded to half on both sides, so
//   storing them in half loses nothing, and sums are kept in 32 bits. The
//   remaining error is the rounding of stored values: half has 11 bits of
//   significand, so one store errs by 2^-11 of the value where it rounds to
//   nearest and by 2^-10 where it truncates; OpenGL ES leaves that to the
//   driver. So
//       half_roundings * 2^-10 * |expected|     (9.8e-4 of the element)
//   is added to the float32 bound, and 2^-24 (half's smallest step).
//
// 16-bit arithmetic (kFloat16Arithmetic). A convolution makes products in
// mediump,
//   whose results err by 2^-10 of themselves and are zero below 2^-14 at worst
//   (GLSL ES 3.10, 4.7.4), and adds 16 of them in mediump; such sums are added
//   in 32 bits. Each product is then rounded 17 times at most, so
//       17 * 2^-10 * M + n * 2^-14
//   is added to the float16 bound.
//
// Ops that only move values (terms = 0) must agree exactly, at both precisions.
// NaN and infinity equal only themselves.
#ifndef GLES_DELEGATE_TESTS_TESTING_SINGLE_OP_H_
#define GLES_DELEGATE_TESTS_TESTING_SINGLE_OP_H_

#include <functional>

#include "gles_delegate/gles_delegate.h"
#include "gmock/gmock.h"  // IWYU pragma: export
#include "tools/op_models/op_model.h"

namespace gles_delegate::testing {

// For INSTANTIATE_TEST_SUITE_P: ::testing::ValuesIn(kPrecisions).
inline constexpr Precision kPrecisions[] = {Precision::kFloat32,
                                            Precision::kFloat16};

// Those that the option can ask for.
inline constexpr TfLiteGlesStorage kEveryStorage[] = {
    kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
    kTfLiteGlesStorageBuffer};

struct RunOptions {
  Precision precision = Precision::kFloat32;
  TfLiteGlesStorage storage = kTfLiteGlesStorageAuto;
  // How often Invoke runs; the outputs of the last run are returned. More than
  // one finds state that survives a run.
  int invokes = 2;
  // Fails the test unless every node runs in one partition of the delegate.
  bool expect_delegated = true;
  // Last changes to the delegate's options.
  std::function<void(TfLiteGlesDelegateOptions&)> configure;
};

// Runs the model with its own inputs by the delegate, on this process's test
// device (tests/testing/device.h). Fails the current test where the delegate
// does not take the op although the options expect it to.
RunResult RunOnDelegate(const SingleOpModel& model, const RunOptions& options);
RunResult RunOnDelegate(const SingleOpModel& model,
                        Precision precision = Precision::kFloat32);

// Matches a RunResult whose outputs equal the CPU's in number, name, shape and,
// within the bounds above, values.
::testing::Matcher<const RunResult&> MatchesCpu(
    const SingleOpModel& model, Precision precision = Precision::kFloat32);

// The delegate at both precisions and every storage against the CPU.
void ExpectMatchesCpu(const SingleOpModel& model);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_SINGLE_OP_H_
