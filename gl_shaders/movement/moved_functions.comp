// Functions of values that lie elsewhere in other tensors: each value of a
// texel of dst is read through nested loops over its tensor (MovedRead). Grid:
// one texel of dst.
// - MOVE_PARAMS: the loops' members of Params.
// - READS: for each tensor T that is read so, vec4 texel_T(int t) and
//   float element_T(int e), by the macros below.
// - PARTS: the value of each part of dst's slices, by BEGIN_PART.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 part_ends;  // slices
  MOVE_PARAMS
};

// Where iteration t of four loops is: loops.x + the sum of index * stride.
// loops.yzw: the sizes of the three inner ones.
int moved(int t, ivec4 loops, ivec4 strides) {
  int outer = t / loops.w;
  int at = loops.x + (t - outer * loops.w) * strides.w;
  int next = outer / loops.z;
  at += (outer - next * loops.z) * strides.z;
  outer = next / loops.y;
  return at + (next - outer * loops.y) * strides.y + outer * strides.x;
}

// Texel t of a tensor of this size, in the order of elements: x, y, slice,
// batch.
ivec4 place_of(int t, ivec4 size) {
  int pixel = t / size.z;
  int row = pixel / size.x;
  int batch = row / size.y;
  return ivec4(pixel - row * size.x, row - batch * size.y, t - pixel * size.z,
               batch);
}

#define TEXEL_READ(NAME, SIZE, READ)    \
  vec4 NAME(int t) {                    \
    ivec4 q = place_of(t, SIZE);        \
    return READ(q.x, q.y, q.z, q.w);    \
  }
#define ELEMENT_READ(NAME, SIZE, CHANNELS, READ)                    \
  float NAME(int e) {                                               \
    int pixel = e / CHANNELS;                                       \
    int c = e - pixel * CHANNELS;                                   \
    ivec4 q = place_of(pixel * SIZE.z + c / 4, SIZE);               \
    return READ(q.x, q.y, q.z, q.w)[c % 4];                         \
  }
READS

// Texel t of the part, and its slice s.
#define BEGIN_PART(FIRST, END) \
  int s = p.z - FIRST;         \
  int t = pixel * (END - FIRST) + s;

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  PARTS
}
