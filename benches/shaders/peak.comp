#version 310 es
// Arithmetic alone: 16 multiply-adds a step, in four chains.
precision highp float;
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Out { vec4 result[]; };

const int kSteps = 1024;  // as in bench_device.cc

void main() {
  vec4 a = vec4(gl_GlobalInvocationID.xyzx);
  vec4 b = a * 0.5;
  vec4 c = a * 0.25;
  vec4 d = a * 0.125;
  for (int i = 0; i < kSteps; ++i) {
    a = a * 0.999 + b;
    b = b * 0.999 + c;
    c = c * 0.999 + d;
    d = d * 0.999 + a;
  }
  result[gl_GlobalInvocationID.x] = a + b + c + d;
}
