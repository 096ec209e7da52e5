// The model's graph as a picture: SVG, a box a node, partitions in colour.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_DRAWING_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_DRAWING_H_

#include <string>
#include <vector>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

// The place of a node's box: `row` counts down a column, `column` and `lane` to
// the right; a column has as many lanes as its fullest row has boxes.
struct Place {
  int column = 0;
  int row = 0;
  int lane = 0;
};

// True where the node is drawn; nodes of constants are not.
bool IsDrawn(const NodeRow& row);

// A node stands below all nodes whose outputs it reads, or in a later column;
// after `rows_a_column` rows the next column begins. No two that are drawn
// share a place.
std::vector<Place> PlacesOf(const std::vector<NodeRow>& rows,
                            int rows_a_column);

struct Picture {
  // <svg>...</svg>. The classes of the boxes are those of html_page.cc's style:
  // "gpu p0", "fused p0", "cpu". Box #b3 links to row #n3.
  std::string svg;
  int width = 0;  // in the browser's pixels
  int height = 0;
};

Picture Drawing(const ReportData& data);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_DRAWING_H_
