// DEPTHWISE_CONV_2D: output channel o only reads input channel o / multiplier.
// An invocation computes TILE_PIXELS neighbours of a row in one output slice.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  int multiplier;
};

void main() {
  if (outside_grid()) return;
  int batch = gid.z / dst_size.z;
  int slice = gid.z - batch * dst_size.z;
  int first_x = gid.x * TILE_PIXELS;
#ifdef MULTIPLIED
  // Four outputs never come from two slices: slice s produces `multiplier`
  // output slices from s * multiplier on.
  int src_slice = slice / multiplier;
  ivec4 source =
      (ivec4(slice * 4) + ivec4(0, 1, 2, 3)) / multiplier - src_slice * 4;
#else
  int src_slice = slice;
#endif

  vec4 sum[TILE_PIXELS];
  vec4 bias = weights_at(window.x * window.y, slice);
  for (int i = 0; i < TILE_PIXELS; ++i) sum[i] = bias;

  for (int ky = 0; ky < window.y; ++ky) {
    int y = gid.y * stride_pad.y - stride_pad.w + ky * window.w;
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int left = first_x * stride_pad.x - stride_pad.z + kx * window.z;
      vec4 w = weights_at(ky * window.x + kx, slice);
      for (int i = 0; i < TILE_PIXELS; ++i) {
        int x = left + i * stride_pad.x;
        int inside = clamp(x, 0, src_size.x - 1);
        vec4 v = read_src(inside, y, src_slice, batch);
#ifdef MULTIPLIED
        v = vec4(v[source.x], v[source.y], v[source.z], v[source.w]);
#endif
        sum[i] += w * (x == inside ? v : vec4(0.0));
      }
    }
  }

  for (int i = 0; i < TILE_PIXELS; ++i) {
    if (first_x + i >= dst_size.x) break;
    write_dst(first_x + i, gid.y, slice, batch, sum[i]);
  }
}
