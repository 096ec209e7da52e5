#include "delegate/tflite/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/str_replace.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

std::string JsonString(absl::string_view text) {
  return absl::StrCat(
      "\"",
      absl::StrReplaceAll(
          Printable(text),
          {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}, {"\t", "\\t"}}),
      "\"");
}

}  // namespace

Json::Json(absl::string_view text) : text_(JsonString(text)) {}

Json::Json(double value) : text_("null") {
  char digits[32];  // without the locale, and as few as tell it apart
  if (!std::isfinite(value)) return;
  text_.assign(digits,
               std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::kObject) {
  for (const auto& [key, value] : members) (*this)[key] = value;
}

Json& Json::operator[](absl::string_view key) {
  std::string quoted = JsonString(key);
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), quoted);
  const auto value = values_.begin() + (at - keys_.begin());
  if (at != keys_.end() && *at == quoted) return *value;
  keys_.insert(at, std::move(quoted));
  return *values_.insert(value, Json());
}

std::string Json::Text() const {
  std::string out;
  Append(0, &out);
  return out;
}

void Json::Append(int level, std::string* out) const {
  if (kind_ == Kind::kText) {
    out->append(text_);
    return;
  }
  const bool is_array = kind_ == Kind::kArray;
  out->push_back(is_array ? '[' : '{');
  for (size_t i = 0; i < values_.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", "\n",
                    std::string(2 * level + 2, ' '));
    if (!is_array) absl::StrAppend(out, keys_[i], ": ");
    values_[i].Append(level + 1, out);
  }
  if (!values_.empty()) absl::StrAppend(out, "\n", std::string(2 * level, ' '));
  out->push_back(is_array ? ']' : '}');
}

}  // namespace gles_delegate
