// labels: op
// The rows of tools/cases: each model by the delegate against TFLite's own
// kernels, and what the delegate refuses. CTest runs each list by itself
// (tests/cases/CMakeLists.txt).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "delegate/device/device_profile.h"
#include "delegate/tflite/reader.h"
#include "nlohmann/json.hpp"
#include "tests/fuzz/fake_runtime.h"
#include "tests/testing/device_test.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/conformance/session.h"
#include "tools/conformance/suite.h"
#include "tools/op_models/compare.h"
#include "tools/op_models/random.h"

namespace gles_delegate::cases {
namespace {

using testing::Precision;
using testing::RunOptions;
using testing::RunResult;
using testing::SingleOpModel;

std::string NameOfRow(const ::testing::TestParamInfo<Row>& info) {
  return info.param.name();
}

// Why the delegate did not take the whole model.
std::string WhyNotWhole(const RunResult& result) {
  std::string why = absl::StrCat("not delegated: ", result.nodes_delegated,
                                 " of ", result.nodes_total, " nodes");
  const nlohmann::json report =
      nlohmann::json::parse(result.report, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || !report.contains("cpu")) return why;
  for (const auto& refusal : report["cpu"]) {
    absl::StrAppend(&why, "; ", refusal.value("reason", ""));
  }
  return why;
}

// The fault of a run, "" if it has none.
std::string Wrong(const RunResult& result,
                  const testing::CpuReference& reference) {
  if (!result.status.ok()) return std::string(result.status.message());
  if (result.nodes_total == 0 || result.partitions != 1 ||
      result.nodes_delegated != result.nodes_total) {
    return WhyNotWhole(result);
  }
  return testing::Compare(reference, result).difference;
}

// The line that runs the case again.
std::string Again(const CaseSpec& spec, const RunOptions& options) {
  return absl::StrCat("gles_conformance --case='", spec.text,
                      "' --seed=", testing::TestSeed(), "  # ",
                      testing::PrecisionName(options.precision), ", storage ",
                      options.storage, ": ");
}

// Runs the case by TFLite and by the delegate, and compares them; the latter's
// result.
RunResult ExpectAgrees(const CaseSpec& spec, const SingleOpModel& model,
                       RunOptions options) {
  options.expect_delegated = false;
  if (model.stateful) options.invokes = 5;
  const testing::CpuReference reference =
      testing::MakeCpuReference(model, options.precision, options.invokes);
  RunResult result;
  result.status = reference.status;
  // A younger op, or one that had no kernel of the type.
  if (!reference.status.ok() && testing::OnOldestTflite()) return result;
  if (reference.status.ok()) result = testing::RunOnDelegate(model, options);
  const std::string wrong = Wrong(result, reference);
  if (!wrong.empty()) ADD_FAILURE() << Again(spec, options) << wrong;
  return result;
}

// Whether a label or a shader of the plan begins with `text`.
bool IsPlanned(const RunResult& result, absl::string_view text) {
  const nlohmann::json report = nlohmann::json::parse(result.report);
  for (const auto& dispatch : report["partition"][0]["plan"]) {
    for (const char* key : {"label", "shader"}) {
      if (absl::StartsWith(dispatch[key].get<std::string>(), text)) return true;
    }
  }
  return false;
}

bool HasBitsOf(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Checks a tuned run by the flags `plan`, `bits` and `bounds`.
void ExpectPlanned(const CaseSpec& spec, const SingleOpModel& model,
                   const RunOptions& options, const RunResult& result) {
  // Which has failed.
  if (!result.status.ok() || result.partitions != 1) return;
  const auto flag = [&](const char* name) {
    return spec.Has(name) ? spec.flags.at(name) : "";
  };
  for (absl::string_view text :
       absl::StrSplit(flag("plan"), '&', absl::SkipEmpty())) {
    const bool absent = absl::ConsumePrefix(&text, "-");
    if (IsPlanned(result, text) != absent) continue;
    ADD_FAILURE() << Again(spec, options) << (absent ? "plans " : "plans no ")
                  << text << ": " << result.report;
  }
  const auto expect_same = [&](const char* what) {
    const RunResult other = testing::RunOnDelegate(model, options);
    for (size_t i = 0; i < result.outputs.size(); ++i) {
      EXPECT_TRUE(other.status.ok() &&
                  HasBitsOf(other.outputs[i].values, result.outputs[i].values))
          << Again(spec, options) << "other bits with " << what << other.status;
    }
  };
  if (spec.Has("bits")) {
    const testing::ScopedTuning without(flag("bits"));
    expect_same("the other tuning");
  }
  if (spec.Has("bounds")) {
    const testing::ScopedDebug checked("bounds");
    expect_same("checked bounds");
  }
}

// softpipe takes ten times as long.
bool OnSoftpipe() {
  return absl::NullSafeStringView(std::getenv("GLES_DELEGATE_DEVICE")) ==
         "softpipe";
}

// All cases of a row, or on softpipe eight, from all parts of it.
std::vector<std::string> CasesOf(const Row& row) {
  constexpr size_t kMost = 8, kPrime = 7919;
  std::vector<std::string> cases;
  for (size_t i = 0; i < row.cases.size(); ++i) {
    if (OnSoftpipe() && i * kPrime % row.cases.size() >= kMost) continue;
    cases.push_back(row.cases[i]);
  }
  if (cases.size() < row.cases.size()) {
    std::printf("softpipe: %zu of %zu cases\n", cases.size(), row.cases.size());
  }
  return cases;
}

// The values that the dumped shaders define the name as.
std::set<std::string> Definitions(const testing::ScratchDirectory& shaders,
                                  const std::string& name) {
  std::set<std::string> values;
  const std::string define = absl::StrCat("#define ", name, " ");
  for (const std::string& file : shaders.Files()) {
    std::ifstream stream(shaders.path() + "/" + file);
    for (std::string line; std::getline(stream, line);) {
      if (absl::StartsWith(line, define)) {
        values.insert(line.substr(define.size()));
      }
    }
  }
  return values;
}

// The case as a row of the tuning table has it planned, at each precision.
// `defines`: what a shader must define, "LANES:8", other than as 1, "THREADS",
// or not define, "-IN_TURN".
void ExpectAgreesTuned(const CaseSpec& spec, const SingleOpModel& model,
                       const std::string& parameters,
                       const std::string& defines) {
  const testing::ScopedEnvironment tuning(
      "GLES_DELEGATE_TUNING", absl::StrReplaceAll(parameters, {{"+", ","}}));
  const testing::ScratchDirectory shaders;
  const testing::ScopedDebug dump("shaders=" + shaders.path());
  std::vector<TfLiteGlesStorage> storages = {kTfLiteGlesStorageAuto};
  if (spec.Has("all")) {
    storages.insert(storages.end(), std::begin(testing::kEveryStorage),
                    std::end(testing::kEveryStorage));
  }
  std::vector<Precision> precisions(testing::kPrecisions,
                                    testing::kPrecisions + 2);
  if (spec.Has("halves")) precisions.push_back(Precision::kFloat16Arithmetic);
  for (Precision precision : precisions) {
    for (TfLiteGlesStorage storage : storages) {
      RunOptions options;
      options.precision = precision;
      options.storage = storage;
      ExpectPlanned(spec, model, options, ExpectAgrees(spec, model, options));
    }
  }
  absl::string_view name = defines;
  const bool absent = absl::ConsumePrefix(&name, "-");
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(name, absl::MaxSplits(':', 1));
  std::set<std::string> values = Definitions(shaders, parts.first);
  if (parts.second.empty() && !absent) values.erase("1");
  const bool there =
      parts.second.empty() ? !values.empty() : values.count(parts.second) > 0;
  if (defines.empty() || there != absent) return;
  ADD_FAILURE() << Again(spec, {}) << "with GLES_DELEGATE_TUNING=" << parameters
                << " the shaders define " << parts.first << " as "
                << absl::StrJoin(values, ", ") << ", not " << defines;
}

class CaseTest : public testing::DeviceTestWithParam<Row> {};

TEST_P(CaseTest, Agrees) {
  for (const std::string& text : CasesOf(GetParam())) {
    const auto spec = ParseCase(text);
    ASSERT_TRUE(spec.ok()) << spec.status();
    if (spec->Has("newest") && testing::OnOldestTflite()) continue;
    const SingleOpModel model = ModelOf(*spec);
    ExpectAgrees(*spec, model, {});
    if (spec->Has("groups")) {
      ExpectAgreesTuned(*spec, model, "work_group_size=64,simd_lanes=1",
                        "THREADS");
    }
    if (spec->Has("tuned")) {
      ExpectAgreesTuned(*spec, model, spec->flags.at("tuned"),
                        spec->Has("defines") ? spec->flags.at("defines") : "");
    }
    if (!spec->Has("all")) continue;
    for (Precision precision : testing::kPrecisions) {
      for (TfLiteGlesStorage storage : testing::kEveryStorage) {
        RunOptions options;
        options.precision = precision;
        options.storage = storage;
        ExpectAgrees(*spec, model, options);
      }
    }
  }
}

// Its 8- and 16-bit models, in the suite's session: every third (fewer on
// softpipe, which takes ten times as long), each in one storage. No quantized
// value may differ.
class QuantizedCaseTest : public testing::DeviceTestWithParam<Row> {};

conformance::Session* TheSession() {
  static auto* session =
      conformance::Session::Create("", /*self_check=*/false).value().release();
  return session;
}

TEST_P(QuantizedCaseTest, IsTflites) {
  conformance::CaseList list;
  conformance::AddRowCases(&list, {GetParam()});
  const auto families = list.Take();
  ASSERT_TRUE(families.ok()) << families.status();
  const int step = OnSoftpipe() ? 17 : 3;
  int number = 0, ran = 0;
  for (const conformance::Family& family : *families) {
    if (!family.quantized || number++ % step != 0) continue;
    int storage = 0;
    const auto in_turn = [&](const std::string&) {
      return storage++ == number / step % 3;
    };
    for (const conformance::CaseResult& result :
         TheSession()->Run(family, in_turn, [](const std::string&) {})) {
      // Not each TFLite takes each scale.
      if (!result.not_run.empty()) continue;
      ++ran;
      if (result.failure.empty()) continue;
      ADD_FAILURE() << "gles_conformance --filter=" << result.name << ": "
                    << result.failure;
    }
  }
  const bool is_old = ParseCase(GetParam().cases[0])->Has("oldest");
  EXPECT_TRUE(ran > 0 || testing::OnOldestTflite() || is_old);
}

// The reader's messages for the model's nodes. It asks none of TFLite's
// kernels.
std::string RefusalOf(const CaseSpec& spec) {
  const std::vector<uint8_t> bytes = BytesOf(spec);
  const auto runtime = fuzz::FakeRuntime::Create(bytes);
  if (runtime == nullptr) return "no model";
  const DeviceProfile profile = ProfileFor(testing::LargeDevice(), {});
  ReadOptions options;
  options.enable_quantization = true;
  const auto model = ReadModel(runtime->context(), profile, options);
  if (!model.ok()) return std::string(model.status().message());
  std::string messages;
  for (const CheckedNode& node : model->nodes) {
    absl::StrAppend(&messages, node.support.message(), "\n");
  }
  return messages;
}

class RefusedCaseTest : public ::testing::TestWithParam<Row> {};

TEST_P(RefusedCaseTest, SaysWhy) {
  for (size_t i = 0; i < GetParam().cases.size(); ++i) {
    const std::string& text = GetParam().cases[i];
    const std::string& refusal = GetParam().refusals[i];
    const auto spec = ParseCase(text);
    ASSERT_TRUE(spec.ok()) << spec.status();
    const std::string message = RefusalOf(*spec);
    if (absl::StrContains(message, refusal)) continue;
    ADD_FAILURE() << text << "\n  is to be refused with: " << refusal
                  << "\n  the delegate says: " << message;
  }
}

// Whether GLES_TEST_OPS, what `./dev test` was asked for, names the row's op, a
// part of it ("softmax" of LOG_SOFTMAX) or its list.
bool IsAskedFor(const Row& row) {
  const char* asked = std::getenv("GLES_TEST_OPS");
  const std::string op = absl::AsciiStrToLower(row.op);
  const std::vector<std::string> parts = absl::StrSplit(op, '_');
  for (absl::string_view word :
       absl::StrSplit(asked == nullptr ? "" : asked, ' ', absl::SkipEmpty())) {
    if (word == op || word == row.list ||
        std::find(parts.begin(), parts.end(), word) != parts.end()) {
      return true;
    }
  }
  return false;
}

enum class Which { kRun, kRefused, kQuantized };

bool Is(const Row& row, Which which) {
  if (which != Which::kQuantized) {
    return row.refusals.empty() == (which == Which::kRun);
  }
  const auto spec = ParseCase(row.cases[0]);
  return spec.ok() && (spec->Has("series") || spec->Has("quantized"));
}

// All rows of a list, if no row of it is asked for.
std::vector<Row> RowsThat(Which which) {
  std::set<std::string> lists;
  for (const Row& row : AllRows()) {
    if (IsAskedFor(row)) lists.insert(row.list);
  }
  std::vector<Row> rows;
  for (const Row& row : AllRows()) {
    if (!Is(row, which)) continue;
    if (lists.count(row.list) == 0 || IsAskedFor(row)) rows.push_back(row);
  }
  return rows;
}

// The ops asked for may have none of these.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RefusedCaseTest);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(QuantizedCaseTest);
INSTANTIATE_TEST_SUITE_P(Quantized, QuantizedCaseTest,
                         ::testing::ValuesIn(RowsThat(Which::kQuantized)),
                         NameOfRow);
INSTANTIATE_TEST_SUITE_P(Rows, CaseTest,
                         ::testing::ValuesIn(RowsThat(Which::kRun)), NameOfRow);
INSTANTIATE_TEST_SUITE_P(Refused, RefusedCaseTest,
                         ::testing::ValuesIn(RowsThat(Which::kRefused)),
                         NameOfRow);

}  // namespace
}  // namespace gles_delegate::cases
