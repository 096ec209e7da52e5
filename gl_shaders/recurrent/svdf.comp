// SVDF's output: unit u sums the states of its `rank` filters, weighted by
// time. The filters of a unit are adjacent, so their states are contiguous.
// Grid: x slices of units, y batch.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec2 filters;  // of a unit; values that each remembers
};

void main() {
  if (outside_grid()) return;
  vec4 v = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    int u = gid.x * 4 + i;
    if (u >= dst_aux.x) break;
    for (int f = u * filters.x; f < (u + 1) * filters.x; ++f) {
      for (int m = 0; m < filters.y; ++m) {
        int e = f * filters.y + m;
        v[i] += op_component(read_state(0, 0, e / 4, gid.y), e) *
                op_component(read_time(0, 0, m / 4, f), m);
      }
    }
  }
  write_dst(0, 0, gid.x, gid.y, v);
}
