// Attention of a few rows: softmax(q * transposed k, by SCORE_STAGE) * v.
// THREADS invocations along y share a row of q. SLICES: those of a row of
// scores, which shared memory holds; the first SHARERS invocations see a slice
// or more. LANES invocations share a texel of the result. TRANSPOSED: v's rows
// are the results' channels. PARTS: SLICES are a part of a row, and
// attention_join.comp joins the parts, as in Flash-Decoding.
// Grid: x rows, y THREADS, z matrices and parts.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;    // rows, scores a row, slices of terms, slices of results
  int in_one_row;  // all results are one pixel of dst
  int parts;       // of a row of scores
  int heights;     // matrices of a batch
  float beta;
};

const float kMin = -3.402823466e38;

shared float scores[4 * SLICES];
shared vec4 shares[THREADS];

int height;
int batch;
#ifdef PARTS
int first_slice;  // of this part's scores
int count;        // of its slices
#else
const int first_slice = 0;
const int count = SLICES;
#endif

vec4 q_texel(int row, int slice) {
  ivec4 p = Q_PLACE;
  return read_q(p.x, p.y, p.z, p.w);
}
vec4 k_texel(int row, int slice) {
  ivec4 p = K_PLACE;
  return read_k(p.x, p.y, p.z, p.w);
}
vec4 v_texel(int row, int slice) {
  ivec4 p = V_PLACE;
  return read_v(p.x, p.y, p.z, p.w);
}

// s: from the part's first slice on, here and below.
bvec4 past_last_score(int s) {
  return greaterThanEqual(4 * (first_slice + s) + ivec4(0, 1, 2, 3), ivec4(extent.y));
}

vec4 scores_of(int s) {
  return vec4(scores[4 * s], scores[4 * s + 1], scores[4 * s + 2],
              scores[4 * s + 3]);
}
void put_scores(int s, vec4 v) {
  for (int i = 0; i < 4; ++i) scores[4 * s + i] = op_component(v, i);
}

float product_of(int row, int score) {
  float sum = 0.0;
  for (int t = 0; t < extent.z; ++t) sum += dot(q_texel(row, t), k_texel(score, t));
  return sum;
}

vec4 with_functions(int row, int s) {
  vec4 v = scores_of(s);
  return score_stage(row, height, first_slice + s, batch, v) * beta;
}

// The share of slice s of the scores in slice o of the results.
vec4 term(int o, int s) {
  vec4 p = scores_of(s);
  int at = first_slice + s;
#ifdef TRANSPOSED
  return vec4(dot(p, v_texel(4 * o, at)), dot(p, v_texel(4 * o + 1, at)),
              dot(p, v_texel(4 * o + 2, at)), dot(p, v_texel(4 * o + 3, at)));
#else
  vec4 sum = p.x * v_texel(4 * at, o);
  // Not products by zero, since v may contain infinities.
  for (int j = 1; j < 4 && 4 * at + j < extent.y; ++j) {
    sum += op_component(p, j) * v_texel(4 * at + j, o);
  }
  return sum;
#endif
}

vec4 plus(vec4 a, vec4 b) { return a + b; }

// Combines the values V of COUNT invocations, a power of two and STRIDE apart,
// in the share of the first. AT: this one's place among them.
#define COMBINE(V, AT, COUNT, STRIDE, FUNCTION)                             \
  barrier();                                                                \
  shares[thread] = V;                                                       \
  for (int n = (COUNT) / 2; n > 0; n /= 2) {                                \
    barrier();                                                              \
    if ((AT) < n) {                                                         \
      shares[thread] = FUNCTION(shares[thread], shares[thread + n * (STRIDE)]); \
    }                                                                       \
  }                                                                         \
  barrier();

#ifdef TRANSPOSED
// Neighbours read neighbouring rows of v.
#define RESULTS (THREADS / LANES)
#define LANE (thread / RESULTS)
#define RESULT (thread % RESULTS)
#define LANE_STRIDE RESULTS
#else
#define LANE (thread % LANES)
#define RESULT (thread / LANES)
#define LANE_STRIDE 1
#endif

void put(int row, int matrix, int o, vec4 result, float largest, float sum) {
#ifdef PARTS
  int of_all = matrix * extent.x + row;
  int part = first_slice / SLICES;
  write_dst(part, of_all, o, 0, result);
  if (o == 0) write_dst(part, of_all, extent.w, 0, vec4(largest, sum, 0.0, 0.0));
#else
  vec4 v = result / sum;
  if (in_one_row != 0) {
    write_dst(0, 0, (matrix * extent.x + row) * extent.w + o, 0, v);
  } else {
    write_dst(row, height, o, batch, v);
  }
#endif
}

void main() {
  int thread = int(gl_LocalInvocationID.y);
  int row = gid.x;
  int matrix = gid.z / parts;
  batch = matrix / heights;
  height = matrix - batch * heights;
#ifdef PARTS
  first_slice = (gid.z - matrix * parts) * SLICES;
  count = min(SLICES, (extent.y + 3) / 4 - first_slice);
#endif
  for (int i = thread; i < 4 * count; i += THREADS) {
    scores[i] = product_of(row, min(4 * first_slice + i, extent.y - 1));
  }
  barrier();
  vec4 share = vec4(kMin);
  for (int s = thread; s < count; s += THREADS) {
    vec4 v = with_functions(row, s);
    put_scores(s, v);
    share = max(share, mix(v, vec4(kMin), past_last_score(s)));
  }
  COMBINE(share, thread, SHARERS, 1, max)
  share = shares[0];
  float largest = max(max(share.x, share.y), max(share.z, share.w));
  share = vec4(0.0);
  for (int s = thread; s < count; s += THREADS) {
    vec4 e = mix(exp(scores_of(s) - largest), vec4(0.0), past_last_score(s));
    put_scores(s, e);
    share += e;
  }
  COMBINE(share, thread, SHARERS, 1, plus)
  share = shares[0];
  float sum = share.x + share.y + share.z + share.w;
  // The scores of others are read from here on; COMBINE has barriers.
  for (int first = 0; first < extent.w; first += THREADS / LANES) {
    int o = first + RESULT;
    vec4 result = vec4(0.0);
    if (o < extent.w) {
      for (int s = LANE; s < count; s += LANES) result += term(o, s);
    }
    COMBINE(result, LANE, LANES, LANE_STRIDE, plus)
    if (LANE == 0 && o < extent.w) {
      put(row, matrix, o, shares[thread], largest, sum);
    }
  }
}
