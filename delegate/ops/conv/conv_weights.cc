#include "delegate/ops/conv/conv_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/base/casts.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/parallel.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "quant/half.h"

namespace gles_delegate {
namespace {

// Where the first input of a group of the output's goes, in texels.
int FirstTexel(const Filter& filter, int output) {
  if (filter.groups == 1 || filter.groups_packed_apart()) return 0;
  return output / filter.outputs_per_group() * filter.inputs;
}

// Nothing without a constant bias.
FilterValues BiasValuesOf(const Tensor* bias) {
  if (bias == nullptr || !bias->is_constant()) return nullptr;
  return ValuesOf(*bias);
}

// The texels of a slice's inputs, of four outputs each.
struct TexelLine {
  int64_t first;
  int64_t step;
};

// Fills `out`, which is zero, with the filter: line_at(slice, tap) tells where
// the inputs of a tap and a slice of outputs go, bias_at(slice) where their
// bias does.
template <typename LineAt, typename BiasAt>
void FillFilter(const Filter& filter, const FilterValues& weights,
                const FilterValues& bias, const LineAt& line_at,
                const BiasAt& bias_at, absl::Span<float> out) {
  std::vector<float> room;
  const float* const values = weights(&room).data();
  // Of less, starting threads takes longer than it saves.
  constexpr size_t kFloatsForThreads = 1 << 18;
  const int threads = out.size() < kFloatsForThreads ? 1 : ThreadsForWork();
  InRangesBy(threads, filter.outputs, [&](int begin, int end) {
    for (int o = begin; o < end; ++o) {
      const int64_t shift = FirstTexel(filter, o);
      for (int tap = 0; tap < filter.taps; ++tap) {
        const TexelLine line = line_at(o / 4, tap);
        const float* from =
            values + (int64_t{o} * filter.taps + tap) * filter.inputs;
        float* to = &out[(line.first + shift * line.step) * 4 + o % 4];
        for (int i = 0; i < filter.inputs; ++i) to[i * line.step * 4] = from[i];
      }
    }
  });
  if (bias == nullptr) return;
  const absl::Span<const float> bias_values = bias(&room);
  for (int o = 0; o < filter.outputs; ++o) {
    out[bias_at(o / 4) * 4 + o % 4] = bias_values[o];
  }
}

// As the shaders of the kind read them.
PackedConstant PackConstants(const Convolution& conv, const WeightIds& ids,
                             const Graph& graph) {
  return conv.kind == Convolution::Kind::kDepthwise
             ? PackDepthwiseFilter(ids, graph)
             : PackFilter(ids, conv.filter, graph);
}

// The dispatch that packs weights at run time, without the tensors it reads and
// writes and its grid.
Dispatch PackAtRunTime(const Convolution& conv) {
  if (conv.kind == Convolution::Kind::kDepthwise) {
    return Dispatch("pack_depthwise_filter");
  }
  const Filter& filter = conv.filter;
  const bool apart = filter.groups == 1 || filter.groups_packed_apart();
  Dispatch pack("pack_filter");
  pack.uniforms.Int4("shape", filter.outputs, filter.taps, filter.inputs,
                     filter.outputs_per_group());
  pack.uniforms.Int("group_inputs", apart ? 0 : filter.inputs);
  return pack;
}

// Minimum pixels for which compiling such a long shader pays.
constexpr int kMinPixels = 2048;
// Maximum per partition, to bound the start-up time of models with many small
// layers. (No known model exceeds seven.)
constexpr int kMaxLiterals = 24;

// A constant that can be written as literals.
bool IsFinite(TensorId id, const Planner& planner) {
  if (id == kNoTensor) return true;
  const auto values = ConstantFloats(planner.tensor(id));
  return values.ok() && std::all_of(values->begin(), values->end(),
                                    [](float v) { return std::isfinite(v); });
}

}  // namespace

absl::Status CheckWeights(const Tensor& tensor, absl::string_view what) {
  // Packed rows are whole texels and end with the bias.
  constexpr int kMaxRow = std::numeric_limits<int>::max() - 4;
  if (tensor.shape.c > kMaxRow) {
    return Unimplemented(what, " has rows of ", tensor.shape.c,
                         " values; up to ", kMaxRow, " are supported");
  }
  if (!tensor.is_constant()) return CheckElementType(tensor, what, "fq");
  if (tensor.type != DataType::kFloat32 && tensor.type != DataType::kFloat16) {
    return Unimplemented(what, " is ", DataTypeName(tensor.type),
                         "; float32 and float16 are supported");
  }
  if (!tensor.sparsity.empty()) {
    return Unimplemented(
        what, " is sparse; a dense one is supported, which DENSIFY makes");
  }
  const int64_t wanted = tensor.shape.elements() *
                         static_cast<int64_t>(DataTypeSize(tensor.stored()));
  const int64_t got = static_cast<int64_t>(tensor.constant.bytes().size());
  if (got < wanted) {
    return Invalid(what, " holds ", got, " bytes, its shape needs ", wanted);
  }
  return absl::OkStatus();
}

absl::Status CheckBias(const Tensor* bias, int out_channels) {
  if (bias == nullptr) return absl::OkStatus();
  if (bias->shape.elements() != out_channels) {
    return Invalid("the bias has ", bias->shape.elements(),
                   " values, the filter has ", out_channels, " outputs");
  }
  if (!bias->is_constant() && bias->type == DataType::kInt32) {
    return Unimplemented(
        "the bias is int32 and computed at run time; an int32 bias must be a "
        "constant of the model");
  }
  if (!bias->is_constant() && bias->shape.c != out_channels) {
    return Unimplemented("the bias is computed at run time and ",
                         DimsString(bias->dims), "; a vector is supported");
  }
  return CheckWeights(*bias, "the bias");
}

FilterValues ValuesOf(const Tensor& tensor) {
  return [tensor](std::vector<float>* room) {
    auto values = ConstantFloats(tensor, room);
    if (values.ok()) return *values;
    room->assign(tensor.shape.elements(), 0.0f);
    return absl::MakeConstSpan(*room);
  };
}

PackedConstant PackFilter(FilterValues weights, FilterValues bias,
                          const Filter& filter) {
  const int bias_texel = filter.packed_input_slices() * 4;
  const int width = bias_texel + 1;
  PackedConstant packed("weights", width,
                        DivideUp(filter.outputs, 4) * filter.taps);
  packed.cacheable = true;
  packed.fill = [weights = std::move(weights), bias = std::move(bias), filter,
                 bias_texel, width](absl::Span<float> out) {
    const auto row = [&](int slice, int tap) {
      return (int64_t{slice} * filter.taps + tap) * width;
    };
    FillFilter(
        filter, weights, bias,
        [&](int slice, int tap) {
          return TexelLine{row(slice, tap), 1};
        },
        [&](int slice) { return row(slice, 0) + bias_texel; }, out);
  };
  return packed;
}

PackedConstant PackFilter(const WeightIds& ids, const Filter& filter,
                          const Graph& graph) {
  return PackFilter(ValuesOf(graph.tensor(ids.weights)),
                    BiasValuesOf(ids.Bias(graph)), filter);
}

PackedConstant PackPointwiseFilter(const WeightIds& ids, const Graph& graph,
                                   absl::string_view name) {
  const Shape& s = graph.tensor(ids.weights).shape;
  PackedConstant packed = PackFilter(ids, {s.b, 1, s.c, 1}, graph);
  packed.name = std::string(name);
  return packed;
}

int64_t FilterBlockTexels(const Filter& filter, int block_slices) {
  const int64_t slices = DivideUp(filter.inputs, 4);
  return (filter.taps * slices * 4 + 1) * block_slices;
}

PackedConstant PackFilterBlocks(FilterValues weights, FilterValues bias,
                                const Filter& filter, int block_slices) {
  PackedConstant packed(
      "weights", static_cast<int>(FilterBlockTexels(filter, block_slices)),
      DivideUp(DivideUp(filter.outputs, 4), block_slices));
  packed.cacheable = true;
  packed.fill = [weights = std::move(weights), bias = std::move(bias), filter,
                 block_slices](absl::Span<float> out) {
    const int pixel_inputs = (filter.inputs + 3) / 4 * 4;
    const int bias_at = filter.taps * pixel_inputs;
    // `input`: of the taps' channels, taken flat and padded to whole slices.
    const auto at = [&](int slice, int input) {
      const int64_t row = int64_t{slice / block_slices} * (bias_at + 1) + input;
      return row * block_slices + slice % block_slices;
    };
    FillFilter(
        filter, weights, bias,
        [&](int slice, int tap) {
          return TexelLine{at(slice, tap * pixel_inputs), block_slices};
        },
        [&](int slice) { return at(slice, bias_at); }, out);
  };
  return packed;
}

PackedConstant PackFilterBlocks(const WeightIds& ids, const Filter& filter,
                                const Graph& graph, int block_slices) {
  return PackFilterBlocks(ValuesOf(graph.tensor(ids.weights)),
                          BiasValuesOf(ids.Bias(graph)), filter, block_slices);
}

PackedConstant PackDepthwiseFilter(const WeightIds& ids, const Graph& graph,
                                   absl::string_view name) {
  const Tensor& weights = graph.tensor(ids.weights);
  const int outputs = weights.shape.c;
  const int taps = weights.shape.h * weights.shape.w;
  PackedConstant packed(name, taps + 1, (outputs + 3) / 4);
  packed.cacheable = true;
  packed.fill = [weights = ValuesOf(weights),
                 bias = BiasValuesOf(ids.Bias(graph)), outputs,
                 taps](absl::Span<float> out) {
    const auto at = [&](int output, int texel) -> float& {
      return out[(int64_t{output / 4} * (taps + 1) + texel) * 4 + output % 4];
    };
    std::vector<float> room;
    const absl::Span<const float> values = weights(&room);
    for (int tap = 0; tap < taps; ++tap) {
      for (int o = 0; o < outputs; ++o) at(o, tap) = values[tap * outputs + o];
    }
    if (bias == nullptr) return;
    const absl::Span<const float> bias_values = bias(&room);
    for (int o = 0; o < outputs; ++o) at(o, taps) = bias_values[o];
  };
  return packed;
}

void BindWindow(const Convolution& conv, Dispatch* d) {
  // One tap in place: what its dilation is means nothing.
  const SlidingWindow w = conv.IsPointwise() ? SlidingWindow() : conv.window;
  d->uniforms.Int4("stride_pad", w.stride_w, w.stride_h, w.pad_left, w.pad_top);
  d->uniforms.Int4("window", conv.window_w, conv.window_h, w.dilation_w,
                   w.dilation_h);
}

void BindDepthwiseWindow(const Convolution& conv, Dispatch* d) {
  const SlidingWindow& window = conv.window;
  d->Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Define("STRIDE_W", window.stride_w)
      .Define("STRIDE_H", window.stride_h);
  d->uniforms.Int4("step_pad", window.dilation_w, window.dilation_h,
                   window.pad_left, window.pad_top);
}

absl::Status BindFilter(const Convolution& conv, Planner* planner,
                        Dispatch* d) {
  if (conv.quantized_rows) {
    const Graph& graph = planner->graph();
    d->Define("QUANTIZED");
    d->Constant(PackQuantizedRows("weights", graph.tensor(conv.weights.weights),
                                  conv.weights.Bias(graph), conv.filter));
    return absl::OkStatus();
  }
  if (conv.constant_weights) {
    d->Constant(PackConstants(conv, conv.weights, planner->graph()));
    return absl::OkStatus();
  }
  if (conv.weights.bias != kNoTensor) {
    d->post_ops.push_back({"add", {}, conv.weights.bias});
  }
  PackedConstant packed =
      PackConstants(conv, {conv.weights.weights}, planner->graph());
  if (planner->tensor(conv.weights.weights).is_constant()) {
    d->Constant(std::move(packed));
    return absl::OkStatus();
  }
  const TensorId texels = planner->AddTemporary(
      "packed weights", {1, packed.height, packed.width, 4});
  Dispatch pack = PackAtRunTime(conv);
  pack.Read("raw", conv.weights.weights)
      .Write("packed_weights", texels)
      .Grid(packed.width, packed.height, 1);
  d->Read("weights", texels)
      .Define("weights_at(x, y)", "read_weights(x, y, 0, 0)");
  return planner->Add(std::move(pack));
}

int BlocksOf(const Convolution& conv) {
  return conv.term_texels() * conv.dst_shape.slices();
}

bool PaysAsLiterals(const Convolution& conv, const Planner& planner) {
  return BlocksOf(conv) <= planner.choices().unrolled_terms &&
         conv.pixels() >= kMinPixels &&
         planner.literal_dispatches() < kMaxLiterals && conv.constant_weights &&
         IsFinite(conv.weights.weights, planner) &&
         IsFinite(conv.weights.bias, planner);
}

// --- Rows of quantized weights -----------------------------------------------

namespace {

constexpr int kWordBits = 32;
constexpr int kTexelWords = 4;
constexpr int kOutputs = 4;  // of a row

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
        row[place] = absl::bit_cast<uint32_t>(scale);
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
        absl::bit_cast<uint32_t>((*values)[o]);
  }
}

}  // namespace

bool StaysQuantized(const Tensor& matrix) {
  const Quantization& q = matrix.quantization;
  if (matrix.quantized != DataType::kInt8 || !matrix.is_constant() ||
      matrix.dims.size() != 2 || !matrix.sparsity.empty() ||
      static_cast<int64_t>(matrix.constant.bytes().size()) <
          matrix.shape.elements() ||
      q.has_zero_point()) {
    return false;
  }
  // A texel of weights must be of one block.
  if (q.block > 0) return q.block >= 16 && (q.block & (q.block - 1)) == 0;
  return q.scale.size() == 1 ||
         (q.dimension == 0 &&
          static_cast<int>(q.scale.size()) == matrix.dims[0]);
}

PackedConstant PackQuantizedRows(absl::string_view name, const Tensor& matrix,
                                 const Tensor* bias, const Filter& filter) {
  const RowLayout layout(matrix, filter);
  PackedConstant packed(name, layout.words / kTexelWords,
                        DivideUp(filter.outputs, kOutputs));
  packed.cacheable = true;
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

}  // namespace gles_delegate
