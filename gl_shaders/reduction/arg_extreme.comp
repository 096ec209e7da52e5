// Positions of the maximum (LEAST_OF: minimum) along lines of texels `step_by`
// apart, the first of equals. With CHANNELS a line is a pixel's channels.
// THREADS invocations share a line: 1, or the whole work group.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 step_by;  // x, y, slice, batch
  int texels;     // of a line
};

const int kMax = 0x7fffffff;
const int kMin = ~0x7fffffff;

#ifdef FLOATS
ivec4 keys_of(vec4 v) {
  ivec4 key = op_order_keys(v);
#ifdef LEAST_OF
  key = mix(~key, key, equal(key, ivec4(kMin)));  // NaN stays last
#endif
  return key;
}
#elif defined(LEAST_OF)
ivec4 keys_of(ivec4 v) { return ~v; }
#else
ivec4 keys_of(ivec4 v) { return v; }
#endif

void take_better(inout ivec4 key, inout ivec4 at, ivec4 other_key, ivec4 other_at) {
  ivec4 ties = ivec4(equal(other_key, key)) & ivec4(lessThan(other_at, at));
  bvec4 take = bvec4(ivec4(greaterThan(other_key, key)) | ties);
  key = mix(key, other_key, take);
  at = mix(at, other_at, take);
}

#if THREADS > 1
shared ivec4 shared_keys[THREADS];
shared ivec4 shared_at[THREADS];
#endif

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec4 line = ivec4(gid.x / THREADS, gid.y, gid.z % dst_size.z, gid.z / dst_size.z);
  ivec4 key = ivec4(kMin);
  ivec4 at = ivec4(kMax);  // none yet
  for (int i = thread; i < texels; i += THREADS) {
    ivec4 p = line + i * step_by;
#ifdef CHANNELS
    ivec4 position = 4 * i + ivec4(0, 1, 2, 3);
#else
    ivec4 position = ivec4(i);
#endif
    ivec4 k = keys_of(read_src(p.x, p.y, p.z, p.w));
#ifdef CHANNELS
    bvec4 past = op_past(i, src_aux.x);
    k = mix(k, ivec4(kMin), past);
    position = mix(position, ivec4(kMax), past);
#endif
    take_better(key, at, k, position);
  }
#if THREADS > 1
  shared_keys[thread] = key;
  shared_at[thread] = at;
  barrier();
  for (int n = THREADS / 2; n > 0; n /= 2) {
    if (thread < n) {
      take_better(key, at, shared_keys[thread + n], shared_at[thread + n]);
      shared_keys[thread] = key;
      shared_at[thread] = at;
    }
    barrier();
  }
  if (thread != 0) return;
#endif
#ifdef CHANNELS
  take_better(key, at, key.zwzw, at.zwzw);
  take_better(key, at, key.yyyy, at.yyyy);
#endif
  write_dst(line.x, line.y, line.z, line.w, at);
}
