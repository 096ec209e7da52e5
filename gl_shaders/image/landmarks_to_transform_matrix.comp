// Landmarks2TransformMatrix, by one invocation: a few dozen landmarks. Angles
// are represented by cosine and sine, so that none is computed.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 who;    // the two that are brought level; size of the subset
  vec4 sizes;   // input width, height (version 1); output width, height
  vec4 box;     // version 2: scale x, y; version 1: multiplier, range
  vec4 target;  // version 2: cosine and sine of the wanted angle
};

vec2 landmark(int i) {
#ifdef IN_CHANNELS
  int c = i * 3;
  return vec2(op_component(read_src(0, 0, c / 4, 0), c),
              op_component(read_src(0, 0, (c + 1) / 4, 0), c + 1));
#else
  return read_src(i, 0, 0, 0).xy;
#endif
}

// Rotates by the angle with cosine and sine `a`.
vec2 rotate(vec2 p, vec2 a) {
  return vec2(p.x * a.x - p.y * a.y, p.x * a.y + p.y * a.x);
}

// The angle of the line between the two, as cosine and sine.
vec2 direction() {
  vec2 d = landmark(who.y) - landmark(who.x);
#if VERSION == 1
  // For an undirected line: -90 to 90 degrees.
  if (d.x < 0.0) d = -d;
#endif
  // Scaled first, so that squares neither overflow nor vanish.
  float most = max(abs(d.x), abs(d.y));
  if (most == 0.0) return vec2(1.0, 0.0);
  d /= most;
  return d / sqrt(dot(d, d));
}

void main() {
  if (outside_grid()) return;
  vec2 line = direction();
#if VERSION == 1
  vec2 turn = vec2(line.x, -line.y);
#else
  vec2 turn = vec2(target.x * line.x + target.y * line.y,
                   target.y * line.x - target.x * line.y);
#endif
  vec2 back = vec2(turn.x, -turn.y);

  vec2 most = rotate(landmark(int(subset_at(0, 0).x)), turn);
  vec2 least = most;
  for (int i = 1; i < who.z; ++i) {
    vec2 p = rotate(landmark(int(subset_at(i, 0).x)), turn);
    most = max(most, p);
    least = min(least, p);
  }
  vec2 extent = most - least;
  vec2 middle = rotate((most + least) * 0.5, back);

  // (x, y) -> columns * (x, y) + shift, before version 1's conversion to
  // pixels.
#if VERSION == 1
  float range = box.w;
  vec2 grow = extent * box.z / range;
  vec2 step = grow * 2.0 / (sizes.zw - 1.0);
  vec2 to_pixels = (sizes.xy - 1.0) * 0.5;
  vec2 shift = rotate(-grow, back) + middle / range * 2.0 - 1.0;
  shift = to_pixels * shift + to_pixels;
#else
  vec2 step = box.xy * extent / sizes.zw;
  vec2 to_pixels = vec2(1.0);
  vec2 shift = rotate(-0.5 * step * sizes.zw, back) + middle;
#endif
  write_dst(0, 0, 0, 0, vec4(to_pixels.x * back.x * step.x,
                             -to_pixels.x * back.y * step.y, 0.0, shift.x));
  write_dst(1, 0, 0, 0, vec4(to_pixels.y * back.y * step.x,
                             to_pixels.y * back.x * step.y, 0.0, shift.y));
  write_dst(2, 0, 0, 0, vec4(0.0, 0.0, 1.0, 0.0));
  write_dst(3, 0, 0, 0, vec4(0.0, 0.0, 0.0, 1.0));
}
