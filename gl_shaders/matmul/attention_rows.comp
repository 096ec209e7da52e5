// Attention of many rows on processors: softmax(q * transposed k, by SCORE_STAGE)
// * v, without the scores in memory. An invocation computes TILE_ROWS rows,
// four keys at a time: it keeps the largest score so far, and scales its sums
// when that grows. TERMS: slices of a row of q and k; RESULTS: of a row of the
// results. TRANSPOSED: v's rows are the results' channels. Grid: x tiles of
// rows, z matrices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;  // rows, scores of a row
  int heights;   // matrices of a batch
  float beta;
};

#define UNKNOWN_ZERO grid.w

const float kMin = -3.402823466e38;

int height;
int batch;

// Component j of column i: term 4 * t + i of four keys from 4 * s on. Past the end, the last one
// repeats.
mat4 keys(int s, int t) {
  mat4 k;
  for (int j = 0; j < 4; ++j) k[j] = read_k(K_PLACE(min(4 * s + j, extent.y - 1), t));
  return transpose(k);
}

// Column j: slice o of the values of key 4 * s + j; zero past the last key,
// whatever v has there.
mat4 values(int s, int o) {
  mat4 v;
#ifdef TRANSPOSED
  for (int j = 0; j < 4; ++j) v[j] = read_v(V_PLACE(4 * o + j, s));
  v = transpose(v);
  for (int j = 1; j < 4; ++j) {
    if (4 * s + j >= extent.y) v[j] = vec4(0.0);
  }
#else
  for (int j = 0; j < 4; ++j) {
    vec4 texel = read_v(V_PLACE(min(4 * s + j, extent.y - 1), o));
    v[j] = 4 * s + j < extent.y ? texel : vec4(0.0);
  }
#endif
  return v;
}

vec4 with_functions(vec4 v, int row, int s) {
  return score_stage(row, height, s, batch, v) * beta;
}

void main() {
  if (outside_grid()) return;
  batch = gid.z / heights;
  height = gid.z - batch * heights;
  int first = gid.x * TILE_ROWS;
  vec4 q[TILE_ROWS][TERMS];
  vec4 sum[TILE_ROWS][RESULTS];
  vec4 shares[TILE_ROWS];  // of the softmax's sum
  float most[TILE_ROWS];
  for (int i = 0; i < TILE_ROWS; ++i) {
    for (int t = 0; t < TERMS; ++t) q[i][t] = vec4(0.0);
    for (int o = 0; o < RESULTS; ++o) sum[i][o] = vec4(0.0);
    shares[i] = vec4(0.0);
    most[i] = kMin;
  }
  // The compiler does not know the zero, so it does not unroll this loop and the
  // last: loads and stores are much code. The slices move up by one.
  for (int t = UNKNOWN_ZERO; t < TERMS; ++t) {
    for (int i = 0; i < TILE_ROWS; ++i) {
      for (int r = 1; r < TERMS; ++r) q[i][r - 1] = q[i][r];
      q[i][TERMS - 1] = read_q(Q_PLACE(min(first + i, extent.x - 1), t));
    }
  }
  for (int s = UNKNOWN_ZERO; 4 * s < extent.y; ++s) {
    vec4 scores[TILE_ROWS];
    for (int i = 0; i < TILE_ROWS; ++i) scores[i] = vec4(0.0);
    for (int t = 0; t < TERMS; ++t) {
      mat4 k = keys(s, t);
      for (int i = 0; i < TILE_ROWS; ++i) {
        vec4 v = q[i][t];
        scores[i] += k[0] * v.x + k[1] * v.y + k[2] * v.z + k[3] * v.w;
      }
    }
    bvec4 past = op_past(s, extent.y);
    for (int i = 0; i < TILE_ROWS; ++i) {
      vec4 v = with_functions(scores[i], min(first + i, extent.x - 1), s);
      v = mix(v, vec4(kMin), past);
      float now = max(most[i], max(max(v.x, v.y), max(v.z, v.w)));
      float scale = exp(most[i] - now);
      most[i] = now;
      scores[i] = mix(exp(v - now), vec4(0.0), past);
      shares[i] = shares[i] * scale + scores[i];
      for (int o = 0; o < RESULTS; ++o) sum[i][o] *= scale;
    }
    for (int o = 0; o < RESULTS; ++o) {
      mat4 v = values(s, o);
      for (int i = 0; i < TILE_ROWS; ++i) {
        vec4 e = scores[i];
        sum[i][o] += v[0] * e.x + v[1] * e.y + v[2] * e.z + v[3] * e.w;
      }
    }
  }

  for (int o = UNKNOWN_ZERO; o < RESULTS; ++o) {
    for (int i = 0; i < TILE_ROWS; ++i) {
      if (first + i >= extent.x) break;
      float share = dot(shares[i], vec4(1.0));
      write_dst(first + i, height, o, batch, sum[i][0] / share);
      for (int r = 1; r < RESULTS; ++r) sum[i][r - 1] = sum[i][r];
    }
  }
}
