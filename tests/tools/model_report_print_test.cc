// labels: tools
// model_report's page on paper: Chromium prints it, and pdftotext (Debian:
// poppler-utils) says which word stands where on which page.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/command.h"
#include "tests/testing/scratch_directory.h"
#include "tools/model_report/report_data.h"

namespace gles_delegate {
namespace {

struct Word {
  std::string text;
  double left, top, right, bottom;  // in points, from the page's corner
};

struct Page {
  double width = 0, height = 0;
  std::vector<Word> words;
  bool Has(const std::string& text) const {
    return std::any_of(words.begin(), words.end(),
                       [&](const Word& word) { return word.text == text; });
  }
};

// What `pdftotext -bbox` writes.
std::vector<Page> PagesOf(const std::string& xml) {
  static const auto& page =
      *new std::regex(R"-(<page width="([\d.]+)" height="([\d.]+)">)-");
  static const auto& word = *new std::regex(
      R"-(<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*)</word>)-");
  std::vector<Page> pages;
  std::istringstream lines(xml);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, page)) {
      pages.push_back({std::stod(found[1]), std::stod(found[2]), {}});
    } else if (std::regex_search(line, found, word) && !pages.empty()) {
      pages.back().words.push_back({found[5], std::stod(found[1]),
                                    std::stod(found[2]), std::stod(found[3]),
                                    std::stod(found[4])});
    }
  }
  return pages;
}

// A model of `count` nodes, each reading the one `lanes` before it.
ReportData Chain(int count, int lanes = 1) {
  ReportData data;
  data.model = "chain.tflite";
  data.renderer = "a GPU";
  data.nodes_total = data.nodes_delegated = count;
  PartitionRow partition;
  partition.nodes = partition.dispatches = count;
  partition.self_check = "right (9 of 9 programs)";
  data.partitions = {partition};
  data.profiled = true;
  for (int i = 0; i < count; ++i) {
    NodeRow row;
    row.node.index = i;
    row.node.op = i % 2 == 0 ? "CONV_2D" : "DEPTHWISE_CONV_2D";
    row.node.inputs = {{"x",
                        "uint8",
                        {1, 112, 112, 1024},
                        "scale 0.023528, zero point 128",
                        false},
                       {"w",
                        "uint8",
                        {1024, 3, 3, 1024},
                        "scale 0.00035, zero point 117",
                        true}};
    row.node.outputs = {row.node.inputs[0]};
    if (i >= lanes) row.node.reads = {i - lanes};
    row.where = NodeRow::Where::kGpu;
    row.partition = 0;
    row.dispatches = {{"depthwise_conv_2d_tiled",
                       "TILE_PIXELS=16 LAST_CHANNELS=4 KERNEL_W=3", 12.5}};
    data.rows.push_back(row);
  }
  return data;
}

class PrintTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"chromium", "pdftotext"}) {
      if (std::system(
              absl::StrCat("command -v ", program, " >/dev/null").c_str()) !=
          0) {
        GTEST_SKIP() << program << " is not installed: nobody prints the page";
      }
    }
  }

  std::vector<Page> Print(const ReportData& data) {
    const std::string html = folder_.path() + "/page.html";
    const std::string pdf = folder_.path() + "/page.pdf";
    std::ofstream(html) << HtmlPage(data);
    const auto browser = testing::RunCommand(absl::StrCat(
        "timeout 120 chromium --headless --no-sandbox --disable-gpu "
        "--user-data-dir=",
        folder_.path(), "/browser --no-pdf-header-footer --print-to-pdf=", pdf,
        " file://", html));
    EXPECT_EQ(browser.exit_status, 0) << browser.output;
    const auto text = testing::RunCommand("pdftotext -bbox " + pdf + " -");
    EXPECT_EQ(text.exit_status, 0) << text.output;
    return PagesOf(text.output);
  }

  // Every page has something on it, and nothing leaves a page.
  static void ExpectWholePages(const std::vector<Page>& pages) {
    ASSERT_FALSE(pages.empty());
    for (size_t i = 0; i < pages.size(); ++i) {
      const Page& page = pages[i];
      EXPECT_FALSE(page.words.empty()) << "page " << i + 1 << " is empty";
      for (const Word& word : page.words) {
        EXPECT_GE(word.left, 0) << word.text << " on page " << i + 1;
        EXPECT_LE(word.right, page.width) << word.text << " on page " << i + 1;
        EXPECT_LE(word.bottom, page.height)
            << word.text << " on page " << i + 1;
      }
    }
  }

  // The graph stands on one page, below its title.
  static void ExpectGraphOnOnePage(const std::vector<Page>& pages, int nodes) {
    for (const Page& page : pages) {
      if (!page.Has("Graph")) continue;
      int ops = 0;
      double smallest = page.height;
      for (const Word& word : page.words) {
        if (!absl::EndsWith(word.text, "CONV_2D")) continue;
        ++ops;
        smallest = std::min(smallest, word.bottom - word.top);
      }
      EXPECT_GE(ops, nodes) << "the rest is on another page";
      EXPECT_GE(smallest, 4.0) << "points of a line: too small to be read";
      return;
    }
    ADD_FAILURE() << "no page has the graph";
  }

  // Each page with lines of the table has the table's head, too.
  static void ExpectHeadsOnEachPage(const std::vector<Page>& pages) {
    bool table = false;
    for (size_t i = 0; i < pages.size(); ++i) {
      table = table || pages[i].Has("Nodes");
      if (!table) continue;
      EXPECT_TRUE(pages[i].Has("inputs")) << "page " << i + 1;
      EXPECT_TRUE(pages[i].Has("outputs")) << "page " << i + 1;
    }
    EXPECT_TRUE(table);
  }

  const testing::ScratchDirectory folder_;
};

TEST_F(PrintTest, AModelInOneColumnIsReadOnPaper) {
  const std::vector<Page> pages = Print(Chain(31));
  ExpectWholePages(pages);
  ExpectGraphOnOnePage(pages, 31);
  ExpectHeadsOnEachPage(pages);
  // The first page begins with what the report is of, and has the charts; the
  // graph follows.
  EXPECT_TRUE(pages[0].Has("chain.tflite"));
  EXPECT_TRUE(pages[0].Has("slowest"));
  EXPECT_TRUE(pages[0].Has("Graph") || pages[1].Has("Graph"));
}

TEST_F(PrintTest, AModelOfManyColumnsIsReadOnPaper) {
  const std::vector<Page> pages = Print(Chain(250));
  ExpectWholePages(pages);
  ExpectGraphOnOnePage(pages, 250);
  ExpectHeadsOnEachPage(pages);
}

TEST_F(PrintTest, AWideGraphGetsAWidePage) {
  const std::vector<Page> pages = Print(Chain(60, /*lanes=*/12));
  ExpectWholePages(pages);
  ExpectGraphOnOnePage(pages, 60);
  for (const Page& page : pages) {
    EXPECT_EQ(page.width > page.height, page.Has("Graph"));
  }
}

}  // namespace
}  // namespace gles_delegate
