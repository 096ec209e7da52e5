// Whether a session whose context was lost may build in another one.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_RECOVERY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_RECOVERY_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "egl/context.h"

namespace gles_delegate {

// Counts the consecutive inferences that ended with a reset which their own
// commands may have caused. Threads: one at a time.
class Recovery {
 public:
  // A partition whose commands hang the GPU does so each time, and each time
  // the whole machine's display may freeze for seconds.
  static constexpr int kMaxGuiltyResets = 3;

  // How an inference in that context ended: a success clears the count.
  void Note(const absl::Status& status, const egl::Context& context);
  // Other shapes, and so other commands.
  void Reset() { guilty_resets_ = 0; }

  // False: it is not tried again, for the reason in WhyNot().
  bool MayRebuild() const { return guilty_resets_ < kMaxGuiltyResets; }
  // `nodes`: how many the partition has.
  std::string WhyNot(size_t nodes, const std::string& renderer) const;

 private:
  int guilty_resets_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_RECOVERY_H_
