// The transform of each row of real samples: bins 0 to LENGTH / 2, real and imaginary parts in
// turn. Radix 2 in place; THREADS invocations, the whole work group, share a row.

shared vec2 line[LENGTH];

// exp(-2 pi i n / LENGTH)
vec2 turn(int n) {
  vec4 pair = turns_at(n >> 1, 0);
  return (n & 1) != 0 ? pair.zw : pair.xy;
}

void main() {
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  // In the order in which neighbours are combined: indices with their bits reversed.
  for (int n = thread; n < LENGTH; n += THREADS) {
    float v = n < src_aux.x ? op_component(read_src(p.x, p.y, n >> 2, p.z), n) : 0.0;
    line[int(bitfieldReverse(uint(n)) >> uint(32 - BITS))] = vec2(v, 0.0);
  }
  barrier();
  for (int span = 1; span < LENGTH; span *= 2) {
    for (int j = thread; j < LENGTH / 2; j += THREADS) {
      int k = j & (span - 1);
      int at = 2 * j - k;
      vec2 w = turn(k * (LENGTH / 2 / span));
      vec2 a = line[at];
      vec2 b = line[at + span];
      b = vec2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
      line[at] = a + b;
      line[at + span] = a - b;
    }
    barrier();
  }
  for (int s = thread; s < dst_size.z; s += THREADS) {
    write_dst(p.x, p.y, s, p.z, vec4(line[2 * s], line[min(2 * s + 1, LENGTH / 2)]));
  }
}
