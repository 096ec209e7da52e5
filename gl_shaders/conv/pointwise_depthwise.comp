// A 1x1 convolution and the depthwise convolution that reads it, over whole
// planes: a work group makes PLANE_SLICES slices of the first one, for all pixels
// of a batch, in shared memory, and from these the second one's slices. Nothing is
// computed twice. Neighbours share each sum of the first: its lanes.
// TILE_PIXELS: pixels of an invocation; SHARED: texels of shared memory.
// INNER_SCALED(v, slice): on codes, the first convolution's codes of its sums v.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // of the depthwise one: stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 plane;       // pixels; tiles of these; lanes of a sum; output pixels
  vec4 inner_clamp;  // least and greatest of the first one's results
#ifdef INNER_SCALED
  vec4 inner_scaling;  // the params of INNER_SCALED's function
#endif
};

// The planes, by slice and pixel; then the lanes' sums, by output of the tile,
// lane and tile, so that neighbours in a work group are neighbours here.
shared vec4 mem[SHARED];

vec4 inner(vec4 v, int slice) {
#ifdef INNER_SCALED
  return clamp(INNER_SCALED(v, slice), inner_clamp.x, inner_clamp.y);
#else
  return op_clamp(v, inner_clamp);
#endif
}

// Where lane 0 keeps its sum of output (q, i) of a tile.
int sums_at(int q, int i, int tile) {
  return plane.x * PLANE_SLICES + (q * TILE_PIXELS + i) * plane.z * plane.y + tile;
}

// A part of the sums of one tile of pixels.
void multiply(int first_slice, int batch, int tile, int lane) {
  ivec2 p[TILE_PIXELS];
  for (int i = 0; i < TILE_PIXELS; ++i) {
    int pixel = min(tile + i * plane.y, plane.x - 1);
    int y = pixel / src_size.x;
    p[i] = ivec2(pixel - y * src_size.x, y);
  }
  vec4 sum[PLANE_SLICES][TILE_PIXELS];
  for (int q = 0; q < PLANE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = vec4(0.0);
  }
  for (int t = lane; t < src_size.z; t += plane.z) {
    vec4 v[TILE_PIXELS];
    for (int i = 0; i < TILE_PIXELS; ++i) v[i] = read_src(p[i].x, p[i].y, t, batch);
    for (int q = 0; q < PLANE_SLICES; ++q) {
      int row = min(first_slice + q, dst_size.z - 1);
      vec4 w0 = weights_at(t * 4, row);
      vec4 w1 = weights_at(t * 4 + 1, row);
      vec4 w2 = weights_at(t * 4 + 2, row);
      vec4 w3 = weights_at(t * 4 + 3, row);
      for (int i = 0; i < TILE_PIXELS; ++i) {
        sum[q][i] += w0 * v[i].x;
        sum[q][i] += w1 * v[i].y;
        sum[q][i] += w2 * v[i].z;
        sum[q][i] += w3 * v[i].w;
      }
    }
  }
  for (int q = 0; q < PLANE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      mem[sums_at(q, i, tile) + lane * plane.y] = sum[q][i];
    }
  }
}

// One output of the depthwise convolution, from plane q.
vec4 filtered(int q, int slice, ivec2 first) {
  vec4 v = depthwise_at(window.x * window.y, slice);
  for (int ky = 0; ky < window.y; ++ky) {
    int y = first.y + ky * window.w;
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int x = first.x + kx * window.z;
      if (x < 0 || x >= src_size.x) continue;
      v += depthwise_at(ky * window.x + kx, slice) *
           mem[q * plane.x + y * src_size.x + x];
    }
  }
  return v;
}

void main() {
  int index = int(gl_LocalInvocationIndex);
  int first_slice = int(gl_WorkGroupID.x) * PLANE_SLICES;
  int batch = int(gl_WorkGroupID.z);

  int lane = index / plane.y;
  if (lane < plane.z) multiply(first_slice, batch, index - lane * plane.y, lane);
  memoryBarrierShared();
  barrier();

  for (int o = index; o < plane.x * PLANE_SLICES; o += WORK_GROUP_X) {
    int q = o / plane.x;
    int pixel = o - q * plane.x;
    int i = pixel / plane.y;
    int slice = min(first_slice + q, dst_size.z - 1);
    vec4 total = weights_at(weights_size.x - 1, slice);
    int at = sums_at(q, i, pixel - i * plane.y);
    for (int l = 0; l < plane.z; ++l) total += mem[at + l * plane.y];
    mem[o] = inner(total, slice);
  }
  memoryBarrierShared();
  barrier();

  for (int o = index; o < plane.w * PLANE_SLICES; o += WORK_GROUP_X) {
    int q = o / plane.w;
    int pixel = o - q * plane.w;
    int slice = first_slice + q;
    if (slice >= dst_size.z) continue;
    int y = pixel / dst_size.x;
    int x = pixel - y * dst_size.x;
    ivec2 first = ivec2(x, y) * stride_pad.xy - stride_pad.zw;
    write_dst(x, y, slice, batch, filtered(q, slice, first));
  }
}
