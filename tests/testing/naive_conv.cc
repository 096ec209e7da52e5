#include "tests/testing/naive_conv.h"

#include <cmath>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {
namespace {

using BhwcShape = gles_delegate::Shape;

bool Inside(int i, int extent) { return i >= 0 && i < extent; }

NaiveResult StartAtBias(const BhwcShape& dst, const std::vector<float>& bias) {
  NaiveResult result;
  for (int64_t i = 0; i < dst.elements(); ++i) {
    result.values.push_back(bias[i % dst.c]);
    result.magnitudes.push_back(std::abs(bias[i % dst.c]));
  }
  return result;
}

void AddTo(NaiveResult* result, int64_t index, double term) {
  result->values[index] += term;
  result->magnitudes[index] += std::abs(term);
}

int64_t IndexOf(const BhwcShape& s, int b, int h, int w, int c) {
  return ((int64_t{b} * s.h + h) * s.w + w) * s.c + c;
}

// Every index of a BHWC shape, in order.
void ForEach(const BhwcShape& s,
             absl::FunctionRef<void(int, int, int, int)> f) {
  for (int b = 0; b < s.b; ++b) {
    for (int h = 0; h < s.h; ++h) {
      for (int w = 0; w < s.w; ++w) {
        for (int c = 0; c < s.c; ++c) f(b, h, w, c);
      }
    }
  }
}

// A pixel of the source under an element of the output's window.
struct Tap {
  int64_t dst_index;
  int o;        // the output's channel
  int b, y, x;  // in the source
  int ky, kx;   // in the filter
};

// Every tap that is inside the source, one output after the other.
void ForEachTap(const BhwcShape& src, const BhwcShape& filter,
                const SlidingWindow& a, const BhwcShape& dst,
                absl::FunctionRef<void(const Tap&)> f) {
  ForEach(dst, [&](int b, int h, int w, int o) {
    for (int ky = 0; ky < filter.h; ++ky) {
      for (int kx = 0; kx < filter.w; ++kx) {
        const int y = h * a.stride_h - a.pad_top + ky * a.dilation_h;
        const int x = w * a.stride_w - a.pad_left + kx * a.dilation_w;
        if (!Inside(y, src.h) || !Inside(x, src.w)) continue;
        f({IndexOf(dst, b, h, w, o), o, b, y, x, ky, kx});
      }
    }
  });
}

}  // namespace

void ExpectWithinRoundings(const std::vector<float>& got,
                           const NaiveResult& want) {
  constexpr double kUnit = 0x1p-24 * 200;
  ASSERT_EQ(got.size(), want.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want.values[i], kUnit * want.magnitudes[i]) << i;
  }
}

NaiveResult NaiveConv(const NaiveInputs& in, const Conv2dAttributes& a,
                      const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, in.bias);
  const int group_outputs = dst.c / a.groups;
  ForEachTap(in.src.shape, in.filter.shape, a, dst, [&](const Tap& tap) {
    const int first = tap.o / group_outputs * in.filter.shape.c;
    for (int i = 0; i < in.filter.shape.c; ++i) {
      AddTo(&result, tap.dst_index,
            double{in.src.at(tap.b, tap.y, tap.x, first + i)} *
                in.filter.at(tap.o, tap.ky, tap.kx, i));
    }
  });
  return result;
}

NaiveResult NaiveDepthwise(const NaiveInputs& in,
                           const DepthwiseConv2dAttributes& a,
                           const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, in.bias);
  ForEachTap(in.src.shape, in.filter.shape, a, dst, [&](const Tap& tap) {
    AddTo(&result, tap.dst_index,
          double{in.src.at(tap.b, tap.y, tap.x, tap.o / a.multiplier)} *
              in.filter.at(0, tap.ky, tap.kx, tap.o));
  });
  return result;
}

NaiveResult NaiveTransposeConv(const NaiveInputs& in,
                               const TransposeConvAttributes& a,
                               const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, in.bias);
  ForEach(in.src.shape, [&](int b, int h, int w, int i) {
    ForEach(in.filter.shape, [&](int o, int ky, int kx, int filter_input) {
      if (filter_input != i) return;
      const int y = h * a.stride_h - a.pad_top + ky;
      const int x = w * a.stride_w - a.pad_left + kx;
      if (!Inside(y, dst.h) || !Inside(x, dst.w)) return;
      AddTo(&result, IndexOf(dst, b, y, x, o),
            double{in.src.at(b, h, w, i)} * in.filter.at(o, ky, kx, i));
    });
  });
  return result;
}

}  // namespace gles_delegate::testing
