#include "delegate/graph/printable.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// The bytes of the UTF-8 character at the beginning of `text`. 0: none begins
// there.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const int lead = byte(0), next = byte(1);
  if (lead < 0x80) return 1;
  // Longer forms than needed, UTF-16's surrogates and what is past Unicode are
  // none.
  const bool is_bad =
      lead < 0xc2 || lead > 0xf4 || (lead == 0xe0 && next < 0xa0) ||
      (lead == 0xed && next > 0x9f) || (lead == 0xf0 && next < 0x90) ||
      (lead == 0xf4 && next > 0x8f);
  if (is_bad) return 0;
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

std::string Escaped(absl::string_view text, absl::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    size_t size = CharacterBytes(text);
    if (size == 0 ||
        (absl::ascii_iscntrl(byte) && !absl::StrContains(kept, text[0]))) {
      absl::StrAppend(&out, "\\x", absl::Hex(byte, absl::kZeroPad2));
      size = 1;
    } else {
      out.append(text.data(), size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

std::string Printable(absl::string_view text) { return Escaped(text, "\n\t"); }

std::string PrintableName(absl::string_view text) { return Escaped(text, ""); }

}  // namespace gles_delegate
