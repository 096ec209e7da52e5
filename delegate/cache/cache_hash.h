// 128-bit fingerprints (XXH3) of everything that a start-up cache depends on.
// Not cryptographic: they detect accidents, not attacks;
// docs/decisions/start_up_cache.md says what prevents those.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_HASH_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_HASH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Hash128& o) const {
    return low == o.low && high == o.high;
  }
  bool operator!=(const Hash128& o) const { return !(*this == o); }
  std::string ToHex() const;  // 32 digits
};

// The hash of `bytes` followed by `more`.
Hash128 HashBytes(absl::Span<const uint8_t> bytes,
                  absl::Span<const uint8_t> more = {});
Hash128 HashText(absl::string_view text);

// Hashes a sequence of values. Values of variable length are hashed with their
// length, so that different sequences differ. Threads: one at a time.
class Hasher {
 public:
  Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();

  Hasher& Bytes(absl::Span<const uint8_t> bytes);
  Hasher& Text(absl::string_view text);
  template <typename T>
  Hasher& Value(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    return Raw(&value, sizeof(value));
  }
  template <typename List>
  Hasher& Values(const List& list) {
    Value(static_cast<uint64_t>(list.size()));
    for (const auto& value : list) Value(value);
    return *this;
  }
  // Without the length.
  Hasher& Raw(const void* data, size_t size);
  Hash128 Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_HASH_H_
