#version 310 es
// One vec4 an invocation.
precision highp float;
precision highp int;
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { vec4 from[]; };
layout(std430, binding = 1) writeonly buffer Out { vec4 to[]; };

void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x]; }
