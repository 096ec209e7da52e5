// The dst_aux.x largest elements of each pixel's channels in descending order,
// and their positions; the first of equals first. One pass over the channels
// for each, which finds the best element after the previous one. THREADS
// invocations share a pixel: 1, or the whole work group.

const int kMax = 0x7fffffff;
const int kMin = ~0x7fffffff;

#ifdef FLOATS
ivec4 keys_of(vec4 v) { return op_order_keys(v); }
#else
ivec4 keys_of(ivec4 v) { return v; }
#endif

// x: the key, y: the position.
bool is_before(ivec2 a, ivec2 b) { return a.x > b.x || (a.x == b.x && a.y < b.y); }
ivec2 better(ivec2 a, ivec2 b) { return is_before(b, a) ? b : a; }

#if THREADS > 1
shared ivec2 shares[THREADS];
#endif

// This invocation's best element after `last`.
ivec2 next_of(ivec3 p, int thread, ivec2 last) {
  ivec2 best = ivec2(kMin, kMax);  // none
  for (int s = thread; s < src_size.z; s += THREADS) {
    ivec4 key = keys_of(read_src(p.x, p.y, s, p.z));
    for (int c = 0; c < min(4, src_aux.x - 4 * s); ++c) {
      ivec2 element = ivec2(key[c], 4 * s + c);
      if (is_before(last, element) && is_before(element, best)) best = element;
    }
  }
  return best;
}

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  ivec2 last = ivec2(kMax, -1);  // before all
  ELEMENT4 values = ELEMENT4(0);
  ivec4 at = ivec4(0);
  for (int k = 0; k < dst_aux.x; ++k) {
    ivec2 best = next_of(p, thread, last);
    COMBINE_SHARES(best, better)
    last = best;
    ELEMENT4 texel = read_src(p.x, p.y, best.y >> 2, p.z);
    at = op_with_component(at, k, best.y);
    values = op_with_component(values, k, op_component(texel, best.y));
    if (thread == 0 && ((k & 3) == 3 || k + 1 == dst_aux.x)) {
      write_dst(p.x, p.y, k >> 2, p.z, values);
      write_positions(p.x, p.y, k >> 2, p.z, at);
    }
  }
}
