// Packs a depthwise filter [1,H,W,O] computed at run time, in the layout of
// PackDepthwiseFilter (delegate/ops/conv/conv_weights.h): texel (tap, output
// slice), then zeros instead of the bias.
void main() {
  if (outside_grid()) return;
  vec4 v = vec4(0.0);
  if (gid.x < raw_size.x * raw_size.y) {
    int y = gid.x / raw_size.x;
    v = read_raw(gid.x - y * raw_size.x, y, gid.y, 0);
  }
  write_packed_weights(gid.x, gid.y, 0, 0, v);
}
