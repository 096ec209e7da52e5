#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/common/text_file.h"
#include "tools/model_report/report_data.h"
#include "tools/runner/command_line.h"
#include "tools/runner/op_profile.h"

namespace gles_delegate {
bool IsDrawn(const NodeRow& row) {
  return row.where != NodeRow::Where::kConstant;
}

std::vector<Place> PlacesOf(const std::vector<NodeRow>& rows,
                            int rows_a_column) {
  std::vector<Place> places(rows.size());
  // For each node, how many nodes are on the longest way to it.
  std::vector<int> depths(rows.size(), 0);
  std::map<int, int> taken;                   // lanes, at each depth
  for (size_t i = 0; i < rows.size(); ++i) {  // a model is in execution order
    if (!IsDrawn(rows[i])) continue;
    for (int from : rows[i].node.reads) {
      if (IsDrawn(rows[from])) {
        depths[i] = std::max(depths[i], depths[from] + 1);
      }
    }
    places[i] = {depths[i] / rows_a_column, depths[i] % rows_a_column,
                 taken[depths[i]]++};
  }
  return places;
}

namespace {

constexpr int kRowsAColumn = 40;
constexpr int kBoxWidth = 176, kBoxHeight = 20;
constexpr int kLaneWidth = 224, kRowHeight = 34;
constexpr int kColumnGap = 26, kMargin = 10;
constexpr size_t kLetters = 23;  // of an op's name, as wide as a box

struct Point {
  int x = 0, y = 0;
};

// The picture's size, and the upper left corner of each row's box.
struct Layout {
  std::vector<Point> corners;
  int width = 2 * kMargin, height = 2 * kMargin;
};

Layout LayoutOf(const std::vector<NodeRow>& rows) {
  const std::vector<Place> places = PlacesOf(rows, kRowsAColumn);
  Layout layout;
  std::map<int, int> lanes, left;  // of each column
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!IsDrawn(rows[i])) continue;
    const Place& place = places[i];
    lanes[place.column] = std::max(lanes[place.column], place.lane + 1);
    layout.height =
        std::max(layout.height, (place.row + 1) * kRowHeight + 2 * kMargin);
  }
  for (const auto& [column, count] : lanes) {
    left[column] = layout.width - kMargin;
    layout.width += count * kLaneWidth + kColumnGap;
  }
  for (const Place& place : places) {
    layout.corners.push_back({left[place.column] + place.lane * kLaneWidth,
                              kMargin + place.row * kRowHeight});
  }
  return layout;
}

std::string ClassOf(const NodeRow& row) {
  return absl::StrCat(NameOf(row.where), " p", std::max(0, row.partition) % 6);
}

std::string TooltipOf(const NodeRow& row) {
  std::string text = absl::StrCat(row.node.op, " ", row.node.index);
  for (const TensorFacts& out : row.node.outputs) {
    absl::StrAppend(&text, "\n", out.ToString(), " ", out.name);
  }
  if (row.us() > 0) absl::StrAppendFormat(&text, "\n%.1f us", row.us());
  if (row.where == NodeRow::Where::kCpu) {
    absl::StrAppend(&text, "\non the CPU: ", row.reason);
  } else if (row.where == NodeRow::Where::kFused) {
    absl::StrAppend(&text, "\ncomputed by node ", row.computed_by);
  }
  return text;
}

// `all_us`: of all nodes. A box says its share of it.
std::string Box(const NodeRow& row, const Point& at, double all_us) {
  std::string name = absl::StrCat(row.node.index, " ", row.node.op);
  const double share = all_us > 0 ? row.us() / all_us : 0;
  const std::string end =
      share >= 0.01 ? absl::StrFormat(" %.0f%%", 100 * share) : "";
  name = name.substr(0, kLetters - end.size()) + end;
  return absl::StrFormat(
      "<a id=\"b%d\" href=\"#n%d\" class=\"%s\"><title>%s</title><rect "
      "x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/><text "
      "x=\"%d\" y=\"%d\">%s</text></a>\n",
      row.node.index, row.node.index, ClassOf(row), XmlEscaped(TooltipOf(row)),
      at.x, at.y, kBoxWidth, kBoxHeight, at.x + kBoxWidth / 2, at.y + 14,
      XmlEscaped(name));
}

// An edge passes the boxes between its ends on the right.
std::string Edge(const Point& from, const Point& to) {
  if (from.x == to.x && to.y > from.y + kRowHeight) {
    const int x = from.x + kBoxWidth;
    const int rows = (to.y - from.y) / kRowHeight;
    const int out = x + std::min(56, 24 + 4 * rows);
    return absl::StrFormat("<path d=\"M%d %dC%d %d %d %d %d %d\"/>\n", x,
                           from.y + kBoxHeight / 2, out, from.y + kRowHeight,
                           out, to.y - kRowHeight / 2, x,
                           to.y + kBoxHeight / 2);
  }
  const int x0 = from.x + kBoxWidth / 2, y0 = from.y + kBoxHeight;
  const int x1 = to.x + kBoxWidth / 2, y1 = to.y;
  const int bend = std::max(12, (y1 - y0) / 2);
  return absl::StrFormat("<path d=\"M%d %dC%d %d %d %d %d %d\"/>\n", x0, y0, x0,
                         y0 + bend, x1, y1 - bend, x1, y1);
}

// Pictures of where a model's time goes.

constexpr size_t kBars = 12;
constexpr int kTimelineWidth = 1160, kTrackHeight = 26, kAxisHeight = 18;

// Bars of the first of `times`, whose names are HTML; the first is the largest.
std::string Bars(const std::string& title,
                 const std::vector<std::pair<std::string, double>>& times,
                 double all_us) {
  std::string html = absl::StrFormat("<div><h3>%s</h3>\n", title);
  for (size_t i = 0; i < std::min(kBars, times.size()); ++i) {
    const auto& [name, us] = times[i];
    absl::StrAppendFormat(
        &html,
        "<div class=\"bar\"><span>%s</span><i><b style=\"width:%.1f%%\"></b>"
        "</i><span class=\"n\">%.1f us, %.0f%%</span></div>\n",
        name, 100 * us / times[0].second, us, 100 * us / all_us);
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

// Bars by op and by node, and a timeline of one inference, as HTML whose nodes
// link to the rows #n0, #n1, ... "" if nothing was measured.
std::string ChartsSection(const ReportData& data) {
  if (data.us() <= 0) return "";
  auto ops = TimesByOp(data);
  for (auto& [name, us] : ops) name = XmlEscaped(name);
  std::vector<std::pair<std::string, double>> nodes;
  for (const NodeRow* row : BySlowest(data)) {
    const ModelNode& node = row->node;
    nodes.emplace_back(absl::StrFormat("<a href=\"#n%d\">%s %d</a>", node.index,
                                       XmlEscaped(node.op), node.index),
                       row->us());
  }
  const std::string by_node =
      nodes.size() <= kBars ? "By node"
                            : absl::StrFormat("By node, the slowest %d of %d",
                                              kBars, nodes.size());
  return absl::StrCat(
      "<h2>Where the time goes</h2>\n<p>Medians, by ", ClockText(data.clock),
      ".</p>\n<div class=\"charts\">\n", Bars("By op", ops, data.us()),
      Bars(by_node, nodes, data.us()), "</div>\n", Timeline(data));
}

constexpr char kStyle[] = R"(
.p0 { --c: #2563eb; } .p1 { --c: #047857; } .p2 { --c: #9333ea; }
.p3 { --c: #be185d; } .p4 { --c: #0e7490; } .p5 { --c: #4d7c0f; }
.cpu { --c: #b45309; } .host { --c: #475569; }
h3 { font-size: 1rem; margin: .8rem 0 .2rem; } a { color: inherit; }
.verdict { font-size: 1.1rem; border-left: 4px solid #2563eb;
           padding: .2rem .8rem; margin: .6rem 0; }
.charts { display: grid; gap: 0 2rem;
          grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
.bar { display: grid; grid-template-columns: 13rem 1fr 8rem; gap: .5rem;
       font-size: 13px; }
.bar i { align-self: center; } .bar .n { text-align: right; }
.bar b { display: block; height: .8em; background: #2563eb; }
@media (max-width: 40rem) {  /* a bar below its text */
  .bar { grid-template-columns: 1fr max-content; gap: 0 .5rem; }
  .bar i { grid-area: 2 / 1 / 3 / 3; }
}
.advice { border-left: 4px solid #b45309; padding: .1rem .8rem;
          margin: .6rem 0; }
.advice h3 { font-size: 1rem; margin: 0; } .advice p { margin: 0; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
.graph { max-height: 75vh; overflow: auto; }
.graph svg { display: block; }
svg rect { fill: var(--c); stroke: var(--c); }
svg text { fill: #fff; font: 12px system-ui, sans-serif; text-anchor: middle; }
svg text.axis { fill: CanvasText; }
.timeline { width: 100%; } .timeline rect { stroke: none; }
:target { outline: 3px solid #f59e0b; }
svg .fused rect { fill: Canvas; stroke-dasharray: 4 3; }
svg .fused text { fill: CanvasText; }
svg path { fill: none; stroke: #888; stroke-width: 1.2; }
svg path:hover { stroke: #f59e0b; stroke-width: 4; }
.key span { display: inline-block; padding: 0 .6rem; margin: 0 .4rem .4rem 0;
            border-radius: .3rem; border: 1px solid var(--c);
            background: var(--c); color: #fff; }
.key .fused { background: none; color: inherit; border-style: dashed; }
td.n, th.n { text-align: right; white-space: nowrap; }
tr.cpu td:first-child, tr.gpu td:first-child, tr.fused td:first-child {
  border-left: 4px solid var(--c); }
tr.fused, tr.constant { opacity: .85; }
small { opacity: .7; }
@page { margin: 12mm; }
@page across { size: landscape; margin: 12mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; }
  h2 { break-after: avoid; } tr, .advice, .drawing { break-inside: avoid; }
  .drawing.across { page: across; }
  .wide { overflow: visible; border: none; } .graph { max-height: none; }
  .graph svg { max-width: 100%; max-height: 66vh; }
  .across .graph svg { max-height: 58vh; } /* vh is that of an upright page */
  svg text { font-size: 13px; }
  table { font-size: 10px; } th, td { padding: .1rem .3rem; }
  td { overflow-wrap: anywhere; } .nodes { table-layout: fixed; }
  .nodes th:nth-child(1) { width: 5%; } .nodes th:nth-child(2) { width: 18%; }
  .nodes th:nth-child(3) { width: 10%; } .nodes th:nth-child(4) { width: 23%; }
  .nodes th:nth-child(5) { width: 20%; } .nodes .us { width: 7%; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)";

std::string HtmlHead(const ReportData& data) {
  std::string html = absl::StrFormat(
      "<h1>%s</h1>\n<p class=\"verdict\">%s</p>\n<dl>\n%s%s%s%s",
      XmlEscaped(data.model), XmlEscaped(VerdictOf(data)),
      HtmlFact("on the GPU",
               absl::StrCat(data.nodes_delegated, " of ",
                            Count(data.nodes_total, "node"), ", ",
                            Count(data.partitions.size(), "partition"))),
      HtmlFact("GPU", absl::StrCat(data.renderer, " (", data.driver, ")")),
      HtmlFact("precision", data.precision), HtmlFact("TFLite", data.runtime));
  if (data.invoke_ms > 0) {
    html += HtmlFact("an inference",
                     absl::StrFormat("%.3f ms (median)", data.invoke_ms));
  }
  if (data.profiled) {
    html += HtmlFact(
        "dispatches",
        absl::StrFormat("%.1f us of the nodes, %.1f us of copies: sums "
                        "of medians by %s",
                        data.us(), data.transfers_us, ClockText(data.clock)));
  }
  html += HtmlFact("delegate", data.revision);
  if (data.subgraphs > 1) {
    html += HtmlFact("subgraphs",
                     absl::StrCat(data.subgraphs, ", the first is shown"));
  }
  return html + "</dl>\n";
}

std::string AdviceSection(const ReportData& data) {
  std::string html;
  for (const Advice& advice : AdviceFor(data)) {
    absl::StrAppend(&html, "<div class=\"advice\"><h3>",
                    XmlEscaped(advice.title), "</h3><p>",
                    XmlEscaped(advice.text), "</p></div>\n");
  }
  return html.empty() ? "" : "<h2>What loses speed</h2>\n" + html;
}

std::string Key(const ReportData& data) {
  std::string html = "<p class=\"key\">";
  for (size_t i = 0; i < data.partitions.size(); ++i) {
    absl::StrAppend(&html, "<span class=\"p", i % 6, "\">partition ", i,
                    "</span>");
  }
  return html +
         "<span class=\"fused\">computed by another node</span>"
         "<span class=\"cpu\">on the CPU</span></p>\n";
}

// In print a graph that is much wider than tall gets a page of that shape.
std::string GraphSection(const ReportData& data) {
  const auto [corners, width, height] = LayoutOf(data.rows);
  std::string edges, boxes;  // the boxes over the edges
  for (size_t i = 0; i < data.rows.size(); ++i) {
    if (!IsDrawn(data.rows[i])) continue;
    boxes += Box(data.rows[i], corners[i], data.us());
    for (int from : data.rows[i].node.reads) {
      if (!IsDrawn(data.rows[from])) continue;
      edges += Edge(corners[from], corners[i]);
    }
  }
  return absl::StrFormat(
      "<section class=\"drawing%s\"><h2>Graph</h2>\n%s"
      "<div class=\"wide graph\">\n<svg role=\"img\" "
      "aria-label=\"the model's graph\" viewBox=\"0 0 %d %d\" width=\"%d\" "
      "height=\"%d\" xmlns=\"http://www.w3.org/2000/svg\">\n%s%s</svg>\n"
      "</div></section>\n",
      5 * height < 4 * width ? " across" : "", Key(data), width, height, width,
      height, edges, boxes);
}

std::string PartitionTable(const ReportData& data) {
  std::string html =
      "<h2>Partitions</h2>\n<div class=\"wide\"><table><thead><tr>"
      "<th>partition<th class=\"n\">nodes<th class=\"n\">dispatches"
      "<th class=\"n\">tensors, MiB<th class=\"n\">constants, MiB"
      "<th>self-check</tr></thead><tbody>\n";
  for (size_t i = 0; i < data.partitions.size(); ++i) {
    const PartitionRow& p = data.partitions[i];
    absl::StrAppendFormat(
        &html,
        "<tr class=\"gpu p%d\"><td>%d<td class=\"n\">%d<td class=\"n\">%d"
        "<td class=\"n\">%.2f<td class=\"n\">%.2f<td>%s</tr>\n",
        i % 6, i, p.nodes, p.dispatches, p.tensor_bytes / 1048576.0,
        p.constant_bytes / 1048576.0, XmlEscaped(CheckText(p)));
  }
  return html + "</tbody></table></div>\n";
}

std::string Tensors(const std::vector<TensorFacts>& tensors) {
  std::vector<std::string> lines;
  for (const TensorFacts& t : tensors) {
    std::string line = XmlEscaped(t.ToString());
    if (t.constant) line += " <small>constant</small>";
    if (!t.quantization.empty()) {
      absl::StrAppend(&line, "<br><small>", XmlEscaped(t.quantization),
                      "</small>");
    }
    lines.push_back(line);
  }
  return absl::StrJoin(lines, "<br>");
}

std::string Work(const NodeRow& row) {
  if (row.where == NodeRow::Where::kCpu) return XmlEscaped(row.reason);
  std::vector<std::string> lines;
  for (const DispatchFacts& d : row.dispatches) {
    lines.push_back(absl::StrCat(XmlEscaped(d.shader), " <small>",
                                 XmlEscaped(d.defines), "</small>"));
  }
  return absl::StrJoin(lines, "<br>");
}

std::string NodeLine(const NodeRow& row, bool profiled) {
  std::string html = absl::StrFormat(
      "<tr id=\"n%d\" class=\"%s\"><td class=\"n\">%d<td>%s<td>%s<td>%s"
      "<td>%s",
      row.node.index, ClassOf(row), row.node.index,
      IsDrawn(row) ? absl::StrFormat("<a href=\"#b%d\">%s</a>", row.node.index,
                                     XmlEscaped(row.node.op))
                   : XmlEscaped(row.node.op),
      WhereText(row), Tensors(row.node.inputs), Tensors(row.node.outputs));
  if (profiled) {
    absl::StrAppend(
        &html, "<td class=\"n\">",
        row.us() > 0 ? absl::StrFormat("%.1f", row.us()) : std::string());
  }
  return absl::StrCat(html, "<td>", Work(row), "</tr>\n");
}

std::string NodeTable(const ReportData& data) {
  std::string html = absl::StrCat(
      "<h2>Nodes</h2>\n<div class=\"wide\"><table class=\"nodes\"><thead><tr>"
      "<th class=\"n\">node<th>op<th>where<th>inputs<th>outputs",
      data.profiled ? "<th class=\"n us\">us" : "",
      "<th>shaders, or why not</tr></thead><tbody>\n");
  for (const NodeRow& row : data.rows) html += NodeLine(row, data.profiled);
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string HtmlPage(const ReportData& data) {
  return HtmlDocument(
      data.model, kStyle,
      absl::StrCat(HtmlHead(data), ChartsSection(data), AdviceSection(data),
                   GraphSection(data), PartitionTable(data), NodeTable(data)));
}

}  // namespace gles_delegate
