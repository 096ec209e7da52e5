// Attention of a few rows: softmax(q * transposed k, by SCORE_OPS) * v.
// THREADS invocations along y share a row of q. SLICES: those of a row of
// scores, which shared memory holds. LANES invocations share a texel of the
// result. TRANSPOSED: v's rows are the results' channels. Grid: x rows, y
// THREADS, z matrices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;   // rows, scores a row, slices of terms, slices of results
  ivec4 q_place;  // as in batch_matmul.comp
  ivec4 q_batch;
  ivec4 k_place;
  ivec4 k_batch;
  ivec4 v_place;
  ivec4 v_batch;
  int heights;     // matrices of a batch
  int in_one_row;  // all results are one pixel of dst
  float beta;
  SCORE_PARAMS
};

const float kMin = -3.402823466e38;

shared vec4 scores[SLICES];
shared vec4 shares[THREADS];

int height;
int batch;

vec4 q_texel(int row, int s) {
  return read_q(row * q_place.x, height * q_place.y, s,
                row * q_batch.x + height * q_batch.y + batch * q_batch.z);
}
vec4 k_texel(int row, int s) {
  return read_k(row * k_place.x, height * k_place.y, s,
                row * k_batch.x + height * k_batch.y + batch * k_batch.z);
}
vec4 v_texel(int row, int s) {
  return read_v(row * v_place.x, height * v_place.y, s,
                row * v_batch.x + height * v_batch.y + batch * v_batch.z);
}

bvec4 past_last_score(int s) {
  return greaterThanEqual(4 * s + ivec4(0, 1, 2, 3), ivec4(extent.y));
}

vec4 scores_of(int row, int s) {
  vec4 v = vec4(0.0);
  ivec4 at = min(4 * s + ivec4(0, 1, 2, 3), extent.y - 1);
  for (int t = 0; t < extent.z; ++t) {
    vec4 q = q_texel(row, t);
    v += vec4(dot(q, k_texel(at.x, t)), dot(q, k_texel(at.y, t)),
              dot(q, k_texel(at.z, t)), dot(q, k_texel(at.w, t)));
  }
  ivec4 p = ivec4(row, height, s, batch);
  SCORE_OPS
  return v * beta;
}

// The share of slice s of the scores in slice o of the results.
vec4 term(int o, int s) {
  vec4 p = scores[s];
#ifdef TRANSPOSED
  return vec4(dot(p, v_texel(4 * o, s)), dot(p, v_texel(4 * o + 1, s)),
              dot(p, v_texel(4 * o + 2, s)), dot(p, v_texel(4 * o + 3, s)));
#else
  vec4 sum = p.x * v_texel(4 * s, o);
  // Not products by zero, since v may contain infinities.
  for (int j = 1; j < 4 && 4 * s + j < extent.y; ++j) {
    sum += op_component(p, j) * v_texel(4 * s + j, o);
  }
  return sum;
#endif
}

vec4 plus(vec4 a, vec4 b) { return a + b; }

// Combines the values of all invocations for each of them.
#define COMBINE_ALL(V, COMBINE)                                          \
  barrier();                                                             \
  shares[thread] = V;                                                    \
  memoryBarrierShared();                                                 \
  barrier();                                                             \
  for (int n = THREADS / 2; n > 0; n /= 2) {                             \
    if (thread < n) shares[thread] = COMBINE(shares[thread], shares[thread + n]); \
    memoryBarrierShared();                                               \
    barrier();                                                           \
  }                                                                      \
  V = shares[0];

void main() {
  int thread = int(gl_LocalInvocationID.y);
  int row = gid.x;
  batch = gid.z / heights;
  height = gid.z - batch * heights;
  vec4 share = vec4(kMin);
  for (int s = thread; s < SLICES; s += THREADS) {
    vec4 v = scores_of(row, s);
    scores[s] = v;
    share = max(share, mix(v, vec4(kMin), past_last_score(s)));
  }
  COMBINE_ALL(share, max)
  float largest = max(max(share.x, share.y), max(share.z, share.w));
  share = vec4(0.0);
  for (int s = thread; s < SLICES; s += THREADS) {
    vec4 e = mix(exp(scores[s] - largest), vec4(0.0), past_last_score(s));
    scores[s] = e;
    share += e;
  }
  COMBINE_ALL(share, plus)
  float sum = share.x + share.y + share.z + share.w;
  // The scores of others are read from here on; COMBINE_ALL has barriers.
  int lane = thread % LANES;
  for (int first = 0; first < extent.w; first += THREADS / LANES) {
    int o = first + thread / LANES;
    vec4 result = vec4(0.0);
    if (o < extent.w) {
      for (int s = lane; s < SLICES; s += LANES) result += term(o, s);
    }
#if LANES > 1
    barrier();
    shares[thread] = result;
    memoryBarrierShared();
    barrier();
    if (lane == 0) {
      for (int i = 1; i < LANES; ++i) result += shares[thread + i];
    }
#endif
    if (lane == 0 && o < extent.w) {
      if (in_one_row != 0) {
        write_dst(0, 0, (gid.z * extent.x + row) * extent.w + o, 0, result / sum);
      } else {
        write_dst(row, height, o, batch, result / sum);
      }
    }
  }
}
