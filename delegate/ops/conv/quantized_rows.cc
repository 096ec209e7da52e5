#include "delegate/ops/conv/quantized_rows.h"

#include <algorithm>
#include <cstring>

#include "delegate/graph/constant_values.h"
#include "delegate/ops/conv/conv_tile.h"
#include "quant/half.h"

namespace gles_delegate {
namespace {

constexpr int kWordBits = 32;
constexpr int kTexelWords = 4;
constexpr int kOutputs = 4;  // of a row

bool IsPowerOfTwo(int n) { return n > 0 && (n & (n - 1)) == 0; }

// The places of a row's parts, in words.
struct RowLayout {
  RowLayout(const Tensor& matrix, const Filter& filter)
      : bits(matrix.quantization.bits),
        pixel_inputs(DivideUp(filter.inputs, 4) * 4),
        half_scales(matrix.quantization.half_scales) {
    const Quantization& q = matrix.quantization;
    if (q.block > 0) blocks = filter.terms() / q.block;
    const int inputs = filter.taps * pixel_inputs;
    scales = RoundUp(DivideUp(inputs, inputs_of_word()));
    const int scale_words = half_scales ? kOutputs / 2 : kOutputs;
    bias = scales + RoundUp(blocks * scale_words);
    words = bias + kOutputs;
  }

  static int RoundUp(int words) {
    return DivideUp(words, kTexelWords) * kTexelWords;
  }
  int inputs_of_word() const { return kWordBits / (kOutputs * bits); }

  int bits;
  int pixel_inputs;  // padded
  bool half_scales;
  int blocks = 1;
  int scales;
  int bias;
  int words;
};

uint32_t BitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

void FillWeights(const Tensor& matrix, const Filter& filter,
                 const RowLayout& layout, absl::Span<uint32_t> words) {
  const uint8_t* const values = matrix.constant.bytes().data();
  const uint32_t mask = (1u << layout.bits) - 1;
  const int input_bits = kOutputs * layout.bits;
  for (int first = 0; first < filter.outputs; first += kOutputs) {
    const int outputs = std::min(kOutputs, filter.outputs - first);
    uint32_t* row = words.data() + int64_t{first / kOutputs} * layout.words;
    for (int tap = 0; tap < filter.taps; ++tap) {
      const uint8_t* from =
          values + (int64_t{first} * filter.taps + tap) * filter.inputs;
      int64_t bit = int64_t{tap} * layout.pixel_inputs * input_bits;
      for (int i = 0; i < filter.inputs; ++i, bit += input_bits) {
        uint32_t four = 0;
        for (int o = 0; o < outputs; ++o) {
          four |= (from[int64_t{o} * filter.terms() + i] & mask)
                  << (o * layout.bits);
        }
        row[bit / kWordBits] |= four << (bit % kWordBits);
      }
    }
  }
}

void FillScales(const Quantization& q, int outputs, const RowLayout& layout,
                absl::Span<uint32_t> words) {
  for (int o = 0; o < outputs; ++o) {
    uint32_t* row =
        words.data() + int64_t{o / kOutputs} * layout.words + layout.scales;
    for (int b = 0; b < layout.blocks; ++b) {
      const float scale =
          q.scale[q.scale.size() == 1 ? 0 : int64_t{o} * layout.blocks + b];
      const int place = b * kOutputs + o % kOutputs;
      if (layout.half_scales) {
        row[place / 2] |= uint32_t{FloatToHalf(scale)} << (place % 2 * 16);
      } else {
        row[place] = BitsOfFloat(scale);
      }
    }
  }
}

void FillBias(const Tensor& bias, const RowLayout& layout,
              absl::Span<uint32_t> words) {
  const auto values = ConstantFloats(bias);
  if (!values.ok()) return;  // CheckBias has let it through
  for (size_t o = 0; o < values->size(); ++o) {
    words[o / kOutputs * layout.words + layout.bias + o % kOutputs] =
        BitsOfFloat((*values)[o]);
  }
}

}  // namespace

bool StaysQuantized(const Tensor& matrix) {
  const Quantization& q = matrix.quantization;
  if (matrix.quantized != DataType::kInt8 || !matrix.is_constant() ||
      matrix.dims.size() != 2 || !matrix.sparsity.empty() ||
      static_cast<int64_t>(matrix.constant.bytes().size()) <
          matrix.shape.elements() ||
      std::any_of(q.zero_point.begin(), q.zero_point.end(),
                  [](int64_t zero) { return zero != 0; })) {
    return false;
  }
  // A texel of weights must be of one block.
  if (q.block > 0) return q.block >= 16 && IsPowerOfTwo(q.block);
  return q.scale.size() == 1 ||
         (q.dimension == 0 &&
          static_cast<int>(q.scale.size()) == matrix.dims[0]);
}

PackedConstant PackQuantizedRows(absl::string_view name, const Tensor& matrix,
                                 const Tensor* bias, const Filter& filter) {
  const RowLayout layout(matrix, filter);
  PackedConstant packed;
  packed.name = std::string(name);
  packed.cacheable = true;
  packed.width = layout.words / kTexelWords;
  packed.height = DivideUp(filter.outputs, kOutputs);
  QuantizedRows rows;
  rows.bits = layout.bits;
  rows.half_scales = layout.half_scales;
  rows.first_scale = layout.scales / kTexelWords;
  if (layout.blocks > 1) {
    rows.block_shift = 0;
    while (4 << rows.block_shift < matrix.quantization.block) {
      ++rows.block_shift;
    }
  }
  packed.quantized = rows;
  packed.fill_words =
      [matrix, filter, layout,
       bias = bias == nullptr ? Tensor() : *bias](absl::Span<uint32_t> words) {
        FillWeights(matrix, filter, layout, words);
        FillScales(matrix.quantization, filter.outputs, layout, words);
        if (bias.is_constant()) FillBias(bias, layout, words);
      };
  return packed;
}

void BindQuantizedRows(const Convolution& conv, const Graph& graph,
                       Dispatch* d) {
  d->Define("QUANTIZED");
  d->Constant(PackQuantizedRows("weights", graph.tensor(conv.weights.weights),
                                conv.weights.Bias(graph), conv.filter));
}

}  // namespace gles_delegate
