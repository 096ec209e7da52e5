#include "delegate/device/known_names.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

// Characters to insert, delete or replace to get from `a` to `b`.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // from a's first i to b's first j
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string KnownNames(absl::string_view name,
                       const std::vector<absl::string_view>& known) {
  // A longer name is none of them, mistyped.
  name = name.substr(0, 64);
  const auto nearest =
      std::min_element(known.begin(), known.end(),
                       [name](absl::string_view a, absl::string_view b) {
                         return EditDistance(name, a) < EditDistance(name, b);
                       });
  // Otherwise they have nothing in common.
  const bool is_near = EditDistance(name, *nearest) < name.size();
  return absl::StrCat(
      is_near ? absl::StrCat(" (did you mean '", *nearest, "'?)") : "",
      "; known are: ", absl::StrJoin(known, ", "));
}

}  // namespace gles_delegate
