// BATCH_MATMUL. An invocation computes TILE_ROWS rows of one matrix in
// TILE_SLICES slices. ADJ_X: x is transposed, and TILE_ROWS is 4; ADJ_Y: y is
// transposed. Grid: x tiles of rows, y tiles of slices, z matrices. INT16: of
// int16 values; a 64-bit sum is multiplied, shifted right and rounded once
// (Int16Multiplier of quant/fixed_point.h), by RESCALE_64, which is op_rescale_64.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;       // rows, columns, terms, slices of terms
  int rows_in_batch;  // of dst, which then is one matrix
#ifdef INT16
  int multiplier;
  int right;
#endif
};

// SUM plus a texel of each of four terms, w0 to w3, times V.
#ifdef INT16
struct Sum {
  ivec4 high;
  uvec4 low;
};
const Sum kZero = Sum(ivec4(0), uvec4(0u));
Sum plus(Sum sum, vec4 w, float v) {
  ivec4 product = ivec4(w) * int(v);
  uvec4 carry;
  uvec4 low = uaddCarry(sum.low, uvec4(product), carry);
  return Sum(sum.high + (product >> 31) + ivec4(carry), low);
}
#define ADD_TERMS(SUM, V) \
  SUM = plus(plus(plus(plus(SUM, w0, V.x), w1, V.y), w2, V.z), w3, V.w)
#define RESULT(SUM) \
  vec4(RESCALE_64(SUM.high, SUM.low, uvec4(multiplier), ivec4(right)))
#else
#define Sum vec4
const vec4 kZero = vec4(0.0);
#define ADD_TERMS(SUM, V) SUM += w0 * V.x + w1 * V.y + w2 * V.z + w3 * V.w
#define RESULT(SUM) SUM
#endif

int height;
int batch;

// Terms 4 * s to 4 * s + 3 of the rows from `first` on; zero past the last.
void load_x(int first, int s, out vec4 v[TILE_ROWS]) {
#ifdef ADJ_X
  vec4 term[4];
  for (int j = 0; j < 4; ++j) {
    int k = s * 4 + j;
    vec4 texel = read_x(X_PLACE(min(k, extent.z - 1), first / 4));
    term[j] = k < extent.z ? texel : vec4(0.0);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = vec4(term[0][i], term[1][i], term[2][i], term[3][i]);
  }
#else
  for (int i = 0; i < TILE_ROWS; ++i) v[i] = read_x(X_PLACE(min(first + i, extent.x - 1), s));
#endif
}

// Texel j: with ADJ_Y the terms of output 4 * slice + j; else the outputs of
// term 4 * s + j.
vec4 load_y(int slice, int s, int j) {
#ifdef ADJ_Y
  return read_y(Y_PLACE(min(slice * 4 + j, extent.y - 1), s));
#else
  // Selects instead of multiplying by x's zeros, since y may contain
  // infinities.
  int k = s * 4 + j;
  vec4 texel = read_y(Y_PLACE(min(k, extent.z - 1), slice));
  return k < extent.z ? texel : vec4(0.0);
#endif
}

void main() {
  if (outside_grid()) return;
  batch = rows_in_batch != 0 ? 0 : gid.z / dst_size.y;
  height = gid.z - batch * dst_size.y;
  int first_row = gid.x * TILE_ROWS;
  int first_slice = gid.y * TILE_SLICES;
  Sum sum[TILE_SLICES][TILE_ROWS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_ROWS; ++i) sum[q][i] = kZero;
  }

  for (int s = 0; s < extent.w; ++s) {
    vec4 v[TILE_ROWS];
    load_x(first_row, s, v);
    for (int q = 0; q < TILE_SLICES; ++q) {
      int slice = min(first_slice + q, dst_size.z - 1);
      vec4 w0 = load_y(slice, s, 0);
      vec4 w1 = load_y(slice, s, 1);
      vec4 w2 = load_y(slice, s, 2);
      vec4 w3 = load_y(slice, s, 3);
#ifdef ADJ_Y  // each has four terms of an output
      mat4 columns = transpose(mat4(w0, w1, w2, w3));
      w0 = columns[0];
      w1 = columns[1];
      w2 = columns[2];
      w3 = columns[3];
#endif
      for (int i = 0; i < TILE_ROWS; ++i) ADD_TERMS(sum[q][i], v[i]);
    }
  }

  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
    for (int i = 0; i < TILE_ROWS; ++i) {
      int row = first_row + i;
      if (row >= extent.x) break;
      vec4 v = RESULT(sum[q][i]);
      if (rows_in_batch != 0) {
        write_dst(0, 0, first_slice + q, row, v);
      } else {
        write_dst(row, height, first_slice + q, batch, v);
      }
    }
  }
}
