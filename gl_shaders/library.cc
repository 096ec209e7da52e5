#include "gl_shaders/library.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {
namespace {

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

}  // namespace

FunctionLibrary::FunctionLibrary(absl::string_view library) {
  std::string text;  // of the function that is not at its end yet
  int depth = 0;
  for (absl::string_view line : absl::StrSplit(library, '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    if (line[0] == '#') {
      Add(absl::StrCat(line, "\n"), "");
      continue;
    }
    absl::StrAppend(&text, line, "\n");
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{'));
    depth -= static_cast<int>(std::count(line.begin(), line.end(), '}'));
    if (depth == 0 && absl::StrContains(text, '}')) {
      Add(text, FunctionName(text));
      text.clear();
    }
  }
}

void FunctionLibrary::Add(std::string text, std::string name) {
  items_.push_back({std::move(text), std::move(name), {}});
  Item& item = items_.back();
  std::set<absl::string_view> words;
  ForEachWord(item.text, [&](absl::string_view word) { words.insert(word); });
  std::set<std::string> calls;
  for (const Item& callee : items_) {
    if (words.count(callee.name) > 0) calls.insert(callee.name);
  }
  item.calls.assign(calls.begin(), calls.end());
}

std::string FunctionLibrary::Select(absl::Span<const std::string> names) const {
  std::set<absl::string_view> wanted(names.begin(), names.end());
  // Callees come before their callers, as GLSL demands: one pass backwards.
  std::vector<bool> taken(items_.size(), false);
  for (size_t i = items_.size(); i-- > 0;) {
    const Item& item = items_[i];
    taken[i] = item.name.empty() || wanted.count(item.name) > 0;
    if (taken[i]) wanted.insert(item.calls.begin(), item.calls.end());
  }
  std::string text;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (taken[i]) text += items_[i].text;
  }
  return text;
}

const FunctionLibrary& Library() {
  static const auto& library = *new FunctionLibrary([] {
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

}  // namespace gles_delegate::gl_shaders
