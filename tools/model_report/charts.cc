#include "tools/model_report/charts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/common/xml.h"
#include "tools/runner/op_profile.h"

namespace gles_delegate {
namespace {

constexpr size_t kBars = 12;
constexpr int kTimelineWidth = 1160, kTrackHeight = 26, kAxisHeight = 18;

// `label` is HTML. The longest bar is that of `largest`.
std::string Bar(const std::string& label, double us, double largest,
                double all) {
  return absl::StrFormat(
      "<div class=\"bar\"><span>%s</span><i><b style=\"width:%.1f%%\"></b></i>"
      "<span class=\"n\">%.1f us, %.0f%%</span></div>\n",
      label, 100 * us / largest, us, 100 * us / all);
}

std::string BarsByOp(const ReportData& data) {
  std::string html = "<div><h3>By op</h3>\n";
  const auto ops = TimesByOp(data);
  for (size_t i = 0; i < std::min(kBars, ops.size()); ++i) {
    html +=
        Bar(XmlEscaped(ops[i].first), ops[i].second, ops[0].second, data.us());
  }
  return html + "</div>\n";
}

std::string BarsByNode(const ReportData& data) {
  const auto rows = BySlowest(data);
  const size_t shown = std::min(kBars, rows.size());
  std::string html = absl::StrFormat(
      "<div><h3>By node%s</h3>\n",
      shown < rows.size()
          ? absl::StrFormat(", the slowest %d of %d", shown, rows.size())
          : "");
  for (size_t i = 0; i < shown; ++i) {
    const ModelNode& node = rows[i]->node;
    html += Bar(absl::StrFormat("<a href=\"#n%d\">%s %d</a>", node.index,
                                XmlEscaped(node.op), node.index),
                rows[i]->us(), rows[0]->us(), data.us());
  }
  return html + "</div>\n";
}

std::string SpanBox(const TimelineSpan& span, double scale) {
  const double x = std::max(0.0, span.start_us) * scale;
  const double width = std::max(1.0, span.us * scale - 0.5);
  const int y = span.on_host ? 0 : kTrackHeight;
  std::string box = absl::StrFormat(
      "<g class=\"%s\"><title>%s: %.1f us, from %.1f us on</title>"
      "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
      span.on_host ? "host" : "p0", XmlEscaped(span.label), span.us,
      span.start_us, x, y, width, kTrackHeight - 4);
  // Seven pixels a letter.
  if (static_cast<double>(span.label.size()) * 7 < width) {
    absl::StrAppendFormat(&box, "<text x=\"%.1f\" y=\"%d\">%s</text>",
                          x + width / 2, y + 15, XmlEscaped(span.label));
  }
  box += "</g>";
  return span.node < 0
             ? box
             : absl::StrFormat("<a href=\"#n%d\">%s</a>", span.node, box);
}

std::string Timeline(const ReportData& data) {
  double end = 0;
  for (const TimelineSpan& span : data.timeline) {
    end = std::max(end, span.start_us + span.us);
  }
  if (end <= 0) return "";
  const double scale = kTimelineWidth / end;
  std::string svg = absl::StrFormat(
      "<h3>The last inference: the host above, the dispatches below</h3>\n"
      "<div class=\"wide\"><svg class=\"timeline\" role=\"img\" "
      "aria-label=\"a timeline\" viewBox=\"0 0 %d %d\">\n",
      kTimelineWidth, 2 * kTrackHeight + kAxisHeight);
  for (const TimelineSpan& span : data.timeline) {
    absl::StrAppend(&svg, SpanBox(span, scale), "\n");
  }
  for (int i = 0; i <= 4; ++i) {
    absl::StrAppendFormat(
        &svg,
        "<text class=\"axis\" x=\"%d\" y=\"%d\" style=\"text-anchor: %s\">%.2f "
        "ms</text>\n",
        kTimelineWidth * i / 4, 2 * kTrackHeight + 13,
        i == 0   ? "start"
        : i == 4 ? "end"
                 : "middle",
        end * i / 4000);
  }
  return svg + "</svg></div>\n";
}

}  // namespace

std::string ChartsSection(const ReportData& data) {
  if (data.us() <= 0) return "";
  return absl::StrCat("<h2>Where the time goes</h2>\n<p>Medians, by ",
                      ClockText(data.clock), ".</p>\n<div class=\"charts\">\n",
                      BarsByOp(data), BarsByNode(data), "</div>\n",
                      Timeline(data));
}

}  // namespace gles_delegate
