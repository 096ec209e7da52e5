// Of a .comp with dst_texel() in place of main().
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  write_dst(p.x, p.y, p.z, p.w, dst_texel(p));
}
