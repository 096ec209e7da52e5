#include "delegate/cache/cache_hash.h"

// Header-only: no symbol of libxxhash is linked, none is exported.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
std::string Hash128::ToHex() const {
  return absl::StrCat(absl::Hex(high, absl::kZeroPad16),
                      absl::Hex(low, absl::kZeroPad16));
}

Hash128 HashBytes(absl::Span<const uint8_t> bytes,
                  absl::Span<const uint8_t> more) {
  return Hasher()
      .Raw(bytes.data(), bytes.size())
      .Raw(more.data(), more.size())
      .Finish();
}

Hash128 HashText(absl::string_view text) {
  return Hasher().Raw(text.data(), text.size()).Finish();
}

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;

Hasher& Hasher::Raw(const void* data, size_t size) {
  if (size != 0) XXH3_128bits_update(&state_->xxh, data, size);
  return *this;
}

Hasher& Hasher::Bytes(absl::Span<const uint8_t> bytes) {
  Value(static_cast<uint64_t>(bytes.size()));
  return Raw(bytes.data(), bytes.size());
}

Hasher& Hasher::Text(absl::string_view text) {
  Value(static_cast<uint64_t>(text.size()));
  return Raw(text.data(), text.size());
}

Hash128 Hasher::Finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.low64, hash.high64};
}

}  // namespace gles_delegate
