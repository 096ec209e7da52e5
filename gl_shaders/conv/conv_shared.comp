// CONV_2D as tiled GEMM in shared memory: pixels (flat over batch, rows,
// columns) by output slices, summed over terms of four input channels (taps *
// input slices). x counts pixels, y slices; the z lanes of a work group share
// each sum: each takes CHUNK_TERMS of every chunk of terms. The next chunk is
// loaded while the current one is multiplied.
// - DEPTHWISE: for a 1x1 window whose input is a depthwise convolution of src
//   (KERNEL_W x KERNEL_H; stride, padding and dilation are its), computed here.
//   INNER_STAGE: the functions of its results.
// - WHOLE_CHUNKS: the last chunk is full; nothing is read past the last term.
// - INPUT_STAGE: for a 1x1 window; functions of the input.
// - HALF_ARITHMETIC: a lane multiplies and sums its 4 * CHUNK_TERMS products of
//   a chunk in 16 bits; these sums are added in 32 bits. CHUNK_TERMS is even.
//   Shared memory holds pairs of texels in 16 bits: inputs of two consecutive
//   terms, weights of two consecutive channels.
// - ROWS: for a 1x1 window; the weights of an output slice are a row, as
//   gemv_by_lanes.comp has them. QUANTIZED: quantized rows; BLOCKS: a row has
//   several scales.
// - PRODUCTS: each z of the work groups is one row of src with separate
//   weights.
// - MATRICES: each z of the work groups is one matrix of dst, a product of a
//   matrix of src and one of the tensor `matrix`, whose rows are the terms or,
//   with ADJ_Y, the outputs. Matrices of src and `matrix` may repeat.
// - LARGE_INDICES: too many pixels or terms for op_quotient.
// - NEXT_PIXELS: one work group along y has all slices of dst, and also computes
//   a 1x1 convolution of them, next, from shared memory. An invocation computes
//   NEXT_PIXELS pixels of it. NEXT_STAGE: the functions of next's sums.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 sum_shape;   // pixels, terms, input slices; MATRICES: terms not by four
  vec4 reciprocals;  // of dst's width and height, input slices, window's width
};

// Added to the bounds of loops over outputs so that compilers do not unroll
// them: the code for an output, above all requantization, is long, and a first
// start has to compile it. Arrays still need constant indices to stay in
// registers: the next elements move to the front.
#define UNKNOWN_ZERO grid.w

const int kCells = WORK_GROUP_X * WORK_GROUP_Y;
const int kInvocations = kCells * WORK_GROUP_Z;
const int kTile = TILE_PIXELS * TILE_SLICES;
#ifdef HALF_ARITHMETIC
#define PACKET uvec4
const int kPacketTexels = 2;
#else
#define PACKET vec4
const int kPacketTexels = 1;
#endif
const int kLanes = WORK_GROUP_Z;
const int kPixels = WORK_GROUP_X * TILE_PIXELS;  // of a work group
const int kSlices = WORK_GROUP_Y * TILE_SLICES;
const int kChunk = kLanes * CHUNK_TERMS;
const int kInputs = kChunk * kPixels / kPacketTexels;  // packets of a chunk
const int kWeightRows = kChunk * 4 / kPacketTexels;
const int kWeights = kWeightRows * kSlices;
const int kRowsOfTerm = 4 / kPacketTexels;
// From a row of weights to the next one, and from a term's to the next term's.
// Columns are stored along the rows of MATRICES and ROWS, and the rows of a
// term together if QUANTIZED: strides of kSlices would put them all in the same
// banks.
#if (defined(MATRICES) || defined(ROWS)) && !defined(QUANTIZED)
const int kStride = kSlices + 1;
#else
const int kStride = kSlices;
#endif
#ifdef QUANTIZED
const int kTermStride = kRowsOfTerm * kStride + 1;
#else
const int kTermStride = kRowsOfTerm * kStride;
#endif
const int kStaged = kInputs + kChunk * kTermStride;
// The share of each invocation. If shares are unequal, some load the last
// packet as well.
#define SHARE_OF(AT, PACKETS) \
  ((PACKETS) % kInvocations == 0 ? (AT) : min(AT, (PACKETS) - 1))
const int kInputsEach = (kInputs + kInvocations - 1) / kInvocations;
#ifdef QUANTIZED
const int kLoads = kChunk * kSlices;  // a term of a slice each
#else
const int kLoads = kWeights;
#endif
const int kWeightsEach = (kLoads + kInvocations - 1) / kInvocations;
const int kPixelsEach = kInvocations % kPixels == 0 ? 1 : kInputsEach;
const int kPartials = kLanes > 1 ? kTile * kInvocations : 1;
// A chunk's inputs, by term and pixel; then its weights, by term, channel and
// slice. At the end the lanes' sums, by output of the tile, lane and cell.
shared PACKET mem[kStaged > kPartials ? kStaged : kPartials];
#ifdef NEXT_PIXELS
// This group's pixels of dst, by slice and pixel.
shared vec4 between[kSlices * kPixels];
#endif
const int kSeveral = kInputsEach > 1 ? 1 : 0;
#ifdef HALF_ARITHMETIC
void put_partial(int at, vec4 v) { mem[at] = floatBitsToUint(v); }
vec4 partial(int at) { return uintBitsToFloat(mem[at]); }
#else
void put_partial(int at, vec4 v) { mem[at] = v; }
vec4 partial(int at) { return mem[at]; }
#endif

#ifdef PRODUCTS
ivec3 pixel_at(int index) { return ivec3(index, int(gl_WorkGroupID.z), 0); }
// The row of the weights for this group's slices.
int weights_row() {
  return int(gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y);
}
#elif defined(MATRICES)
// x, y, batch
ivec3 pixel_at(int index) {
  int z = int(gl_WorkGroupID.z);
  int batch = z / dst_size.y;
  return ivec3(index, z - batch * dst_size.y, batch);
}
#else
int weights_row() { return int(gl_WorkGroupID.y); }
// x, y, batch
ivec3 pixel_at(int index) {
  int row = op_quotient(index, dst_size.x, reciprocals.x);
  int batch = op_quotient(row, dst_size.y, reciprocals.y);
  return ivec3(index - row * dst_size.x, row - batch * dst_size.y, batch);
}
#endif

#if !defined(POINTWISE) && !defined(DEPTHWISE) && !defined(MATRICES)
// The input of `term` of a window for output pixel p.
vec4 window_source(ivec3 p, int term) {
  int tap = op_quotient(term, sum_shape.z, reciprocals.z);
  int ky = op_quotient(tap, window.x, reciprocals.w);
  ivec2 at = p.xy * stride_pad.xy - stride_pad.zw +
             ivec2(tap - ky * window.x, ky) * window.zw;
  ivec2 inside = clamp(at, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, term - tap * sum_shape.z, p.z);
  return at == inside ? texel : vec4(0.0);
}
#endif

// The input of `term` for output pixel p; zero past the last term.
vec4 source(ivec3 p, int term) {
#ifndef WHOLE_CHUNKS
  if (term >= sum_shape.y) return vec4(0.0);
#endif
#ifdef DEPTHWISE
  ivec2 first = p.xy * stride_pad.xy - stride_pad.zw;
  vec4 v = depthwise_at(KERNEL_W * KERNEL_H, term);
  for (int ky = 0; ky < KERNEL_H + UNKNOWN_ZERO; ++ky) {
    for (int kx = 0; kx < KERNEL_W; ++kx) {
      ivec2 at = first + ivec2(kx, ky) * window.zw;
      ivec2 inside = clamp(at, ivec2(0), src_size.xy - 1);
      vec4 texel = read_src(inside.x, inside.y, term, p.z);
      v += depthwise_at(ky * KERNEL_W + kx, term) *
           (at == inside ? texel : vec4(0.0));
    }
  }
  return inner_stage(p.x, p.y, term, p.z, v);
#elif defined(INPUT_STAGE)
  return input_stage(p.x, p.y, term, p.z, read_src(p.x, p.y, term, p.z));
#elif defined(POINTWISE) || defined(MATRICES)
  return read_src(p.x, p.y, term, p.z);
#else
  return window_source(p, term);
#endif
}

#ifdef HALF_ARITHMETIC
// The inputs of `term` and the next one.
uvec4 input_packet(ivec3 p, int term) {
#if (defined(POINTWISE) || defined(MATRICES)) && !defined(INPUT_STAGE)
#ifndef WHOLE_CHUNKS
  if (term >= sum_shape.y) return uvec4(0u);
  if (term + 1 == sum_shape.y) {
    return uvec4(packed_src(p.x, p.y, term, p.z), uvec2(0u));
  }
#endif
  return uvec4(packed_src(p.x, p.y, term, p.z),
               packed_src(p.x, p.y, term + 1, p.z));
#else
  return uvec4(pack_texel(source(p, term)), pack_texel(source(p, term + 1)));
#endif
}
#else
vec4 input_packet(ivec3 p, int term) { return source(p, term); }
#endif

#if (defined(ROWS) && !defined(QUANTIZED)) || \
    (defined(MATRICES) && !defined(ADJ_Y))
// Neighbouring invocations load adjacent terms of an output slice.
int weight_slot(int index) {
  int slice = index / kWeightRows;
  return (index - slice * kWeightRows) * kStride + slice;
}
#endif

#ifdef MATRICES
#ifdef HALF_ARITHMETIC
#define MATRIX_TEXEL uvec2
#define MATRIX_AT packed_matrix
#else
#define MATRIX_TEXEL vec4
#define MATRIX_AT read_matrix
#endif
// Zero past the last row, whatever x has there: `matrix` may hold infinities.
MATRIX_TEXEL matrix_texel(int row, int column) {
#ifdef ADJ_Y
  int rows = dst_aux.x;
#else
  int rows = sum_shape.w;
#endif
  if (row >= rows || column >= matrix_size.z) return MATRIX_TEXEL(0);
  ivec3 p = pixel_at(0);
  return MATRIX_AT(row, min(p.y, matrix_size.y - 1), column,
                   min(p.z, matrix_size.w - 1));
}

// Packet `index` of `matrix` from `term` on, for this group's slices, goes to
// weight_slot(index). Neighbouring invocations load adjacent rows.
#ifndef ADJ_Y
PACKET weight_packet(int term, int index) {
  int slice = index / kWeightRows;
  int row = term * 4 + (index - slice * kWeightRows) * kPacketTexels;
  int column = int(gl_WorkGroupID.y) * kSlices + slice;
#ifdef HALF_ARITHMETIC
  return uvec4(matrix_texel(row, column), matrix_texel(row + 1, column));
#else
  return matrix_texel(row, column);
#endif
}
#elif defined(HALF_ARITHMETIC)
int weight_slot(int index) {
  int pair = index / kSlices;
  return pair * kStride + index - pair * kSlices;
}
uvec4 weight_packet(int term, int index) {
  int pair = index / kSlices;  // of terms
  int row = (int(gl_WorkGroupID.y) * kSlices + index - pair * kSlices) * 4;
  uvec4 terms;  // two of each row
  for (int i = 0; i < 4; ++i) {
    uvec2 texel = matrix_texel(row + i, term + (pair >> 1));
    terms[i] = (pair & 1) == 0 ? texel.x : texel.y;
  }
  uvec4 low = terms & 0xffffu;
  uvec4 high = terms >> 16;
  return uvec4(low.xz | low.yw << 16, high.xz | high.yw << 16);
}
#else
const int kRowsOfMatrix = 4 * kSlices;
int weight_slot(int index) {
  int term = index / kRowsOfMatrix;
  int row = index - term * kRowsOfMatrix;
  return (term * 4 + (row & 3)) * kStride + (row >> 2);
}
vec4 weight_packet(int term, int index) {
  int column = index / kRowsOfMatrix;
  int row = index - column * kRowsOfMatrix;
  return matrix_texel(int(gl_WorkGroupID.y) * kRowsOfMatrix + row,
                      term + column);
}
#endif
#elif defined(ROWS)
// Past the end, the last one repeats.
int weights_row(int slice) {
  return min(int(gl_WorkGroupID.y) * kSlices + slice, dst_size.z - 1);
}

#ifdef QUANTIZED
// 16 bits would overflow if sums were scaled, not weights.
#if defined(BLOCKS) || defined(HALF_ARITHMETIC)
#define SCALED_WEIGHTS
#endif

// Neighbouring invocations load adjacent terms of an output slice.
int load_slice(int index) { return index / kChunk; }
int load_term(int index) { return index - load_slice(index) * kChunk; }

// Words of load `index` from `first` on; zero past the last term.
ivec4 weight_words(int first, int index) {
  int term = first + load_term(index);
#ifndef WHOLE_CHUNKS
  if (term >= sum_shape.y) return ivec4(0);
#endif
  return weights_words(term / weights_fours, weights_row(load_slice(index)));
}

// The weights of load `index` from its words.
void put_weights(int first, int index, ivec4 words) {
  int slice = load_slice(index);
  int term = load_term(index);
  mat4 w = weights_columns(words, (first + term) & (weights_fours - 1));
#ifdef SCALED_WEIGHTS
  // Past the last term the weights are zero, and what follows is not a scale.
  vec4 scale =
      weights_scale(min(first + term, sum_shape.y - 1), weights_row(slice));
  for (int k = 0; k < 4; ++k) w[k] *= scale;
#endif
  int at = kInputs + term * kTermStride + slice;
  for (int k = 0; k < kRowsOfTerm; ++k) {
#ifdef HALF_ARITHMETIC
    mem[at + k * kStride] =
        uvec4(pack_texel(w[2 * k]), pack_texel(w[2 * k + 1]));
#else
    mem[at + k * kStride] = w[k];
#endif
  }
}
#else
// Packet `index` of the weights from `term` on, for this group's slices; zero
// past the last term.
PACKET weight_packet(int term, int index) {
  int slice = index / kWeightRows;
  int x = term * 4 + (index - slice * kWeightRows) * kPacketTexels;
#ifndef WHOLE_CHUNKS
  if (x >= sum_shape.y * 4) return PACKET(0);
#endif
  int row = weights_row(slice);
#ifdef HALF_ARITHMETIC
  return uvec4(packed_weights(x, row), packed_weights(x + 1, row));
#else
  return weights_at(x, row);
#endif
}
#endif
#else
int weight_slot(int index) { return index; }

// Packet `index` of the weights from `term` on, for this group's slices; zero
// past the last term.
PACKET weight_packet(int term, int index) {
  int row = weights_row();
#ifdef HALF_ARITHMETIC
  int pair = index / kSlices;
  int at = (term * 4 + pair * 2) * kSlices + index - pair * kSlices;
#else
  int at = term * 4 * kSlices + index;
#endif
#ifndef WHOLE_CHUNKS
  if (at >= sum_shape.y * 4 * kSlices) return PACKET(0);
#endif
#ifdef HALF_ARITHMETIC
  return uvec4(packed_weights(at, row), packed_weights(at + kSlices, row));
#else
  return weights_at(at, row);
#endif
}
#endif

// This invocation's cell, by pixels and slices.
ivec2 cell_of_tile() {
#if WORK_GROUP_X % 8 == 0 && WORK_GROUP_Y % 4 == 0
  return op_cell(int(gl_LocalInvocationIndex) % kCells, WORK_GROUP_X / 8);
#elif WORK_GROUP_X % 4 == 0 && WORK_GROUP_Y % 8 == 0
  return op_cell(int(gl_LocalInvocationIndex) % kCells, WORK_GROUP_Y / 8).yx;
#else
  return ivec2(gl_LocalInvocationID.xy);
#endif
}

// Writes output (q, i) of the tile of `cell`.
void put(int first_pixel, ivec2 cell, int q, int i, vec4 total) {
  int in_group = cell.y + WORK_GROUP_Y * q;
  int slice = int(gl_WorkGroupID.y) * kSlices + in_group;
  int pixel_in_group = cell.x + WORK_GROUP_X * i;
  int pixel = first_pixel + pixel_in_group;
  if (pixel >= sum_shape.x || slice >= dst_size.z) return;
#ifdef QUANTIZED
#ifndef SCALED_WEIGHTS
  total *= weights_scale(0, slice);
#endif
  total += weights_bias(slice);
#elif defined(ROWS)
  total += weights_at(sum_shape.y * 4, slice);
#elif !defined(MATRICES)
  total += weights_at(sum_shape.y * 4 * kSlices + in_group, weights_row());
#endif
  ivec3 at = pixel_at(pixel);
#ifdef NEXT_PIXELS
  vec4 v = value_dst(at.x, at.y, slice, at.z, total);
  between[slice * kPixels + pixel_in_group] = v;
  store_dst(at.x, at.y, slice, at.z, v);
#else
  write_dst(at.x, at.y, slice, at.z, total);
#endif
}

#if WORK_GROUP_Z > 1
// Writes output `o` of a tile from the sums of a cell's lanes; `index`: the
// cell's first.
void put_tile(int first_pixel, ivec2 cell, int index, int o) {
  vec4 total = vec4(0.0);
  for (int l = 0; l < kLanes; ++l) {
    total += partial(o * kInvocations + l * kCells + index);
  }
  int q = o / TILE_PIXELS;
  put(first_pixel, cell, q, o - q * TILE_PIXELS, total);
}
#endif

#ifdef NEXT_PIXELS
// Computes one slice of `next` for NEXT_PIXELS of this group's pixels, kRuns
// apart, so that neighbours write adjacent texels.
const int kRuns = kPixels / NEXT_PIXELS;
// Terms whose weights are loaded at a time.
const int kTermsAtATime = 2;
void put_next(int first_pixel, int run, int slice) {
  vec4 sum[NEXT_PIXELS];
  vec4 bias = next_weights_at(dst_size.z * 4 * next_size.z + slice, 0);
  for (int i = 0; i < NEXT_PIXELS; ++i) sum[i] = bias;
  for (int first = 0; first < dst_size.z; first += kTermsAtATime) {
    vec4 w[kTermsAtATime * 4];
    for (int k = 0; k < kTermsAtATime * 4; ++k) {
      int channel = min(first * 4 + k, dst_size.z * 4 - 1);
      w[k] = next_weights_at(channel * next_size.z + slice, 0);
    }
    for (int k = 0; k < kTermsAtATime; ++k) {
      if (first + k >= dst_size.z) break;
      for (int i = 0; i < NEXT_PIXELS; ++i) {
        vec4 v = between[(first + k) * kPixels + run + kRuns * i];
        sum[i] += w[k * 4] * v.x;
        sum[i] += w[k * 4 + 1] * v.y;
        sum[i] += w[k * 4 + 2] * v.z;
        sum[i] += w[k * 4 + 3] * v.w;
      }
    }
  }
  for (int i = 0; i < NEXT_PIXELS + UNKNOWN_ZERO; ++i) {
    int pixel = first_pixel + run + kRuns * i;
    if (pixel >= sum_shape.x) return;
    vec4 v = sum[0];
    for (int k = 1; k < NEXT_PIXELS; ++k) sum[k - 1] = sum[k];
    ivec3 p = pixel_at(pixel);
    write_next(p.x, p.y, slice, p.z, next_stage(p.x, p.y, slice, p.z, v));
  }
}
#endif

// One long function, since it works on arrays in registers: drivers may copy an
// array that is passed to a function, and then to memory.
void main() {
  // No early return, since barriers follow. Past the end, the last one repeats.
  ivec2 cell = cell_of_tile();
  int lane = int(gl_LocalInvocationID.z);
  int index = int(gl_LocalInvocationIndex);
  int first_pixel = int(gl_WorkGroupID.x) * kPixels;

  // An invocation loads inputs of one pixel, or of different ones.
  ivec3 from[kPixelsEach];
  for (int i = 0; i < kPixelsEach; ++i) {
    int at = index + i * kInvocations;
    int in_group = at - at / kPixels * kPixels;
    from[i] = pixel_at(min(first_pixel + in_group, sum_shape.x - 1));
#ifdef MATRICES
    from[i].yz = min(from[i].yz, src_size.yw - 1);
#endif
  }
#ifndef DEPTHWISE
  int term_from[kInputsEach];
  for (int i = 0; i < kInputsEach; ++i) {
    int at = SHARE_OF(index + i * kInvocations, kInputs);
    term_from[i] = at / kPixels * kPacketTexels;
  }
#endif
  PACKET next_input[kInputsEach];
#ifdef QUANTIZED
  ivec4 next_weight[kWeightsEach];
#else
  PACKET next_weight[kWeightsEach];
#endif
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = vec4(0.0);
  }

  // One piece of code for the first and all other chunks, to reduce compilation
  // time at the first start.
  for (int chunk = -kChunk; chunk < sum_shape.y; chunk += kChunk) {
    if (chunk >= 0) {
      for (int i = 0; i < kInputsEach; ++i) {
        int at = index + i * kInvocations;
        if (kInputs % kInvocations == 0 || at < kInputs) {
          mem[at] = next_input[i];
        }
      }
      for (int i = 0; i < kWeightsEach; ++i) {
        int at = index + i * kInvocations;
        if (kLoads % kInvocations == 0 || at < kLoads) {
#ifdef QUANTIZED
          put_weights(chunk, at, next_weight[i]);
#else
          mem[kInputs + weight_slot(at)] = next_weight[i];
#endif
        }
      }
      barrier();
    }
    int next = chunk + kChunk;
    if (next < sum_shape.y) {
#ifdef DEPTHWISE
      // Each input is a window, and thus long code.
      for (int i = 0; i < kInputsEach + kSeveral * UNKNOWN_ZERO; ++i) {
        int at = SHARE_OF(index + i * kInvocations, kInputs);
        PACKET v = input_packet(from[kPixelsEach > 1 ? kSeveral * i : 0],
                                next + at / kPixels * kPacketTexels);
        for (int k = 1; k < kInputsEach; ++k) next_input[k - 1] = next_input[k];
        next_input[kInputsEach - 1] = v;
      }
#else
      for (int i = 0; i < kInputsEach; ++i) {
        next_input[i] =
            input_packet(from[kPixelsEach > 1 ? i : 0], next + term_from[i]);
      }
#endif
      for (int i = 0; i < kWeightsEach; ++i) {
        int at = SHARE_OF(index + i * kInvocations, kLoads);
#ifdef QUANTIZED
        next_weight[i] = weight_words(next, at);
#else
        next_weight[i] = weight_packet(next, at);
#endif
      }
    }
    if (chunk < 0) continue;
#ifdef HALF_ARITHMETIC
    const int kPairs = CHUNK_TERMS / 2;  // of this lane's terms
    uvec4 v[TILE_PIXELS * kPairs];
    for (int i = 0; i < TILE_PIXELS; ++i) {
      for (int t = 0; t < kPairs; ++t) {
        v[i * kPairs + t] =
            mem[(lane * kPairs + t) * kPixels + cell.x + WORK_GROUP_X * i];
      }
    }
    for (int q = 0; q < TILE_SLICES; ++q) {
      uvec4 w[kPairs * 4];
      for (int k = 0; k < kPairs * 4; ++k) {
        int term = lane * CHUNK_TERMS + k / kRowsOfTerm;
        w[k] = mem[kInputs + term * kTermStride + k % kRowsOfTerm * kStride +
                   cell.y + WORK_GROUP_Y * q];
      }
      for (int i = 0; i < TILE_PIXELS; ++i) {
        mediump vec4 part = vec4(0.0);
        for (int t = 0; t < kPairs; ++t) {
          mediump vec4 first = halves(v[i * kPairs + t].xy);
          mediump vec4 second = halves(v[i * kPairs + t].zw);
          part += halves(w[4 * t].xy) * first.x;
          part += halves(w[4 * t].zw) * first.y;
          part += halves(w[4 * t + 1].xy) * first.z;
          part += halves(w[4 * t + 1].zw) * first.w;
          part += halves(w[4 * t + 2].xy) * second.x;
          part += halves(w[4 * t + 2].zw) * second.y;
          part += halves(w[4 * t + 3].xy) * second.z;
          part += halves(w[4 * t + 3].zw) * second.w;
        }
        sum[q][i] += part;
      }
    }
#else
    for (int t = 0; t < CHUNK_TERMS; ++t) {
      int term = lane * CHUNK_TERMS + t;
      vec4 v[TILE_PIXELS];
      for (int i = 0; i < TILE_PIXELS; ++i) {
        v[i] = mem[term * kPixels + cell.x + WORK_GROUP_X * i];
      }
      for (int q = 0; q < TILE_SLICES; ++q) {
        int at = kInputs + term * kTermStride + cell.y + WORK_GROUP_Y * q;
        vec4 w0 = mem[at];
        vec4 w1 = mem[at + kStride];
        vec4 w2 = mem[at + 2 * kStride];
        vec4 w3 = mem[at + 3 * kStride];
#ifdef ADJ_Y  // each has four terms of an output
        mat4 columns = transpose(mat4(w0, w1, w2, w3));
        w0 = columns[0];
        w1 = columns[1];
        w2 = columns[2];
        w3 = columns[3];
#endif
        for (int i = 0; i < TILE_PIXELS; ++i) {
          // One fused multiply-add each; a sum of products would be a
          // multiplication, three of those and an addition.
          sum[q][i] += w0 * v[i].x;
          sum[q][i] += w1 * v[i].y;
          sum[q][i] += w2 * v[i].z;
          sum[q][i] += w3 * v[i].w;
        }
      }
    }
#endif
    // Before the next chunk overwrites this one.
    barrier();
  }

#if WORK_GROUP_Z > 1
  int first_lane = index - lane * kCells;
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      put_partial((q * TILE_PIXELS + i) * kInvocations + index, sum[q][i]);
    }
  }
  barrier();
  // The lanes divide the tile's outputs.
#if WORK_GROUP_Z >= TILE_PIXELS * TILE_SLICES
  if (lane < kTile) put_tile(first_pixel, cell, first_lane, lane);
#else
  for (int o = lane; o < kTile + UNKNOWN_ZERO; o += kLanes) {
    put_tile(first_pixel, cell, first_lane, o);
  }
#endif
#else
  for (int q = 0; q < TILE_SLICES + UNKNOWN_ZERO; ++q) {
    for (int i = 0; i < TILE_PIXELS + UNKNOWN_ZERO; ++i) {
      put(first_pixel, cell, q, i, sum[0][0]);
      for (int k = 1; k < TILE_PIXELS; ++k) sum[0][k - 1] = sum[0][k];
    }
    for (int r = 1; r < TILE_SLICES; ++r) {
      for (int k = 0; k < TILE_PIXELS; ++k) sum[r - 1][k] = sum[r][k];
    }
  }
#endif

#ifdef NEXT_PIXELS
  barrier();
  for (int task = index; task < kRuns * next_size.z; task += kInvocations) {
    int slice = task / kRuns;
    put_next(first_pixel, task - slice * kRuns, slice);
  }
#endif
}
