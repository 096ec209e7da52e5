// Decodes each anchor's box and, with BEST, its best class: the first maximal
// score. `boxes` is [1,1,anchors,8] (4 without BEST), integers: the bits of
// (ymin, xmin, ymax, xmax), then (the score's key or kNone, anchor, class, the
// score's bits).
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  vec4 scales;  // y, x, height, width
#ifdef BEST
  int first;  // channel of the first class's score
  float threshold;
#endif
};

const int kNone = ~0x7fffffff;

vec4 anchor_of(int i) {
#ifdef CONSTANT_ANCHORS
  return anchors_at(i % anchors_size.x, i / anchors_size.x);
#else
  return read_anchors(0, 0, 0, i);
#endif
}

#ifdef BEST
// Slices of scores loaded at a time. (With 4, V3D 7.1 spills.)
const int kAtATime = 2;

// The better of `best` (key, class, bits) and scores `v`, from `channel` on.
ivec3 better_of(ivec3 best, vec4 v, int channel) {
  ivec4 keys = op_order_keys(v);
  for (int c = 0; c < 4; ++c) {
    int of_class = channel + c - first;
    if (of_class >= 0 && channel + c < scores_aux.x && v[c] >= threshold &&
        keys[c] > best.x) {
      best = ivec3(keys[c], of_class, floatBitsToInt(v[c]));
    }
  }
  return best;
}
#endif

void main() {
  if (outside_grid()) return;
  vec4 anchor = anchor_of(gid.x);
  vec4 encoding = read_encodings(gid.x, 0, 0, 0) / scales;
  vec2 middle = encoding.xy * anchor.zw + anchor.xy;
  vec2 reach = 0.5 * op_exp(encoding, vec4(0.0)).zw * anchor.zw;
  write_boxes(gid.x, 0, 0, 0, floatBitsToInt(vec4(middle - reach, middle + reach)));
#ifdef BEST
  ivec3 best = ivec3(kNone, 0, 0);  // key, class, bits
  int last = scores_size.z - 1;
  for (int s = first >> 2; s <= last; s += kAtATime) {
    vec4 v[kAtATime];
    for (int k = 0; k < kAtATime; ++k) {
      v[k] = read_scores(gid.x, 0, min(s + k, last), 0);
    }
    // Repeating the last slice changes nothing.
    for (int k = 0; k < kAtATime; ++k) {
      best = better_of(best, v[k], 4 * min(s + k, last));
    }
  }
  write_boxes(gid.x, 0, 1, 0, ivec4(best.x, gid.x, best.yz));
#endif
}
