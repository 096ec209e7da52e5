#include "tools/runner/op_profile.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

struct TypeTotal {
  double us = 0;
  int dispatches = 0;
};

// "CONV_2D 12" -> "CONV_2D"; "upload input" -> "upload".
std::string TypeOfLabel(const std::string& label) {
  return label.substr(0, label.find(' '));
}

}  // namespace

std::string OpProfileTable(const nlohmann::json& profile) {
  if (!profile.is_array() || profile.empty()) return "";
  double total = 0;
  for (const auto& entry : profile) total += entry.value("us", 0.0);
  const double whole = std::max(total, 1e-9);
  std::string text = absl::StrFormat(
      "Run order, times by %s\n%10s %7s %7s  %-28s %-24s %s\n",
      profile[0].value("by_gpu", false) ? "GPU timer queries"
                                        : "the CPU's clock, the GPU waited for",
      "us", "%", "cdf%", "node", "shader", "work groups");
  double sum = 0;
  std::map<std::string, TypeTotal> types;
  for (const auto& entry : profile) {
    const double us = entry.value("us", 0.0);
    const std::string label = entry.value("label", "");
    sum += us;
    TypeTotal& type = types[TypeOfLabel(label)];
    type.us += us;
    ++type.dispatches;
    absl::StrAppendFormat(
        &text, "%10.1f %7.2f %7.2f  %-28s %-24s %s\n", us, 100 * us / whole,
        100 * sum / whole, label, entry.value("shader", ""),
        absl::StrJoin(entry.value("groups", std::vector<int>()), "x"));
  }
  std::vector<std::pair<std::string, TypeTotal>> by_time(types.begin(),
                                                         types.end());
  std::sort(by_time.begin(), by_time.end(), [](const auto& a, const auto& b) {
    return a.second.us > b.second.us;
  });
  absl::StrAppendFormat(&text, "\nBy op type\n%10s %7s %7s %10s  %s\n", "us",
                        "%", "cdf%", "dispatches", "op");
  sum = 0;
  for (const auto& [name, type] : by_time) {
    sum += type.us;
    absl::StrAppendFormat(&text, "%10.1f %7.2f %7.2f %10d  %s\n", type.us,
                          100 * type.us / whole, 100 * sum / whole,
                          type.dispatches, name);
  }
  absl::StrAppendFormat(&text, "%10.1f us in %d dispatches\n", total,
                        profile.size());
  return text;
}

nlohmann::json OpProfileTrace(const nlohmann::json& profile) {
  nlohmann::json events = nlohmann::json::array();
  double start = 0;
  for (const auto& entry : profile) {
    const double us = entry.value("us", 0.0);
    const std::string label = entry.value("label", "");
    events.push_back(
        {{"name", label},
         {"cat", TypeOfLabel(label)},
         {"ph", "X"},  // a complete event; times in microseconds
         {"ts", start},
         {"dur", us},
         {"pid", 1},
         {"tid", 1},
         {"args",
          {{"shader", entry.value("shader", "")},
           {"work_groups", entry.value("groups", std::vector<int>())},
           {"by_gpu", entry.value("by_gpu", false)}}}});
    start += us;
  }
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace gles_delegate
