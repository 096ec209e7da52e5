// Before every .comp.
#define gid ivec3(gl_GlobalInvocationID)
