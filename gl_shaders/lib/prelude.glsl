// Before every .comp.
#define gid ivec3(gl_GlobalInvocationID)
bool outside_grid();
ivec4 unpack_quantized(int p);
int pack_quantized(ivec4 v);
