// Test values for a self-check, and their interpretation.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "delegate/graph/float_view.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {
namespace {

// A tensor that others lie in.
struct Whole {
  const ValueAt& values;
  const Shape& shape;

  float At(const Place& p) const { return values(ElementOf(p, shape)); }
};

// The two source rows, or columns, that a place lies between.
struct Neighbours {
  int low, high;
  float part;  // of high

  Neighbours(int place, float scale, float shift, int extent) {
    const float at = (static_cast<float>(place) + shift) * scale - shift;
    low = std::clamp(static_cast<int>(std::floor(at)), 0, extent - 1);
    high = std::clamp(static_cast<int>(std::ceil(at)), 0, extent - 1);
    part = at - static_cast<float>(low);
  }
};

float Interpolated(const Whole& of, const MemoryView& view, const Place& p) {
  const Neighbours y(p.h, view.scale_y, view.shift, of.shape.h);
  const Neighbours x(p.w, view.scale_x, view.shift, of.shape.w);
  return (1 - y.part) * (1 - x.part) * of.At({p.b, y.low, x.low, p.c}) +
         (1 - y.part) * x.part * of.At({p.b, y.low, x.high, p.c}) +
         y.part * (1 - x.part) * of.At({p.b, y.high, x.low, p.c}) +
         y.part * x.part * of.At({p.b, y.high, x.high, p.c});
}

float Largest(const Whole& of, const MemoryView& view, const Place& p) {
  float largest = std::numeric_limits<float>::lowest();
  for (int i = 0; i < view.window[0] * view.window[1]; ++i) {
    const int y = p.h * view.step[1] + i / view.window[0];
    const int x = p.w * view.step[0] + i % view.window[0];
    if (y >= of.shape.h || x >= of.shape.w) continue;
    largest = std::max(largest, of.At({p.b, y, x, p.c}));
  }
  return largest;
}

// A value of a row of pixels; those that no row holds are 0.
float InRows(const Whole& of, const Tensor& tensor, const Place& p) {
  const MemoryView& view = tensor.view;
  const int width = of.shape.slices() * 4;  // channels of a pixel of `of`
  const int rows = tensor.shape.slices() / of.shape.slices();
  const int first = (p.h * tensor.shape.w + p.w) * rows;
  if (p.c / width >= rows || p.c % width >= of.shape.c) return 0;
  return of.At({p.b + view.at[kBatchAxis], view.at[kHeightAxis],
                first + p.c / width + view.at[kWidthAxis], p.c % width});
}

float ViewedAt(const Whole& of, const Tensor& tensor, const Place& p) {
  const MemoryView& view = tensor.view;
  switch (view.kind) {
    case MemoryView::Kind::kNone:
      break;
    case MemoryView::Kind::kBox: {
      const int slices = of.shape.slices();
      const int each = view.slices != 0 ? view.slices : slices;
      const int layer = view.at[kBatchAxis] * slices +
                        view.at[kChannelAxis] / 4 + p.b * each + p.c / 4;
      return of.At({layer / slices, p.h + view.at[kHeightAxis],
                    p.w + view.at[kWidthAxis], layer % slices * 4 + p.c % 4});
    }
    case MemoryView::Kind::kRows:
      return InRows(of, tensor, p);
    case MemoryView::Kind::kDepthToSpace: {
      const int within = p.h % view.block * view.block + p.w % view.block;
      return of.At({p.b, p.h / view.block, p.w / view.block,
                    within * tensor.shape.c + p.c});
    }
    case MemoryView::Kind::kBilinear:
      return Interpolated(of, view, p);
    case MemoryView::Kind::kMaxPool:
      return Largest(of, view, p);
  }
  return 0;
}

// xorshift32 (Marsaglia 2003): the standard's engines take most of the time of
// filling a tensor.
class FastRandom {
 public:
  explicit FastRandom(uint32_t seed)
      : state_(static_cast<uint32_t>(std::mt19937(seed)()) | 1) {}
  uint32_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  uint32_t state_;
};

float RandomFloat(const Tensor& tensor, FastRandom* random) {
  const uint32_t bits = (*random)();
  const Quantization& q = tensor.quantization;
  if (tensor.is_float_view() && !q.empty()) {
    const quant::CodeRange quantized = RangeOf(tensor.quantized);
    const auto count =
        static_cast<uint32_t>(quantized.high - quantized.low + 1);
    const int code = quantized.low + static_cast<int>(bits % count);
    return q.scale[0] * static_cast<float>(code - q.zero_point[0]);
  }
  // Halves hold it, and tell it from the next.
  const float size = 0.25f + static_cast<float>(bits >> 24) / (1 << 8);
  return (bits & 1) != 0 ? size : -size;
}

template <typename T, typename Fn>
std::vector<uint8_t> Draw(int64_t count, Fn draw) {
  std::vector<uint8_t> bytes(count * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const T value = draw();
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

std::vector<uint8_t> RandomPattern(const Tensor& tensor, uint32_t seed,
                                   bool far) {
  // It is prime, so that no two rows or planes are alike.
  constexpr int64_t kDistinct = 65521;
  FastRandom random(seed);
  const int64_t count = std::min(tensor.shape.elements(), kDistinct);
  if (tensor.holds_quantized) {
    return Draw<uint8_t>(count, [&] { return static_cast<uint8_t>(random()); });
  }
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    // Indices, some of them; a bool travels as an int32.
    const int max = tensor.type == DataType::kBool ? 2 : 10;
    const int first = far && tensor.type == DataType::kInt32 ? 1 << 20 : 0;
    return Draw<int32_t>(
        count, [&] { return first + static_cast<int32_t>(random() % max); });
  }
  return Draw<float>(count, [&] { return RandomFloat(tensor, &random); });
}

void Repeat(absl::Span<const uint8_t> pattern, absl::Span<uint8_t> to) {
  size_t done = std::min(pattern.size(), to.size());
  std::copy_n(pattern.begin(), done, to.begin());
  while (done < to.size()) {
    const size_t bytes = std::min(done, to.size() - done);
    std::copy_n(to.begin(), bytes, to.begin() + done);
    done += bytes;
  }
}

float ValueIn(const Tensor& tensor, absl::Span<const uint8_t> bytes,
              int64_t element) {
  if (tensor.holds_quantized) {
    const int code = tensor.quantized == DataType::kUint8
                         ? bytes[element]
                         : static_cast<int8_t>(bytes[element]);
    return tensor.quantization.scale[0] *
           static_cast<float>(
               code - static_cast<int>(tensor.quantization.zero_point[0]));
  }
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    int32_t value;
    std::memcpy(&value, &bytes[element * sizeof(value)], sizeof(value));
    return static_cast<float>(value);
  }
  float value;
  std::memcpy(&value, &bytes[element * sizeof(value)], sizeof(value));
  return value;
}

ValueAt ViewOf(ValueAt whole, const Shape& of, const Tensor& view) {
  return [whole = std::move(whole), &of, &view](int64_t element) {
    return ViewedAt({whole, of}, view, PlaceOf(element, view.shape));
  };
}

double NearestCode(const Tensor& tensor, double value) {
  if (!tensor.holds_quantized || tensor.quantization.empty()) return value;
  const auto [low, high] = RangeOf(tensor.quantized);
  const double scale = tensor.quantization.scale[0];
  const auto zero = static_cast<double>(tensor.quantization.zero_point[0]);
  return std::clamp(value, (low - zero) * scale, (high - zero) * scale);
}

}  // namespace gles_delegate
