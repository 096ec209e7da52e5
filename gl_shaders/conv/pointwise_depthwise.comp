// A 1x1 convolution and the depthwise convolution that reads it, over whole
// planes: a work group computes PLANE_SLICES slices of the first, for all
// pixels of a batch, in shared memory, and from these the second one's slices.
// Nothing is computed twice. Neighbouring invocations, the lanes, share each
// sum of the first. TILE_PIXELS: pixels per invocation; SHARED: texels of
// shared memory. INNER_STAGE: the functions of the first one's results.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // of the depthwise one: stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 plane;       // pixels; tiles of these; lanes of a sum; output pixels
  vec4 of_plane;     // reciprocals: of pixels, tiles, output pixels, taps()
  vec4 of_width;     // the same for src's and dst's width
};

// The planes, by slice and pixel; the lanes' sums, by output of the tile, lane
// and tile, so that neighbours in a work group are adjacent; then the depthwise
// convolution's weights and bias, by slice and tap.
shared vec4 mem[SHARED];

// The index of lane 0's sum of output (q, i) of a tile.
int sums_at(int q, int i, int tile) {
  return plane.x * PLANE_SLICES + (q * TILE_PIXELS + i) * plane.z * plane.y + tile;
}

int row_of(int first_slice, int q) { return min(first_slice + q, dst_size.z - 1); }

// Computes part of the sums of one tile of pixels.
void multiply(int first_slice, int batch, int tile, int lane) {
  ivec2 p[TILE_PIXELS];
  for (int i = 0; i < TILE_PIXELS; ++i) {
    int pixel = min(tile + i * plane.y, plane.x - 1);
    int y = op_quotient(pixel, of_width.x);
    p[i] = ivec2(pixel - y * src_size.x, y);
  }
  vec4 sum[PLANE_SLICES][TILE_PIXELS];
  for (int q = 0; q < PLANE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = vec4(0.0);
  }
  // Loads the next term while the current one is multiplied.
  vec4 next_v[TILE_PIXELS];
  vec4 next_w[PLANE_SLICES * 4];
  for (int i = 0; i < TILE_PIXELS; ++i) {
    next_v[i] = read_src(p[i].x, p[i].y, lane, batch);
  }
  for (int k = 0; k < PLANE_SLICES * 4; ++k) {
    next_w[k] = weights_at(lane * 4 + (k & 3), row_of(first_slice, k >> 2));
  }
  for (int t = lane; t < src_size.z; t += plane.z) {
    vec4 v[TILE_PIXELS];
    vec4 w[PLANE_SLICES * 4];
    for (int i = 0; i < TILE_PIXELS; ++i) v[i] = next_v[i];
    for (int k = 0; k < PLANE_SLICES * 4; ++k) w[k] = next_w[k];
    int next = t + plane.z;
    if (next < src_size.z) {
      for (int i = 0; i < TILE_PIXELS; ++i) {
        next_v[i] = read_src(p[i].x, p[i].y, next, batch);
      }
      for (int k = 0; k < PLANE_SLICES * 4; ++k) {
        next_w[k] = weights_at(next * 4 + (k & 3), row_of(first_slice, k >> 2));
      }
    }
    for (int q = 0; q < PLANE_SLICES; ++q) {
      for (int i = 0; i < TILE_PIXELS; ++i) {
        sum[q][i] += w[q * 4] * v[i].x;
        sum[q][i] += w[q * 4 + 1] * v[i].y;
        sum[q][i] += w[q * 4 + 2] * v[i].z;
        sum[q][i] += w[q * 4 + 3] * v[i].w;
      }
    }
  }
  for (int q = 0; q < PLANE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      mem[sums_at(q, i, tile) + lane * plane.y] = sum[q][i];
    }
  }
}

// The depthwise convolution's texels per slice: its taps and the bias.
int taps() { return window.x * window.y + 1; }

// The index of those of plane q.
int taps_at(int q) { return sums_at(PLANE_SLICES, 0, 0) + q * taps(); }

vec4 tap_of_group(int first_slice, int k) {
  int q = op_quotient(k, of_plane.w);
  return depthwise_at(k - q * taps(), row_of(first_slice, q));
}

// One output of the depthwise convolution, from plane q.
vec4 filtered(int q, ivec2 first) {
  int weights = taps_at(q);
  vec4 v = mem[weights + taps() - 1];
  for (int ky = 0; ky < window.y; ++ky) {
    int y = first.y + ky * window.w;
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int x = first.x + kx * window.z;
      if (x < 0 || x >= src_size.x) continue;
      v += mem[weights + ky * window.x + kx] *
           mem[q * plane.x + y * src_size.x + x];
    }
  }
  return v;
}

void main() {
  int index = int(gl_LocalInvocationIndex);
  int first_slice = int(gl_WorkGroupID.x) * PLANE_SLICES;
  int batch = int(gl_WorkGroupID.z);

  // Loaded before the sums, so that no later step waits for memory.
  vec4 own_bias = weights_at(
      weights_size.x - 1, row_of(first_slice, min(op_quotient(index, of_plane.x), PLANE_SLICES - 1)));
  int all_taps = taps() * PLANE_SLICES;
  vec4 own_tap = tap_of_group(first_slice, min(index, all_taps - 1));

  int lane = op_quotient(index, of_plane.y);
  if (lane < plane.z) multiply(first_slice, batch, index - lane * plane.y, lane);
  if (index < all_taps) mem[taps_at(0) + index] = own_tap;
  for (int k = index + WORK_GROUP_X; k < all_taps; k += WORK_GROUP_X) {
    mem[taps_at(0) + k] = tap_of_group(first_slice, k);
  }
  barrier();

  for (int o = index; o < plane.x * PLANE_SLICES; o += WORK_GROUP_X) {
    int q = op_quotient(o, of_plane.x);
    int pixel = o - q * plane.x;
    int i = op_quotient(pixel, of_plane.y);
    int slice = row_of(first_slice, q);
    vec4 total = o == index ? own_bias : weights_at(weights_size.x - 1, slice);
    int at = sums_at(q, i, pixel - i * plane.y);
    for (int l = 0; l < plane.z; ++l) total += mem[at + l * plane.y];
    int y = op_quotient(pixel, of_width.x);
    mem[o] = inner_stage(pixel - y * src_size.x, y, slice, batch, total);
  }
  barrier();

  for (int o = index; o < plane.w * PLANE_SLICES; o += WORK_GROUP_X) {
    int q = op_quotient(o, of_plane.z);
    int pixel = o - q * plane.w;
    int slice = first_slice + q;
    if (slice >= dst_size.z) continue;
    int y = op_quotient(pixel, of_width.y);
    int x = pixel - y * dst_size.x;
    ivec2 first = ivec2(x, y) * stride_pad.xy - stride_pad.zw;
    write_dst(x, y, slice, batch, filtered(q, first));
  }
}
