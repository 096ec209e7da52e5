// DEPTHWISE_CONV_2D with a small window and multiplier 1, for SIMD processors,
// on which work per invocation is expensive. An invocation computes TILE_PIXELS
// neighbours of each row of a strip, in one slice, and reads each input row
// once: it adds the row to the sums of all outputs that use it. KERNEL_W,
// KERNEL_H, STRIDE_W, STRIDE_H: the window. DILATED: outputs are a dilation
// apart, so that their taps coincide.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 step_pad;  // x and y from tap to tap, and from output to output; padding
                   // left, top
  ivec4 tiling;    // tiles in a row, strips in a column, rows of a strip: the grid
                   // takes the tiles of all strips of all slices flat
};

#define COLUMNS ((TILE_PIXELS - 1) * STRIDE_W + KERNEL_W)
// Outputs of a column that began before a row and continue in it.
#define BEGUN ((KERNEL_H - 1) / STRIDE_H)

int slice;
int top;
int column[COLUMNS];
bool inside_x[COLUMNS];
vec4 weight[KERNEL_H * KERNEL_W];
vec4 sum[BEGUN + 1][TILE_PIXELS];  // sum[m]: of the output begun m rows ago

// Adds row r of the strip's input, `phase` rows after the start of an output.
void add_row(int r, int phase) {
  int y = top + r * step_pad.y;
  int clamped = clamp(y, 0, src_size.y - 1);
  vec4 v[COLUMNS];
  for (int c = 0; c < COLUMNS; ++c) {
    vec4 texel = read_src(column[c], clamped, slice, gid.z);
    v[c] = inside_x[c] && y == clamped ? texel : vec4(0.0);
  }
  for (int m = 0; m <= BEGUN; ++m) {
    int ky = m * STRIDE_H + phase;
    if (ky >= KERNEL_H) continue;
    for (int kx = 0; kx < KERNEL_W; ++kx) {
      for (int i = 0; i < TILE_PIXELS; ++i) {
        sum[m][i] += weight[ky * KERNEL_W + kx] * v[i * STRIDE_W + kx];
      }
    }
  }
}

// The first output of tile or strip `index` on an axis.
int first_output(int index, int step, int outputs) {
#ifdef DILATED
  int t = index / step;
  return t * outputs * step + index - t * step;
#else
  return index * outputs;
#endif
}

void main() {
  if (gid.x >= grid.x) return;
  int strip = gid.x / tiling.x;
  int tile = gid.x - strip * tiling.x;
  slice = strip / tiling.y;
  strip -= slice * tiling.y;
  ivec2 first = ivec2(first_output(tile, step_pad.x, TILE_PIXELS),
                      first_output(strip, step_pad.y, tiling.z));

  top = first.y * STRIDE_H - step_pad.w;
  for (int c = 0; c < COLUMNS; ++c) {
    int x = first.x * STRIDE_W - step_pad.z + c * step_pad.x;
    column[c] = clamp(x, 0, src_size.x - 1);
    inside_x[c] = x == column[c];
  }
  for (int k = 0; k < KERNEL_W * KERNEL_H; ++k) weight[k] = weights_at(k, slice);
  vec4 bias = weights_at(KERNEL_W * KERNEL_H, slice);
  for (int m = 0; m <= BEGUN; ++m) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[m][i] = bias;
  }

  // An output is complete BEGUN iterations after its start.
  int t = grid.w;  // 0: see shader.h
  do {
    add_row(t * STRIDE_H, 0);
#if STRIDE_H > 1
    add_row(t * STRIDE_H + 1, 1);
#endif
#if STRIDE_H > 2
#error "more rows than add_row is called for"
#endif
    int y = first.y + (t - BEGUN) * step_pad.y;
    if (t >= BEGUN && y < dst_size.y) {
      for (int i = 0; i < TILE_PIXELS; ++i) {
        int x = first.x + i * step_pad.x;
        // No `if` around the write: nested writes reuse the loads of Params,
        // which are slow on llvmpipe.
        if (x >= dst_size.x) break;
        write_dst(x, y, slice, gid.z, sum[BEGUN][i]);
      }
    }
    for (int m = BEGUN; m > 0; --m) {
      for (int i = 0; i < TILE_PIXELS; ++i) sum[m][i] = sum[m - 1][i];
    }
    for (int i = 0; i < TILE_PIXELS; ++i) sum[0][i] = bias;
  } while (++t < tiling.z + BEGUN);
}
