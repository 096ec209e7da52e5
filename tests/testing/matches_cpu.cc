// MatchesCpu: compare.h as a GoogleTest matcher.
#include "tests/testing/single_op.h"
#include "tools/op_models/compare.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using ::testing::MatcherInterface;
using ::testing::MatchResultListener;

class CpuMatcher : public MatcherInterface<const RunResult&> {
 public:
  CpuMatcher(const SingleOpModel& model, Precision precision)
      : description_(model.description),
        reference_(MakeCpuReference(model, precision)) {}

  void DescribeTo(std::ostream* out) const override {
    *out << "matches TFLite's CPU on " << description_ << " at "
         << PrecisionName(reference_.precision)
         << " (GLES_TEST_SEED=" << TestSeed() << ")";
  }

  bool MatchAndExplain(const RunResult& actual,
                       MatchResultListener* listener) const override {
    if (!actual.status.ok()) {
      *listener << "which failed";
      return false;
    }
    if (!reference_.status.ok()) {
      *listener << "and " << reference_.status.message();
      return false;
    }
    const Comparison comparison = Compare(reference_, actual);
    *listener << comparison.difference;
    return comparison.difference.empty();
  }

 private:
  const std::string description_;
  const CpuReference reference_;
};

}  // namespace

::testing::Matcher<const RunResult&> MatchesCpu(const SingleOpModel& model,
                                                Precision precision) {
  return ::testing::MakeMatcher(new CpuMatcher(model, precision));
}

}  // namespace gles_delegate::testing
