#include "egl/program_log.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gles_delegate::egl {
namespace {

// A place as compilers name it: source string and line.
using Place = std::pair<int, int>;

// The unsigned number at text[*at], which moves past it; -1 if none is there.
int ReadNumber(absl::string_view text, size_t* at) {
  const size_t begin = *at;
  while (*at < text.size() && absl::ascii_isdigit(text[*at])) ++*at;
  int value = 0;
  if (*at == begin ||
      !absl::SimpleAtoi(text.substr(begin, *at - begin), &value)) {
    return -1;
  }
  return value;
}

// The first "S:L" or "S(L)" of a line of the log, if any.
bool FindPlace(absl::string_view line, Place* place) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (!absl::ascii_isdigit(line[i])) continue;
    const int string = ReadNumber(line, &i);
    if (string < 0 || i >= line.size() || (line[i] != ':' && line[i] != '(')) {
      continue;
    }
    ++i;
    const int number = ReadNumber(line, &i);
    if (number < 0) continue;
    *place = {string, number};
    return true;
  }
  return false;
}

std::set<Place> FindPlaces(absl::string_view log) {
  std::set<Place> places;
  for (absl::string_view line : absl::StrSplit(log, '\n')) {
    Place place;
    if (FindPlace(line, &place)) places.insert(place);
  }
  return places;
}

// "#line 12" or "#line 12 1": the place of the line after it.
bool ParseLineDirective(absl::string_view line, Place* next) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line[0] != '#') return false;
  const std::vector<absl::string_view> words =
      absl::StrSplit(line.substr(1), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() < 2 || words[0] != "line") return false;
  if (!absl::SimpleAtoi(words[1], &next->second)) return false;
  if (words.size() > 2) return absl::SimpleAtoi(words[2], &next->first);
  return true;
}

}  // namespace

std::string DescribeLog(absl::string_view log, absl::string_view source) {
  std::string text(absl::StripTrailingAsciiWhitespace(log));
  const std::set<Place> places = FindPlaces(log);
  Place at = {0, 1};
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    if (places.count(at) > 0) {
      absl::StrAppend(&text, "\n  ", at.second, " | ", line);
    }
    if (!ParseLineDirective(line, &at)) ++at.second;
  }
  return text;
}

}  // namespace gles_delegate::egl
