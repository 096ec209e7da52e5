#include "delegate/graph/flexbuffer_map.h"

#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// `value` as an int, truncated; nullopt if it is not a number or does not fit.
// AsInt32() would convert a float of any size, which is undefined in C++.
std::optional<int> AsInt(const flexbuffers::Reference& value) {
  if (!value.IsNumeric()) return std::nullopt;
  const double number = value.AsDouble();
  // False for NaN.
  const bool fits = number > std::numeric_limits<int>::min() - 1.0 &&
                    number < std::numeric_limits<int>::max() + 1.0;
  if (!fits) return std::nullopt;
  return static_cast<int>(number);
}

}  // namespace

FlexbufferMap::FlexbufferMap(absl::Span<const uint8_t> bytes)
    : bytes_(bytes.begin(), bytes.end()), size_(bytes.size()) {
  // FlexBuffers 2.0.8 verifies that a key begins inside the bytes, but not that
  // it ends there, and compares keys up to the next zero. This one is the last.
  bytes_.push_back(0);
  // The smallest flexbuffer has three bytes.
  if (size_ < 3 || !flexbuffers::VerifyBuffer(bytes_.data(), size_, nullptr) ||
      !Root().IsMap()) {
    status_ = absl::InvalidArgumentError(
        "its parameters are no map in a valid flexbuffer");
  }
}

int FlexbufferMap::Int(const char* key) {
  const flexbuffers::Reference value = Find(key);
  if (!status_.ok()) return 0;
  const std::optional<int> number = AsInt(value);
  if (!number) Fail(key, "is no number that 32 bits hold");
  return number.value_or(0);
}

float FlexbufferMap::Float(const char* key) {
  const flexbuffers::Reference value = Find(key);
  if (!status_.ok()) return 0;
  if (value.IsNumeric() && std::isfinite(value.AsFloat())) {
    return value.AsFloat();
  }
  Fail(key, "is no finite number");
  return 0;
}

bool FlexbufferMap::Bool(const char* key) {
  const flexbuffers::Reference value = Find(key);
  if (!status_.ok()) return false;
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumeric()) return value.AsDouble() != 0;
  Fail(key, "is neither true nor false");
  return false;
}

std::vector<int> FlexbufferMap::Ints(const char* key) {
  const flexbuffers::Reference value = Find(key);
  if (!status_.ok()) return {};
  if (value.IsTypedVector()) return Elements(key, value.AsTypedVector());
  if (value.IsFixedTypedVector()) {
    return Elements(key, value.AsFixedTypedVector());
  }
  if (value.IsVector()) return Elements(key, value.AsVector());
  Fail(key, "is no vector of integers");
  return {};
}

std::array<int, 2> FlexbufferMap::Pair(const char* key) {
  const std::vector<int> ints = Ints(key);
  if (!status_.ok()) return {0, 0};
  if (ints.size() == 2) return {ints[0], ints[1]};
  Fail(key, "must have two elements");
  return {0, 0};
}

bool FlexbufferMap::IsString(const char* key, const char* wanted) {
  const flexbuffers::Reference value = Find(key);
  return status_.ok() && value.IsString() && value.AsString().str() == wanted;
}

bool FlexbufferMap::Has(const char* key) const {
  return status_.ok() && !Root().AsMap()[key].IsNull();
}

flexbuffers::Reference FlexbufferMap::Root() const {
  return flexbuffers::GetRoot(bytes_.data(), size_);
}

flexbuffers::Reference FlexbufferMap::Find(const char* key) {
  if (!status_.ok()) return {};
  const flexbuffers::Reference value = Root().AsMap()[key];
  if (value.IsNull()) Fail(key, "is absent");
  return value;
}

template <typename Vector>
std::vector<int> FlexbufferMap::Elements(const char* key,
                                         const Vector& vector) {
  std::vector<int> ints;
  for (size_t i = 0; i < vector.size(); ++i) {
    const std::optional<int> number = AsInt(vector[i]);
    if (number) {
      ints.push_back(*number);
    } else {
      Fail(key, "is no vector of integers");
    }
  }
  return ints;
}

void FlexbufferMap::Fail(const char* key, const char* why) {
  if (!status_.ok()) return;
  status_ =
      absl::InvalidArgumentError(absl::StrCat("its parameter ", key, " ", why));
}

}  // namespace gles_delegate
