#include "delegate/ops/reduction/row_threads.h"

#include <algorithm>

namespace gles_delegate {

bool RunsAbreast(const DeviceChoices& choices) {
  constexpr int kSequentialWorkGroup = 32;
  return choices.work_group_size >= kSequentialWorkGroup;
}

int SharingThreads(int64_t useful, const DeviceProfile& profile) {
  if (!RunsAbreast(profile.choices)) return 1;
  constexpr int64_t kMax = 128;
  const int64_t max =
      std::min({kMax, SharesAll(profile.choices) ? kMax : useful,
                int64_t{ReductionThreads(profile.choices)},
                int64_t{profile.limits.max_work_group_invocations},
                int64_t{profile.limits.max_work_group_size[0]}});
  int threads = 1;
  while (threads * 2 <= max) threads *= 2;
  return threads < 8 ? 1 : threads;
}

int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile) {
  constexpr int64_t kManyRows = 8192;
  constexpr int kMinTexels = 2;  // of an invocation
  return rows >= kManyRows ? 1 : SharingThreads(texels / kMinTexels, profile);
}

int SpreadRows(const Shape& shape, const DeviceProfile& profile, Dispatch* d) {
  constexpr int kMaxRows = 8;  // 128 bytes, the most that is read at once
  constexpr int kMinGroups = 128;
  constexpr int kMaxThreads = 32;
  constexpr int kMinTexels = 2;  // of an invocation
  const int planes = shape.h * shape.b;
  int rows = 1;
  while (rows < kMaxRows &&
         int64_t{shape.w / (2 * rows)} * planes >= kMinGroups) {
    rows *= 2;
  }
  int threads = SharingThreads(shape.slices() / kMinTexels, profile);
  // A processor's vector takes rows, and barriers cost more than they gain.
  const int lanes = profile.choices.simd_lanes;
  if (lanes > 1 && int64_t{shape.w} * planes >= 8 * lanes) threads = 1;
  if (rows > 1) threads = std::min(threads, kMaxThreads);
  threads = std::min(threads, profile.limits.max_work_group_size[1]);
  const int max = std::min(profile.limits.max_work_group_invocations,
                           ReductionThreads(profile.choices));
  while (rows > 1 && rows * threads > max) rows /= 2;
  d->Define("THREADS", threads);
  d->Grid(shape.w, threads, planes);
  if (threads > 1) {
    d->WorkGroup(rows, threads, 1).SharedMemory(int64_t{16} * threads * rows);
  }
  return threads;
}

}  // namespace gles_delegate
