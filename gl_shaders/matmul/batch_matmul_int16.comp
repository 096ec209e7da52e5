// BATCH_MATMUL of int16 values in x and y. A 64-bit sum is multiplied, shifted
// right and rounded once (quant/fixed_point.h's MultiplyOnce()), by RESCALE_64,
// which is op_rescale_64. An invocation computes one texel (4 columns) of
// TILE_ROWS rows. ADJ_X: x is transposed, and TILE_ROWS is 4; ADJ_Y: y is
// transposed. Grid: x tiles of rows, y slices, z matrices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;       // rows, columns, terms, slices of terms
  int rows_in_batch;  // of dst, which then is one matrix
  int multiplier;
  int right;
};

int height;
int batch;

ivec4 x_quantized(int row, int slice) {
  ivec4 p = X_PLACE;
  return ivec4(read_x(p.x, p.y, p.z, p.w));
}

ivec4 y_quantized(int row, int slice) {
  ivec4 p = Y_PLACE;
  return ivec4(read_y(p.x, p.y, p.z, p.w));
}

// Terms 4 * s to 4 * s + 3 of the rows from `first` on; zero past the last.
void load_x(int first, int s, out ivec4 terms[TILE_ROWS]) {
#ifdef ADJ_X
  for (int j = 0; j < 4; ++j) {
    int k = s * 4 + j;
    ivec4 quantized = x_quantized(min(k, extent.z - 1), first >> 2);
    for (int i = 0; i < 4; ++i) terms[i][j] = k < extent.z ? quantized[i] : 0;
  }
#else
  for (int i = 0; i < TILE_ROWS; ++i) {
    terms[i] = x_quantized(min(first + i, extent.x - 1), s);
  }
#endif
}

// Row j: term 4 * s + j of the four columns of `slice` of dst; undefined past
// the last term.
void load_y(int slice, int s, out ivec4 terms[4]) {
#ifdef ADJ_Y
  for (int j = 0; j < 4; ++j) {
    ivec4 column = y_quantized(min(slice * 4 + j, extent.y - 1), s);
    for (int i = 0; i < 4; ++i) terms[i][j] = column[i];
  }
#else
  for (int j = 0; j < 4; ++j) {
    terms[j] = y_quantized(min(s * 4 + j, extent.z - 1), slice);
  }
#endif
}

void main() {
  if (outside_grid()) return;
  batch = rows_in_batch != 0 ? 0 : gid.z / dst_size.y;
  height = gid.z - batch * dst_size.y;
  int first_row = gid.x * TILE_ROWS;
  ivec4 high[TILE_ROWS];
  uvec4 low[TILE_ROWS];
  for (int i = 0; i < TILE_ROWS; ++i) {
    high[i] = ivec4(0);
    low[i] = uvec4(0u);
  }
  for (int s = 0; s < extent.w; ++s) {
    ivec4 of_x[TILE_ROWS];
    load_x(first_row, s, of_x);
    ivec4 of_y[4];
    load_y(gid.y, s, of_y);
    for (int i = 0; i < TILE_ROWS; ++i) {
      for (int j = 0; j < 4; ++j) {
        ivec4 product = of_x[i][j] * of_y[j];
        uvec4 carry;
        low[i] = uaddCarry(low[i], uvec4(product), carry);
        high[i] += (product >> 31) + ivec4(carry);
      }
    }
  }
  for (int i = 0; i < TILE_ROWS; ++i) {
    int row = first_row + i;
    if (row >= extent.x) break;
    vec4 quantized =
        vec4(RESCALE_64(high[i], low[i], uvec4(multiplier), ivec4(right)));
    if (rows_in_batch != 0) {
      write_dst(0, 0, gid.y, row, quantized);
    } else {
      write_dst(row, height, gid.y, batch, quantized);
    }
  }
}
