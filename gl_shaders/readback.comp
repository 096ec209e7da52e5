// Texels to host floats, tightly packed BHWC. One texel an invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

layout(std430, binding = HOST_BINDING) writeonly buffer Host { float host[]; };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % src_size.z, gid.z / src_size.z);
  int channels = src_aux.x;
  int c = p.z * 4;
  int at = ((p.w * src_size.y + p.y) * src_size.x + p.x) * channels + c;
  vec4 v = read_src(p.x, p.y, p.z, p.w);
  host[at] = v.x;
  if (c + 1 < channels) host[at + 1] = v.y;
  if (c + 2 < channels) host[at + 2] = v.z;
  if (c + 3 < channels) host[at + 3] = v.w;
}
