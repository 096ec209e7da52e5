// References for convolutions of volumes, transforms of rows, and updated
// slices.
#include <algorithm>
#include <array>
#include <cmath>

#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

Value ReferenceOps::Conv3d(const Conv3dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(a.data_input);
  const int outputs = Output().shape.c;
  const std::array<int, 3> to = {p.w, p.h, p.b % a.dst_depth};
  const std::array<int, 3> extents = {from.w, from.h, a.src_depth};
  const int taps = a.window[0].size * a.window[1].size * a.window[2].size;
  ReferenceValue sum;
  for (int tap = 0; tap < taps; ++tap) {
    std::array<int, 3> at = {};
    bool inside = true;
    for (int i = 0, rest = tap; i < 3; ++i) {
      const Window& w = a.window[i];
      const int step = rest % w.size * w.dilation;
      rest /= w.size;
      if (a.transposed) {
        const int spread = to[i] + a.pad[i] - step;
        inside &= spread >= 0 && spread % w.stride == 0;
        at[i] = spread / w.stride;
      } else {
        at[i] = to[i] * w.stride - a.pad[i] + step;
      }
      inside &= Inside(at[i], extents[i]);
    }
    if (!inside) continue;
    const int layer = p.b / a.dst_depth * a.src_depth + at[2];
    for (int i = 0; i < from.c; ++i) {
      const int64_t weight = a.transposed
                                 ? (int64_t{tap} * outputs + p.c) * from.c + i
                                 : (int64_t{tap} * from.c + i) * outputs + p.c;
      if (!AddTerm(a.data_input, ElementOf({layer, at[1], at[0], i}, from),
                   In(a.filter_input, weight), &sum)) {
        return std::nullopt;
      }
    }
  }
  return WithBias(sum, a.bias_input, p.c);
}

Value ReferenceOps::Transform(const Rfft2dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(0);
  ReferenceValue sum;
  for (int n = 0; n < std::min(from.c, a.length); ++n) {
    const int64_t turns = int64_t{p.c / 2} * n % a.length;
    const double angle = 2 * 3.14159265358979323846 * turns / a.length;
    const ReferenceValue weight = {
        p.c % 2 == 0 ? std::cos(angle) : -std::sin(angle), 1};
    if (!AddTerm(0, ElementOf({p.b, p.h, p.w, n}, from), weight, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

Value ReferenceOps::Absolute(int64_t element) {
  const Value re = In(0, 2 * element);
  const Value im = In(0, 2 * element + 1);
  if (!re || !im) return std::nullopt;
  return ReferenceValue{std::hypot(re->value, im->value),
                        std::hypot(re->magnitude, im->magnitude)};
}

Value ReferenceOps::Updated(const UpdateSlice& a, int64_t element) {
  AxisArray at = AxesOf(element, a.extents);
  for (int axis = 0; axis < 5; ++axis) {
    if (a.which[axis] < 0) continue;
    const Value start = In(2, a.which[axis]);
    if (!start) return start;
    at[axis] -= static_cast<int>(std::clamp(
        start->value, 0.0, double{1} * (a.extents[axis] - a.box[axis])));
    if (!Inside(at[axis], a.box[axis])) return In(0, element);
  }
  return In(1, ElementAt(at, a.box));
}

}  // namespace gles_delegate
