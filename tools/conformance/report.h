// The results of a run: the table, JUnit XML, a page of HTML.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_REPORT_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "tools/conformance/session.h"

namespace gles_delegate::conformance {

// Facts that a reader needs to repeat the run.
struct RunFacts {
  std::string renderer;
  std::string driver;    // GL_VERSION
  std::string tflite;    // whose kernels are the oracle, "2.21.0 (libname.so)"
  std::string date;      // UTC, "2026-11-21 13:50"
  std::string revision;  // git
  std::string seed;
  std::string selection;  // "all cases", or the flags that chose fewer
  double seconds = 0;
};

// The largest of something, and the case that has it.
struct Worst {
  double value = 0;
  std::string case_name;
  void Raise(double other, const std::string& name);
};

struct Totals {
  int cases = 0;
  int failures = 0;
  Worst ulps;
  Worst relative;
  Worst of_bound;
  Worst quantized;  // of 8-bit outputs
  void Add(const CaseResult& result);
};

// float32, float16 and 8-bit cases of one op, or of all.
struct Summary {
  Totals float32;
  Totals float16;
  Totals quantized;
  void Add(const CaseResult& result);
  int cases() const;
  int failures() const;
};

// Cases that ran with the self-check, and those of which it checked some
// programs, or none.
struct Unchecked {
  int cases = 0;
  int partly = 0;
  int wholly = 0;
};

struct Results {
  RunFacts facts;
  std::map<std::string, Summary> by_op;
  Summary all;
  std::vector<CaseResult> cases;
  // By op: how many cases TensorFlow Lite refused. They count nowhere else.
  std::map<std::string, int> not_run;
  // Cases that the self-check looked at, by op and by what its tensors hold
  // ("floats", "8 bits").
  std::map<std::string, Unchecked> self_check;

  void Add(CaseResult result);
};

// A line per op, and the totals, in columns.
std::string Table(const Results& results);
// A test suite per op, a test case per case.
std::string JunitXml(const Results& results);
// One page that needs nothing else.
std::string HtmlPage(const Results& results);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_REPORT_H_
