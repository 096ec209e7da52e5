// A page for people: who, when, and a row per op.
#include "absl/strings/str_cat.h"
#include "tools/conformance/report.h"

namespace gles_delegate::conformance {

std::string HtmlPage(const Results& results) {
  return absl::StrCat("<pre>", XmlEscaped(Table(results)), "</pre>\n");
}

}  // namespace gles_delegate::conformance
