// Advances SVDF's state: shifts each filter's `memory` values by one and
// appends its newest feature. Grid: x slices, y batch.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int memory;
};

void main() {
  if (outside_grid()) return;
  vec4 v = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    int e = gid.x * 4 + i;
    if (e >= state_aux.x) break;
    int f = e / memory;
    v[i] = e - f * memory == memory - 1
               ? op_component(read_features(0, 0, f / 4, gid.y), f)
               : op_component(read_state(0, 0, (e + 1) / 4, gid.y), e + 1);
  }
  write_dst(0, 0, gid.x, gid.y, v);
}
