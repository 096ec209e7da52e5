// labels: op delegate softpipe slow
// Which edits of shaders the self-check notices: a line of a shader is edited
// by chance, in all programs that have it, and if a model's outputs change,
// the check must say so.
//
// GLES_EDITS=n looks for n edits that change outputs, GLES_EDITS_SEED=s from
// seed s on; each one that is missed is printed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "delegate/partition/self_check.h"
#include "gl_shaders/shader.h"
#include "nlohmann/json.hpp"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/edited_shaders.h"
#include "tests/testing/random_chain.h"

namespace gles_delegate::testing {
namespace {

// The edit of the driver's texts; empty: none.
struct Edit {
  std::string shader;  // "conv_2d.comp"
  std::string line, edited;
};

// The .comp file that a text is made of, by its first comment.
std::string ShaderOf(const std::string& text) {
  const size_t end = text.find(".comp, assembled");
  if (end == std::string::npos) return "";
  const size_t begin = text.rfind("// ", end) + 3;
  return absl::StrCat(text.substr(begin, end - begin), ".comp");
}

// A driver whose texts are edited, and which notes what it is given.
class NotingDriver {
 public:
  Edit edit;
  // Lines of .comp files: shader, line.
  std::set<std::pair<std::string, std::string>> seen;

 private:
  void Compile(std::string* text) {
    const std::string name = ShaderOf(*text);
    std::set<std::string> lines;  // of the .comp
    if (const auto body = gl_shaders::ShaderFile(name); body.ok()) {
      lines = absl::StrSplit(*body, '\n');
    }
    std::string edited;
    bool in_body = false;
    for (const std::string& line :
         std::vector<std::string>(absl::StrSplit(*text, '\n'))) {
      in_body |= line == "#line 1";
      if (in_body && lines.count(line) > 0) seen.emplace(name, line);
      const bool is_it = in_body && name == edit.shader && line == edit.line;
      absl::StrAppend(&edited, is_it ? edit.edited : line, "\n");
    }
    *text = edited;
  }
  EditedShaders shaders_{[this](std::string* text) { Compile(text); }};
};

// Whether an edit of the line may make an index past a work group's shared
// memory, which crashes llvmpipe.
bool MayLeaveSharedMemory(const std::string& shader, const std::string& line) {
  const auto body = gl_shaders::ShaderFile(shader);
  return body.ok() && absl::StrContains(*body, "\nshared ") &&
         (absl::StrContains(line, "[") ||
          absl::StrContains(line, "gl_LocalInvocation"));
}

// One place of the line is changed; nullopt: there is nothing to change.
std::optional<std::string> Edited(const std::string& line,
                                  std::mt19937* random) {
  static const std::vector<std::pair<std::string, std::string>> kChanges = {
      {" + ", " - "},   {" - ", " + "},   {" * ", " + "},   {" / ", " * "},
      {" < ", " <= "},  {" <= ", " < "},  {" > ", " >= "},  {" >= ", " > "},
      {" == ", " != "}, {" != ", " == "}, {" && ", " || "}, {"+= ", "= "},
      {"+ 1", "+ 2"},   {"- 1", "- 0"},   {" 0;", " 1;"},   {"= 0", "= 1"},
      {".x", ".y"},     {".y", ".x"},     {".z", ".w"},     {".w", ".z"},
      {"min(", "max("}, {"max(", "min("}, {"* 4", "* 3"},   {"/ 4", "/ 3"},
      {"& 3", "& 1"},   {"0.0", "1.0"},   {"0.5", "0.25"},  {"exp(", "sin("}};
  if (absl::StrContains(line, "//") || absl::StartsWith(line, "#") ||
      absl::StrContains(line, "layout")) {
    return std::nullopt;
  }
  std::vector<std::string> found;
  for (const auto& [from, to] : kChanges) {
    for (size_t at = line.find(from); at != std::string::npos;
         at = line.find(from, at + 1)) {
      std::string edited = line;
      found.push_back(edited.replace(at, from.size(), to));
    }
  }
  if (found.empty()) return std::nullopt;
  return found[(*random)() % found.size()];
}

struct Outcome {
  bool applied = false, noticed = false;
  std::string checks;  // of each partition, as the report has them
  std::vector<float> outputs;
};

Outcome RunWith(const Model& model, bool checks) {
  ForgetSelfChecks();
  const DelegatePtr delegate = MakeDelegate([&](auto& options) {
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
    options.self_check = checks;
  });
  const auto interpreter = InterpreterOrDie(model);
  Outcome outcome;
  outcome.applied = interpreter->ApplyDelegate(delegate.get()).ok();
  const auto report = ReportOf(delegate);
  for (const auto& partition : report.value("partition", nlohmann::json())) {
    outcome.noticed |= !partition["self_check"]["faults"].empty();
    outcome.checks += partition["self_check"].dump();
  }
  outcome.noticed |= checks && !outcome.applied;
  if (checks || !outcome.applied) return outcome;
  if (auto values = RunOnce(interpreter.get()); values.ok()) {
    outcome.outputs = *values;
  } else {
    outcome.applied = false;
  }
  return outcome;
}

bool Differ(const std::vector<float>& a, const std::vector<float>& b) {
  float max = 0;
  for (float v : a) max = std::max(max, std::abs(v));
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= 1e-2f * max)) return true;
  }
  return false;
}

TEST(SelfCheckEditsTest, EditsThatChangeResultsAreNoticed) {
  GLES_SKIP_WITHOUT_DEVICE();
  const char* const wanted = std::getenv("GLES_EDITS");
  const char* const first = std::getenv("GLES_EDITS_SEED");
  const int edits = wanted == nullptr ? 6 : std::atoi(wanted);
  uint32_t seed = first == nullptr ? 1 : std::atoi(first);
  std::cout << edits << " edits from seed " << seed << "\n";
  NotingDriver driver;
  int effective = 0, noticed = 0;
  for (const uint32_t last = seed + 40 * edits;
       effective < edits && seed < last; ++seed) {
    std::mt19937 random(seed);
    const RandomChain chain = MakeRandomChain(seed, ChainNumbers::kFloat);
    const auto model = LoadOrDie(chain.bytes);
    driver.edit = Edit();
    driver.seen.clear();
    const Outcome right = RunWith(*model, false);
    if (!right.applied || driver.seen.empty()) continue;
    const auto seen = driver.seen;
    for (int tries = 0; tries < 12; ++tries) {
      const auto& [shader, line] =
          *std::next(seen.begin(), random() % seen.size());
      const auto edited = Edited(line, &random);
      if (!edited || MayLeaveSharedMemory(shader, line)) continue;
      driver.edit = {shader, line, *edited};
      const Outcome wrong = RunWith(*model, false);
      if (!wrong.applied || !Differ(right.outputs, wrong.outputs)) continue;
      ++effective;
      const Outcome checked = RunWith(*model, true);
      const bool found = checked.noticed;
      noticed += found;
      if (!found) {
        std::cout << "missed, seed " << seed << " (" << chain.description
                  << "): " << shader << ":" << line << " -> " << *edited << " "
                  << checked.checks << "\n";
      }
      break;
    }
  }
  ForgetSelfChecks();
  std::cout << noticed << " of " << effective << " edits noticed\n";
  EXPECT_EQ(effective, edits);
  // One in ten may be missed; of few edits one.
  EXPECT_LE(effective - noticed, std::max(1, effective / 10));
}

}  // namespace
}  // namespace gles_delegate::testing
