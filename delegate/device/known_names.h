// Inline, so that the programs have them without the delegate's libraries.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// Characters to insert, delete or replace to get from `a` to `b`.
inline size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // from a's first i to b's first j
  absl::c_iota(row, 0);
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

// " (did you mean 'a'?)" if one of `known` is near `name`, else "".
inline std::string DidYouMean(absl::string_view name,
                              const std::vector<absl::string_view>& known) {
  if (known.empty()) return "";
  // A longer name is none of them, mistyped.
  name = name.substr(0, 64);
  const auto nearest = absl::c_min_element(
      known, [name](absl::string_view a, absl::string_view b) {
        return EditDistance(name, a) < EditDistance(name, b);
      });
  // Otherwise they have nothing in common.
  const bool is_near = EditDistance(name, *nearest) < name.size();
  return is_near ? absl::StrCat(" (did you mean '", *nearest, "'?)") : "";
}

// The end of the message that refuses `name`: " (did you mean 'a'?); known are:
// a, b", without the question if no name is near.
inline std::string KnownNames(absl::string_view name,
                              const std::vector<absl::string_view>& known) {
  return absl::StrCat(DidYouMean(name, known),
                      "; known are: ", absl::StrJoin(known, ", "));
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_
