// DEPTHWISE_CONV_2D with a small window and multiplier 1. An invocation
// computes TILE_PIXELS x TILE_ROWS outputs of one slice, and reads each shared
// texel once: outputs are a dilation apart, so that their taps coincide.
// KERNEL_W, KERNEL_H, STRIDE_W, STRIDE_H: the window, constant so that the tile
// stays in registers. ROLLED: keeps one row of the window in registers at a
// time. BY_COLUMNS, for one row: adds each texel before reading the next.
// ROLLED_OUTPUTS: see transpose_conv.comp. LARGE_INDICES: too many tiles per
// slice for op_quotient.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 step_pad;  // x and y from tap to tap, and from output to output; padding
                   // left, top
  vec4 reciprocals;  // of tiles_x, and of step_pad's x and y
  int tiles_x;       // in a row; the grid takes a slice's tiles flat
#ifdef ROLLED
  int window_rows;  // KERNEL_H
#endif
};

#define COLUMNS ((TILE_PIXELS - 1) * STRIDE_W + KERNEL_W)

int slice;
int batch;
int top;
int column[COLUMNS];
bool inside_x[COLUMNS];
vec4 sum[TILE_ROWS][TILE_PIXELS];
#if TILE_ROWS > 1
vec4 weight[KERNEL_H * KERNEL_W];
#endif

// Adds row `r` of the input. With several rows of outputs, r is a constant.
void add_row(int r) {
  int y = top + r * step_pad.y;
  int clamped = clamp(y, 0, src_size.y - 1);
#ifdef BY_COLUMNS
  vec4 w[KERNEL_W];
  for (int c = 0; c < COLUMNS; ++c) {
    if (c < KERNEL_W) w[c] = weights_at(r * KERNEL_W + c, slice);
    vec4 texel = read_src(column[c], clamped, slice, batch);
    texel = inside_x[c] && y == clamped ? texel : vec4(0.0);
    for (int i = 0; i < TILE_PIXELS; ++i) {
      int kx = c - i * STRIDE_W;
      if (kx >= 0 && kx < KERNEL_W) sum[0][i] += w[kx] * texel;
    }
  }
#else
  vec4 v[COLUMNS];
  for (int c = 0; c < COLUMNS; ++c) {
    vec4 texel = read_src(column[c], clamped, slice, batch);
    v[c] = inside_x[c] && y == clamped ? texel : vec4(0.0);
  }
#if TILE_ROWS > 1
  for (int t = 0; t < TILE_ROWS; ++t) {
    int ky = r - t * STRIDE_H;
    if (ky < 0 || ky >= KERNEL_H) continue;
    for (int kx = 0; kx < KERNEL_W; ++kx) {
      for (int i = 0; i < TILE_PIXELS; ++i) {
        sum[t][i] += weight[ky * KERNEL_W + kx] * v[i * STRIDE_W + kx];
      }
    }
  }
#else
  for (int kx = 0; kx < KERNEL_W; ++kx) {
    vec4 w = weights_at(r * KERNEL_W + kx, slice);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[0][i] += w * v[i * STRIDE_W + kx];
  }
#endif
#endif
}

// The tile's first output on an axis: tiles of each phase of `step`.
int first_output(int index, int step, float reciprocal, int tile) {
  int t = op_quotient(index, step, reciprocal);
  return t * tile * step + index - t * step;
}

void main() {
  if (outside_grid()) return;
  slice = gid.y;
  batch = gid.z;
  int tile_y = op_quotient(gid.x, tiles_x, reciprocals.x);
  ivec2 first =
      ivec2(first_output(gid.x - tile_y * tiles_x, step_pad.x, reciprocals.y,
                         TILE_PIXELS),
            first_output(tile_y, step_pad.y, reciprocals.z, TILE_ROWS));
  // The grid has whole tiles of every phase; the output may end within them.
  if (any(greaterThanEqual(first, dst_size.xy))) return;

  top = first.y * STRIDE_H - step_pad.w;
  for (int c = 0; c < COLUMNS; ++c) {
    int x = first.x * STRIDE_W - step_pad.z + c * step_pad.x;
    column[c] = clamp(x, 0, src_size.x - 1);
    inside_x[c] = x == column[c];
  }
  vec4 bias = weights_at(KERNEL_W * KERNEL_H, slice);
  for (int t = 0; t < TILE_ROWS; ++t) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[t][i] = bias;
  }

#if TILE_ROWS > 1
  for (int k = 0; k < KERNEL_W * KERNEL_H; ++k) weight[k] = weights_at(k, slice);
  // ADD_ROWS calls add_row(r) for each row, since compilers do not unroll loops
  // of this length, and the arrays would leave the registers.
  ADD_ROWS
#elif defined(ROLLED)
  // Compilers do not know the loop's length, so none unrolls it to load all
  // rows at once, which would spill registers.
  for (int r = 0; r < window_rows; ++r) add_row(r);
#else
  for (int r = 0; r < KERNEL_H; ++r) add_row(r);
#endif

  for (int t = 0; t < TILE_ROWS; ++t) {
    int y = first.y + t * step_pad.y;
    if (y >= dst_size.y) break;
#ifdef ROLLED_OUTPUTS
    for (int i = 0; i < TILE_PIXELS + grid.w; ++i) {
      int x = first.x + i * step_pad.x;
      if (x < dst_size.x) write_dst(x, y, slice, batch, sum[t][0]);
      for (int k = 1; k < TILE_PIXELS; ++k) sum[t][k - 1] = sum[t][k];
    }
#else
    for (int i = 0; i < TILE_PIXELS; ++i) {
      int x = first.x + i * step_pad.x;
      if (x >= dst_size.x) break;
      write_dst(x, y, slice, batch, sum[t][i]);
    }
#endif
  }
}
