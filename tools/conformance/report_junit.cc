// JUnit's XML, as CI systems read it.
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/common/xml.h"
#include "tools/conformance/report.h"

namespace gles_delegate::conformance {
namespace {

std::string Property(const char* name, const std::string& value) {
  return absl::StrCat("    <property name=\"", name, "\" value=\"",
                      XmlEscaped(value), "\"/>\n");
}

std::string TestCase(const CaseResult& result) {
  std::string text = absl::StrFormat(
      "    <testcase classname=\"gles_conformance.%s\" name=\"%s\" "
      "time=\"%.4f\"",
      XmlEscaped(result.op), XmlEscaped(result.name), result.seconds);
  if (result.failure.empty()) return absl::StrCat(text, "/>\n");
  const std::string first_line =
      result.failure.substr(0, result.failure.find('\n', 1));
  absl::StrAppend(&text, ">\n      <failure message=\"", XmlEscaped(first_line),
                  "\">", XmlEscaped(result.failure),
                  "</failure>\n    </testcase>\n");
  return text;
}

}  // namespace

std::string JunitXml(const Results& results) {
  std::map<std::string, std::vector<const CaseResult*>> by_op;
  double seconds = 0;
  for (const CaseResult& result : results.cases) {
    by_op[result.op].push_back(&result);
    seconds += result.seconds;
  }
  std::string text = absl::StrFormat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"gles_conformance\" tests=\"%d\" failures=\"%d\" "
      "time=\"%.3f\">\n",
      results.all.cases(), results.all.failures(), seconds);
  for (const auto& [op, cases] : by_op) {
    const Summary& summary = results.by_op.at(op);
    double time = 0;
    for (const CaseResult* result : cases) time += result->seconds;
    absl::StrAppendFormat(
        &text,
        "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" time=\"%.3f\">\n"
        "    <properties>\n%s%s%s%s%s    </properties>\n",
        XmlEscaped(op), summary.cases(), summary.failures(), time,
        Property("renderer", results.facts.renderer),
        Property("driver", results.facts.driver),
        Property("tflite", results.facts.tflite),
        Property("seed", results.facts.seed),
        Property("revision", results.facts.revision));
    for (const CaseResult* result : cases) {
      absl::StrAppend(&text, TestCase(*result));
    }
    absl::StrAppend(&text, "  </testsuite>\n");
  }
  return absl::StrCat(text, "</testsuites>\n");
}

}  // namespace gles_delegate::conformance
