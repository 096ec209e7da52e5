// A whole sequence of an LSTM (delegate/ops/recurrent/recurrent.h): a work group
// computes a batch and keeps its states in shared memory between steps. Columns
// (x) divide the slices of four cells, LANES invocations (y) each slice's sums.
// GATES is 4, or 3 without an input gate; PEEPHOLE, PROJECTION, LAYER_NORM,
// ACTIVATION: a function of lib/elementwise.glsl. IN_TURN: keeps one gate's
// sums in registers at a time, for compilers that spill.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 sizes;  // steps, slices of the data, cells, time_major
  ivec4 rows;   // of weights: biases, peepholes, norm coefficients, projection
  vec4 clips;   // of cells, of the projection; 0: none
  vec4 activation_params;
#ifdef IN_TURN
  int gates;  // GATES, unknown to compilers, which thus do not unroll
#endif
};

#if GATES == 4
#define INPUT_GATE 0
#endif
#define FORGET_GATE (GATES - 3)
#define CELL_GATE (GATES - 2)
#define OUTPUT_GATE (GATES - 1)
#define COLUMNS WORK_GROUP_X
#define INVOCATIONS (WORK_GROUP_X * WORK_GROUP_Y)
#if defined(LAYER_NORM) || defined(IN_TURN)
#define SHARED_SUMS
#endif

shared vec4 output_slices[OUTPUT_SLICES];  // h
shared vec4 cell_slices[CELL_SLICES];      // c
shared vec4 hidden[CELL_SLICES];           // o * act(c)
#if LANES > 1 || defined(IN_TURN)
shared vec4 partial[GATES * LANES * COLUMNS];
#endif
#ifdef SHARED_SUMS
shared vec4 gate_sums[GATES * CELL_SLICES];
#endif
#ifdef LAYER_NORM
shared vec4 moments[GATES];  // mean, 1 / deviation
#endif

vec4 activate(vec4 v) { return ACTIVATION(v, activation_params); }

vec4 sigmoid(vec4 v) { return op_logistic(v, vec4(0.0)); }

vec4 clip(vec4 v, float most) {
  return most > 0.0 ? op_clamp(v, vec4(-most, most, 0.0, 0.0)) : v;
}

// Four outputs of the weights from `row` on, for four terms.
vec4 product(int column, int row, vec4 v) {
  return weights_at(column, row) * v.x + weights_at(column, row + 1) * v.y +
         weights_at(column, row + 2) * v.z + weights_at(column, row + 3) * v.w;
}

vec4 source(int term, int step) {
  if (term >= sizes.y) return output_slices[term - sizes.y];
  int batch = gid.z;
  return sizes.w != 0 ? read_src(batch, 0, term, step)
                      : read_src(step, 0, term, batch);
}

// `v` of slice s, with zeros past the last of `count` channels: a padding channel's sum is NaN if
// a term is infinite, and so would be every sum that it is a term of, by a weight of zero.
vec4 without_padding(vec4 v, int s, int count) {
  return mix(v, vec4(0.0), op_past(s, count));
}

vec4 bias(int s, int gate) { return weights_at(s, rows.x + gate); }

// Updates cells 4 * s to 4 * s + 3. Biases are already added.
void update_cell(int s, vec4 sum[GATES]) {
  vec4 old = cell_slices[s];
  vec4 forget = sigmoid(sum[FORGET_GATE]);
#ifdef INPUT_GATE
  vec4 enter = sigmoid(sum[INPUT_GATE]);
#else
  vec4 enter = 1.0 - forget;
#endif
  vec4 cell = forget * old + enter * activate(sum[CELL_GATE]);
  cell_slices[s] = clip(cell, clips.x);
}

// The output of the cells.
void update_hidden(int s, vec4 output_sum) {
  hidden[s] = without_padding(sigmoid(output_sum) * activate(cell_slices[s]), s, sizes.z);
}

vec4 peephole(int s, int which) {
#ifdef PEEPHOLE
  return weights_at(s, rows.y + which) * cell_slices[s];
#else
  return vec4(0.0);
#endif
}

#ifdef LAYER_NORM
void measure(int gate) {
  vec4 total = vec4(0.0);
  for (int s = 0; s < CELL_SLICES; ++s) {
    total += without_padding(gate_sums[gate * CELL_SLICES + s], s, sizes.z);
  }
  float count = float(sizes.z);
  float mean = dot(total, vec4(1.0)) / count;
  vec4 squares = vec4(0.0);
  for (int s = 0; s < CELL_SLICES; ++s) {
    vec4 d = without_padding(gate_sums[gate * CELL_SLICES + s] - mean, s, sizes.z);
    squares += d * d;
  }
  float variance = dot(squares, vec4(1.0)) / count;
  moments[gate] = vec4(mean, 1.0 / sqrt(variance + 1e-8), 0.0, 0.0);
}
#endif

#ifdef SHARED_SUMS
// A gate's sum with its bias; with LAYER_NORM normalized first.
vec4 finished_sum(int s, int gate) {
  vec4 v = gate_sums[gate * CELL_SLICES + s];
#ifdef LAYER_NORM
  v = (v - moments[gate].x) * moments[gate].y * weights_at(s, rows.z + gate);
#endif
  return v + bias(s, gate);
}

void update_from_sums(int id) {
  barrier();
#ifdef LAYER_NORM
  for (int g = id; g < OUTPUT_GATE; g += INVOCATIONS) measure(g);
  barrier();
#endif
  for (int s = id; s < CELL_SLICES; s += INVOCATIONS) {
    vec4 sum[GATES];
    for (int g = 0; g < OUTPUT_GATE; ++g) sum[g] = finished_sum(s, g);
    sum[OUTPUT_GATE] = vec4(0.0);
    update_cell(s, sum);
    gate_sums[OUTPUT_GATE * CELL_SLICES + s] += peephole(s, 2);
  }
  barrier();
#ifdef LAYER_NORM
  if (id == 0) measure(OUTPUT_GATE);
  barrier();
#endif
  for (int s = id; s < CELL_SLICES; s += INVOCATIONS) {
    update_hidden(s, finished_sum(s, OUTPUT_GATE));
  }
}
#endif

#ifdef IN_TURN
void sum_gates(int column, int lane, int step) {
  int terms = sizes.y + OUTPUT_SLICES;
  // All invocations execute all iterations, since barriers are inside.
  for (int first = 0; first < CELL_SLICES; first += COLUMNS) {
    int s = min(first + column, CELL_SLICES - 1);
    for (int g = 0; g < gates; ++g) {
      vec4 sum = vec4(0.0);
      for (int k = lane; k < terms; k += LANES) {
        sum += product(s, (k * GATES + g) * 4, source(k, step));
      }
      partial[(g * LANES + lane) * COLUMNS + column] = sum;
    }
    barrier();
    if (first + column < CELL_SLICES) {
      for (int g = lane; g < gates; g += LANES) {
        vec4 sum = g < CELL_GATE ? peephole(s, g + 4 - GATES) : vec4(0.0);
        for (int i = 0; i < LANES; ++i) {
          sum += partial[(g * LANES + i) * COLUMNS + column];
        }
        gate_sums[g * CELL_SLICES + s] = sum;
      }
    }
    barrier();
  }
}
#else
void finish_sums(int s, vec4 sum[GATES]) {
#ifdef INPUT_GATE
  sum[INPUT_GATE] += peephole(s, 0);
#endif
  sum[FORGET_GATE] += peephole(s, 1);
#ifdef SHARED_SUMS
  for (int g = 0; g < GATES; ++g) gate_sums[g * CELL_SLICES + s] = sum[g];
#else
  for (int g = 0; g < GATES; ++g) sum[g] += bias(s, g);
  update_cell(s, sum);
  update_hidden(s, sum[OUTPUT_GATE] + peephole(s, 2));
#endif
}

void sum_gates(int column, int lane, int step) {
  int terms = sizes.y + OUTPUT_SLICES;
  // All invocations execute all iterations, since barriers are inside.
  for (int first = 0; first < CELL_SLICES; first += COLUMNS) {
    int s = min(first + column, CELL_SLICES - 1);
    vec4 sum[GATES];
    for (int g = 0; g < GATES; ++g) sum[g] = vec4(0.0);
    for (int k = lane; k < terms; k += LANES) {
      vec4 v = source(k, step);
      for (int g = 0; g < GATES; ++g) sum[g] += product(s, (k * GATES + g) * 4, v);
    }
#if LANES > 1
    for (int g = 0; g < GATES; ++g) {
      partial[(g * LANES + lane) * COLUMNS + column] = sum[g];
    }
    barrier();
    if (lane == 0) {
      for (int g = 0; g < GATES; ++g) {
        for (int i = 1; i < LANES; ++i) {
          sum[g] += partial[(g * LANES + i) * COLUMNS + column];
        }
      }
    }
#endif
    if (lane == 0 && first + column < CELL_SLICES) finish_sums(s, sum);
#if LANES > 1
    barrier();
#endif
  }
}
#endif

vec4 project(int s) {
#ifdef PROJECTION
  vec4 v = weights_at(s, rows.w + CELL_SLICES * 4);
  for (int k = 0; k < CELL_SLICES; ++k) v += product(s, rows.w + k * 4, hidden[k]);
  return clip(v, clips.y);
#else
  return hidden[s];
#endif
}

void main() {
  int column = int(gl_LocalInvocationID.x);
  int lane = int(gl_LocalInvocationID.y);
  int id = lane * COLUMNS + column;
  int batch = gid.z;
  for (int s = id; s < OUTPUT_SLICES; s += INVOCATIONS) {
    output_slices[s] = read_output_state(0, 0, s, batch);
  }
  for (int s = id; s < CELL_SLICES; s += INVOCATIONS) {
    cell_slices[s] = read_cell_state(0, 0, s, batch);
  }
  barrier();

  for (int step = 0; step < sizes.x; ++step) {
    sum_gates(column, lane, step);
#ifdef SHARED_SUMS
    update_from_sums(id);
#endif
    barrier();
    for (int s = id; s < OUTPUT_SLICES; s += INVOCATIONS) {
      vec4 v = without_padding(project(s), s, dst_aux.x);
      output_slices[s] = v;
      if (sizes.w != 0) {
        write_dst(batch, 0, s, step, v);
      } else {
        write_dst(step, 0, s, batch, v);
      }
    }
    barrier();
  }

  for (int s = id; s < OUTPUT_SLICES; s += INVOCATIONS) {
    write_new_output_state(0, 0, s, batch, output_slices[s]);
  }
  for (int s = id; s < CELL_SLICES; s += INVOCATIONS) {
    write_new_cell_state(0, 0, s, batch, cell_slices[s]);
  }
}
