#include "delegate/partition/self_check_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gles_delegate {
namespace {

// A tensor that others lie in.
struct Whole {
  const std::vector<float>& values;
  const Shape& shape;

  // `channels` values of a pixel, from channel `first` on.
  std::vector<float> At(int b, int h, int w, int first, int channels) const {
    const int64_t begin =
        ((int64_t{b} * shape.h + h) * shape.w + w) * shape.c + first;
    return {values.begin() + begin, values.begin() + begin + channels};
  }
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

std::vector<float> Interpolated(const Whole& of, const MemoryView& view, int b,
                                int h, int w) {
  const Neighbours y(h, view.scale_y, view.shift, of.shape.h);
  const Neighbours x(w, view.scale_x, view.shift, of.shape.w);
  std::vector<float> pixel(of.shape.c, 0.0f);
  const auto add = [&](int from_y, int from_x, float weight) {
    const auto source = of.At(b, from_y, from_x, 0, of.shape.c);
    for (size_t c = 0; c < pixel.size(); ++c) pixel[c] += weight * source[c];
  };
  add(y.low, x.low, (1 - y.part) * (1 - x.part));
  add(y.low, x.high, (1 - y.part) * x.part);
  add(y.high, x.low, y.part * (1 - x.part));
  add(y.high, x.high, y.part * x.part);
  return pixel;
}

std::vector<float> Largest(const Whole& of, const MemoryView& view, int b,
                           int h, int w) {
  std::vector<float> pixel(of.shape.c, std::numeric_limits<float>::lowest());
  for (int i = 0; i < view.window[0] * view.window[1]; ++i) {
    const int y = h * view.step[1] + i / view.window[0];
    const int x = w * view.step[0] + i % view.window[0];
    if (y >= of.shape.h || x >= of.shape.w) continue;
    const auto source = of.At(b, y, x, 0, of.shape.c);
    for (size_t c = 0; c < pixel.size(); ++c) {
      pixel[c] = std::max(pixel[c], source[c]);
    }
  }
  return pixel;
}

std::vector<float> PixelOf(const Whole& of, const Tensor& tensor, int b, int h,
                           int w) {
  const MemoryView& view = tensor.view;
  const int channels = tensor.shape.c;
  switch (view.kind) {
    case MemoryView::Kind::kBox:
      return of.At(b + view.at[kBatchAxis], h + view.at[kHeightAxis],
                   w + view.at[kWidthAxis], view.at[kChannelAxis], channels);
    case MemoryView::Kind::kSlices: {
      std::vector<float> pixel;
      const int first = view.at[kChannelAxis] / 4 + b * tensor.shape.slices();
      for (int s = first; s < first + tensor.shape.slices(); ++s) {
        const auto texel =
            of.At(s / of.shape.slices(), h, w, s % of.shape.slices() * 4, 4);
        pixel.insert(pixel.end(), texel.begin(), texel.end());
      }
      return pixel;
    }
    case MemoryView::Kind::kRows: {
      const int rows = tensor.shape.slices() / of.shape.slices();
      const int first = (h * tensor.shape.w + w) * rows;
      std::vector<float> pixel;
      for (int row = 0; row < rows; ++row) {
        const auto part =
            of.At(b + view.at[kBatchAxis], view.at[kHeightAxis],
                  first + row + view.at[kWidthAxis], 0, of.shape.c);
        pixel.insert(pixel.end(), part.begin(), part.end());
        // What no row holds is nothing.
        pixel.resize((row + 1) * of.shape.slices() * 4, 0.0f);
      }
      pixel.resize(channels);
      return pixel;
    }
    case MemoryView::Kind::kDepthToSpace: {
      const int within = h % view.block * view.block + w % view.block;
      return of.At(b, h / view.block, w / view.block, within * channels,
                   channels);
    }
    case MemoryView::Kind::kBilinear:
      return Interpolated(of, view, b, h, w);
    case MemoryView::Kind::kMaxPool:
      return Largest(of, view, b, h, w);
  }
  return {};
}

// The quantized values that a tensor of a float view can have.
struct Codes {
  int low, high;
};

Codes QuantizedOf(const Tensor& tensor) {
  switch (tensor.quantized) {
    case DataType::kInt16:
      return {-32768, 32767};
    case DataType::kUint8:
      return {0, 255};
    default:
      return {-128, 127};
  }
}

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// xorshift32 (Marsaglia 2003): the standard's engines take most of the time of
// filling a tensor.
class FastRandom {
 public:
  explicit FastRandom(std::mt19937* seed)
      : state_(static_cast<uint32_t>((*seed)()) | 1) {}
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
    const Codes quantized = QuantizedOf(tensor);
    const auto count =
        static_cast<uint32_t>(quantized.high - quantized.low + 1);
    const int code = quantized.low + static_cast<int>(bits % count);
    return q.scale[0] * static_cast<float>(code - q.zero_point[0]);
  }
  // Halves hold it, and tell it from the next.
  const float size = 0.25f + static_cast<float>(bits >> 24) / (1 << 8);
  return (bits & 1) != 0 ? size : -size;
}

bool IsOfFloats(const Tensor& tensor) {
  return !tensor.holds_quantized && tensor.type != DataType::kBool &&
         tensor.type != DataType::kInt32;
}

std::vector<float> RandomFloats(const Tensor& tensor, std::mt19937* seed) {
  // Large tensors repeat this number of values. It is prime, so that no two
  // rows or planes are alike.
  constexpr int64_t kDistinct = 65521;
  FastRandom random(seed);
  const int64_t elements = tensor.shape.elements();
  std::vector<float> floats(elements);
  const int64_t distinct = std::min(elements, kDistinct);
  for (int64_t i = 0; i < distinct; ++i) {
    floats[i] = RandomFloat(tensor, &random);
  }
  for (int64_t done = distinct; done < elements;) {
    const int64_t count = std::min(done, elements - done);
    std::copy_n(floats.begin(), count, floats.begin() + done);
    done += count;
  }
  return floats;
}

}  // namespace

std::vector<uint8_t> RandomBytes(const Tensor& tensor, std::mt19937* seed) {
  FastRandom fast(seed);
  FastRandom* const random = &fast;
  const int64_t elements = tensor.shape.elements();
  if (tensor.holds_quantized) {
    std::vector<uint8_t> quantized(elements);
    for (uint8_t& code : quantized) code = static_cast<uint8_t>((*random)());
    return quantized;
  }
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    // Indices, some of them; a bool travels as an int32.
    const int max = tensor.type == DataType::kBool ? 2 : 10;
    std::vector<int32_t> ints(elements);
    for (int32_t& v : ints) v = static_cast<int32_t>((*random)() % max);
    return BytesOf(ints);
  }
  return BytesOf(RandomFloats(tensor, seed));
}

std::vector<float> FloatsOf(const Tensor& tensor,
                            absl::Span<const uint8_t> bytes) {
  std::vector<float> values(tensor.shape.elements());
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    for (size_t i = 0; i < values.size(); ++i) {
      int32_t value = 0;
      std::memcpy(&value, &bytes[i * sizeof(value)], sizeof(value));
      values[i] = static_cast<float>(value);
    }
    return values;
  }
  if (!tensor.holds_quantized) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const float scale = tensor.quantization.scale[0];
  const auto zero = static_cast<int>(tensor.quantization.zero_point[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = tensor.quantized == DataType::kUint8
                         ? bytes[i]
                         : static_cast<int8_t>(bytes[i]);
    values[i] = scale * static_cast<float>(code - zero);
  }
  return values;
}

std::vector<float> ViewOf(const std::vector<float>& whole, const Shape& of,
                          const Tensor& view) {
  const Whole source = {whole, of};
  std::vector<float> values;
  const Shape& s = view.shape;
  for (int b = 0; b < s.b; ++b) {
    for (int h = 0; h < s.h; ++h) {
      for (int w = 0; w < s.w; ++w) {
        const std::vector<float> pixel = PixelOf(source, view, b, h, w);
        values.insert(values.end(), pixel.begin(), pixel.end());
      }
    }
  }
  return values;
}

double NearestCode(const Tensor& tensor, double value) {
  if (!tensor.holds_quantized || tensor.quantization.empty()) return value;
  const auto [low, high] = QuantizedOf(tensor);
  const double scale = tensor.quantization.scale[0];
  const auto zero = static_cast<double>(tensor.quantization.zero_point[0]);
  return std::clamp(value, (low - zero) * scale, (high - zero) * scale);
}

HostValues HostValues::Random(const Tensor& tensor, std::mt19937* random) {
  HostValues values;
  if (IsOfFloats(tensor)) {
    values.floats_ =
        std::make_shared<std::vector<float>>(RandomFloats(tensor, random));
  } else {
    values.others_ = RandomBytes(tensor, random);
  }
  return values;
}

HostValues HostValues::For(const Tensor& tensor) {
  HostValues values;
  const int64_t elements = tensor.shape.elements();
  if (IsOfFloats(tensor)) {
    values.floats_ = std::make_shared<std::vector<float>>(elements);
  } else {
    values.others_.resize(elements *
                          (tensor.holds_quantized ? 1 : sizeof(float)));
  }
  return values;
}

absl::Span<uint8_t> HostValues::bytes() {
  if (floats_ == nullptr) return absl::MakeSpan(others_);
  return {reinterpret_cast<uint8_t*>(floats_->data()),
          floats_->size() * sizeof(float)};
}

std::shared_ptr<const std::vector<float>> HostValues::Floats(
    const Tensor& tensor) const {
  if (floats_ != nullptr) return floats_;
  return std::make_shared<const std::vector<float>>(FloatsOf(tensor, others_));
}

}  // namespace gles_delegate
