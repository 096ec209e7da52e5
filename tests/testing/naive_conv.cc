#include "tests/testing/naive_conv.h"

#include <cmath>

#include "absl/functional/function_ref.h"

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

}  // namespace

NaiveResult NaiveConv(const HostTensor& src, const HostTensor& filter,
                      const std::vector<float>& bias, const Conv2dAttributes& a,
                      const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, bias);
  const int group_outputs = dst.c / a.groups;
  ForEach(dst, [&](int b, int h, int w, int o) {
    const int first = o / group_outputs * filter.shape.c;
    for (int ky = 0; ky < filter.shape.h; ++ky) {
      for (int kx = 0; kx < filter.shape.w; ++kx) {
        const int y = h * a.stride_h - a.pad_top + ky * a.dilation_h;
        const int x = w * a.stride_w - a.pad_left + kx * a.dilation_w;
        if (!Inside(y, src.shape.h) || !Inside(x, src.shape.w)) continue;
        for (int i = 0; i < filter.shape.c; ++i) {
          AddTo(&result, IndexOf(dst, b, h, w, o),
                double{src.at(b, y, x, first + i)} * filter.at(o, ky, kx, i));
        }
      }
    }
  });
  return result;
}

NaiveResult NaiveDepthwise(const HostTensor& src, const HostTensor& filter,
                           const std::vector<float>& bias,
                           const DepthwiseConv2dAttributes& a,
                           const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, bias);
  ForEach(dst, [&](int b, int h, int w, int o) {
    for (int ky = 0; ky < filter.shape.h; ++ky) {
      for (int kx = 0; kx < filter.shape.w; ++kx) {
        const int y = h * a.stride_h - a.pad_top + ky * a.dilation_h;
        const int x = w * a.stride_w - a.pad_left + kx * a.dilation_w;
        if (!Inside(y, src.shape.h) || !Inside(x, src.shape.w)) continue;
        AddTo(&result, IndexOf(dst, b, h, w, o),
              double{src.at(b, y, x, o / a.multiplier)} *
                  filter.at(0, ky, kx, o));
      }
    }
  });
  return result;
}

NaiveResult NaiveTransposeConv(const HostTensor& src, const HostTensor& filter,
                               const std::vector<float>& bias,
                               const TransposeConvAttributes& a,
                               const BhwcShape& dst) {
  NaiveResult result = StartAtBias(dst, bias);
  ForEach(src.shape, [&](int b, int h, int w, int i) {
    ForEach(filter.shape, [&](int o, int ky, int kx, int filter_input) {
      if (filter_input != i) return;
      const int y = h * a.stride_h - a.pad_top + ky;
      const int x = w * a.stride_w - a.pad_left + kx;
      if (!Inside(y, dst.h) || !Inside(x, dst.w)) return;
      AddTo(&result, IndexOf(dst, b, y, x, o),
            double{src.at(b, h, w, i)} * filter.at(o, ky, kx, i));
    });
  });
  return result;
}

}  // namespace gles_delegate::testing
