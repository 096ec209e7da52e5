// labels: loader llvmpipe softpipe oldest_tflite
// libgles_delegate.so as apps see it: its symbols, the stock loader of external
// delegates, dlopen.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/testing/command.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/stock_loader.h"

namespace gles_delegate::testing {
namespace {

// --- Symbols ----------------------------------------------------------------

// Every function that the header declares.
std::set<std::string> DeclaredFunctions() {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR
                     "/delegate/include/gles_delegate/gles_delegate.h");
  std::string header;
  for (std::string line; std::getline(file, line);) {
    if (line[0] != '#') header += line + "\n";  // not the macro itself
  }
  // EXPORT, then a return type of names and stars, then the name.
  const std::regex declaration(
      "GLES_DELEGATE_EXPORT\\s+[\\w\\s*]*?(\\w+)\\s*\\(");
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end;
       it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

TEST(LoaderSymbolsTest, ExportsItsApiAndNothingElse) {
  const std::set<std::string> exported =
      SymbolsOf(GLES_DELEGATE_LIBRARY, "--defined-only");
  if (exported.empty()) GTEST_SKIP() << "NO nm ON THIS MACHINE, NOTHING TESTED";
  std::set<std::string> declared = DeclaredFunctions();
  declared.insert("GLES_DELEGATE_1.0");  // the functions' version
  // For the accelerator of the same build.
  declared.insert("GlesDelegatePrivate");
  declared.insert("GlesDelegatePrivateTensorBuffers");
  EXPECT_GE(declared.size(), 8u);
  EXPECT_THAT(declared, Contains("tflite_plugin_create_delegate"));
  EXPECT_EQ(exported, declared);
}

TEST(LoaderSymbolsTest, NeedsNothingOfTfliteNorOfEgl) {
  const std::set<std::string> undefined =
      SymbolsOf(GLES_DELEGATE_LIBRARY, "--undefined-only");
  if (undefined.empty()) {
    GTEST_SKIP() << "NO nm ON THIS MACHINE, NOTHING TESTED";
  }
  EXPECT_THAT(undefined, Contains("malloc")) << "the test sees no symbols";
  for (const std::string& name : undefined) {
    EXPECT_FALSE(absl::StartsWith(name, "TfLite") ||
                 absl::StrContains(name, "tflite") ||
                 absl::StrContains(name, "absl") ||
                 std::regex_match(name, std::regex("(gl|egl)[A-Z].*")))
        << name;
  }
}

// --- dlopen -----------------------------------------------------------------

struct Library {
  void* handle = nullptr;
  decltype(&tflite_plugin_create_delegate) create = nullptr;
  decltype(&tflite_plugin_destroy_delegate) destroy = nullptr;
  decltype(&TfLiteGlesDelegateReport) report = nullptr;
  decltype(&TfLiteGlesDelegateVersion) version = nullptr;
};

template <typename Function>
void Find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  EXPECT_NE(*function, nullptr) << name;
}

// Never closed: drivers leave threads behind.
const Library& Opened() {
  static const Library library = [] {
    Library l;
    l.handle = dlopen(GLES_DELEGATE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(l.handle, nullptr) << dlerror();
    if (l.handle == nullptr) return l;
    Find(l.handle, "tflite_plugin_create_delegate", &l.create);
    Find(l.handle, "tflite_plugin_destroy_delegate", &l.destroy);
    Find(l.handle, "TfLiteGlesDelegateReport", &l.report);
    Find(l.handle, "TfLiteGlesDelegateVersion", &l.version);
    return l;
  }();
  return library;
}

std::string& Reported() {
  static std::string& text = *new std::string;
  return text;
}

DelegatePtr Create(std::vector<std::pair<std::string, std::string>> options) {
  Reported().clear();
  std::vector<char*> keys, values;
  for (auto& [key, value] : options) {
    keys.push_back(key.data());
    values.push_back(value.data());
  }
  return DelegatePtr(
      Opened().create(keys.data(), values.data(), options.size(),
                      [](const char* text) { Reported() = text; }),
      Opened().destroy);
}

// The interpreter's answer with the delegate is the CPU's.
std::vector<std::string> ExpectRuns(const DelegatePtr& delegate) {
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  return interpreter->TakeLog();
}

TEST(LoaderTest, OpensWithEverySymbolBoundAndItsOwn) {
  const Library& library = Opened();
  ASSERT_NE(library.handle, nullptr);
  // From the file itself, not from this program, which has them linked in too.
  Dl_info info = {};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(library.create), &info), 0);
  EXPECT_THAT(info.dli_fname, HasSubstr("libgles_delegate"));
  EXPECT_NE(library.create, &tflite_plugin_create_delegate);
  EXPECT_STREQ(library.version(), TfLiteGlesDelegateVersion());
}

TEST(LoaderTest, RunsAModelThroughDlopen) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DelegatePtr delegate = Create({{"verbosity", "2"}});
  ASSERT_NE(delegate, nullptr) << Reported();
  EXPECT_THAT(ExpectRuns(delegate), Contains(HasSubstr("3 of 3 nodes")));
  const auto report = nlohmann::json::parse(Opened().report(delegate.get()));
  EXPECT_EQ(report["nodes_delegated"], 3);
}

// Drivers leave threads and callbacks behind.
TEST(LoaderTest, DlcloseLeavesTheLibraryWhereItIs) {
  const ScratchDirectory scratch;
  const std::string copy = scratch.path() + "/libcopy.so";
  std::filesystem::copy_file(GLES_DELEGATE_LIBRARY, copy);
  void* library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlclose(library), 0);
  EXPECT_NE(dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

// A package's library and a wheel's may be in one process, of two versions.
TEST(LoaderTest, EachCopyCallsItsOwnFunctions) {
  const ScratchDirectory scratch;
  decltype(&tflite_plugin_create_delegate) create = nullptr;
  for (const int scope : {RTLD_GLOBAL, RTLD_LOCAL}) {
    const std::string copy = absl::StrCat(scratch.path(), "/", scope, ".so");
    std::filesystem::copy_file(GLES_DELEGATE_LIBRARY, copy);
    void* library = dlopen(copy.c_str(), RTLD_NOW | scope);
    ASSERT_NE(library, nullptr) << dlerror();
    Find(library, "tflite_plugin_create_delegate", &create);
  }
  Reported().clear();
  char key[] = "no_such_option", value[] = "1";
  char *keys[] = {key}, *values[] = {value};
  // The text is the one that the second copy keeps for the calling thread.
  EXPECT_EQ(
      create(keys, values, 1, [](const char* text) { Reported() = text; }),
      nullptr);
  EXPECT_THAT(Reported(), HasSubstr("no_such_option"));
}

TEST(LoaderTest, OptionsAreStrings) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DelegatePtr delegate = Create({{"is_precision_loss_allowed", "1"},
                                       {"exclude_nodes", "0"},
                                       {"max_delegated_partitions", "0"}});
  ASSERT_NE(delegate, nullptr) << Reported();
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = Applied(*model, delegate);
  const auto report = nlohmann::json::parse(Opened().report(delegate.get()));
  EXPECT_EQ(report["precision"], "float16");
  EXPECT_EQ(report["nodes_delegated"], 2);
}

TEST(LoaderTest, AnUnknownOptionIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(Create({{"is_precision_lost", "1"}}), nullptr);
  EXPECT_THAT(Reported(), AllOf(HasSubstr("'is_precision_lost'"),
                                HasSubstr("is_precision_loss_allowed"),
                                HasSubstr("max_delegated_partitions")));
}

TEST(LoaderTest, TheStockLoaderRunsIt) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto delegate =
      LoadThroughStockLoader(GLES_DELEGATE_LIBRARY, {{"verbosity", "2"}});
  ASSERT_NE(delegate, nullptr);
  EXPECT_THAT(ExpectRuns(delegate), Contains(HasSubstr("3 of 3 nodes")));
  // The loader's wrapper is not our delegate.
  EXPECT_EQ(Opened().report(delegate.get()), nullptr);
}

TEST(LoaderTest, TheStockLoaderPassesOptions) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto delegate = LoadThroughStockLoader(
      GLES_DELEGATE_LIBRARY, {{"exclude_nodes", "1-2"},
                              {"max_delegated_partitions", "0"},
                              {"verbosity", "2"}});
  ASSERT_NE(delegate, nullptr);
  EXPECT_THAT(ExpectRuns(delegate), Contains(HasSubstr("1 of 3 nodes")));
}

// The stock C loader looks neither at the plugin's reasons nor whether there is
// a delegate at all: a NULL was a segmentation fault here.
TEST(LoaderTest, TheStockLoaderSurvivesABadOption) {
  const auto model = LoadOrDie(ChainModel("can"));
  const struct {
    std::pair<std::string, std::string> option;
    const char* reason;
  } cases[] = {
      {{"is_precision_lost", "1"}, "unknown option 'is_precision_lost'"},
      {{"verbosity", "loud"}, "option verbosity: 'loud' is not an integer"}};
  for (const auto& [option, reason] : cases) {
    const auto delegate =
        LoadThroughStockLoader(GLES_DELEGATE_LIBRARY, {option});
    ASSERT_NE(delegate, nullptr);
    auto interpreter = InterpreterOrDie(*model);
    EXPECT_FALSE(interpreter->ApplyDelegate(delegate.get()).ok());
    EXPECT_THAT(interpreter->TakeLog(), Contains(HasSubstr(reason)));
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }
}

TEST(LoaderTest, ReportsOfOthersDelegatesAreNull) {
  const auto xnnpack = CreateXnnpackDelegate(1);
  ASSERT_TRUE(xnnpack.ok()) << xnnpack.status();
  EXPECT_EQ(Opened().report(xnnpack->get()), nullptr);
  EXPECT_EQ(Opened().report(nullptr), nullptr);
}

// The library and the copy linked into this program live side by side.
TEST(LoaderTest, TwoCopiesInOneProcess) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DelegatePtr theirs = Create({});
  const DelegatePtr ours = MakeDelegate();
  EXPECT_EQ(Opened().report(ours.get()), nullptr);
  EXPECT_EQ(TfLiteGlesDelegateReport(theirs.get()), nullptr);
  ExpectRuns(theirs);
  ExpectRuns(ours);
  EXPECT_THAT(ExpectRuns(theirs), Not(Contains(HasSubstr("stays on the CPU"))));
}

}  // namespace
}  // namespace gles_delegate::testing
