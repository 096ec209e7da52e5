// The best candidates in falling order, `most` of them; the first of equals
// first. With SUPPRESS each removes those that it overlaps. One work group of
// THREADS invocations selects, a round for each candidate that is kept. An
// invocation holds its candidates, where they are no more than HELD; else it reads
// them in each round, and remembers in the bits of `gone` which of them are out.
//
// src: as detection_decode.comp and this shader (`kept`) write it, [1,H,W,8]:
// candidate i is at x = i % W in row i / W, counted from first_row, the first or the
// last one. With
// CLASSES src has boxes alone, and work group z takes their scores for class z.
//
// With ROWS the outputs of the op are written, else `kept`, [1,classes,most,8].
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int most;
  float overlap;  // past which a box is removed
  int first_row;  // 0 or H - 1
#ifdef CLASSES
  int first;  // channel of the first class's score
  float threshold;
#endif
};

const int kNone = ~0x7fffffff;
const int kMax = 0x7fffffff;

// For this round and the next.
shared int best_key[2];
shared int best_at[2];

ivec2 place_of(int i) { return ivec2(i % src_size.x, abs(first_row - i / src_size.x)); }

vec4 box_of(int i) {
  ivec2 at = place_of(i);
  return intBitsToFloat(read_src(at.x, at.y, 0, 0));
}

// (key, anchor, class, the score's bits)
ivec4 facts_of(int i) {
#ifdef CLASSES
  int channel = first + gid.z;
  float score = op_component(read_scores(i, 0, channel >> 2, 0), channel);
  int key = score >= threshold ? op_order_keys(vec4(score)).x : kNone;
  return ivec4(key, i, gid.z, floatBitsToInt(score));
#else
  ivec2 at = place_of(i);
  return read_src(at.x, at.y, 1, 0);
#endif
}

float area_of(vec4 box) { return (box.z - box.x) * (box.w - box.y); }

bool overlaps(vec4 a, vec4 b) {
  float area_a = area_of(a);
  float area_b = area_of(b);
  if (area_a <= 0.0 || area_b <= 0.0) return false;
  vec2 extent = max(min(a.zw, b.zw) - max(a.xy, b.xy), 0.0);
  float shared_area = extent.x * extent.y;
  return shared_area > overlap * (area_a + area_b - shared_area);
}

#ifdef ROWS
vec4 row_classes = vec4(0.0);
vec4 row_scores = vec4(0.0);

// Four rows are a texel of the classes and of the scores.
void keep(int row, vec4 box, ivec4 facts) {
  write_boxes(row, 0, 0, 0, box);
  row_classes = op_with_component(row_classes, row, float(facts.z));
  row_scores = op_with_component(row_scores, row, intBitsToFloat(facts.w));
  if ((row & 3) == 3 || row + 1 == boxes_size.x) {
    write_classes(0, 0, row >> 2, 0, row_classes);
    write_scores_out(0, 0, row >> 2, 0, row_scores);
  }
}
#else
void keep(int row, vec4 box, ivec4 facts) {
  write_kept(row, gid.z, 0, 0, floatBitsToInt(box));
  write_kept(row, gid.z, 1, 0, facts);
}
#endif

// best_left: this invocation's best remaining candidate and its position, after
// `last` with box `box` was kept.
#if HELD > 0
// Candidates are in registers, so loops over them have constant bounds.
int held_keys[HELD];
vec4 held_boxes[HELD];

void begin(int thread) {
  int count = src_size.x * src_size.y;
  for (int n = 0; n < HELD; ++n) {
    int i = thread + n * THREADS;
    held_keys[n] = i < count ? facts_of(i).x : kNone;
    held_boxes[n] = i < count ? box_of(i) : vec4(0.0);
  }
}

ivec2 best_left(int thread, int last, vec4 box) {
  ivec2 best = ivec2(kNone, kMax);
  for (int n = 0; n < HELD; ++n) {
    int i = thread + n * THREADS;
    bool out_now = i == last;
#ifdef SUPPRESS
    out_now = out_now || (last >= 0 && overlaps(held_boxes[n], box));
#endif
    if (out_now) held_keys[n] = kNone;
    if (held_keys[n] > best.x) best = ivec2(held_keys[n], i);
  }
  return best;
}
#else
uint gone[MASKS];

void begin(int thread) {
  for (int i = 0; i < MASKS; ++i) gone[i] = 0u;
}

ivec2 best_left(int thread, int last, vec4 box) {
  ivec2 best = ivec2(kNone, kMax);
  int n = 0;
  for (int i = thread; i < src_size.x * src_size.y; i += THREADS) {
    uint bit = 1u << (n & 31);
    if ((gone[n >> 5] & bit) == 0u) {
      int key = facts_of(i).x;
      bool out_now = key == kNone || i == last;
#ifdef SUPPRESS
      out_now = out_now || (last >= 0 && overlaps(box_of(i), box));
#endif
      if (out_now) {
        gone[n >> 5] |= bit;
      } else if (key > best.x) {
        best = ivec2(key, i);
      }
    }
    ++n;
  }
  return best;
}
#endif

void main() {
  int thread = int(gl_LocalInvocationID.x);
  begin(thread);
  if (thread == 0) {
    best_key[0] = kNone;
    best_at[0] = kMax;
  }
  barrier();
  int last = -1;
  vec4 box = vec4(0.0);
  int row = 0;
  for (; row < most; ++row) {
    int now = row & 1;
    ivec2 best = best_left(thread, last, box);
    // Most invocations see that another candidate is better, and skip the
    // atomic. best_key only grows, so an outdated value only costs an atomic.
    if (best.x > best_key[now]) atomicMax(best_key[now], best.x);
    barrier();
    int key = best_key[now];
    if (best.x == key) atomicMin(best_at[now], best.y);
    if (thread == 0) {
      best_key[1 - now] = kNone;
      best_at[1 - now] = kMax;
    }
    barrier();
    if (key == kNone) break;
    last = best_at[now];
    box = box_of(last);
    if (thread == 0) keep(row, box, facts_of(last));
  }
  // The remaining rows.
  if (thread != 0) return;
#ifdef ROWS
  write_count(0, 0, 0, 0, vec4(float(row), 0.0, 0.0, 0.0));
  for (; row < boxes_size.x; ++row) keep(row, vec4(0.0), ivec4(0));
#else
  for (; row < most; ++row) keep(row, vec4(0.0), ivec4(kNone, 0, 0, 0));
#endif
}
