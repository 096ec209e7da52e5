// labels: unit
// The conformance suite's own parts: every op has cases, names are distinct,
// the selection, the reports.
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/conformance/report.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Family> Families() {
  auto families = AllFamilies();
  EXPECT_TRUE(families.ok()) << families.status();
  return families.ok() ? *std::move(families) : std::vector<Family>();
}

// To add an op's cases: tools/conformance/suite.h.
TEST(SuiteTest, EveryOpOfTheRegistryHasCases) {
  EXPECT_THAT(OpsWithoutCases(Families()), IsEmpty());
}

TEST(SuiteTest, CasesAreDistinctAndMany) {
  std::set<std::string> names;
  for (const Family& family : Families()) {
    for (const Variant& variant : VariantsOf(family)) {
      const std::string name = CaseName(family, variant);
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_THAT(name, Not(HasSubstr(" ")));
    }
  }
  EXPECT_GE(names.size(), 5000u);
}

TEST(SuiteTest, TheSmallSetHasEveryOp) {
  std::vector<Family> small;
  for (Family& family : Families()) {
    if (family.small) small.push_back(std::move(family));
  }
  EXPECT_THAT(OpsWithoutCases(small), IsEmpty());
}

TEST(SuiteTest, TwoFamiliesOfOneNameAreAnError) {
  CaseList list;
  const auto build = [] { return SingleOpModel(); };
  list.Add("NEG", "plain", {1, 2}, build);
  list.Add("NEG", "plain", {1, 2}, build);
  const auto taken = list.Take();
  EXPECT_EQ(taken.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(taken.status().message()),
              HasSubstr("NEG/plain/1x2"));
}

TEST(RowsTest, ListsExpand) {
  const auto rows = cases::RowsOf("a_list", R"(# a comment
sizes = 4 6
SPLIT axis={a} x=[{n},{n}] num_splits=2
  | a=0..1; n=$sizes
{op} x={x} shape={s} % all | op=RESHAPE BROADCAST_TO; (x,s)=([5],(1,5))
SQUEEZE x=[2] squeeze_dims=(0) -> [2] => axis 0 of 2 is not 1
)");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_THAT((*rows)[0].cases,
              ::testing::ElementsAre("SPLIT axis=0 x=[4,4] num_splits=2",
                                     "SPLIT axis=0 x=[6,6] num_splits=2",
                                     "SPLIT axis=1 x=[4,4] num_splits=2",
                                     "SPLIT axis=1 x=[6,6] num_splits=2"));
  EXPECT_EQ((*rows)[0].name(), "SPLIT_a_list3");
  EXPECT_THAT((*rows)[2].cases,
              ::testing::ElementsAre("BROADCAST_TO x=[5] shape=(1,5) % all"));
  EXPECT_EQ((*rows)[3].refusals[0], "axis 0 of 2 is not 1");
}

TEST(RowsTest, WrongRowsAreErrors) {
  const std::pair<const char*, const char*> wrong[] = {
      {"FLIP x=[2]", "a_list.txt:1: 'FLIP' is not a builtin op"},
      {"NEG x=[2,b]", "'[2,b]' is not a tensor"},
      {"NEG x=[2]~many", "'[2]~many' is not a tensor"},
      {"NEG x={x} | (x,y)=([2])", "has not the 2 values of (x,y)"},
      {"NEG x={x} | (x)=[2]", "[2] is not a tuple"},
      {"NEG x=[2] -> [3", "'[3' is not an output"}};
  for (const auto& [text, message] : wrong) {
    const auto rows = cases::RowsOf("a_list", text);
    EXPECT_THAT(std::string(rows.status().message()), HasSubstr(message))
        << text;
  }
}

TEST(RowsTest, WrongNamesAndOptionsAreErrors) {
  const std::pair<const char*, const char*> wrong[] = {
      {"ADD x=[2] y", "no tensor is named y"},
      {"ADD x=[2] x=[2]", "two tensors are named x"},
      {"MIRROR_PAD x=[2] pads=[1,2](1,1) mode=ROUND", "ROUND"}};
  for (const auto& [text, message] : wrong) {
    EXPECT_THAT(std::string(cases::ModelOf(text).status.message()),
                HasSubstr(message));
  }
}

// The page is generated: a change of the registry changes it.
TEST(SupportedOpsTest, ThePageIsUpToDate) {
  std::ifstream file(
      absl::StrCat(GLES_DELEGATE_SOURCE_DIR, "/docs/supported_ops.md"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), SupportedOpsPage(page.str()))
      << "docs/supported_ops.md is not what the registry gives: run ./dev docs";
}

TEST(SupportedOpsTest, ReasonsAreOfOpsOnTheCpu) {
  EXPECT_THAT(ReasonsForNoOp(), IsEmpty())
      << "see delegate/ops/op_list.inc and tools/conformance/cpu_ops.inc";
}

TEST(FilterTest, Patterns) {
  const std::string name = "CONV_2D/3x3_SAME/1x8x8x3/buffer/float32";
  for (const char* accepting :
       {"", "CONV_2D", "CONV_2D/*", "*float32", "ADD,CONV", "-float16",
        "CONV*,-float16", "3x3_SAME/1x8x8x3/buffer"}) {
    EXPECT_TRUE(Filter(accepting).Accepts(name)) << accepting;
  }
  for (const char* refusing :
       {"ADD", "CONV_2D*float16", "*float", "-float32", "CONV_2D,-buffer"}) {
    EXPECT_FALSE(Filter(refusing).Accepts(name)) << refusing;
  }
}

TEST(ShardTest, Parses) {
  const auto shard = ParseShard("2/5");
  ASSERT_TRUE(shard.ok());
  EXPECT_EQ(shard->index, 2);
  EXPECT_EQ(shard->count, 5);
  for (const char* bad : {"", "2", "5/5", "-1/5", "1/0", "a/b", "1/2/3"}) {
    EXPECT_FALSE(ParseShard(bad).ok()) << bad;
  }
}

Results TwoCases() {
  Results results;
  results.facts.renderer = "a <renderer> & co";
  CaseResult good;
  good.name = "ADD/plain/1x2/buffer/float32";
  good.op = "ADD";
  good.comparison.worst_ulps = 1.5;
  good.comparison.worst_of_bound = 0.25;
  results.Add(good);
  CaseResult bad = good;
  bad.name = "ADD/plain/1x2/buffer/float16";
  bad.precision = Precision::kFloat16;
  bad.failure = "\noutput 0 is \"wrong\"\n  [0]: 1, CPU 2";
  results.Add(bad);
  return results;
}

TEST(ReportTest, Table) {
  const std::string table = Table(TwoCases());
  EXPECT_THAT(table, HasSubstr("2 cases of 1 ops, 1 failures"));
  EXPECT_THAT(table,
              HasSubstr("0.25 of what is allowed, ADD/plain/1x2/buffer"));
}

TEST(ReportTest, JunitXml) {
  const std::string xml = JunitXml(TwoCases());
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("a &lt;renderer&gt; &amp; co"));
  EXPECT_THAT(xml, HasSubstr("message=\"&#10;output 0 is &quot;wrong&quot;\""));
}

TEST(ReportTest, HtmlPage) {
  const std::string page = HtmlPage(TwoCases());
  EXPECT_THAT(page, HasSubstr("2 cases of 1 ops, 1 failures"));
  EXPECT_THAT(page, HasSubstr("<b>ADD/plain/1x2/buffer/float16</b>"));
  // Nothing from elsewhere.
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
}

}  // namespace
}  // namespace gles_delegate::conformance
