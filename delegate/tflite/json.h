// A JSON value, for the delegate's own texts. Unlike a library's it destroys
// itself without allocating: reports are also written when memory has ended.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_JSON_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_JSON_H_

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate {

class Json {
 public:
  using Member = std::pair<const char*, Json>;

  Json() = default;  // null
  static Json Array() { return Json(Kind::kArray); }
  static Json Object() { return Json(Kind::kObject); }

  // NOLINTBEGIN(google-explicit-constructor): values of these types
  Json(absl::string_view text);  // what is no UTF-8, by Printable()
  Json(const std::string& text) : Json(absl::string_view(text)) {}
  Json(const char* text) : Json(absl::string_view(text)) {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);  // null if it is not finite
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Json(T value) : text_(absl::StrCat(value)) {}
  template <typename T>
  Json(absl::Span<const T> values) : Json(Kind::kArray) {
    for (const T& value : values) Add(value);
  }
  template <typename T>
  Json(const std::vector<T>& values) : Json(absl::MakeConstSpan(values)) {}
  template <typename T, size_t kSize>
  Json(const std::array<T, kSize>& values)
      : Json(absl::MakeConstSpan(values)) {}
  Json(std::initializer_list<Member> members);  // an object
  // NOLINTEND(google-explicit-constructor)

  // A member of an object; null if it is new.
  Json& operator[](absl::string_view key);
  // Adds to an array.
  void Add(Json value) { values_.push_back(std::move(value)); }

  // Two spaces a level, members sorted by key.
  std::string Text() const;

 private:
  enum class Kind { kText, kArray, kObject };

  explicit Json(Kind kind) : kind_(kind) {}
  void Append(int level, std::string* out) const;

  Kind kind_ = Kind::kText;
  std::string text_ = "null";      // kText: quoted if it is a string
  std::vector<std::string> keys_;  // kObject: quoted, sorted
  std::vector<Json> values_;       // kArray, kObject
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_JSON_H_
