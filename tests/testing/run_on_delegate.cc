// RunOnDelegate: the part of single_op.h that needs the delegate itself.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

TfLiteGlesDelegateOptions MakeOptions(const RunOptions& options) {
  TfLiteGlesDelegateOptions result = TfLiteGlesDelegateOptionsDefault();
  result.is_precision_loss_allowed = IsHalf(options.precision);
  result.storage = options.storage;
  // The comparison with the CPU that follows is a closer look; self_check_test
  // and the conformance suite's --self_check are where it is tested.
  result.self_check = 0;
  if (options.configure) options.configure(result);
  return result;
}

void ReadReport(TfLiteDelegate* delegate, RunResult* result) {
  const char* report = TfLiteGlesDelegateReport(delegate);
  if (report == nullptr) return;
  result->report = report;
  const nlohmann::json json = nlohmann::json::parse(result->report, nullptr,
                                                    /*allow_exceptions=*/false);
  if (!json.is_object()) {
    ADD_FAILURE() << "TfLiteGlesDelegateReport is no JSON object: " << report;
    return;
  }
  result->nodes_total = json.value("nodes_total", 0);
  result->nodes_delegated = json.value("nodes_delegated", 0);
  // A number, or the list of them.
  const auto partitions = json.find("partitions");
  if (partitions != json.end()) {
    result->partitions = partitions->is_array()
                             ? static_cast<int>(partitions->size())
                             : partitions->get<int>();
  }
}

RunResult RunInCurrentContext(const SingleOpModel& model,
                              const RunOptions& options) {
  const ScopedTuning arithmetic(
      options.precision == Precision::kFloat16Arithmetic ? "half_arithmetic=1"
                                                         : "half_arithmetic=0");
  const TfLiteGlesDelegateOptions delegate_options = MakeOptions(options);
  DelegatePtr delegate(TfLiteGlesDelegateCreate(&delegate_options),
                       TfLiteGlesDelegateDelete);
  if (delegate == nullptr) {
    RunResult result;
    result.status = absl::InvalidArgumentError(absl::StrCat(
        "TfLiteGlesDelegateCreate: ", TfLiteGlesDelegateLastError()));
    return result;
  }
  RunResult result = RunModel(AtPrecision(model, options.precision),
                              options.invokes, delegate.get());
  ReadReport(delegate.get(), &result);
  return result;
}

}  // namespace

RunResult RunOnDelegate(const SingleOpModel& model, const RunOptions& options) {
  RunResult result;
  // In the program's one context, which the delegate borrows: a context for
  // each of an op's hundreds of runs would cost more than the runs.
  egl::Context* context = TestContext();
  if (context == nullptr) {
    result.status = TestContextStatus();
  } else {
    const absl::Status ran = context->Run([&] {
      result = RunInCurrentContext(model, options);
      return absl::OkStatus();
    });
    if (!ran.ok()) result.status = ran;
  }
  const bool whole = result.nodes_total > 0 &&
                     result.nodes_delegated == result.nodes_total &&
                     result.partitions == 1;
  if (options.expect_delegated && !whole) {
    ADD_FAILURE() << model.description << " at "
                  << PrecisionName(options.precision)
                  << " was not delegated: " << result.nodes_delegated << " of "
                  << result.nodes_total << " nodes, " << result.partitions
                  << " partitions\nstatus: " << result.status
                  << "\nlog: " << absl::StrJoin(result.log, "\n")
                  << "\nreport: " << result.report;
  }
  return result;
}

RunResult RunOnDelegate(const SingleOpModel& model, Precision precision) {
  RunOptions options;
  options.precision = precision;
  return RunOnDelegate(model, options);
}

void ExpectMatchesCpu(const SingleOpModel& model) {
  for (Precision precision : kPrecisions) {
    for (TfLiteGlesStorage storage : kEveryStorage) {
      SCOPED_TRACE(::testing::Message() << "storage " << storage);
      RunOptions options;
      options.precision = precision;
      options.storage = storage;
      EXPECT_THAT(RunOnDelegate(model, options), MatchesCpu(model, precision));
    }
  }
}

}  // namespace gles_delegate::testing
