#include "delegate/ops/reduction/row_threads.h"

#include <algorithm>

namespace gles_delegate {

bool RunsAbreast(const DeviceChoices& choices) {
  constexpr int kSequentialWorkGroup = 32;
  return choices.work_group_size >= kSequentialWorkGroup;
}

int SharingThreads(int64_t useful, const DeviceProfile& profile) {
  if (!RunsAbreast(profile.choices)) return 1;
  constexpr int64_t kMost = 128;
  const int64_t most =
      std::min({kMost, SharesAll(profile.choices) ? kMost : useful,
                int64_t{profile.choices.reduction_threads},
                int64_t{profile.limits.max_work_group_invocations},
                int64_t{profile.limits.max_work_group_size[0]}});
  int threads = 1;
  while (threads * 2 <= most) threads *= 2;
  return threads < 8 ? 1 : threads;
}

int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile) {
  constexpr int64_t kManyRows = 8192;
  constexpr int kLeastTexels = 2;  // of an invocation
  return rows >= kManyRows ? 1 : SharingThreads(texels / kLeastTexels, profile);
}

}  // namespace gles_delegate
