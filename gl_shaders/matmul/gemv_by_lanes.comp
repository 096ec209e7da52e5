// GEMV for few rows: dst row m is the sum over k of row m of src, flat in BHWC
// order, times the weights. LANES invocations of a work group share the sum of
// one output slice of TILE_ROWS rows, so that a short row fills the device.
// - ELEMENTS: rows of src begin inside texels.
// - PIXELS: a row of src is a pixel.
// - NORMALIZED: rows are divided by the root of the mean of their squares and
//   epsilon; SCALED: and multiplied by scale.
// - GATE_STAGE: products with the matrix `gate`, by these functions, multiply
//   the others.
// - QUANTIZED: the weights are quantized rows, which have all inputs in a row.
// Grid: x lanes, y output slices, z tiles of rows; with one lane x output slices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 row_shape;  // rows, texels a row, pixels a row, K
#ifdef NORMALIZED
  float epsilon;
#endif
};

#ifdef ELEMENTS
// K is not a multiple of the channels.
float element_at(int index) {
  int channel = index % src_aux.x;
  ivec3 p = op_pixel_at(index / src_aux.x, src_size);
  return op_component(read_src(p.x, p.y, channel / 4, p.z), channel);
}

vec4 row_texel(int m, int t) {
  vec4 v = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    int k = t * 4 + i;
    if (k < row_shape.w) v[i] = element_at(m * row_shape.w + k);
  }
  return v;
}
ivec2 weight_texel(int t, int slice) { return ivec2(t * 4, slice); }
#else
vec4 row_texel(int m, int t) {
  int pixel = t / src_size.z;
  ivec3 p = op_pixel_at(m * row_shape.z + pixel, src_size);
  return read_src(p.x, p.y, t - pixel * src_size.z, p.z);
}
ivec2 weight_texel(int t, int slice) {
  int pixel = t / src_size.z;
  return ivec2((t - pixel * src_size.z) * 4, slice * row_shape.z + pixel);
}
#endif

void put(int row, int slice, vec4 v) {
  if (row >= row_shape.x) return;
  ivec3 p = op_pixel_at(row, dst_size);
  write_dst(p.x, p.y, slice, p.z, v);
}

#if LANES > 1
#define SHARES (LANES * WORK_GROUP_Y * TILE_ROWS)
shared vec4 partial[SHARES];
#ifdef GATE_STAGE
shared vec4 partial_gate[SHARES];
#endif
#ifdef NORMALIZED
shared float partial_squares[SHARES];
#endif
#endif

#ifdef GATE_STAGE
#define IF_GATE(X) X
#else
#define IF_GATE(X)
#endif
#ifdef NORMALIZED
#define IF_NORMALIZED(X) X
#else
#define IF_NORMALIZED(X)
#endif
// Each texel of a row, before the products.
#ifdef SCALED
#define SEE(V, R, T)       \
  squares[R] += dot(V, V); \
  V *= read_scale(0, 0, T, 0);
#else
#define SEE(V, R, T) IF_NORMALIZED(squares[R] += dot(V, V);)
#endif

void main() {
  // No early return, since barriers follow. Past the end, the last one repeats.
#if LANES > 1
  int slice = min(gid.y, dst_size.z - 1);
  int first_lane = gid.x;
#else
  int slice = min(gid.x, dst_size.z - 1);
  int first_lane = 0;
#endif
  int t;
  int first_row = gid.z * TILE_ROWS;
  vec4 sum[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) sum[r] = vec4(0.0);
#ifdef NORMALIZED
  float squares[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) squares[r] = 0.0;
#endif
#ifdef PIXELS
  ivec3 from[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) {
    from[r] = op_pixel_at(min(first_row + r, row_shape.x - 1), src_size);
  }
#define ROW_TEXEL(r, t) read_src(from[r].x, from[r].y, t, from[r].z)
#else
#define ROW_TEXEL(r, t) row_texel(min(first_row + r, row_shape.x - 1), t)
#endif
  // Weights of both matrices, scales and biases are on their way before a lane
  // waits for anything.
#ifdef QUANTIZED
  vec4 bias = weights_bias(slice);
#else
  vec4 bias = weights_at(weights_size.x - 1, slice * row_shape.z);
#endif
#ifdef GATE_STAGE
  vec4 gate_sum[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) gate_sum[r] = vec4(0.0);
#ifdef QUANTIZED
  vec4 of_gate = gate_bias(slice);
#else
  vec4 of_gate = gate_at(gate_size.x - 1, slice * row_shape.z);
#endif
#endif
  // do {} while, t from grid.w: see shader.h.
#ifdef QUANTIZED
  // For each block that this lane sees.
  t = first_lane * weights_fours + grid.w;
  do {
    vec4 block_scale = weights_scale(t, slice);
    IF_GATE(vec4 gate_block_scale = gate_scale(t, slice);)
    int end = min(((t >> weights_size.z) + 1) << weights_size.z, row_shape.y);
    vec4 part[TILE_ROWS];
    IF_GATE(vec4 gate_part[TILE_ROWS];)
    for (int r = 0; r < TILE_ROWS; ++r) {
      part[r] = vec4(0.0);
      IF_GATE(gate_part[r] = vec4(0.0);)
    }
    do {
      ivec4 words = weights_words(t / weights_fours, slice);
      IF_GATE(ivec4 of_gate_words = gate_words(t / weights_fours, slice);)
      for (int i = 0; i < weights_fours; ++i) {
        if (i > 0 && t + i >= row_shape.y) break;
        mat4 w = weights_columns(words, i);
        IF_GATE(mat4 g = gate_columns(of_gate_words, i);)
        for (int r = 0; r < TILE_ROWS; ++r) {
          vec4 v = ROW_TEXEL(r, t + i);
          SEE(v, r, t + i)
          part[r] += w[0] * v.x + w[1] * v.y + w[2] * v.z + w[3] * v.w;
          IF_GATE(gate_part[r] += g[0] * v.x + g[1] * v.y + g[2] * v.z + g[3] * v.w;)
        }
      }
      t += LANES * weights_fours;
    } while (t < end);
    for (int r = 0; r < TILE_ROWS; ++r) {
      sum[r] += block_scale * part[r];
      IF_GATE(gate_sum[r] += gate_block_scale * gate_part[r];)
    }
  } while (t < row_shape.y);
#else
  t = first_lane + grid.w;
  do {
    ivec2 at = weight_texel(t, slice);
    vec4 w0 = weights_at(at.x, at.y);
    vec4 w1 = weights_at(at.x + 1, at.y);
    vec4 w2 = weights_at(at.x + 2, at.y);
    vec4 w3 = weights_at(at.x + 3, at.y);
    IF_GATE(vec4 g0 = gate_at(at.x, at.y);
            vec4 g1 = gate_at(at.x + 1, at.y);
            vec4 g2 = gate_at(at.x + 2, at.y);
            vec4 g3 = gate_at(at.x + 3, at.y);)
    for (int r = 0; r < TILE_ROWS; ++r) {
      vec4 v = ROW_TEXEL(r, t);
      SEE(v, r, t)
      sum[r] += w0 * v.x + w1 * v.y + w2 * v.z + w3 * v.w;
      IF_GATE(gate_sum[r] += g0 * v.x + g1 * v.y + g2 * v.z + g3 * v.w;)
    }
    t += LANES;
  } while (t < row_shape.y);
#endif

#if LANES > 1
  int lane = int(gl_LocalInvocationID.x);
  int base = int(gl_LocalInvocationID.y) * LANES * TILE_ROWS + lane;
  for (int r = 0; r < TILE_ROWS; ++r) {
    partial[base + r * LANES] = sum[r];
    IF_GATE(partial_gate[base + r * LANES] = gate_sum[r];)
    IF_NORMALIZED(partial_squares[base + r * LANES] = squares[r];)
  }
  // AT_ONCE, whose loads do not wait for one another, between two barriers.
  for (int n = LANES; n > 1; n = (n + AT_ONCE - 1) / AT_ONCE) {
    barrier();
    int next = (n + AT_ONCE - 1) / AT_ONCE;
    if (lane < next) {
      for (int r = 0; r < TILE_ROWS; ++r) {
        int at = base + r * LANES;
        vec4 total = partial[at];
        IF_GATE(vec4 gate_total = partial_gate[at];)
        IF_NORMALIZED(float total_squares = partial_squares[at];)
        for (int k = 1; k < AT_ONCE; ++k) {
          if (lane + k * next < n) {
            total += partial[at + k * next];
            IF_GATE(gate_total += partial_gate[at + k * next];)
            IF_NORMALIZED(total_squares += partial_squares[at + k * next];)
          }
        }
        partial[at] = total;
        IF_GATE(partial_gate[at] = gate_total;)
        IF_NORMALIZED(partial_squares[at] = total_squares;)
      }
    }
  }
#if TILE_ROWS > 1
  barrier();
#endif
#endif

  if (outside_grid()) return;
  // The lanes divide the rows: the code for a sum exists once, and no row waits
  // for another.
#if LANES > 1
#define OF_ROW(SHARED, OWN) SHARED[base - lane + r * LANES]
  for (int r = lane; r < TILE_ROWS; r += LANES) {
#else
#define OF_ROW(SHARED, OWN) OWN[r]
  for (int r = 0; r < TILE_ROWS; ++r) {
#endif
    vec4 v = OF_ROW(partial, sum);
#ifdef NORMALIZED
    float norm = inversesqrt(OF_ROW(partial_squares, squares) / float(row_shape.w) + epsilon);
    v *= norm;
#endif
    v += bias;
#ifdef GATE_STAGE
    vec4 g = OF_ROW(partial_gate, gate_sum);
#ifdef NORMALIZED
    g *= norm;
#endif
    v *= gate_stage(0, 0, slice, 0, g + of_gate);
#endif
    put(first_row + r, slice, v);
  }
}
