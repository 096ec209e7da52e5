// CONV_2D with few weights, fully unrolled: weights have constant addresses, so
// that SIMD processors load each once for all lanes and need no loop counters.
// An invocation computes TILE_PIXELS neighbours of a row in all SLICES output
// slices. KERNEL_W, KERNEL_H, STRIDE_W: the window; SRC_SLICES, LAST_CHANNELS:
// the number of input slices, and of channels in the last. PADDED: the window
// may be partly outside the input. ADD_SLICES, ADD_ROWS, ADD_TAPS: the calls of
// add_slice(s), add_row(s, ky) and add_tap(s, ky, kx) for each s, ky and kx.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 step_pad;  // dilation x, y; padding left, top
  ivec4 tiling;    // stride y; tiles in a row: the grid takes them flat
};

const int kColumns = (TILE_PIXELS - 1) * STRIDE_W + KERNEL_W;

int batch;
int top;
int column[kColumns];
vec4 v[kColumns];
vec4 sum[SLICES][TILE_PIXELS];
#ifdef PADDED
bool inside_x[kColumns];
#endif

// v: the tile's input for row ky of the window, in input slice s.
void load_row(int s, int ky) {
  int y = top + ky * step_pad.y;
#ifdef PADDED
  int clamped = clamp(y, 0, src_size.y - 1);
  for (int c = 0; c < kColumns; ++c) {
    vec4 texel = read_src(column[c], clamped, s, batch);
    v[c] = inside_x[c] && y == clamped ? texel : vec4(0.0);
  }
#else
  for (int c = 0; c < kColumns; ++c) v[c] = read_src(column[c], y, s, batch);
#endif
}

void add_tap(int s, int ky, int kx) {
  int channels = s + 1 < SRC_SLICES ? 4 : LAST_CHANNELS;
  for (int q = 0; q < SLICES; ++q) {
    int row = q * KERNEL_W * KERNEL_H + ky * KERNEL_W + kx;
    vec4 w = weights_at(s * 4, row);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] += w * v[i * STRIDE_W + kx].x;
    if (channels < 2) continue;
    w = weights_at(s * 4 + 1, row);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] += w * v[i * STRIDE_W + kx].y;
    if (channels < 3) continue;
    w = weights_at(s * 4 + 2, row);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] += w * v[i * STRIDE_W + kx].z;
    if (channels < 4) continue;
    w = weights_at(s * 4 + 3, row);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] += w * v[i * STRIDE_W + kx].w;
  }
}

// Spelled out, since compilers do not unroll loops of this length: v and sum
// would leave the registers, and the weights' addresses be unknown.
void add_row(int s, int ky) {
  load_row(s, ky);
  ADD_TAPS
}

void add_slice(int s) { ADD_ROWS }

void main() {
  if (outside_grid()) return;
  batch = gid.z;
  int dst_y = gid.x / tiling.y;
  int first_x = (gid.x - dst_y * tiling.y) * TILE_PIXELS;
  top = dst_y * tiling.x - step_pad.w;
  for (int c = 0; c < kColumns; ++c) {
    int x = first_x * STRIDE_W - step_pad.z + c * step_pad.x;
    column[c] = clamp(x, 0, src_size.x - 1);
#ifdef PADDED
    inside_x[c] = x == column[c];
#endif
  }
  for (int q = 0; q < SLICES; ++q) {
    vec4 bias = weights_at(SRC_SLICES * 4, q * KERNEL_W * KERNEL_H);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

  ADD_SLICES
  for (int i = 0; i < TILE_PIXELS; ++i) {
    if (first_x + i >= dst_size.x) break;
    for (int q = 0; q < SLICES; ++q) {
      write_dst(first_x + i, dst_y, q, batch, sum[q][i]);
    }
  }
}
