#include "tests/fuzz/target.h"

namespace gles_delegate::fuzz {

std::vector<const Target*> AllTargets() {
  return {&ModelTarget(), &OptionsTarget(), &CacheTarget(), &TuningTarget(),
          &ToolsTarget()};
}

}  // namespace gles_delegate::fuzz
