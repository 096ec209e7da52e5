#include "tools/model_report/drawing.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/common/xml.h"

namespace gles_delegate {
namespace {

constexpr int kRowsAColumn = 40;
constexpr int kBoxWidth = 176, kBoxHeight = 20;
constexpr int kLaneWidth = 224, kRowHeight = 34;
constexpr int kColumnGap = 26, kMargin = 10;
constexpr size_t kLetters = 23;  // of an op's name, as wide as a box

// For each node, how many nodes are on the longest way to it.
std::vector<int> DepthsOf(const std::vector<NodeRow>& rows) {
  std::vector<int> depths(rows.size(), 0);
  for (size_t i = 0; i < rows.size(); ++i) {  // a model is in execution order
    for (int from : rows[i].node.reads) {
      if (!IsDrawn(rows[from])) continue;
      depths[i] = std::max(depths[i], depths[from] + 1);
    }
  }
  return depths;
}

struct Point {
  int x = 0, y = 0;
};

// The upper left corners of the boxes, and how large the picture is.
class Layout {
 public:
  explicit Layout(const std::vector<NodeRow>& rows)
      : places_(PlacesOf(rows, kRowsAColumn)) {
    std::map<int, int> lanes;  // of each column
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!IsDrawn(rows[i])) continue;
      const Place& place = places_[i];
      lanes[place.column] = std::max(lanes[place.column], place.lane + 1);
      height_ = std::max(height_, (place.row + 1) * kRowHeight);
    }
    for (const auto& [column, count] : lanes) {
      left_[column] = width_;
      width_ += count * kLaneWidth + kColumnGap;
    }
  }

  Point At(size_t node) const {
    const Place& place = places_[node];
    return {kMargin + left_.at(place.column) + place.lane * kLaneWidth,
            kMargin + place.row * kRowHeight};
  }
  int width() const { return width_ + 2 * kMargin; }
  int height() const { return height_ + 2 * kMargin; }

 private:
  std::vector<Place> places_;
  std::map<int, int> left_;
  int width_ = 0, height_ = 0;
};

std::string ClassOf(const NodeRow& row) {
  const std::string partition = absl::StrCat(" p", row.partition % 6);
  switch (row.where) {
    case NodeRow::Where::kGpu:
      return "gpu" + partition;
    case NodeRow::Where::kFused:
      return "fused" + partition;
    case NodeRow::Where::kConstant:
      return "";  // not drawn
    case NodeRow::Where::kCpu:
      return "cpu";
  }
  return "";
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

}  // namespace

bool IsDrawn(const NodeRow& row) {
  return row.where != NodeRow::Where::kConstant;
}

std::vector<Place> PlacesOf(const std::vector<NodeRow>& rows,
                            int rows_a_column) {
  const std::vector<int> depths = DepthsOf(rows);
  std::vector<Place> places(rows.size());
  std::map<int, int> taken;  // lanes, at each depth
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!IsDrawn(rows[i])) continue;
    places[i] = {depths[i] / rows_a_column, depths[i] % rows_a_column,
                 taken[depths[i]]++};
  }
  return places;
}

Picture Drawing(const ReportData& data) {
  const Layout layout(data.rows);
  std::string svg = absl::StrFormat(
      "<svg role=\"img\" aria-label=\"the model's graph\" "
      "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n",
      layout.width(), layout.height(), layout.width(), layout.height());
  std::string edges, boxes;  // the boxes over the edges
  for (size_t i = 0; i < data.rows.size(); ++i) {
    if (!IsDrawn(data.rows[i])) continue;
    boxes += Box(data.rows[i], layout.At(i), data.us());
    for (int from : data.rows[i].node.reads) {
      if (!IsDrawn(data.rows[from])) continue;
      edges += Edge(layout.At(from), layout.At(i));
    }
  }
  return {svg + edges + boxes + "</svg>\n", layout.width(), layout.height()};
}

}  // namespace gles_delegate
