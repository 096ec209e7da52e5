// labels: op delegate cache llvmpipe softpipe
// The start-up cache through the whole delegate: a warm start computes what the
// cold one did, bit for bit, and whatever is wrong with a file costs no more
// than a cold start and one warning.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/cache/cache_file.h"
#include "egl/gl_api.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"
#include "tests/testing/real_model.h"
#include "tests/testing/scratch_directory.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {
namespace {

using Configure = std::function<void(TfLiteGlesDelegateOptions&)>;

// The result of one start.
struct Start {
  std::vector<float> outputs;
  nlohmann::json report;
  std::vector<std::string> warnings;  // that speak of the cache

  std::string state() const { return report["cache"]["state"]; }
  int loaded() const { return report["cache"]["programs_loaded"]; }
  int compiled() const { return report["cache"]["programs_compiled"]; }
  std::string reason() const { return report["cache"]["reason"]; }
};

class CacheDelegateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("cacnam"));
  }

  // A separate delegate and interpreter, in the program's one context.
  Start Run(const Model& model, const Configure& configure = {}) {
    Start start;
    const absl::Status ran = TestContext()->Run([&] {
      start = RunHere(model, configure);
      return absl::OkStatus();
    });
    EXPECT_TRUE(ran.ok()) << ran;
    return start;
  }
  Start Run() { return Run(*model_); }

  Start RunHere(const Model& model, const Configure& configure = {}) {
    const DelegatePtr delegate =
        MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
          options.serialization_dir = scratch_.path().c_str();
          options.model_token = "token";
          if (configure) configure(options);
        });
    const auto interpreter = Applied(model, delegate);
    const auto outputs = RunOnce(interpreter.get());
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    Start start;
    if (outputs.ok()) start.outputs = *outputs;
    start.report = ReportOf(delegate);
    EXPECT_EQ(start.report["partitions"], 1) << start.report.dump(2);
    for (const std::string& line : interpreter->log()) {
      if (absl::StrContains(line, "start-up cache")) {
        start.warnings.push_back(line);
      }
    }
    return start;
  }

  // Some drivers (softpipe; Mesa without its own cache) offer no program
  // binaries: a warm start then still compiles.
  static bool HasBinaries() {
    return TestContext()->device().program_binary_formats > 0;
  }
  static const char* Warm() { return HasBinaries() ? "warm" : "partial"; }

  std::string OnlyFile() {
    const auto files = scratch_.Files();
    EXPECT_THAT(files, SizeIs(1));
    return files.empty() ? "" : absl::StrCat(scratch_.path(), "/", files[0]);
  }
  std::string ReadAll(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void WriteAll(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  ScratchDirectory scratch_;
  std::unique_ptr<Model> model_;
};

TEST_F(CacheDelegateTest, AWarmStartCompilesNothingAndComputesTheSame) {
  for (int half : {0, 1}) {
    for (int storage : {1, 2, 3}) {
      SCOPED_TRACE(absl::StrCat("half ", half, ", storage ", storage));
      const auto configure = [&](TfLiteGlesDelegateOptions& options) {
        options.is_precision_loss_allowed = half;
        options.storage = storage;
      };
      const Start cold = Run(*model_, configure);
      EXPECT_EQ(cold.state(), "cold") << cold.reason();
      EXPECT_GT(cold.compiled(), 0);
      EXPECT_THAT(cold.warnings, IsEmpty());
      const Start warm = Run(*model_, configure);
      EXPECT_EQ(warm.state(), Warm()) << warm.reason();
      EXPECT_EQ(warm.compiled(), HasBinaries() ? 0 : cold.compiled());
      EXPECT_EQ(warm.loaded(), HasBinaries() ? cold.compiled() : 0);
      EXPECT_EQ(warm.report["cache"]["bytes"], cold.report["cache"]["bytes"]);
      EXPECT_THAT(warm.warnings, IsEmpty());
      EXPECT_EQ(warm.outputs, cold.outputs);
    }
  }
  // Each choice has its own file: nothing above was thrown out by the next.
  EXPECT_THAT(scratch_.Files(), SizeIs(6));
  ExpectClose(Run().outputs, CpuResult(*model_));
}

TEST_F(CacheDelegateTest, ARealModelStartsWarm) {
  const std::string path =
      SharedFile("models/face_detection_short_range.tflite");
  if (path.empty()) GTEST_SKIP() << "no shared folder with models";
  auto model = Model::FromFile(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const Start cold = Run(**model);
  const Start warm = Run(**model);
  EXPECT_EQ(cold.state(), "cold") << cold.reason();
  EXPECT_EQ(warm.state(), Warm()) << warm.reason();
  EXPECT_EQ(warm.outputs, cold.outputs);
}

TEST_F(CacheDelegateTest, WithoutItsOptionsThereIsNone) {
  const Start start = Run(*model_, [](TfLiteGlesDelegateOptions& options) {
    options.serialization_dir = options.model_token = nullptr;
  });
  EXPECT_EQ(start.state(), "off");
  EXPECT_THAT(scratch_.Files(), IsEmpty());
}

// The same ops and shapes with one weight changed.
std::unique_ptr<Model> WithOtherWeights(const Model& model) {
  std::unique_ptr<schema::ModelT> tree(
      schema::GetModel(model.bytes().data())->UnPack());
  for (auto& buffer : tree->buffers) {
    if (buffer->data.size() >= 100) {
      buffer->data[3] ^= 0x80;  // the sign of the first float
      break;
    }
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Model::Pack(builder, tree.get()),
                 schema::ModelIdentifier());
  return LoadOrDie({builder.GetBufferPointer(),
                    builder.GetBufferPointer() + builder.GetSize()});
}

TEST_F(CacheDelegateTest, AWrongTokenNeverGivesTheOtherModelsAnswer) {
  const auto other = WithOtherWeights(*model_);
  const std::vector<float> expected = CpuResult(*other);
  ASSERT_NE(expected, CpuResult(*model_));
  Run();
  const Start start = Run(*other);
  EXPECT_EQ(start.state(), "cold");
  EXPECT_THAT(start.reason(), HasSubstr("another model"));
  EXPECT_THAT(start.warnings, SizeIs(1));
  ExpectClose(start.outputs, expected);
  EXPECT_EQ(Run(*other).state(), Warm());
  ExpectClose(Run().outputs, CpuResult(*model_));
}

TEST_F(CacheDelegateTest, ResizedInputsHaveAFileOfTheirOwn) {
  Run();
  const auto bigger = LoadOrDie(ChainModel("cacnam", {1, 9, 8, 5}));
  EXPECT_EQ(Run(*bigger).state(), "cold");
  EXPECT_EQ(Run(*bigger).state(), Warm());
  EXPECT_EQ(Run().state(), Warm());
}

TEST_F(CacheDelegateTest, DamageAnywhereCostsAColdStart) {
  const Start cold = Run();
  const std::string path = OnlyFile();
  const std::string good = ReadAll(path);
  std::mt19937 random(7);
  std::vector<std::string> bad;
  for (int i = 0; i < 24; ++i) {
    bad.push_back(good);
    bad.back()[random() % good.size()] ^= static_cast<char>(1 << random() % 8);
  }
  for (size_t size : {size_t{0}, size_t{1}, size_t{63}, size_t{64},
                      good.size() / 2, good.size() - 1}) {
    bad.push_back(good.substr(0, size));
  }
  bad.push_back(good + "more");
  bad.push_back(std::string(10000, 'x'));
  for (size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("damage ", i));
    WriteAll(path, bad[i]);
    const Start start = Run();
    EXPECT_NE(start.state(), "warm");
    EXPECT_THAT(start.warnings, SizeIs(1)) << start.report.dump(2);
    EXPECT_EQ(start.outputs, cold.outputs);
    EXPECT_EQ(Run().state(), Warm()) << "the file was not written again";
  }
}

// A writer that was killed leaves its file behind; no cold start may come.
TEST_F(CacheDelegateTest, AWarmStartSweepsWhatKilledWritersLeft) {
  Run();
  const std::string file = OnlyFile();
  const std::string left = scratch_.path() + "/0123456789abcdef.glescache-tmp";
  WriteAll(left, "half of it");
  const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, left.c_str(), long_ago, 0), 0);
  EXPECT_EQ(Run().state(), Warm());
  EXPECT_EQ(OnlyFile(), file);
}

// The file's words reach the log; a terminal must not obey them.
TEST_F(CacheDelegateTest, AHostileFileSendsATerminalNothing) {
  Run();
  ASSERT_THAT(scratch_.Files(), SizeIs(1));
  const std::string name = scratch_.Files()[0];  // before the writer has a file
  const auto directory = CacheDirectory::Open(scratch_.path());
  ASSERT_TRUE(directory.ok()) << directory.status();
  auto writer = CacheWriter::Create(*directory);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const auto written =
      (*writer)->Finish({{1, 2}, "a\x1b[2J\nb", "c"}, 0, name, 0);
  ASSERT_TRUE(written.ok()) << written.status();
  const Start start = Run();
  EXPECT_EQ(start.state(), "cold");
  ASSERT_THAT(start.warnings, SizeIs(1));
  for (const char c : start.warnings[0]) {
    EXPECT_FALSE(absl::ascii_iscntrl(static_cast<unsigned char>(c)));
  }
  EXPECT_THAT(start.warnings[0], HasSubstr("a\\x1b[2J\\x0ab"));
}

TEST_F(CacheDelegateTest, AMissingDirectoryIsAWarning) {
  const std::string missing = scratch_.path() + "/missing";
  const Start start = Run(*model_, [&](TfLiteGlesDelegateOptions& options) {
    options.serialization_dir = missing.c_str();
  });
  EXPECT_EQ(start.state(), "cold");
  EXPECT_THAT(start.warnings, SizeIs(1));
  EXPECT_THAT(start.reason(), HasSubstr("missing"));
  ExpectClose(start.outputs, CpuResult(*model_));
}

TEST_F(CacheDelegateTest, AFullDiskIsAWarning) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  for (rlim_t limit : {0, 70, 500, 2000}) {
    SCOPED_TRACE(limit);
    const struct rlimit small = {limit, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Start start = Run();
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(start.state(), "cold");
    EXPECT_THAT(start.warnings, SizeIs(1));
    EXPECT_THAT(scratch_.Files(), IsEmpty());
    ExpectClose(start.outputs, CpuResult(*model_));
  }
  signal(SIGXFSZ, handler);
}

TEST_F(CacheDelegateTest, ALinkInTheDirectoryIsNotFollowed) {
  Run();
  const std::string path = OnlyFile();
  ScratchDirectory outside;
  const std::string target = outside.path() + "/target";
  ASSERT_EQ(rename(path.c_str(), target.c_str()), 0);
  ASSERT_EQ(symlink(target.c_str(), path.c_str()), 0);
  const std::string before = ReadAll(target);
  const Start start = Run();
  EXPECT_EQ(start.state(), "cold");
  EXPECT_THAT(start.warnings, SizeIs(1));
  EXPECT_EQ(ReadAll(target), before);
  struct stat info;
  ASSERT_EQ(lstat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode)) << "the link is replaced by a file";
  EXPECT_EQ(info.st_mode & 07777, mode_t{0600});
}

TEST_F(CacheDelegateTest, RefusedProgramsAreCompiledAndTheWeightsStillUsed) {
  if (!HasBinaries()) {
    GTEST_SKIP() << "this driver offers no binaries to refuse";
  }
  const Start cold = Run();
  // A driver that links nothing: glProgramBinary without effect.
  egl::Instead<&egl::GlApi::ProgramBinary> refuse([](auto...) {});
  // Written again each time, but not for ever.
  for (int i = 0; i < 5; ++i) {
    const Start start = Run();
    EXPECT_EQ(start.state(), "partial");
    EXPECT_EQ(start.loaded(), 0);
    EXPECT_EQ(start.compiled(), cold.compiled());
    EXPECT_EQ(start.report["cache"]["saved"], i < 3) << i;
    EXPECT_THAT(start.warnings, IsEmpty());
    EXPECT_EQ(start.outputs, cold.outputs);
  }
}

TEST_F(CacheDelegateTest, ADriverWithoutBinariesStillSavesTheWeights) {
  egl::After<&egl::GlApi::GetIntegerv> none([](GLenum name, GLint* value) {
    if (name == GL_NUM_PROGRAM_BINARY_FORMATS) *value = 0;
  });
  const Start cold = Run();
  EXPECT_EQ(cold.state(), "cold");
  EXPECT_EQ(cold.report["cache"]["saved"], true);
  for (int i = 0; i < 2; ++i) {
    const Start start = Run();
    EXPECT_EQ(start.state(), "partial");
    EXPECT_EQ(start.compiled(), cold.compiled());
    EXPECT_THAT(start.reason(), HasSubstr("no program binaries"));
    EXPECT_EQ(start.report["cache"]["saved"], false)
        << "nothing was to be gained";
    EXPECT_THAT(start.warnings, IsEmpty());
    EXPECT_EQ(start.outputs, cold.outputs);
  }
}

TEST_F(CacheDelegateTest, TheDirectoryStaysWithinItsLimit) {
  const int64_t size = Run().report["cache"]["bytes"];
  const auto limit = [&](TfLiteGlesDelegateOptions& options) {
    options.serialization_max_bytes = 2 * size + size / 2;
  };
  for (const char* letters : {"canc", "ccam", "cmac", "cnac"}) {
    const auto model = LoadOrDie(ChainModel(letters));
    EXPECT_EQ(Run(*model, limit).state(), "cold");
    EXPECT_EQ(Run(*model, limit).state(), Warm());
    int64_t total = 0;
    for (const std::string& name : scratch_.Files()) {
      total +=
          static_cast<int64_t>(ReadAll(scratch_.path() + "/" + name).size());
    }
    EXPECT_LE(total, 2 * size + size / 2);
  }
  const auto tiny = [](TfLiteGlesDelegateOptions& options) {
    options.model_token = "tiny";
    options.serialization_max_bytes = 100;
  };
  const Start start = Run(*model_, tiny);
  EXPECT_THAT(start.warnings, SizeIs(1));
  EXPECT_THAT(start.reason(), HasSubstr("serialization_max_bytes"));
}

TEST_F(CacheDelegateTest, ThreadsMayShareADirectory) {
  const std::vector<float> expected = CpuResult(*model_);
  std::vector<std::thread> threads;
  std::vector<Start> starts(6);
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) {
        starts[3 * t + i] = RunHere(*model_);  // its own context
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Start& start : starts) {
    EXPECT_THAT(start.warnings, IsEmpty());
    ExpectClose(start.outputs, expected);
  }
  EXPECT_EQ(starts[2].state(), Warm());
  EXPECT_EQ(starts[5].state(), Warm());
  OnlyFile();
}

}  // namespace
}  // namespace gles_delegate::testing
