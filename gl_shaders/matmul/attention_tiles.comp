// Attention of many rows on GPUs: softmax(q * transposed k, by SCORE_STAGE) * v,
// without the scores in memory. A work group computes CELLS_Y * TILE_ROWS rows,
// a tile of 4 * CELLS_X keys at a time: it keeps each row's largest score up to
// there, and scales its sums when that grows. An invocation has TILE_ROWS rows,
// four keys of each tile and TILE_SLICES slices of the results. LANES of
// CELLS_X * CELLS_Y invocations take tiles alternately, each with its own maxima
// and sums, which are joined at the end. TERMS: slices of a row of q and k. A
// chunk of keys has CHUNK_TERMS terms, one of values VALUE_KEYS keys; the next
// chunk is loaded while the current one is multiplied. TRANSPOSED: v's rows are
// the results' channels. HALF_ARITHMETIC, not with TRANSPOSED: products and
// their sums over a chunk are in 16 bits, the others in 32; shared memory holds
// 16 bits. z: matrices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;  // rows, scores of a row, slices of results
  int heights;   // matrices of a batch
  float beta;
};

// Added to the bounds of loops over chunks so that compilers do not unroll them:
// a first start has to compile it all.
#define UNKNOWN_ZERO grid.w

const float kMin = -3.402823466e38;

const int kThreads = CELLS_X * CELLS_Y;  // of a lane
const int kRows = CELLS_Y * TILE_ROWS;  // of a work group
const int kKeys = 4 * CELLS_X;          // of a tile
const int kSlices = CELLS_X * TILE_SLICES;
const int kKeyChunks = (TERMS + CHUNK_TERMS - 1) / CHUNK_TERMS;
const int kValueTexels = VALUE_KEYS * kSlices;
const int kValuesEach = (kValueTexels + kThreads - 1) / kThreads;
// Strides that spread the texels that invocations of a warp access at once over
// the banks: from one of a cell's keys to the next, from a term of keys to the
// next, between the probabilities of neighbouring cells, between values.
const int kKeyStride = CELLS_X + 2;
const int kTermStride = 4 * kKeyStride;
const int kCellStride = kRows + 1;
const int kValueStride = kSlices + 1;

#ifdef HALF_ARITHMETIC
#define TEXEL uvec2
#define Q_TEXEL packed_q
#define K_TEXEL packed_k
#define V_TEXEL packed_v
#define PACKED(v) pack_texel(v)
#define VALUES(texel) halves(texel)
#define PRECISION mediump
const int kSumTexels = 2;  // of a vec4 of floats
#else
#define TEXEL vec4
#define Q_TEXEL read_q
#define K_TEXEL read_k
#define V_TEXEL read_v
#define PACKED(v) (v)
#define VALUES(texel) (texel)
#define PRECISION highp
const int kSumTexels = 1;
// Sums of a chunk.
#define score_part score
#define sum_part sum
#endif

shared TEXEL queries[TERMS * kRows];
// Each lane has a part of these. Probabilities of a tile, not yet divided by
// their sums, by cell and row; first each cell's share of a row's maximum, last
// of its sum, as x.
shared TEXEL probabilities[LANES * CELLS_X * kCellStride];
const int kChunkTexels = max(max(CHUNK_TERMS * kTermStride, VALUE_KEYS * kValueStride),
                             LANES > 1 ? kThreads * kSumTexels : 0);
shared TEXEL chunk[LANES * kChunkTexels];
shared float row_total[LANES * kRows];  // the maximum or the sum of a row
#if LANES > 1
shared float row_most[LANES * kRows];
#endif

int height;
int batch;

#ifdef HALF_ARITHMETIC
void put_share(int at, float v) { probabilities[at].x = floatBitsToUint(v); }
float share_at(int at) { return uintBitsToFloat(probabilities[at].x); }
void put_sum(int at, vec4 v) {
  uvec4 bits = floatBitsToUint(v);
  chunk[2 * at] = bits.xy;
  chunk[2 * at + 1] = bits.zw;
}
vec4 sum_at(int at) { return uintBitsToFloat(uvec4(chunk[2 * at], chunk[2 * at + 1])); }
#else
void put_share(int at, float v) { probabilities[at].x = v; }
float share_at(int at) { return probabilities[at].x; }
void put_sum(int at, vec4 v) { chunk[at] = v; }
vec4 sum_at(int at) { return chunk[at]; }
#endif

// The term of key `key` of a chunk that starts at `first` and `term`. Past the
// last key, it repeats.
TEXEL key_of(int first, int term, int key) {
  if (TERMS % CHUNK_TERMS != 0 && term >= TERMS) return TEXEL(0);
  return K_TEXEL(K_PLACE(min(first + key, extent.y - 1), term));
}

#ifdef HALF_ARITHMETIC
// The chunk has a component of four keys in a texel, so an invocation loads
// the term of four keys at a time.
const int kLoadTexels = 4;
#else
const int kLoadTexels = 1;
#endif
const int kLoadsOfTerm = kKeys / kLoadTexels;
const int kKeyLoads = CHUNK_TERMS * kLoadsOfTerm;
const int kKeysEach = (kKeyLoads + kThreads - 1) / kThreads;

// Texel `at` of the chunk of values from `first` on, by slice and key; zero past
// the last key, whatever v has there. TRANSPOSED: by four channels and four
// keys; the channels take the places of keys.
TEXEL value_at(int first, int at) {
  int slice = min(at / VALUE_KEYS, extent.z - 1);
  int key = first + at % VALUE_KEYS;
#ifdef TRANSPOSED
  ivec4 keys = (key & ~3) + ivec4(0, 1, 2, 3);
  if (keys.x >= extent.y) return vec4(0.0);
  vec4 v = V_TEXEL(V_PLACE(4 * slice + (key & 3), keys.x / 4));
  return mix(v, vec4(0.0), greaterThanEqual(keys, ivec4(extent.y)));
#else
  return key < extent.y ? V_TEXEL(V_PLACE(key, slice)) : TEXEL(0);
#endif
}
int value_slot(int at) {
  return at % VALUE_KEYS * kValueStride + at / VALUE_KEYS;
}

// Past the last slice of scores, it repeats.
vec4 with_functions(vec4 v, int row, int s) {
  return score_stage(row, height, min(s, (extent.y - 1) / 4), batch, v) * beta;
}

// Loads this invocation's part of the chunk of keys from FIRST and TERM on.
#define LOAD_KEYS(FIRST, TERM)                                               \
  for (int e = 0; e < kKeysEach; ++e) {                                      \
    int at = min(index + e * kThreads, kKeyLoads - 1);                       \
    for (int j = 0; j < kLoadTexels; ++j) {                                  \
      next_keys[e * kLoadTexels + j] =                                       \
          key_of(FIRST, TERM + at / kLoadsOfTerm,                            \
                 at % kLoadsOfTerm * kLoadTexels + j);                       \
    }                                                                        \
  }

// Combines the cells' shares V of this invocation's rows in the lane's row_total.
#define TOTAL_ROWS(V, FUNCTION)                                              \
  for (int i = 0; i < TILE_ROWS; ++i) {                                      \
    put_share(of_cells + cell * kCellStride + row_cell + CELLS_Y * i, V);    \
  }                                                                          \
  barrier();                                                                 \
  for (int row = index; row < kRows; row += kThreads) {                      \
    float total = share_at(of_cells + row);                                  \
    for (int c = 1; c < CELLS_X; ++c) {                                      \
      total = FUNCTION(total, share_at(of_cells + c * kCellStride + row));   \
    }                                                                        \
    row_total[of_rows + row] = total;                                        \
  }                                                                          \
  barrier();

float plus(float a, float b) { return a + b; }

float most_of(vec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

// One long function, since it works on arrays in registers: drivers may copy an
// array that is passed to a function, and then to memory.
void main() {
#if LANES > 1
  int lane = int(gl_LocalInvocationIndex) / kThreads;
#else
  const int lane = 0;
#endif
  int index = int(gl_LocalInvocationIndex) - lane * kThreads;
  // The lane's parts of shared arrays.
  int of_cells = lane * CELLS_X * kCellStride;
  int of_chunk = lane * kChunkTexels;
  int of_rows = lane * kRows;
  ivec2 at_cell = op_cell(index, CELLS_X / 8);
  int cell = at_cell.x;
  int row_cell = at_cell.y;
  int first_row = int(gl_WorkGroupID.x) * kRows;
  batch = int(gl_WorkGroupID.z) / heights;
  height = int(gl_WorkGroupID.z) - batch * heights;
  for (int at = int(gl_LocalInvocationIndex); at < TERMS * kRows;
       at += LANES * kThreads) {
    int row = min(first_row + at % kRows, extent.x - 1);
    queries[at] = Q_TEXEL(Q_PLACE(row, at / kRows));
  }
  vec4 sum[TILE_ROWS][TILE_SLICES];
  float most[TILE_ROWS];
  float share[TILE_ROWS];  // this cell's, of the softmax's sum
  for (int i = 0; i < TILE_ROWS; ++i) {
    for (int o = 0; o < TILE_SLICES; ++o) sum[i][o] = vec4(0.0);
    most[i] = kMin;
    share[i] = 0.0;
  }
  TEXEL next_keys[kKeysEach * kLoadTexels];
  TEXEL next_values[kValuesEach];
  LOAD_KEYS(lane * kKeys, 0)

  // All lanes take equally many turns, since there are barriers. A tile past the
  // last key adds nothing.
  for (int turn = 0; turn < extent.y; turn += LANES * kKeys) {
    int first = turn + lane * kKeys;
    vec4 score[TILE_ROWS];
    for (int i = 0; i < TILE_ROWS; ++i) score[i] = vec4(0.0);
    for (int c = 0; c < kKeyChunks + UNKNOWN_ZERO; ++c) {
      for (int e = 0; e < kKeysEach; ++e) {
        int at = index + e * kThreads;
        if (at >= kKeyLoads) break;
#ifdef HALF_ARITHMETIC
        int slot = of_chunk + at / CELLS_X * kTermStride + at % CELLS_X;
        uvec4 low = uvec4(next_keys[4 * e].x, next_keys[4 * e + 1].x,
                          next_keys[4 * e + 2].x, next_keys[4 * e + 3].x);
        uvec4 high = uvec4(next_keys[4 * e].y, next_keys[4 * e + 1].y,
                           next_keys[4 * e + 2].y, next_keys[4 * e + 3].y);
        chunk[slot] = (low.xz & 0xffffu) | low.yw << 16;
        chunk[slot + kKeyStride] = low.xz >> 16 | (low.yw & 0xffff0000u);
        chunk[slot + 2 * kKeyStride] = (high.xz & 0xffffu) | high.yw << 16;
        chunk[slot + 3 * kKeyStride] = high.xz >> 16 | (high.yw & 0xffff0000u);
#else
        int key = at % kKeys;
        chunk[of_chunk + at / kKeys * kTermStride + (key & 3) * kKeyStride +
              (key >> 2)] = next_keys[e];
#endif
      }
      barrier();
      if (c + 1 < kKeyChunks) {
        LOAD_KEYS(first, (c + 1) * CHUNK_TERMS)
      } else {
        for (int e = 0; e < kValuesEach; ++e) {
          next_values[e] =
              value_at(first, min(index + e * kThreads, kValueTexels - 1));
        }
      }
#ifdef HALF_ARITHMETIC
      mediump vec4 score_part[TILE_ROWS];
      for (int i = 0; i < TILE_ROWS; ++i) score_part[i] = vec4(0.0);
#endif
      for (int t = 0; t < CHUNK_TERMS; ++t) {
        if (TERMS % CHUNK_TERMS != 0 && c * CHUNK_TERMS + t >= TERMS) break;
        int at = of_chunk + t * kTermStride + cell;
        PRECISION mat4 k = mat4(VALUES(chunk[at]), VALUES(chunk[at + kKeyStride]),
                                VALUES(chunk[at + 2 * kKeyStride]),
                                VALUES(chunk[at + 3 * kKeyStride]));
#ifndef HALF_ARITHMETIC
        k = transpose(k);
#endif
        int q_at = (c * CHUNK_TERMS + t) * kRows + row_cell;
        for (int i = 0; i < TILE_ROWS; ++i) {
          PRECISION vec4 q = VALUES(queries[q_at + CELLS_Y * i]);
          score_part[i] += k[0] * q.x;
          score_part[i] += k[1] * q.y;
          score_part[i] += k[2] * q.z;
          score_part[i] += k[3] * q.w;
        }
      }
#ifdef HALF_ARITHMETIC
      for (int i = 0; i < TILE_ROWS; ++i) score[i] += score_part[i];
#endif
      // Before the next chunk overwrites this one.
      barrier();
    }

    int s = first / 4 + cell;
    bvec4 past = op_past(s, extent.y);
    for (int i = 0; i < TILE_ROWS; ++i) {
      int row = row_cell + CELLS_Y * i;
      vec4 v = with_functions(score[i], min(first_row + row, extent.x - 1), s);
      score[i] = mix(v, vec4(kMin), past);
    }
    TOTAL_ROWS(most_of(score[i]), max)
    for (int i = 0; i < TILE_ROWS; ++i) {
      int row = row_cell + CELLS_Y * i;
      float now = max(most[i], row_total[of_rows + row]);
      float scale = exp(most[i] - now);
      most[i] = now;
      vec4 e = mix(exp(score[i] - now), vec4(0.0), past);
      share[i] = share[i] * scale + dot(e, vec4(1.0));
      for (int o = 0; o < TILE_SLICES; ++o) sum[i][o] *= scale;
      probabilities[of_cells + cell * kCellStride + row] = PACKED(e);
    }

    for (int c = 0; c < kKeys / VALUE_KEYS + UNKNOWN_ZERO; ++c) {
      for (int e = 0; e < kValuesEach; ++e) {
        int at = index + e * kThreads;
        if (at < kValueTexels) chunk[of_chunk + value_slot(at)] = next_values[e];
      }
      barrier();
      if (c + 1 < kKeys / VALUE_KEYS) {
        for (int e = 0; e < kValuesEach; ++e) {
          next_values[e] =
              value_at(first + (c + 1) * VALUE_KEYS,
                       min(index + e * kThreads, kValueTexels - 1));
        }
      } else {
        LOAD_KEYS(first + LANES * kKeys, 0)
      }
#ifdef HALF_ARITHMETIC
      mediump vec4 sum_part[TILE_ROWS][TILE_SLICES];
      for (int i = 0; i < TILE_ROWS; ++i) {
        for (int o = 0; o < TILE_SLICES; ++o) sum_part[i][o] = vec4(0.0);
      }
#endif
      for (int k = 0; k < VALUE_KEYS / 4; ++k) {
        int e_at = of_cells + (c * (VALUE_KEYS / 4) + k) * kCellStride + row_cell;
        PRECISION vec4 e[TILE_ROWS];
        for (int i = 0; i < TILE_ROWS; ++i) {
          e[i] = VALUES(probabilities[e_at + CELLS_Y * i]);
        }
        for (int o = 0; o < TILE_SLICES; ++o) {
          int at = of_chunk + 4 * k * kValueStride + cell + CELLS_X * o;
          PRECISION mat4 v =
              mat4(VALUES(chunk[at]), VALUES(chunk[at + kValueStride]),
                   VALUES(chunk[at + 2 * kValueStride]),
                   VALUES(chunk[at + 3 * kValueStride]));
#ifdef TRANSPOSED
          v = transpose(v);
#endif
          for (int i = 0; i < TILE_ROWS; ++i) {
            sum_part[i][o] += v[0] * e[i].x;
            sum_part[i][o] += v[1] * e[i].y;
            sum_part[i][o] += v[2] * e[i].z;
            sum_part[i][o] += v[3] * e[i].w;
          }
        }
      }
#ifdef HALF_ARITHMETIC
      for (int i = 0; i < TILE_ROWS; ++i) {
        for (int o = 0; o < TILE_SLICES; ++o) sum[i][o] += sum_part[i][o];
      }
#endif
      barrier();
    }
  }

#if LANES > 1
  if (cell == 0) {
    for (int i = 0; i < TILE_ROWS; ++i) {
      row_most[of_rows + row_cell + CELLS_Y * i] = most[i];
    }
  }
#endif
  TOTAL_ROWS(share[i], plus)
#if LANES > 1
  // A lane counts by exp(its largest score - the largest of all).
  for (int i = 0; i < TILE_ROWS; ++i) {
    int row = row_cell + CELLS_Y * i;
    float largest = row_most[row];
    for (int l = 1; l < LANES; ++l) largest = max(largest, row_most[l * kRows + row]);
    share[i] = 0.0;
    for (int l = 0; l < LANES; ++l) {
      share[i] += row_total[l * kRows + row] * exp(row_most[l * kRows + row] - largest);
    }
    float weight = exp(most[i] - largest);
    for (int o = 0; o < TILE_SLICES; ++o) {
      put_sum(lane * kThreads + index, sum[i][o] * weight);
      barrier();
      sum[i][o] = vec4(0.0);
      for (int l = 0; l < LANES; ++l) sum[i][o] += sum_at(l * kThreads + index);
      barrier();
    }
  }
  if (lane > 0) return;
#else
  for (int i = 0; i < TILE_ROWS; ++i) share[i] = row_total[row_cell + CELLS_Y * i];
#endif
  for (int i = 0; i < TILE_ROWS; ++i) {
    int row = row_cell + CELLS_Y * i;
    if (first_row + row >= extent.x) continue;
    for (int o = 0; o < TILE_SLICES; ++o) {
      int slice = cell + CELLS_X * o;
      if (slice >= extent.z) break;
      write_dst(first_row + row, height, slice, batch,
                sum[i][o] / share[i]);
    }
  }
}
