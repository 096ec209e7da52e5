// dst is src with `update` written over it from `start` on, which is clamped so that it fits. One
// texel of dst an invocation; IN_PLACE, one of `update`, for a dst that has the values of src.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 which;  // the element of start for x, y, channel, batch; -1: none
  ivec4 outer;  // likewise for the axis before the batch; batches of src and update on it
};

int start_of(int element, int extent, int box) {
  if (element < 0) return 0;
  int at = op_component(read_start(0, 0, element >> 2, 0), element);
  return clamp(at, 0, extent - box);
}

#ifdef IN_PLACE
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % update_size.z, gid.z / update_size.z);
  int a = p.w / outer.z;
  int b = p.w - a * outer.z + start_of(which.w, outer.y, outer.z);
  a += start_of(outer.x, dst_size.w / outer.y, update_size.w / outer.z);
  write_dst(p.x + start_of(which.x, dst_size.x, update_size.x),
            p.y + start_of(which.y, dst_size.y, update_size.y), p.z, a * outer.y + b,
            read_update(p.x, p.y, p.z, p.w));
}
#else
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  ELEMENT4 v = read_src(p.x, p.y, p.z, p.w);
  int a = p.w / outer.y;
  int x = p.x - start_of(which.x, src_size.x, update_size.x);
  int y = p.y - start_of(which.y, src_size.y, update_size.y);
  int b = p.w - a * outer.y - start_of(which.w, outer.y, outer.z);
  a -= start_of(outer.x, src_size.w / outer.y, update_size.w / outer.z);
  bool inside = x >= 0 && x < update_size.x && y >= 0 && y < update_size.y && b >= 0 &&
                b < outer.z && a >= 0 && a < update_size.w / outer.z;
  if (inside) {
    int batch = a * outer.z + b;
    int first = 4 * p.z - start_of(which.z, src_aux.x, update_aux.x);
    for (int i = 0; i < 4; ++i) {
      int c = first + i;
      if (c < 0 || c >= update_aux.x) continue;
      v = op_with_component(v, i, op_component(read_update(x, y, c >> 2, batch), c));
    }
  }
  write_dst(p.x, p.y, p.z, p.w, v);
}
#endif
