// The cells of LSTM's basic kernel (delegate/ops/recurrent/recurrent.h), four
// per invocation. Sums are [i, g, f, o], each with as many channels as there
// are cells, and may begin inside a texel. Grid: x slices, y batch.

float sum_at(int channel) {
  int c = min(channel, sums_aux.x - 1);
  return op_component(read_sums(0, 0, c / 4, gid.y), c);
}

vec4 gate(int which) {
  int first = which * activation_aux.x + gid.x * 4;
  return vec4(sum_at(first), sum_at(first + 1), sum_at(first + 2),
              sum_at(first + 3));
}

void main() {
  if (outside_grid()) return;
  vec4 none = vec4(0.0);
  vec4 enter = op_logistic(gate(0), none);
  vec4 value = op_tanh(gate(1), none);
  vec4 forget = op_logistic(gate(2), none);
  vec4 leave = op_logistic(gate(3), none);
  vec4 cell = enter * value + forget * read_old_state(0, 0, gid.x, gid.y);
  vec4 result = leave * op_tanh(cell, none);
  write_activation(0, 0, gid.x, gid.y, result);
  write_state(0, 0, gid.x, gid.y, cell);
  write_kept_activation(0, 0, gid.x, gid.y, result);
  write_kept_state(0, 0, gid.x, gid.y, cell);
}
