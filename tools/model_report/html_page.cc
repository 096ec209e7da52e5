#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/common/xml.h"
#include "tools/model_report/advice.h"
#include "tools/model_report/charts.h"
#include "tools/model_report/drawing.h"
#include "tools/model_report/pages.h"
#include "tools/runner/op_profile.h"

namespace gles_delegate {
namespace {

constexpr char kStyle[] = R"(
:root { color-scheme: light dark; --line: #8886; --cpu: #b45309; }
.p0 { --c: #2563eb; } .p1 { --c: #047857; } .p2 { --c: #9333ea; }
.p3 { --c: #be185d; } .p4 { --c: #0e7490; } .p5 { --c: #4d7c0f; }
.cpu { --c: #b45309; } .host { --c: #475569; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem;
       margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; }
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
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { opacity: .7; } dd { margin: 0; }
.advice { border-left: 4px solid var(--cpu); padding: .1rem .8rem;
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
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: .15rem .5rem; border-bottom: 1px solid var(--line);
         text-align: left; vertical-align: top; overflow-wrap: normal; }
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

std::string Fact(const char* name, const std::string& value) {
  return absl::StrCat("<dt>", name, "</dt><dd>", XmlEscaped(value), "</dd>\n");
}

std::string HtmlHead(const ReportData& data) {
  std::string html = absl::StrFormat(
      "<h1>%s</h1>\n<p class=\"verdict\">%s</p>\n<dl>\n%s%s%s%s",
      XmlEscaped(data.model), XmlEscaped(VerdictOf(data)),
      Fact("on the GPU",
           absl::StrCat(data.nodes_delegated, " of ",
                        Count(data.nodes_total, "node"), ", ",
                        Count(data.partitions.size(), "partition"))),
      Fact("GPU", absl::StrCat(data.renderer, " (", data.driver, ")")),
      Fact("precision", data.precision), Fact("TFLite", data.runtime));
  if (data.invoke_ms > 0) {
    html += Fact("an inference",
                 absl::StrFormat("%.3f ms (median)", data.invoke_ms));
  }
  if (data.profiled) {
    html += Fact(
        "dispatches",
        absl::StrFormat("%.1f us of the nodes, %.1f us of copies: sums "
                        "of medians by %s",
                        data.us(), data.transfers_us, ClockText(data.clock)));
  }
  html += Fact("delegate", data.revision);
  if (data.subgraphs > 1) {
    html +=
        Fact("subgraphs", absl::StrCat(data.subgraphs, ", the first is shown"));
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
  const Picture picture = Drawing(data);
  const bool across = 5 * picture.height < 4 * picture.width;
  return absl::StrCat("<section class=\"drawing", across ? " across" : "",
                      "\"><h2>Graph</h2>\n", Key(data),
                      "<div class=\"wide graph\">\n", picture.svg,
                      "</div></section>\n");
}

std::string PartitionTable(const ReportData& data) {
  std::string html =
      "<h2>Partitions</h2>\n<div class=\"wide\"><table><thead><tr>"
      "<th>partition<th class=\"n\">nodes<th class=\"n\">dispatches"
      "<th class=\"n\">tensors, MiB<th class=\"n\">constants, MiB"
      "<th>self-check</tr></thead><tbody>\n";
  for (size_t i = 0; i < data.partitions.size(); ++i) {
    const PartitionRow& p = data.partitions[i];
    std::string check = p.self_check;
    if (p.handed_back) check += "; handed back to the CPU";
    if (!p.passes_dropped.empty()) {
      absl::StrAppend(&check, "; planned without passes: ", p.passes_dropped);
    }
    absl::StrAppendFormat(
        &html,
        "<tr class=\"gpu p%d\"><td>%d<td class=\"n\">%d<td class=\"n\">%d"
        "<td class=\"n\">%.2f<td class=\"n\">%.2f<td>%s</tr>\n",
        i % 6, i, p.nodes, p.dispatches, p.tensor_bytes / 1048576.0,
        p.constant_bytes / 1048576.0, XmlEscaped(check));
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
  const char* const kind = row.where == NodeRow::Where::kCpu     ? "cpu"
                           : row.where == NodeRow::Where::kFused ? "fused"
                           : row.where == NodeRow::Where::kGpu   ? "gpu"
                                                                 : "constant";
  std::string html = absl::StrFormat(
      "<tr id=\"n%d\" class=\"%s p%d\"><td class=\"n\">%d<td>%s<td>%s<td>%s"
      "<td>%s",
      row.node.index, kind, std::max(0, row.partition) % 6, row.node.index,
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
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>",
      XmlEscaped(data.model), "</title>\n<style>", kStyle,
      "</style></head><body>\n", HtmlHead(data), ChartsSection(data),
      AdviceSection(data), GraphSection(data), PartitionTable(data),
      NodeTable(data), "</body></html>\n");
}

}  // namespace gles_delegate
