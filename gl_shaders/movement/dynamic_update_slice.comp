// dst is src with `update` written over it from `start` on, which is clamped so that it fits. One
// texel of dst an invocation. If dst is in the memory of src, only texels that change are written.
// IN_PLACE: `update` covers the channels; one of its texels an invocation.
// PARTS_IN_PLACE: it does not; one texel of dst, of which it may cover a part.
// MOVED: the update is moved_value(), as in moved_functions.comp, and no tensor.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 which;  // the element of start for x, y, channel, batch; -1: none
  // The same for the axis before the batch; batches of src and update on it; PARTS_IN_PLACE: the
  // most slices with channels of the update.
  ivec4 outer;
#ifdef MOVED
  ivec4 moved_size;  // of the update
  ivec4 moved_channels;
  MOVE_PARAMS
#endif
};

#ifdef MOVED
// The values at p of a tensor of this size.
vec4 moved_value(ivec4 p, ivec4 size) {
  int pixel = (p.w * size.y + p.y) * size.x + p.x;
  MOVED_PARTS
  return vec4(0.0);
}
#define UPDATE_SIZE moved_size
#define UPDATE_CHANNELS moved_channels.x
#define UPDATE_TEXEL(X, Y, S, B) moved_value(ivec4(X, Y, S, B), moved_size)
#else
#define UPDATE_SIZE update_size
#define UPDATE_CHANNELS update_aux.x
#define UPDATE_TEXEL(X, Y, S, B) read_update(X, Y, S, B)
#endif

int clamped_start(int element, int extent, int box) {
  if (element < 0) return 0;
  // A compiler that knows the element refuses a slice below 0 here, too.
  int at = op_component(read_start(0, 0, max(element, 0) >> 2, 0), element);
  return clamp(at, 0, extent - box);
}

#if defined(IN_PLACE) || defined(PARTS_IN_PLACE)
// The pixel of dst (x, y, batch) that has pixel p of the update.
ivec3 place_of(ivec3 p) {
  int a = p.z / outer.z;
  int b = p.z - a * outer.z + clamped_start(which.w, outer.y, outer.z);
  a += clamped_start(outer.x, dst_size.w / outer.y, UPDATE_SIZE.w / outer.z);
  return ivec3(p.x + clamped_start(which.x, dst_size.x, UPDATE_SIZE.x),
               p.y + clamped_start(which.y, dst_size.y, UPDATE_SIZE.y), a * outer.y + b);
}
#endif

#ifdef IN_PLACE
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % UPDATE_SIZE.z, gid.z / UPDATE_SIZE.z);
  ivec3 at = place_of(p.xyw);
  write_dst(at.x, at.y, p.z, at.z, UPDATE_TEXEL(p.x, p.y, p.z, p.w));
}
#else
// Slice `slice` of src at `at`, with the update's pixel p (x, y, batch) over it.
ELEMENT4 updated(ivec3 at, int slice, ivec3 p) {
  ELEMENT4 v = read_src(at.x, at.y, slice, at.z);
  int first = 4 * slice - clamped_start(which.z, src_aux.x, UPDATE_CHANNELS);
  for (int i = 0; i < 4; ++i) {
    int c = first + i;
    if (c < 0 || c >= UPDATE_CHANNELS) continue;
    v = op_with_component(v, i, op_component(UPDATE_TEXEL(p.x, p.y, c >> 2, p.z), c));
  }
  return v;
}

#ifdef PARTS_IN_PLACE
void main() {
  if (outside_grid()) return;
  int batch = gid.z / outer.w;
  int slice = clamped_start(which.z, src_aux.x, UPDATE_CHANNELS) / 4 + gid.z - batch * outer.w;
  if (slice >= dst_size.z) return;
  ivec3 p = ivec3(gid.xy, batch);
  ivec3 at = place_of(p);
  write_dst(at.x, at.y, slice, at.z, updated(at, slice, p));
}
#else
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  int a = p.w / outer.y;
  int x = p.x - clamped_start(which.x, src_size.x, UPDATE_SIZE.x);
  int y = p.y - clamped_start(which.y, src_size.y, UPDATE_SIZE.y);
  int b = p.w - a * outer.y - clamped_start(which.w, outer.y, outer.z);
  a -= clamped_start(outer.x, src_size.w / outer.y, UPDATE_SIZE.w / outer.z);
  bool inside = x >= 0 && x < UPDATE_SIZE.x && y >= 0 && y < UPDATE_SIZE.y && b >= 0 &&
                b < outer.z && a >= 0 && a < UPDATE_SIZE.w / outer.z;
  ELEMENT4 v;
  if (inside) {
    v = updated(p.xyw, p.z, ivec3(x, y, a * outer.z + b));
  } else {
    v = read_src(p.x, p.y, p.z, p.w);
  }
  write_dst(p.x, p.y, p.z, p.w, v);
}
#endif
#endif
