#include "delegate/graph/printable.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/util.h"

namespace gles_delegate {
namespace {

std::string Escaped(absl::string_view text, absl::string_view kept) {
  const std::string in(text);  // with a zero, which ends each character
  const char* const end = in.data() + in.size();
  std::string out;
  out.reserve(in.size());
  for (const char* at = in.data(); at < end;) {
    const char* const begin = at;
    const auto byte = static_cast<unsigned char>(*begin);
    if (flatbuffers::FromUTF8(&at) >= 0 &&
        (!absl::ascii_iscntrl(byte) || absl::StrContains(kept, *begin))) {
      out.append(begin, at);
      continue;
    }
    absl::StrAppend(&out, "\\x", absl::Hex(byte, absl::kZeroPad2));
    at = begin + 1;
  }
  return out;
}

}  // namespace

std::string Printable(absl::string_view text) { return Escaped(text, "\n\t"); }

std::string PrintableName(absl::string_view text) { return Escaped(text, ""); }

}  // namespace gles_delegate
