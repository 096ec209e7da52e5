// Writes TFLite_Detection_PostProcess's outputs from the result of
// detection_select.comp, in two dispatches: with BOXES the boxes and their
// number, without it classes and scores. A detection has `each` rows. With TOP
// > 1 these are its TOP best classes by score.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int each;
#if TOP > 1
  int first;  // channel of the first class's score
#endif
};

const int kNone = ~0x7fffffff;

// (key, anchor, class, the score's bits) of detection i. The key is kNone if
// there is no such detection.
ivec4 facts_of(int i) {
  return i < kept_size.x ? read_kept(i, 0, 1, 0) : ivec4(kNone, 0, 0, 0);
}

#ifdef BOXES
void main() {
  if (outside_grid()) return;
  int i = gid.x / each;
  bool found = facts_of(i).x != kNone && gid.x % each < TOP;
  write_boxes(gid.x, 0, 0, 0,
              found ? intBitsToFloat(read_kept(i, 0, 0, 0)) : vec4(0.0));
  if (gid.x == 0) {
    int count = 0;
    while (facts_of(count).x != kNone) ++count;
    write_count(0, 0, 0, 0, vec4(float(count), 0.0, 0.0, 0.0));
  }
}
#else

#if TOP > 1
// For each invocation a heap of TOP elements (key, class), with the minimum
// first, followed by the element to insert. The steps are those of
// std::partial_sort in GNU's C++ library, which determine the order of equal
// scores. In shared memory, since Mesa 22.3's llvmpipe and softpipe lose writes
// to a private array here.
shared ivec2 heaps[THREADS * (TOP + 1)];
#define heap(I) heaps[int(gl_LocalInvocationIndex) * (TOP + 1) + (I)]

bool is_better(int a, int b) { return heap(a).x > heap(b).x; }

// Inserts heap(TOP) into the heap of n elements, at the free place `top` or
// below it.
void put_into_heap(int top, int n) {
  // Moves the free place down to a leaf, past the smaller children,
  int hole = top;
  while (2 * hole + 2 < n) {
    int child = 2 * hole + 2;
    if (is_better(child, child - 1)) --child;
    heap(hole) = heap(child);
    hole = child;
  }
  if (2 * hole + 2 == n) {
    heap(hole) = heap(n - 1);
    hole = n - 1;
  }
  // and up again to the element's place.
  while (hole > top && is_better((hole - 1) / 2, TOP)) {
    heap(hole) = heap((hole - 1) / 2);
    hole = (hole - 1) / 2;
  }
  heap(hole) = heap(TOP);
}

ivec2 element_of(int anchor, int of_class) {
  int channel = first + of_class;
  float score = op_component(read_scores(anchor, 0, channel >> 2, 0), channel);
  return ivec2(op_order_keys(vec4(score)).x, of_class);
}

void sort_classes(int anchor) {
  for (int i = 0; i < TOP; ++i) heap(i) = element_of(anchor, i);
  for (int i = (TOP - 2) / 2; i >= 0; --i) {
    heap(TOP) = heap(i);
    put_into_heap(i, TOP);
  }
  for (int i = TOP; i < scores_aux.x - first; ++i) {
    heap(TOP) = element_of(anchor, i);
    if (is_better(TOP, 0)) put_into_heap(0, TOP);
  }
  for (int n = TOP - 1; n > 0; --n) {
    heap(TOP) = heap(n);
    heap(n) = heap(0);
    put_into_heap(0, n);
  }
}
#endif

// Class and score of a row.
vec2 values_of(int row) {
  ivec4 facts = facts_of(row / each);
  int place = row % each;
  if (facts.x == kNone || place >= TOP) return vec2(0.0);
#if TOP > 1
  sort_classes(facts.y);
  facts.z = heap(place).y;
  int channel = first + facts.z;
  return vec2(float(facts.z),
              op_component(read_scores(facts.y, 0, channel >> 2, 0), channel));
#else
  return vec2(float(facts.z), intBitsToFloat(facts.w));
#endif
}

void main() {
  if (outside_grid()) return;
  vec4 classes = vec4(0.0);
  vec4 scores = vec4(0.0);
  for (int c = 0; c < 4; ++c) {
    if (4 * gid.x + c < classes_aux.x) {
      vec2 values = values_of(4 * gid.x + c);
      classes[c] = values.x;
      scores[c] = values.y;
    }
  }
  write_classes(0, 0, gid.x, 0, classes);
  write_scores_out(0, 0, gid.x, 0, scores);
}
#endif
