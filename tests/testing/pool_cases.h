// Pooling nodes of 8- or int16 values among many (code_cases.h).
#ifndef GLES_DELEGATE_TESTS_TESTING_POOL_CASES_H_
#define GLES_DELEGATE_TESTS_TESTING_POOL_CASES_H_

#include "tests/testing/code_cases.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// Case `i` of 52 of AVERAGE_POOL_2D or MAX_POOL_2D. Two windows, so that
// shaders that spell theirs out are few; that of the last cases is past 2^10
// elements. Returns whether the node has an activation.
template <typename Code>
bool AddPoolCase(CodeCases<Code>* cases, Op op, int version,
                 const ModelQuantization& in, const ModelQuantization& out,
                 int i) {
  schema::Pool2DOptionsT options;
  const bool same = i % 2 == 0 && i < 50;
  options.padding = same ? schema::Padding::SAME : schema::Padding::VALID;
  const int window = i < 50 ? 3 : 33;
  options.filter_width = options.filter_height = window;
  options.stride_w = options.stride_h = 1 + i % 2;
  constexpr Act kActs[] = {Act::NONE, Act::RELU, Act::RELU6};
  options.fused_activation_function = kActs[cases->Int(0, 2)];
  const int extent = window == 3 ? 7 : 35;
  const auto size = [&](int n) {
    return same ? (n + options.stride_w - 1) / options.stride_w
                : (n - window) / options.stride_w + 1;
  };
  const int x = cases->Input({1, extent, extent + 1, 5}, in);
  const int y = cases->Output({1, size(extent), size(extent + 1), 5}, out);
  cases->b.AddOp(op, version, {x}, {y}, options);
  return options.fused_activation_function != Act::NONE;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_POOL_CASES_H_
