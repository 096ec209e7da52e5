#include "tools/conformance/session.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace gles_delegate::conformance {
namespace {

using testing::CpuReference;

// Twice, so that state which survives a run is found.
constexpr int kInvokes = 2;
// A delegate keeps its programs as long as it lives.
constexpr int kProgramsPerDelegate = 400;

nlohmann::json ReportOf(TfLiteDelegate* delegate) {
  const char* text = TfLiteGlesDelegateReport(delegate);
  return nlohmann::json::parse(text == nullptr ? "" : text, nullptr,
                               /*allow_exceptions=*/false);
}

// Empty where every node ran in one partition; else why not. A constant that a
// node folds to is no node of the partition.
std::string WhyNotWhole(nlohmann::json report) {
  if (!report.is_object()) return "the delegate's report is no JSON object";
  const int total = report.value("nodes_total", 0);
  const int delegated = report.value("nodes_delegated", 0);
  const int partitions = report.value("partitions", 0);
  // Whether the self-check or the driver is at fault, the case has failed.
  for (const auto& partition : report["partition"]) {
    for (const auto& fault : partition["self_check"]["faults"]) {
      return absl::StrCat("self-check: ", fault.get<std::string>());
    }
  }
  if (total > 0 && delegated == total && partitions == 1) return "";
  std::string why = absl::StrCat("not delegated: ", delegated, " of ", total,
                                 " nodes, ", partitions, " partitions");
  for (const auto& refusal : report["cpu"]) {
    absl::StrAppend(&why, "\n", refusal.value("op", ""), ": ",
                    refusal.value("reason", ""));
  }
  return why;
}

// Empty where every node of the last partition computes on the integer path;
// else how many do.
std::string WhyNotIntegerPath(const nlohmann::json& report) {
  const auto partitions = report.value("partition", nlohmann::json::array());
  if (partitions.empty()) return "the report has no partition";
  const int nodes = partitions.back().value("nodes", 0);
  const int integer_path = partitions.back().value("nodes_on_integer_path", 0);
  if (nodes > 0 && nodes == integer_path) return "";
  return absl::StrCat("in integers: ", integer_path, " of ", nodes, " nodes");
}

// Counts the programs that the self-check compared.
void CountChecked(const nlohmann::json& report, CaseResult* result) {
  for (const auto& p : report.value("partition", nlohmann::json::array())) {
    const auto check = p.value("self_check", nlohmann::json::object());
    result->programs += check.value("programs", 0);
    result->checked += check.value("checked", 0);
  }
}

// Sets the tuning parameter half_arithmetic, beside those that the user set.
void SetArithmetic(bool in_float16) {
  static constexpr char kTuning[] = "GLES_DELEGATE_TUNING";
  static const std::string& users =
      *new std::string(absl::NullSafeStringView(std::getenv(kTuning)));
  setenv(kTuning,
         absl::StrCat(users, ",half_arithmetic=", in_float16 ? 1 : 0).c_str(),
         /*replace=*/1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Create(
    const std::string& device, bool self_check) {
  std::unique_ptr<Session> session(new Session);
  session->self_check_ = self_check;
  egl::ContextOptions options;
  options.device = device;
  ASSIGN_OR_RETURN(session->context_, egl::Context::Create(options));
  return session;
}

absl::StatusOr<TfLiteDelegate*> Session::DelegateFor(const Variant& variant) {
  DelegatePtr& delegate =
      delegates_
          .try_emplace({variant.storage, static_cast<int>(variant.precision)},
                       nullptr, TfLiteGlesDelegateDelete)
          .first->second;
  if (delegate != nullptr &&
      ReportOf(delegate.get()).value("programs", 0) > kProgramsPerDelegate) {
    delegate.reset();
  }
  if (variant.precision != Precision::kFloat32) {
    SetArithmetic(variant.precision == Precision::kFloat16Arithmetic);
  }
  if (delegate == nullptr) {
    TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
    options.is_precision_loss_allowed = IsHalf(variant.precision);
    options.storage = variant.storage;
    // A case runs once: by the plan that is to be tested.
    options.startup = kTfLiteGlesStartupDirect;
    // Off where the user asked for nothing else: the comparison with the CPU
    // looks closer than the self-check.
    options.self_check = self_check_ ? 1 : 0;
    delegate.reset(TfLiteGlesDelegateCreate(&options));
  }
  if (delegate == nullptr) {
    return absl::InternalError(absl::StrCat("TfLiteGlesDelegateCreate: ",
                                            TfLiteGlesDelegateLastError()));
  }
  return delegate.get();
}

std::string Session::Check(const Family& family, const SingleOpModel& model,
                           const CpuReference& reference,
                           const Variant& variant, CaseResult* of_case) {
  const auto delegate = DelegateFor(variant);
  if (!delegate.ok()) return std::string(delegate.status().message());
  const testing::RunResult result = testing::RunModel(
      testing::AtPrecision(model, variant.precision), kInvokes, *delegate);
  if (!result.status.ok()) return std::string(result.status.message());
  const nlohmann::json report = ReportOf(*delegate);
  std::string refused = WhyNotWhole(report);
  if (refused.empty() && family.integer_path) {
    refused = WhyNotIntegerPath(report);
  }
  if (!refused.empty()) return refused;
  CountChecked(report, of_case);
  of_case->comparison = testing::Compare(reference, result);
  return of_case->comparison.difference;
}

std::vector<CaseResult> Session::Run(
    const Family& family, const std::function<bool(const std::string&)>& wanted,
    const std::function<void(const std::string&)>& started) {
  std::vector<CaseResult> results;
  std::optional<SingleOpModel> model;
  std::map<Precision, CpuReference> references;
  for (const Variant& variant : VariantsOf(family)) {
    CaseResult result;
    result.name = CaseName(family, variant);
    if (!wanted(result.name)) continue;
    started(result.name);
    result.op = family.op;
    result.text = family.text;
    result.quantized = family.quantized;
    result.precision = variant.precision;
    const auto start = std::chrono::steady_clock::now();
    if (!model) {
      model = family.build(
          {device().max_texture_size, device().max_texture_layers});
    }
    const auto made = references.try_emplace(variant.precision);
    CpuReference& reference = made.first->second;
    if (made.second) {
      reference =
          testing::MakeCpuReference(*model, variant.precision, kInvokes);
    }
    if (!reference.status.ok()) {
      result.not_run = std::string(reference.status.message());
      results.push_back(std::move(result));
      continue;
    }
    const absl::Status ran = context_->Run([&] {
      result.failure = Check(family, *model, reference, variant, &result);
      return absl::OkStatus();
    });
    if (!ran.ok()) result.failure = std::string(ran.message());
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace gles_delegate::conformance
