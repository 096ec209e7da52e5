// Which cases run: --filter and --shard.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SELECTION_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::conformance {

// Patterns separated by commas. '*' stands for anything; a pattern without one
// is looked for anywhere in the name. "-PATTERN" excludes. Nothing but
// exclusions, or no pattern: everything else.
class Filter {
 public:
  explicit Filter(absl::string_view patterns);
  bool Accepts(absl::string_view name) const;

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> excluded_;
};

// Every `count`-th family, from `index` on.
struct Shard {
  int index = 0;
  int count = 1;
};
// "0/4" to "3/4". kInvalidArgument: anything else.
absl::StatusOr<Shard> ParseShard(absl::string_view text);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SELECTION_H_
