// The elementwise functions: op_<name>(x, params), op_<name>(x, y, params).
// A node of such an op is a copy with one of these as its post-op; the fusion
// pass moves it into whatever writes its input. All in highp.

vec4 op_clamp(vec4 x, vec4 p) { return clamp(x, p.x, p.y); }

vec4 op_add(vec4 x, vec4 y, vec4 p) { return x + y; }
vec4 op_sub(vec4 x, vec4 y, vec4 p) { return x - y; }
vec4 op_mul(vec4 x, vec4 y, vec4 p) { return x * y; }
