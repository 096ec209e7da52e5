#include "delegate/graph/printable.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

std::string Escaped(absl::string_view text, absl::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_iscntrl(byte) && !absl::StrContains(kept, c)) {
      absl::StrAppend(&out, "\\x", absl::Hex(byte, absl::kZeroPad2));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string Printable(absl::string_view text) { return Escaped(text, "\n\t"); }

std::string PrintableName(absl::string_view text) { return Escaped(text, ""); }

}  // namespace gles_delegate
