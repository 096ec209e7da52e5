// Attention of a few rows: softmax(q * transposed k, by SCORE_STAGE) * v.
// THREADS invocations along y share a row of q. SLICES: those of a row of
// scores, which shared memory holds. SHARERS invocations share a score, LANES a
// texel of the result. TRANSPOSED: v's rows are the results' channels. PARTS:
// SLICES are a part of a row, and attention_join.comp joins the parts, as in
// Flash-Decoding. Slices, and lanes with theirs, count by exp(their largest
// score - the largest of all) in the same way, which takes few barriers: lanes
// are joined AT_ONCE at a time.
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

// A slice: the scores by sharer, then their exponentials, largest and sum.
#if SHARERS > 1
#define SLICE_FLOATS (4 * SHARERS)
#else
#define SLICE_FLOATS 6
#endif
shared float slices[SLICES * SLICE_FLOATS];
// Sums of the lanes, their largest scores and the sums of exponentials.
shared vec4 sums[THREADS];
shared vec2 shares[THREADS];

int height;
int batch;
#ifdef PARTS
int first_slice;  // of this part's scores
int count;        // of its slices
#else
const int first_slice = 0;
const int count = SLICES;
#endif

float part_of_product(int row, int score, int first_term) {
  float sum = 0.0;
  for (int t = first_term; t < extent.z; t += SHARERS) {
    sum += dot(read_q(Q_PLACE(row, t)), read_k(K_PLACE(score, t)));
  }
  return sum;
}

// s: from the part's first slice on, here and below. Replaces the products of
// slice s by exponentials.
void see_slice(int row, int s) {
  int at = s * SLICE_FLOATS;
  vec4 v = vec4(0.0);
  for (int i = 0; i < SHARERS; ++i) {
    v += vec4(slices[at], slices[at + 1], slices[at + 2], slices[at + 3]);
    at += 4;
  }
  at = s * SLICE_FLOATS;
  v = score_stage(row, height, first_slice + s, batch, v) * beta;
  bvec4 past = op_past(first_slice + s, extent.y);
  v = mix(v, vec4(kMin), past);
  float largest = max(max(max(v.x, v.y), max(v.z, v.w)), kMin);
  v = mix(exp(v - largest), vec4(0.0), past);
  for (int i = 0; i < 4; ++i) slices[at + i] = op_component(v, i);
  slices[at + 4] = largest;
  slices[at + 5] = v.x + v.y + v.z + v.w;
}

// The values by which slice s of the scores is multiplied for slice o of the
// results. Zero past the last score, as v may contain infinities.
mat4 values(int o, int s) {
  int at = first_slice + s;
  mat4 v;
#ifdef TRANSPOSED
  for (int j = 0; j < 4; ++j) v[j] = read_v(V_PLACE(4 * o + j, at));
#else
  for (int j = 0; j < 4; ++j) {
    v[j] = vec4(0.0);
    if (4 * at + j < extent.y) v[j] = read_v(V_PLACE(4 * at + j, o));
  }
#endif
  return v;
}

vec4 product(mat4 v, vec4 p) {
#ifdef TRANSPOSED
  return vec4(dot(v[0], p), dot(v[1], p), dot(v[2], p), dot(v[3], p));
#else
  return v[0] * p.x + v[1] * p.y + v[2] * p.z + v[3] * p.w;
#endif
}

#define SCORES (THREADS / SHARERS)  // at once
#define RESULTS (THREADS / LANES)
#ifdef TRANSPOSED
// Neighbours read neighbouring rows of v.
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
#if AT_ONCE > 2
  // The first values are on their way during what follows.
  mat4 v = mat4(0.0);
  if (RESULT < extent.w && LANE < count) v = values(RESULT, LANE);
#endif
  for (int i = thread % SCORES; i < 4 * count; i += SCORES) {
    int sharer = thread / SCORES;
    int score = min(4 * first_slice + i, extent.y - 1);
    int at = i / 4 * SLICE_FLOATS + 4 * sharer + i % 4;
    slices[at] = part_of_product(row, score, sharer);
  }
  barrier();
  for (int s = thread; s < count; s += THREADS) see_slice(row, s);
  barrier();
  for (int first = 0; first < extent.w; first += RESULTS) {
    int o = first + RESULT;
    vec4 sum = vec4(0.0);
    vec2 share = vec2(kMin, 0.0);
    if (o < extent.w) {
      for (int s = LANE; s < count; s += LANES) {
#if AT_ONCE > 2
        if (first > 0 || s != LANE) v = values(o, s);
#else
        mat4 v = values(o, s);
#endif
        int at = s * SLICE_FLOATS;
        vec4 p = vec4(slices[at], slices[at + 1], slices[at + 2], slices[at + 3]);
        vec2 more = vec2(slices[at + 4], slices[at + 5]);
        float largest = max(share.x, more.x);
        vec2 weight = exp(vec2(share.x, more.x) - largest);
        share = vec2(largest, dot(weight, vec2(share.y, more.y)));
        sum = sum * weight.x + product(v, p) * weight.y;
      }
    }
    for (int n = LANES; n > 1; n = (n + AT_ONCE - 1) / AT_ONCE) {
      if (LANE < n) {
        sums[thread] = sum;
        shares[thread] = share;
      }
      barrier();
      int next = (n + AT_ONCE - 1) / AT_ONCE;
      if (LANE < next) {
        float largest = share.x;
        for (int k = 1; k < AT_ONCE; ++k) {
          int other = thread + k * next * LANE_STRIDE;
          if (LANE + k * next < n) largest = max(largest, shares[other].x);
        }
        float weight = exp(share.x - largest);
        share = vec2(largest, share.y * weight);
        sum *= weight;
        for (int k = 1; k < AT_ONCE; ++k) {
          int other = thread + k * next * LANE_STRIDE;
          if (LANE + k * next < n) {
            weight = exp(shares[other].x - largest);
            share.y += weight * shares[other].y;
            sum += weight * sums[other];
          }
        }
      }
    }
    if (LANE == 0 && o < extent.w) put(row, matrix, o, sum, share.x, share.y);
    if (RESULTS < extent.w) barrier();  // before sums change
  }
}
