// CONV_2D as a product of matrices, from tiles that a work group shares: pixels
// (flat over batch, rows, columns) by output slices, summed over terms of four
// input channels (taps * input slices). x counts pixels, y slices; the z lanes
// of a work group share each sum: of every chunk of terms, each takes
// CHUNK_TERMS. While a chunk is multiplied, the next one is on its way.
// DEPTHWISE: of a 1x1 window, whose input is a depthwise convolution of src
// (KERNEL_W x KERNEL_H; stride, padding and dilation are its), made here.
// INNER_SCALED(v, slice): on codes, the depthwise convolution's codes of its sums v.
// WHOLE_CHUNKS: the last chunk of terms is full, and each invocation brings as
// much of a chunk as the others: nothing that is read lies past the last term.
// GATE: of a 1x1 window and batch 1; the input is multiplied by a value for each
// channel, and with ADDEND another tensor is added to that.
// PRODUCTS: src's rows are apart, one for each z of the work groups; each has
// weights of its own.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 sum_shape;   // pixels, terms, input slices
#ifdef DEPTHWISE
  vec4 inner_clamp;  // least and greatest of the depthwise convolution's results
#endif
#ifdef INNER_SCALED
  vec4 inner_scaling;  // the params of INNER_SCALED's function
#endif
};

const int kLanes = WORK_GROUP_Z;
const int kCells = WORK_GROUP_X * WORK_GROUP_Y;
const int kInvocations = kCells * kLanes;
const int kPixels = WORK_GROUP_X * TILE_PIXELS;  // of a work group
const int kSlices = WORK_GROUP_Y * TILE_SLICES;
const int kTile = TILE_PIXELS * TILE_SLICES;
const int kChunk = kLanes * CHUNK_TERMS;
const int kInputs = kChunk * kPixels;  // texels of a chunk
const int kWeights = kChunk * 4 * kSlices;
// Of those, what each invocation brings.
const int kInputsEach = (kInputs + kInvocations - 1) / kInvocations;
const int kWeightsEach = (kWeights + kInvocations - 1) / kInvocations;
const int kPartials = kLanes > 1 ? kTile * kInvocations : 1;
// A chunk's inputs, by term, pixel; then its weights, by term, channel, slice.
// In the end the lanes' sums: by output of the tile, lane, cell.
shared vec4 mem[kInputs + kWeights > kPartials ? kInputs + kWeights : kPartials];

#ifdef PRODUCTS
ivec3 pixel_at(int index) { return ivec3(index, int(gl_WorkGroupID.z), 0); }
// Of the weights: this group's slices.
int weights_row() {
  return int(gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y);
}
#else
int weights_row() { return int(gl_WorkGroupID.y); }
// x, y, batch
ivec3 pixel_at(int index) {
  int row = index / dst_size.x;
  int batch = row / dst_size.y;
  return ivec3(index - row * dst_size.x, row - batch * dst_size.y, batch);
}
#endif

// What `term` reads for output pixel p; zero past the last term.
vec4 source(ivec3 p, int term) {
#ifndef WHOLE_CHUNKS
  if (term >= sum_shape.y) return vec4(0.0);
#endif
#ifdef DEPTHWISE
  ivec2 first = p.xy * stride_pad.xy - stride_pad.zw;
  vec4 v = depthwise_at(KERNEL_W * KERNEL_H, term);
  for (int ky = 0; ky < KERNEL_H; ++ky) {
    for (int kx = 0; kx < KERNEL_W; ++kx) {
      ivec2 at = first + ivec2(kx, ky) * window.zw;
      ivec2 inside = clamp(at, ivec2(0), src_size.xy - 1);
      vec4 texel = read_src(inside.x, inside.y, term, p.z);
      v += depthwise_at(ky * KERNEL_W + kx, term) *
           (at == inside ? texel : vec4(0.0));
    }
  }
#ifdef INNER_SCALED
  return clamp(INNER_SCALED(v, term), inner_clamp.x, inner_clamp.y);
#else
  // What is not a number stays so; clamp() alone leaves it to the driver.
  bvec4 is_nan = greaterThan(floatBitsToInt(v) & 0x7fffffff, ivec4(0x7f800000));
  return mix(clamp(v, inner_clamp.x, inner_clamp.y), v, is_nan);
#endif
#elif defined(ADDEND)
  return read_src(p.x, p.y, term, p.z) * read_gate(0, 0, term, 0) +
         read_addend(p.x, p.y, term, p.z);
#elif defined(GATE)
  return read_src(p.x, p.y, term, p.z) * read_gate(0, 0, term, 0);
#elif defined(POINTWISE)
  return read_src(p.x, p.y, term, p.z);
#else
  int tap = term / sum_shape.z;
  int ky = tap / window.x;
  ivec2 at = p.xy * stride_pad.xy - stride_pad.zw +
             ivec2(tap - ky * window.x, ky) * window.zw;
  ivec2 inside = clamp(at, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, term - tap * sum_shape.z, p.z);
  return at == inside ? texel : vec4(0.0);
#endif
}

// Of this group's slices; zero past the last term.
vec4 weight(int index) {
  int row = weights_row();
#ifdef WHOLE_CHUNKS
  return weights_at(index, row);
#else
  return index < sum_shape.y * 4 * kSlices ? weights_at(index, row) : vec4(0.0);
#endif
}

// Output (q, i) of this invocation's tile.
void put(int first_pixel, int q, int i, vec4 total) {
  int in_group = int(gl_LocalInvocationID.y) + WORK_GROUP_Y * q;
  int slice = int(gl_WorkGroupID.y) * kSlices + in_group;
  int pixel = first_pixel + int(gl_LocalInvocationID.x) + WORK_GROUP_X * i;
  if (pixel >= sum_shape.x || slice >= dst_size.z) return;
  total += weights_at(sum_shape.y * 4 * kSlices + in_group, weights_row());
  ivec3 at = pixel_at(pixel);
  write_dst(at.x, at.y, slice, at.z, total);
}

// Longer than other functions, since arrays of registers run through all of it: a
// driver may copy an array that is handed to a function, and memory then holds it.
void main() {
  // No early return: barriers follow. Past the end the last is made again.
  int cell_x = int(gl_LocalInvocationID.x);
  int cell_y = int(gl_LocalInvocationID.y);
  int lane = int(gl_LocalInvocationID.z);
  int index = int(gl_LocalInvocationIndex);
  int first_pixel = int(gl_WorkGroupID.x) * kPixels;

  ivec3 from[kInputsEach];
  vec4 next_input[kInputsEach];
  vec4 next_weight[kWeightsEach];
  for (int i = 0; i < kInputsEach; ++i) {
    int at = index + i * kInvocations;
    from[i] = pixel_at(min(first_pixel + at % kPixels, sum_shape.x - 1));
    next_input[i] = source(from[i], at / kPixels);
  }
  for (int i = 0; i < kWeightsEach; ++i) {
    next_weight[i] = weight(index + i * kInvocations);
  }
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = vec4(0.0);
  }

  for (int chunk = 0; chunk < sum_shape.y; chunk += kChunk) {
    for (int i = 0; i < kInputsEach; ++i) {
      int at = index + i * kInvocations;
      if (at < kInputs) mem[at] = next_input[i];
    }
    for (int i = 0; i < kWeightsEach; ++i) {
      int at = index + i * kInvocations;
      if (at < kWeights) mem[kInputs + at] = next_weight[i];
    }
    memoryBarrierShared();
    barrier();
    int next = chunk + kChunk;
    if (next < sum_shape.y) {
      for (int i = 0; i < kInputsEach; ++i) {
        int at = index + i * kInvocations;
        next_input[i] = source(from[i], next + at / kPixels);
      }
      for (int i = 0; i < kWeightsEach; ++i) {
        next_weight[i] = weight(next * 4 * kSlices + index + i * kInvocations);
      }
    }
    for (int t = 0; t < CHUNK_TERMS; ++t) {
      int term = lane * CHUNK_TERMS + t;
      vec4 v[TILE_PIXELS];
      for (int i = 0; i < TILE_PIXELS; ++i) {
        v[i] = mem[term * kPixels + cell_x + WORK_GROUP_X * i];
      }
      for (int q = 0; q < TILE_SLICES; ++q) {
        int at = kInputs + term * 4 * kSlices + cell_y + WORK_GROUP_Y * q;
        vec4 w0 = mem[at];
        vec4 w1 = mem[at + kSlices];
        vec4 w2 = mem[at + 2 * kSlices];
        vec4 w3 = mem[at + 3 * kSlices];
        for (int i = 0; i < TILE_PIXELS; ++i) {
          // One fused multiply-add each; a sum of products would be a multiply,
          // three of those and an add.
          sum[q][i] += w0 * v[i].x;
          sum[q][i] += w1 * v[i].y;
          sum[q][i] += w2 * v[i].z;
          sum[q][i] += w3 * v[i].w;
        }
      }
    }
    // Before the next chunk is written over this one.
    barrier();
  }

#if WORK_GROUP_Z > 1
  int cell = cell_y * WORK_GROUP_X + cell_x;
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      mem[((q * TILE_PIXELS + i) * kLanes + lane) * kCells + cell] = sum[q][i];
    }
  }
  memoryBarrierShared();
  barrier();
  // The lanes share the tile's outputs.
  for (int o = lane; o < kTile; o += kLanes) {
    int q = o / TILE_PIXELS;
    vec4 total = vec4(0.0);
    for (int l = 0; l < kLanes; ++l) total += mem[(o * kLanes + l) * kCells + cell];
    put(first_pixel, q, o - q * TILE_PIXELS, total);
  }
#else
  // With constant indices only, or the sums leave the registers.
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) put(first_pixel, q, i, sum[q][i]);
  }
#endif
}
