// dst = bias + alpha * (sum of squares over the channels at most `radius`
// away); post-ops compute the op's result from it. Padding channels are zero
// and add nothing. One texel (4 channels) per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int radius;
  float bias;
  float alpha;
};

ELEMENT4 dst_texel(ivec4 p) {
  ivec4 c = 4 * p.z + ivec4(0, 1, 2, 3);
  int first = max(c.x - radius, 0) >> 2;
  int last = min((c.w + radius) >> 2, src_size.z - 1);
  vec4 sum = vec4(0.0);
  for (int s = first; s <= last; ++s) {
    vec4 v = read_src(p.x, p.y, s, p.w);
    for (int i = 0; i < 4; ++i) {
      bvec4 away = greaterThan(abs(c - (4 * s + i)), ivec4(radius));
      sum += mix(vec4(v[i] * v[i]), vec4(0.0), away);
    }
  }
  return bias + alpha * sum;
}
