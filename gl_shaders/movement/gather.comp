// dst = src with the coordinate on one axis (AXIS_BATCH, _Y, _X or _CHANNEL)
// looked up in a table. One texel per invocation.

int index_of(int i) { return int(table_at(i % table_size.x, i / table_size.x).x); }

#ifdef AXIS_CHANNEL
ELEMENT channel_of(ivec4 p, int c) {
  c = index_of(min(c, dst_aux.x - 1));
  return op_component(read_src(p.x, p.y, c >> 2, p.w), c);
}
#endif

ELEMENT4 dst_texel(ivec4 p) {
  ivec4 q = p;
#ifdef AXIS_BATCH
  q.w = index_of(p.w);
#endif
#ifdef AXIS_Y
  q.y = index_of(p.y);
#endif
#ifdef AXIS_X
  q.x = index_of(p.x);
#endif
#ifdef AXIS_CHANNEL
  int c = 4 * p.z;
  return ELEMENT4(channel_of(q, c), channel_of(q, c + 1), channel_of(q, c + 2),
                  channel_of(q, c + 3));
#else
  return read_src(q.x, q.y, q.z, q.w);
#endif
}
