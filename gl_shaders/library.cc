#include "gl_shaders/library.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {
namespace {

struct Item {
  std::string text;
  std::string name;  // of the function; "" for a #define
};

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Calls fn for each identifier of the text.
template <typename Fn>
void ForEachWord(absl::string_view text, Fn fn) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > i) fn(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

// The word before the first parenthesis.
std::string FunctionName(absl::string_view text) {
  const size_t end = text.find('(');
  if (end == absl::string_view::npos) return "";
  size_t begin = end;
  while (begin > 0 && IsWord(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

std::vector<Item> Split(absl::string_view library) {
  std::vector<Item> items;
  std::string text;  // of the function that is not at its end yet
  int depth = 0;
  for (absl::string_view line : absl::StrSplit(library, '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    if (line[0] == '#') {
      items.push_back({absl::StrCat(line, "\n"), ""});
      continue;
    }
    absl::StrAppend(&text, line, "\n");
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{'));
    depth -= static_cast<int>(std::count(line.begin(), line.end(), '}'));
    if (depth == 0 && absl::StrContains(text, '}')) {
      items.push_back({text, FunctionName(text)});
      text.clear();
    }
  }
  return items;
}

}  // namespace

const std::string& Library() {
  static const auto& library = *new std::string([] {
    std::string text;
    // Each file uses only those before it.
    for (const char* name :
         {"lib/indices.glsl", "lib/math.glsl", "lib/quantized.glsl",
          "lib/elementwise.glsl", "lib/views.glsl"}) {
      absl::StrAppend(&text, ShaderFile(name).value());
    }
    return text;
  }());
  return library;
}

std::string SelectFunctions(absl::string_view library,
                            absl::Span<const std::string> names) {
  const std::vector<Item> items = Split(library);
  std::set<std::string> wanted(names.begin(), names.end());
  // Callees come before their callers, as GLSL demands: one pass backwards.
  std::vector<bool> taken(items.size(), false);
  for (size_t i = items.size(); i-- > 0;) {
    taken[i] = items[i].name.empty() || wanted.count(items[i].name) > 0;
    if (!taken[i]) continue;
    ForEachWord(items[i].text,
                [&](absl::string_view word) { wanted.emplace(word); });
  }
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (taken[i]) text += items[i].text;
  }
  return text;
}

}  // namespace gles_delegate::gl_shaders
