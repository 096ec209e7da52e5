// Softmax of each pixel's channels, or its LOG. THREADS invocations along y
// share a pixel; WORK_GROUP_X pixels are side by side. With THREADS 1: one
// invocation a pixel. Three passes over the row: maximum, sum, result. HELD:
// the texels of an invocation's share, which it keeps in registers. INT16: of
// int16 values as in TFLite's kernel, in integers: e^x and 1 / (1 + x) are
// interpolated linearly between 513 points with 15 fractional bits.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
#ifdef INT16
  int multiplier;  // with shift: from (value - maximum) to positions
  int shift;
#else
  float beta;
#endif
};

#ifdef INT16
#define NUMBER int
#define NUMBER4 ivec4
const int kMin = -32768;
#else
#define NUMBER float
#define NUMBER4 vec4
const float kMin = -3.402823466e38;
#endif

#if THREADS > 1
shared NUMBER4 shares[THREADS * WORK_GROUP_X];
#endif

NUMBER4 plus(NUMBER4 a, NUMBER4 b) { return a + b; }

#ifdef HELD
// Of texel I of the share: the slice, and the value.
#define SHARE(I, S) for (int I = 0, S = thread; I < HELD; ++I, S += THREADS)
#define VALUE(I, S) row[I]
#else
#define SHARE(I, S) for (int S = thread; S < src_size.z; S += THREADS)
#define VALUE(I, S) NUMBER4(read_src(p.x, p.y, S, p.z))
#endif

#ifdef INT16
int exp_point(int i) { return int(op_component(exps_at(i >> 2, 0), i)); }
int inverse_point(int i) { return int(op_component(inverses_at(i >> 2, 0), i)); }

// The value at `rest` 128ths of the distance between two points.
int between(int point, int next, int rest) {
  return point + (((next - point) * rest + 64) >> 7);
}

// e^x, with x from -10 at position -32768 to 0 at position 32767.
int exp_at(int at) {
  int i = 256 + (at >> 7);
  return between(exp_point(i), exp_point(i + 1), at & 127);
}

// 1 / (1 + x), with x from 0 at position -32768 to 1 at position 32767.
int inverse_at(int at) {
  int i = 256 + (at >> 7);
  return between(inverse_point(i), inverse_point(i + 1), at & 127);
}

ivec4 exps_below(ivec4 below) {
  ivec4 at = RESCALE(below, ivec4(multiplier), ivec4(shift), false);
  at = clamp(at + 32767, -32768, 32767);
  return ivec4(exp_at(at.x), exp_at(at.y), exp_at(at.z), exp_at(at.w));
}
#else
vec4 exps_below(vec4 below) { return exp(below * beta); }
#endif

void main() {
  RETURN_IF_OUTSIDE
  int thread = int(gl_LocalInvocationID.y) % THREADS;
  // No early return, since barriers follow. Past the end, the last one repeats.
  ivec3 p = ivec3(min(gid.x, src_size.x - 1), gid.z % src_size.y,
                  gid.z / src_size.y);
#ifdef HELD
  NUMBER4 row[HELD];
  SHARE(i, s) {
    NUMBER4 v = NUMBER4(read_src(p.x, p.y, min(s, src_size.z - 1), p.z));
    row[i] = mix(v, NUMBER4(kMin), op_past(s, src_aux.x));
  }
#endif
  NUMBER4 share = NUMBER4(kMin);
  SHARE(i, s) {
    share = max(share, mix(VALUE(i, s), NUMBER4(kMin), op_past(s, src_aux.x)));
  }
  COMBINE_SHARES(share, max)
  NUMBER largest = max(max(share.x, share.y), max(share.z, share.w));
  share = NUMBER4(0);
  SHARE(i, s) {
    NUMBER4 e = exps_below(VALUE(i, s) - largest);
    share += mix(e, NUMBER4(0), op_past(s, src_aux.x));
  }
  COMBINE_SHARES(share, plus)
  NUMBER sum = share.x + share.y + share.z + share.w;
#ifdef LOG
  float log_sum = log(sum);
#elif defined(INT16)
  // The sum is 2^top * (1 + x), with 16 bits of x.
  int top = findMSB(uint(sum));
  int scaled = int(((uint(sum) << uint(30 - top)) + 8192u) >> 14u);
  int inverse = inverse_at(clamp(scaled - 98304, -32768, 32767));
#endif
  if (gid.x >= src_size.x) return;
  SHARE(i, s) {
    NUMBER4 below = VALUE(i, s) - largest;
#ifdef LOG
    vec4 v = below - log_sum;
#elif defined(INT16)
    ivec4 y = (exps_below(below) * inverse + (1 << (top - 1))) >> top;
    vec4 v = vec4(clamp(y, 0, 32767));
#else
    vec4 v = exps_below(below) / sum;
#endif
    if (s < src_size.z) write_dst(p.x, p.y, s, p.z, v);
  }
}
