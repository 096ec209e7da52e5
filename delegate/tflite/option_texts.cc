#include "delegate/tflite/option_texts.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "delegate/device/tuning_parameters.h"

namespace gles_delegate {

absl::StatusOr<std::vector<std::pair<int, int>>> ParseNodeRanges(
    absl::string_view option, absl::string_view text) {
  std::vector<std::pair<int, int>> ranges;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(part, absl::MaxSplits('-', 1));
    int first = 0;
    int last = 0;
    const bool range = absl::StrContains(part, '-');
    if (!absl::SimpleAtoi(ends.first, &first) ||
        !absl::SimpleAtoi(range ? ends.second : ends.first, &last) ||
        first < 0 || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", option, ": '", part,
                       "' is neither a node index nor a range such as 17-20"));
    }
    ranges.emplace_back(first, last);
  }
  return ranges;
}

absl::StatusOr<std::vector<std::pair<std::string, std::vector<int>>>>
ParseInputShapes(absl::string_view text) {
  std::vector<std::pair<std::string, std::vector<int>>> shapes;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const size_t at = part.rfind('=');
    const bool has_name = at != absl::string_view::npos && at > 0;
    std::vector<int> dims;
    bool ok = has_name;
    for (absl::string_view extent :
         absl::StrSplit(has_name ? part.substr(at + 1) : "", 'x')) {
      dims.push_back(0);
      ok &= absl::SimpleAtoi(extent, &dims.back()) && dims.back() > 0;
    }
    if (!ok) {
      return absl::InvalidArgumentError(
          absl::StrCat("option input_shapes: '", part,
                       "' is not an input with its shape, such as ids=1x128"));
    }
    shapes.emplace_back(part.substr(0, at), std::move(dims));
  }
  return shapes;
}

absl::StatusOr<std::string> ReadTuningFile(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '#');
    const absl::string_view item = absl::StripAsciiWhitespace(parts[0]);
    if (!item.empty()) absl::StrAppend(&text, text.empty() ? "" : ",", item);
  }
  if (!file.eof()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option tuning_file: cannot read '", path, "'"));
  }
  DeviceChoices any;
  if (auto s = ApplyTuning(text, &any); !s.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option tuning_file: '", path, "': ", s.message()));
  }
  return text;
}

}  // namespace gles_delegate
