// gles_conformance: every op of the delegate against TFLite's own CPU kernels,
// on whatever driver EGL offers. For board vendors and driver developers.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "egl/gl_api.h"
#include "tools/cases/rows.h"
#include "tools/common/progress.h"
#include "tools/common/text_file.h"
#include "tools/conformance/report.h"
#include "tools/conformance/session.h"
#include "tools/conformance/suite.h"
#include "tools/op_models/random.h"
#include "tools/runner/command_line.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(std::string, filter, "",
          "cases to run: patterns separated by commas; '*' stands for "
          "anything, a pattern without one is looked for anywhere in the "
          "name, -PATTERN excludes");
ABSL_FLAG(std::string, shard, "0/1",
          "the I-th of N parts, from 0/N to (N-1)/N");
ABSL_FLAG(bool, small, false,
          "the small set alone: one family of each op, for slow drivers");
ABSL_FLAG(int, sample, 1,
          "every N-th of the chosen cases alone, storages and precisions in "
          "turn");
ABSL_FLAG(bool, minimal_device, false,
          "plan for a device of OpenGL ES 3.1's guaranteed minima");
ABSL_FLAG(bool, self_check, false,
          "have the delegate check itself in each case; a case in which it "
          "finds the driver wrong fails");
ABSL_FLAG(std::string, case, "",
          "this case alone, a line as tools/cases has it: 'SPLIT axis=1 "
          "x=[4,6] num_splits=2'; lists after '|' make several");
ABSL_FLAG(bool, print, false,
          "print the lines of the chosen cases and run nothing");
ABSL_FLAG(bool, list, false, "print the cases' names and run nothing");
ABSL_FLAG(bool, print_supported_ops, false,
          "write the tables of docs/supported_ops.md, which comes on standard "
          "input, again, print it and run nothing");
ABSL_FLAG(std::string, seed, "", "of the random data (default 20210)");
ABSL_FLAG(std::string, device, "",
          "which GPU: an index or a part of a renderer's name (else "
          "GLES_DELEGATE_DEVICE; else hardware before software)");
ABSL_FLAG(std::string, junit, "", "write JUnit XML to this file");
ABSL_FLAG(std::string, html, "", "write a page of HTML to this file");
ABSL_FLAG(bool, verbose, false, "print each case's name before it runs");

namespace gles_delegate::conformance {
namespace {

// Any driver as a device that has OpenGL ES 3.1's guaranteed minima and no
// more.

constexpr std::pair<GLenum, GLint> kMinima[] = {
    {GL_MAX_TEXTURE_SIZE, 2048},
    {GL_MAX_ARRAY_TEXTURE_LAYERS, 256},
    {GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 128},
    {GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, 16384},
    {GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, 4},
    {GL_MAX_COMPUTE_IMAGE_UNIFORMS, 4},
    {GL_MAX_IMAGE_UNITS, 4},
    {GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, 16},
    {GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES, 4},
    {GL_MAX_UNIFORM_BLOCK_SIZE, 16384},
};
constexpr GLint kWorkGroupSize[3] = {128, 128, 64};
constexpr GLint kWorkGroupCount = 65535;
constexpr GLint64 kStorageBlockBytes = GLint64{1} << 27;

egl::GlApi g_driver;  // its own entry points

void GL_APIENTRY MinimalIntegerv(GLenum name, GLint* value) {
  g_driver.GetIntegerv(name, value);
  for (const auto& [limited, minimum] : kMinima) {
    if (limited == name) *value = std::min(*value, minimum);
  }
}

void GL_APIENTRY MinimalIntegeri(GLenum name, GLuint index, GLint* value) {
  g_driver.GetIntegeri_v(name, index, value);
  if (name == GL_MAX_COMPUTE_WORK_GROUP_SIZE && index < 3) {
    *value = std::min(*value, kWorkGroupSize[index]);
  } else if (name == GL_MAX_COMPUTE_WORK_GROUP_COUNT) {
    *value = std::min(*value, kWorkGroupCount);
  }
}

void GL_APIENTRY MinimalInteger64v(GLenum name, GLint64* value) {
  g_driver.GetInteger64v(name, value);
  if (name == GL_MAX_SHADER_STORAGE_BLOCK_SIZE) {
    *value = std::min(*value, kStorageBlockBytes);
  }
}

// From here on glGetIntegerv and its like report no more than the minima of
// OpenGL ES 3.1 (its tables 20.40 to 20.48) for what the delegate plans with:
// sizes, bindings, work groups, shared memory. That holds for the rest of the
// process; call it before any context is made. Fails without GL.
absl::Status PretendMinimalDevice() {
  RETURN_IF_ERROR(egl::LoadGl());
  egl::GlApi& table = egl::MutableGlForTesting();
  g_driver = table;
  table.GetIntegerv = MinimalIntegerv;
  table.GetIntegeri_v = MinimalIntegeri;
  table.GetInteger64v = MinimalInteger64v;
  return absl::OkStatus();
}

constexpr char kUsage[] =
    "Runs every op of the delegate, in every storage and precision, against "
    "TensorFlow Lite's own CPU kernels, and prints a table.\n\n"
    "  gles_conformance --junit=conformance.xml --html=conformance.html\n"
    "  gles_conformance --filter=CONV_2D/*float32 --device=llvmpipe\n\n"
    "Exit status: 0 where every case passed, 1 where one failed, 2 where the "
    "suite could not run, 130 where Ctrl-C ended it: what ran until then is "
    "reported.";

constexpr int kFailed = 1;
constexpr int kCouldNotRun = 2;

// The case that runs, for the signal handler: a driver that crashes takes the
// report with it.
char g_running[512] = "none";

void ReportCrash(int signal) {
  // write() alone is safe here.
  const auto say = [](const char* text) {
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  };
  say("\ngles_conformance: a crash in the case ");
  say(g_running);
  say("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string SelectionText() {
  std::vector<std::string> parts;
  if (absl::GetFlag(FLAGS_small)) parts.push_back("the small set");
  if (!absl::GetFlag(FLAGS_filter).empty()) {
    parts.push_back(absl::StrCat("filter ", absl::GetFlag(FLAGS_filter)));
  }
  if (absl::GetFlag(FLAGS_sample) > 1) {
    parts.push_back(absl::StrCat("one in ", absl::GetFlag(FLAGS_sample)));
  }
  if (absl::GetFlag(FLAGS_minimal_device)) parts.push_back("minimal device");
  if (absl::GetFlag(FLAGS_shard) != "0/1") {
    parts.push_back(absl::StrCat("shard ", absl::GetFlag(FLAGS_shard)));
  }
  return parts.empty() ? "all cases" : absl::StrJoin(parts, ", ");
}

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &utc);
  return text;
}

// That of --case, or all.
absl::StatusOr<std::vector<Family>> FamiliesOfFlags() {
  const std::string text = absl::GetFlag(FLAGS_case);
  if (text.empty()) return AllFamilies();
  ASSIGN_OR_RETURN(const auto rows, cases::RowsOf("--case", text));
  CaseList list;
  AddRowCases(&list, rows);
  return list.Take();
}

// The families that --small and --shard leave.
absl::StatusOr<std::vector<Family>> ChosenFamilies() {
  ASSIGN_OR_RETURN(auto families, FamiliesOfFlags());
  ASSIGN_OR_RETURN(auto shard, ParseShard(absl::GetFlag(FLAGS_shard)));
  std::vector<Family> chosen;
  int index = 0;
  for (Family& family : families) {
    if (absl::GetFlag(FLAGS_small) && !family.small) continue;
    if (index++ % shard.count == shard.index) {
      chosen.push_back(std::move(family));
    }
  }
  return chosen;
}

// What --filter and --sample leave; it is asked once for each case, in order.
class CaseChooser {
 public:
  bool operator()(const std::string& name) {
    if (Interrupted() || !filter_.Accepts(name)) return false;
    return index_++ % std::max(1, absl::GetFlag(FLAGS_sample)) == 0;
  }

 private:
  const Filter filter_{absl::GetFlag(FLAGS_filter)};
  int index_ = 0;
};

// The names of these cases.
std::vector<std::pair<std::string, const Family*>> ChosenCases(
    const std::vector<Family>& families) {
  CaseChooser wanted;
  std::vector<std::pair<std::string, const Family*>> chosen;
  for (const Family& family : families) {
    for (const Variant& variant : VariantsOf(family)) {
      std::string name = CaseName(family, variant);
      if (wanted(name)) chosen.emplace_back(std::move(name), &family);
    }
  }
  return chosen;
}

int List(const std::vector<Family>& families) {
  std::set<std::string> printed;
  for (const auto& [name, family] : ChosenCases(families)) {
    const bool prints = absl::GetFlag(FLAGS_print);
    const std::string& line = prints ? family->text : name;
    if (line.empty() || (prints && !printed.insert(line).second)) continue;
    std::printf("%s\n", line.c_str());
  }
  return 0;
}

void PrintFailure(const CaseResult& result) {
  const std::string again = result.text.empty()
                                ? absl::StrCat("--filter=", result.name)
                                : absl::StrCat("--case='", result.text, "'");
  std::fprintf(stderr, "FAILED %s\n%s\n  gles_conformance %s\n",
               result.name.c_str(), result.failure.c_str(), again.c_str());
}

absl::StatusOr<Results> RunFamilies(const std::vector<Family>& families) {
  ASSIGN_OR_RETURN(auto session,
                   Session::Create(absl::GetFlag(FLAGS_device),
                                   absl::GetFlag(FLAGS_self_check)));
  Results results;
  results.facts.renderer = session->device().renderer;
  results.facts.driver = session->device().version;
  results.facts.tflite = TfliteName();
  results.facts.date = NowUtc();
  results.facts.revision = GitRevision();
  results.facts.seed = std::to_string(testing::TestSeed());
  results.facts.selection = SelectionText();
  std::fprintf(stderr, "%s, %s\n", results.facts.renderer.c_str(),
               results.facts.driver.c_str());
  const std::time_t start = std::time(nullptr);
  CaseChooser wanted;
  Progress progress("cases",
                    static_cast<int64_t>(ChosenCases(families).size()));
  int64_t started = 0;
  // Says which case runs: to the signal handler, and to who watches.
  const auto say = [&](const std::string& name) {
    std::snprintf(g_running, sizeof(g_running), "%s", name.c_str());
    if (absl::GetFlag(FLAGS_verbose)) {
      std::fprintf(stderr, "%s\n", name.c_str());
    } else {
      progress.Show(started, name);
    }
    ++started;
  };
  CatchInterrupts();
  for (const Family& family : families) {
    for (CaseResult& result : session->Run(family, std::ref(wanted), say)) {
      if (!result.failure.empty()) {
        progress.Clear();
        PrintFailure(result);
      }
      results.Add(std::move(result));
    }
  }
  if (Interrupted()) {
    absl::StrAppend(&results.facts.selection, ", interrupted");
  }
  results.facts.seconds = std::difftime(std::time(nullptr), start);
  return results;
}

int CouldNotRun(const absl::Status& status) {
  std::fprintf(stderr, "gles_conformance: %s\n", status.ToString().c_str());
  return kCouldNotRun;
}

int Main(int argc, char** argv) {
  const std::vector<char*> rest =
      gles_delegate::ParseCommandLine(argc, argv, kUsage);
  if (!rest.empty()) {
    return CouldNotRun(absl::InvalidArgumentError(absl::StrCat(
        "Arguments that are not flags: ", absl::StrJoin(rest, " "))));
  }
  const std::string seed = absl::GetFlag(FLAGS_seed);
  if (!seed.empty()) setenv("GLES_TEST_SEED", seed.c_str(), /*overwrite=*/1);
  if (absl::GetFlag(FLAGS_print_supported_ops)) {
    const std::string page = SupportedOpsPage(
        {std::istreambuf_iterator<char>(std::cin.rdbuf()), {}});
    std::printf("%s", page.c_str());
    return page.empty() ? kCouldNotRun : 0;
  }
  auto families = ChosenFamilies();
  if (!families.ok()) return CouldNotRun(families.status());
  if (absl::GetFlag(FLAGS_list) || absl::GetFlag(FLAGS_print)) {
    return List(*families);
  }
  const absl::Status opened = OpenTfliteFromFlag();
  if (!opened.ok()) return CouldNotRun(opened);
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
    std::signal(signal, ReportCrash);
  }
  if (absl::GetFlag(FLAGS_minimal_device)) {
    const absl::Status pretended = PretendMinimalDevice();
    if (!pretended.ok()) return CouldNotRun(pretended);
  }
  auto results = RunFamilies(*families);
  if (!results.ok()) return CouldNotRun(results.status());
  std::printf("%s", Table(*results).c_str());
  absl::Status written;
  if (const auto path = absl::GetFlag(FLAGS_junit); !path.empty()) {
    written.Update(WriteText(path, JunitXml(*results)));
  }
  if (const auto path = absl::GetFlag(FLAGS_html); !path.empty()) {
    written.Update(WriteText(path, HtmlPage(*results)));
  }
  if (!written.ok()) return CouldNotRun(written);
  if (Interrupted()) return kInterruptedExit;
  if (results->all.cases() == 0) {
    return CouldNotRun(absl::NotFoundError(
        results->not_run.empty()
            ? "no case has such a name"
            : "TensorFlow Lite refuses the cases: it has no result"));
  }
  return results->all.failures() == 0 ? 0 : kFailed;
}

}  // namespace

}  // namespace gles_delegate::conformance

int main(int argc, char** argv) {
  return gles_delegate::conformance::Main(argc, argv);
}
