#include "tools/runner/op_profile.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/runner/command_line.h"

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

// A line of the table of dispatches; cdf% is left out at 80 columns.
std::string DispatchLine(const std::string& us, const std::string& percent,
                         const std::string& cdf, const std::string& node,
                         const std::string& shader, const std::string& groups) {
  const bool wide = Columns() > 80;
  std::string line = absl::StrFormat("%10s %7s", us, percent);
  if (wide) absl::StrAppendFormat(&line, " %7s", cdf);
  absl::StrAppendFormat(&line, "  %-*s %-*s %s", wide ? 28 : 23,
                        Shorten(node, 23), wide ? 24 : 22, Shorten(shader, 22),
                        Shorten(groups, 13));
  return absl::StrCat(absl::StripTrailingAsciiWhitespace(line), "\n");
}

}  // namespace

std::string ClockText(const std::string& clock) {
  if (clock == "gpu timestamps") return "the GPU's clock";
  if (clock == "gpu timers") {
    return "the GPU's timers, each start as submitted";
  }
  return "the host's clock, the GPU waited for after each";
}

std::string OpProfileTable(const nlohmann::json& profile) {
  if (!profile.is_array() || profile.empty()) return "";
  double total = 0;
  for (const auto& entry : profile) total += entry.value("us", 0.0);
  const double whole = std::max(total, 1e-9);
  std::string text = absl::StrFormat(
      "Run order, medians, by %s\n%s", ClockText(profile[0].value("clock", "")),
      DispatchLine("us", "%", "cdf%", "node", "shader", "work groups"));
  double sum = 0;
  std::map<std::string, TypeTotal> types;
  for (const auto& entry : profile) {
    const double us = entry.value("us", 0.0);
    const std::string label = entry.value("label", "");
    sum += us;
    TypeTotal& type = types[TypeOfLabel(label)];
    type.us += us;
    ++type.dispatches;
    absl::StrAppend(
        &text,
        DispatchLine(
            absl::StrFormat("%.1f", us),
            absl::StrFormat("%.2f", 100 * us / whole),
            absl::StrFormat("%.2f", 100 * sum / whole), label,
            entry.value("shader", ""),
            absl::StrJoin(entry.value("groups", std::vector<int>()), "x")));
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

nlohmann::json ProfileTrace(const nlohmann::json& report,
                            absl::Span<const TimedInvoke> invokes) {
  enum Track : int { kInferences = 1, kHost, kGpu };
  const nlohmann::json empty = nlohmann::json::array();
  const nlohmann::json profile = report.value("profile", empty);
  // Of the runs, the report has the last ones.
  size_t runs = 0;
  for (const auto& entry : profile) {
    runs = std::max(runs, entry["runs"].size());
  }
  invokes = invokes.last(std::min(runs, invokes.size()));
  const double first = invokes.empty() ? std::numeric_limits<double>::max()
                                       : invokes.front().start_ms * 1e3;
  nlohmann::json events = empty;
  const auto add = [&](Track track, const std::string& name, double start,
                       double us, const nlohmann::json& args) {
    events.push_back({{"name", name},
                      {"cat", TypeOfLabel(name)},
                      {"ph", "X"},  // a complete event
                      {"ts", start - first},
                      {"dur", us},
                      {"pid", 1},
                      {"tid", int{track}},
                      {"args", args}});
  };
  const auto add_runs = [&](Track track, const nlohmann::json& entry,
                            const nlohmann::json& args) {
    for (const auto& run : entry["runs"]) {
      if (run[0] < first) continue;
      add(track, entry["label"], run[0], run[1], args);
    }
  };
  for (const TimedInvoke& run : invokes) {
    add(kInferences, "inference", run.start_ms * 1e3, run.ms * 1e3,
        nlohmann::json::object());
  }
  for (const auto& step : report.value("host_profile", empty)) {
    add_runs(kHost, step, {{"partition", step["partition"]}});
  }
  for (const auto& entry : profile) {
    add_runs(entry["shader"] == "none" ? kHost : kGpu, entry,
             {{"partition", entry["partition"]},
              {"shader", entry["shader"]},
              {"work_groups", entry["groups"]}});
  }
  const auto meta = [&](Track track, const char* what,
                        const nlohmann::json& args) {
    events.push_back({{"name", what},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", int{track}},
                      {"args", args}});
  };
  const std::string clock =
      profile.empty() ? "" : profile[0].value("clock", "");
  for (const auto& [track, name] :
       {std::pair<Track, std::string>(kInferences, "inferences"),
        {kHost, "the delegate on the host"},
        {kGpu, "dispatches: " + ClockText(clock)}}) {
    meta(track, "thread_name", {{"name", name}});
    meta(track, "thread_sort_index", {{"sort_index", int{track}}});
  }
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace gles_delegate
