// dst = src with the coordinate on one axis looked up in a table. AXIS: x, y,
// channel, batch. One texel per invocation.

int index_of(int i) { return int(table_at(i % table_size.x, i / table_size.x).x); }

#if AXIS == 2
ELEMENT channel_of(ivec4 p, int c) {
  c = index_of(min(c, dst_aux.x - 1));
  return op_component(read_src(p.x, p.y, c >> 2, p.w), c);
}
#endif

ELEMENT4 dst_texel(ivec4 p) {
#if AXIS == 2
  int c = 4 * p.z;
  return ELEMENT4(channel_of(p, c), channel_of(p, c + 1), channel_of(p, c + 2),
                  channel_of(p, c + 3));
#else
  p[AXIS] = index_of(p[AXIS]);
  return read_src(p.x, p.y, p.z, p.w);
#endif
}
