#include "tools/runner/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "delegate/device/known_names.h"
#include "tools/common/text_file.h"
#include "tools/runner/git_revision.h"

ABSL_FLAG(bool, wide, false, "do not break lines at 80 columns");

namespace gles_delegate {
namespace {

// The least value of each count and each time, in all programs.
constexpr std::pair<absl::string_view, int> kLeast[] = {
    {"max_batch", 1}, {"max_secs", 0},   {"min_secs", 0},
    {"num_runs", 1},  {"num_inputs", 1}, {"num_threads", 1},
    {"sample", 1},    {"seconds", 0},    {"warmup_runs", 0}};

// Files that programs write when their work is done.
constexpr absl::string_view kWritten[] = {
    "html", "junit", "report_csv", "report_json", "trace_file", "write_model"};

bool IsOurs(const absl::CommandLineFlag& flag) {
  return (absl::StrContains(flag.Filename(), "tools/") ||
          absl::StrContains(flag.Filename(), "lab/")) &&
         !absl::StrContains(flag.Filename(), "absl/");
}

std::map<absl::string_view, const absl::CommandLineFlag*> OurFlags() {
  std::map<absl::string_view, const absl::CommandLineFlag*> sorted;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (IsOurs(*flag)) sorted[name] = flag;
  }
  return sorted;
}

void PrintHelp(const std::string& usage) {
  std::printf("%s\n\nFlags:\n", Wrap(usage, 0).c_str());
  for (const auto& [name, flag] : OurFlags()) {
    const std::string value = flag->DefaultValue();
    const std::string text =
        absl::StrCat("      ", flag->Help(),
                     value.empty() || value == "false" ||
                             value != flag->CurrentValue()  // ThreadsOfACpu()
                         ? ""
                         : absl::StrCat(" (default ", value, ")"));
    std::printf(
        "  --%s\n%s\n",
        absl::StrCat(name, flag->IsOfType<bool>() ? "" : "=...").c_str(),
        Wrap(text, 6).c_str());
  }
  std::printf(
      "  -h, --help\n      print this\n"
      "  --version\n      print the version\n");
}

// A flag as absl would find it: "no" before a boolean's name unsets it.
const absl::CommandLineFlag* Find(absl::string_view name) {
  const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
  if (flag == nullptr && absl::StartsWith(name, "no")) {
    flag = absl::FindCommandLineFlag(name.substr(2));
    if (flag != nullptr && !flag->IsOfType<bool>()) flag = nullptr;
  }
  return flag;
}

[[noreturn]] void Refuse(absl::string_view program, const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", std::string(program).c_str(), why.c_str());
  std::exit(1);
}

[[noreturn]] void RefuseFlag(absl::string_view program,
                             absl::string_view name) {
  std::vector<absl::string_view> known = {"help", "version"};
  for (const auto& [ours, flag] : OurFlags()) known.push_back(ours);
  Refuse(program, absl::StrCat("unknown flag '", name, "'",
                               DidYouMean(name, known), "; --help lists all"));
}

// A default passes, as the 0 that runs nothing.
void CheckCounts(absl::string_view program) {
  const auto flags = OurFlags();
  for (const auto& [name, least] : kLeast) {
    const auto found = flags.find(name);
    if (found == flags.end()) continue;
    const std::string value = found->second->CurrentValue();
    double number = 0;
    if (value == found->second->DefaultValue() ||
        (absl::SimpleAtod(value, &number) && number >= least)) {
      continue;
    }
    Refuse(program, absl::StrCat("--", name, " must be ", least,
                                 " or more, not ", value));
  }
}

void CheckWrittenFiles(absl::string_view program) {
  const auto flags = OurFlags();
  for (absl::string_view name : kWritten) {
    const auto found = flags.find(name);
    if (found == flags.end()) continue;
    const std::string path = found->second->CurrentValue();
    if (path.empty() || path == "-") continue;
    const absl::Status status = CheckWritable(path);
    if (!status.ok()) Refuse(program, status.ToString());
  }
}

// Serves --help and --version, which end the process.
void ServeInformation(absl::string_view program, absl::string_view argument,
                      const std::string& usage) {
  const absl::string_view name = argument.substr(0, argument.find('='));
  const bool help = name == "h" || name == "help";
  if (!help && name != "version") return;
  if (name.size() < argument.size()) {
    Refuse(program, absl::StrCat("the flag '", name, "' takes no value"));
  }
  if (help) {
    PrintHelp(usage);
  } else {
    std::printf("%s (gles_delegate) %s, revision %s\n",
                std::string(program).c_str(), GLES_DELEGATE_VERSION,
                GitRevision());
  }
  std::exit(0);
}

}  // namespace

size_t Columns() {
  return absl::GetFlag(FLAGS_wide) ? std::numeric_limits<size_t>::max() : 80;
}

std::string Colored(const std::string& text, Tone tone) {
  const char* const term = getenv("TERM");
  if (isatty(STDOUT_FILENO) == 0 || getenv("NO_COLOR") != nullptr ||
      term == nullptr || std::string(term) == "dumb") {
    return text;
  }
  const char* const code = tone == Tone::kGood  ? "32"
                           : tone == Tone::kBad ? "31"
                                                : "1";
  return absl::StrCat("\033[", code, "m", text, "\033[0m");
}

std::string Wrap(const std::string& text, size_t indent) {
  const size_t columns = Columns();
  std::string wrapped;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!wrapped.empty()) wrapped += '\n';
    std::string start;
    while (line.size() > columns - start.size()) {
      // The last break that fits behind the line's own indent, else the first.
      const size_t word = line.find_first_not_of(' ');
      size_t end = line.rfind(' ', columns - start.size());
      if (end == line.npos || end < word) end = line.find(' ', word);
      if (end == line.npos) break;
      absl::StrAppend(&wrapped, start,
                      absl::StripTrailingAsciiWhitespace(line.substr(0, end)),
                      "\n");
      line.remove_prefix(end + 1);
      start.assign(indent, ' ');
    }
    absl::StrAppend(&wrapped, start, line);
  }
  return wrapped;
}

std::string Count(int64_t count, const std::string& noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Shorten(const std::string& text, size_t width) {
  if (Columns() > 80 || text.size() <= width) return text;
  size_t end = std::max<size_t>(width, 3) - 3;
  // Not within a character of UTF-8.
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::vector<char*> ParseCommandLine(int argc, char** argv,
                                    const std::string& usage) {
  // The names that --undefok allows, as absl reads them.
  std::set<absl::string_view> allowed;
  for (int i = 1; i < argc; ++i) {
    absl::string_view names = argv[i];
    if (absl::ConsumePrefix(&names, "--undefok=")) {
      allowed = absl::StrSplit(names, ',');
    }
    // Before the help is printed.
    if (names == "--wide") absl::SetFlag(&FLAGS_wide, true);
  }
  absl::string_view program = argc > 0 ? argv[0] : "";
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--") break;
    const bool is_flag = argument.size() > 1 && argument[0] == '-' &&
                         (argument[1] == '-' || std::isalpha(argument[1]));
    if (!is_flag) continue;
    argument.remove_prefix(argument[1] == '-' ? 2 : 1);
    ServeInformation(program, argument, usage);
    const absl::string_view name = argument.substr(0, argument.find('='));
    const absl::CommandLineFlag* flag = Find(name);
    if (flag == nullptr && allowed.count(name) > 0) continue;
    if (flag == nullptr) RefuseFlag(program, name);
    // Its value is the next argument.
    if (name.size() == argument.size() && !flag->IsOfType<bool>()) ++i;
  }
  std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  CheckCounts(program);
  CheckWrittenFiles(program);
  if (!rest.empty()) rest.erase(rest.begin());
  return rest;
}

}  // namespace gles_delegate
