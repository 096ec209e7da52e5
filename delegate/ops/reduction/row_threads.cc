#include "delegate/ops/reduction/row_threads.h"

#include <algorithm>

namespace gles_delegate {

int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile) {
  constexpr int64_t kManyRows = 8192;
  constexpr int kSequentialWorkGroup = 32;
  if (profile.choices.work_group_size < kSequentialWorkGroup ||
      rows >= kManyRows) {
    return 1;
  }
  const int most = std::min({128, profile.limits.max_work_group_invocations,
                             profile.limits.max_work_group_size[0]});
  int threads = 1;
  while (threads * 2 <= most && threads * 4 <= texels) threads *= 2;
  return threads < 8 ? 1 : threads;
}

}  // namespace gles_delegate
