// dst is src with `update` written over it from `start` on, which is clamped so that it fits. One
// texel of dst an invocation; IN_PLACE, one of `update`, for a dst that has the values of src.
// MOVED: the update is moved_value(), as in moved_functions.comp, and no tensor.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 which;  // the element of start for x, y, channel, batch; -1: none
  ivec4 outer;  // likewise for the axis before the batch; batches of src and update on it
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

int start_of(int element, int extent, int box) {
  if (element < 0) return 0;
  int at = op_component(read_start(0, 0, element >> 2, 0), element);
  return clamp(at, 0, extent - box);
}

#ifdef IN_PLACE
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % UPDATE_SIZE.z, gid.z / UPDATE_SIZE.z);
  int a = p.w / outer.z;
  int b = p.w - a * outer.z + start_of(which.w, outer.y, outer.z);
  a += start_of(outer.x, dst_size.w / outer.y, UPDATE_SIZE.w / outer.z);
  write_dst(p.x + start_of(which.x, dst_size.x, UPDATE_SIZE.x),
            p.y + start_of(which.y, dst_size.y, UPDATE_SIZE.y), p.z, a * outer.y + b,
            UPDATE_TEXEL(p.x, p.y, p.z, p.w));
}
#else
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  ELEMENT4 v = read_src(p.x, p.y, p.z, p.w);
  int a = p.w / outer.y;
  int x = p.x - start_of(which.x, src_size.x, UPDATE_SIZE.x);
  int y = p.y - start_of(which.y, src_size.y, UPDATE_SIZE.y);
  int b = p.w - a * outer.y - start_of(which.w, outer.y, outer.z);
  a -= start_of(outer.x, src_size.w / outer.y, UPDATE_SIZE.w / outer.z);
  bool inside = x >= 0 && x < UPDATE_SIZE.x && y >= 0 && y < UPDATE_SIZE.y && b >= 0 &&
                b < outer.z && a >= 0 && a < UPDATE_SIZE.w / outer.z;
  if (inside) {
    int batch = a * outer.z + b;
    int first = 4 * p.z - start_of(which.z, src_aux.x, UPDATE_CHANNELS);
    for (int i = 0; i < 4; ++i) {
      int c = first + i;
      if (c < 0 || c >= UPDATE_CHANNELS) continue;
      v = op_with_component(v, i, op_component(UPDATE_TEXEL(x, y, c >> 2, batch), c));
    }
  }
  write_dst(p.x, p.y, p.z, p.w, v);
}
#endif
