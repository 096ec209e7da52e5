// labels: unit sanitize cache
// The file layer of the start-up cache, without GL: whatever is in the
// directory, what comes out is what was put in, or a Status.
#include "delegate/cache/cache_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/cache/cache_store.h"
#include "delegate/device/device_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Bytes = std::vector<uint8_t>;

constexpr char kName[] = "token-0123.glescache";
const CacheIdentity kIdentity = {{1, 2}, "a driver", "a build"};

Bytes Blob(size_t size, uint8_t seed) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(seed + i * 7);
  }
  return bytes;
}

class CacheFileTest : public ::testing::Test {
 protected:
  CacheDirectory Open() { return *CacheDirectory::Open(scratch_.path()); }
  std::string Path(const std::string& name) {
    return scratch_.path() + "/" + name;
  }

  // Two constants and a program.
  static absl::Status WriteTo(const CacheDirectory& directory,
                              const std::string& name, uint8_t seed = 1,
                              size_t size = 70) {
    ASSIGN_OR_RETURN(auto writer, CacheWriter::Create(directory));
    for (const Bytes& blob : {Blob(size, seed), Blob(64, seed + 1)}) {
      RETURN_IF_ERROR(writer->AddConstant(blob));
    }
    RETURN_IF_ERROR(writer->AddProgram({seed, 4}, 5, Blob(33, seed + 2)));
    return writer->Finish(kIdentity, 0, name, 0).status();
  }

  // Ok where the file is what WriteTo(seed) wrote.
  static absl::Status Verify(const CacheDirectory& directory,
                             const std::string& name) {
    ASSIGN_OR_RETURN(auto file, CacheFile::Open(directory, name));
    const cache::Index& index = file->index();
    if (index.constants() == nullptr || index.programs() == nullptr ||
        index.constants()->size() != 2 || index.programs()->size() != 1) {
      return absl::DataLossError("other counts");
    }
    const cache::Program& program = *index.programs()->Get(0);
    const auto seed = static_cast<uint8_t>(program.text()->low());
    const cache::Extent* extents[] = {
        index.constants()->Get(0), index.constants()->Get(1), program.binary()};
    const Bytes wanted[] = {Blob(extents[0]->bytes(), seed), Blob(64, seed + 1),
                            Blob(33, seed + 2)};
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(auto bytes, file->Read(*extents[i]));
      if (Bytes(bytes.begin(), bytes.end()) != wanted[i]) {
        return absl::InternalError("other bytes, and no checksum has noticed");
      }
    }
    return absl::OkStatus();
  }

  Bytes ReadAll(const std::string& name) {
    std::ifstream in(Path(name), std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
  }
  // In place: truncating makes some file systems write to disk at once.
  void WriteAll(const std::string& name, const Bytes& bytes) {
    const FileDescriptor fd(open(Path(name).c_str(), O_WRONLY | O_CREAT, 0600));
    ASSERT_EQ(pwrite(fd.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    ASSERT_EQ(ftruncate(fd.get(), static_cast<off_t>(bytes.size())), 0);
  }

  testing::ScratchDirectory scratch_;
};

TEST_F(CacheFileTest, GivesBackWhatWasWritten) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  EXPECT_TRUE(Verify(directory, kName).ok()) << Verify(directory, kName);
  auto file = CacheFile::Open(directory, kName);
  EXPECT_EQ((*file)->index().driver()->str(), "a driver");
  EXPECT_EQ((*file)->index().key()->low(), 1u);
  EXPECT_THAT(scratch_.Files(), UnorderedElementsAre(kName));
}

TEST_F(CacheFileTest, IsPrivateWhateverTheUmask) {
  const mode_t before = umask(0);
  ASSERT_TRUE(WriteTo(Open(), kName).ok());
  umask(before);
  struct stat info;
  ASSERT_EQ(stat(Path(kName).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, mode_t{0600});
}

TEST_F(CacheFileTest, EveryFlippedByteIsNoticed) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  const Bytes good = ReadAll(kName);
  for (size_t i = 0; i < good.size(); ++i) {
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      Bytes bad = good;
      bad[i] ^= mask;
      WriteAll(kName, bad);
      EXPECT_TRUE(absl::IsDataLoss(Verify(directory, kName)))
          << "byte " << i << " of " << good.size() << ": "
          << Verify(directory, kName);
    }
  }
}

TEST_F(CacheFileTest, EveryTruncationAndAnyGrowthIsNoticed) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  Bytes bytes = ReadAll(kName);
  const Bytes good = bytes;
  while (!bytes.empty()) {
    bytes.pop_back();
    WriteAll(kName, bytes);
    EXPECT_TRUE(absl::IsDataLoss(Verify(directory, kName))) << bytes.size();
  }
  for (size_t more : {1, 64, 4096}) {
    bytes = good;
    bytes.resize(good.size() + more);
    WriteAll(kName, bytes);
    EXPECT_TRUE(absl::IsDataLoss(Verify(directory, kName))) << more;
  }
}

// A file whose checksums are right, but written by somebody else: the hashes
// keep no secret.
TEST_F(CacheFileTest, AForgedIndexNeverLeadsOutOfTheFile) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  const Bytes good = ReadAll(kName);
  uint64_t at = 0;
  std::memcpy(&at, &good[24], sizeof(at));
  std::mt19937 random(20220623);
  int opened = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bad = good;
    const int changes = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < changes; ++i) {
      const size_t where = at + random() % (good.size() - at);
      const uint8_t values[] = {0,    1,    0x7f,
                                0x80, 0xff, static_cast<uint8_t>(random())};
      bad[where] = values[random() % 6];
    }
    const Hash128 index = HashBytes({&bad[at], bad.size() - at});
    std::memcpy(&bad[40], &index, sizeof(index));
    const Hash128 header = HashBytes({bad.data(), 56});
    std::memcpy(&bad[56], &header.low, sizeof(header.low));
    WriteAll(kName, bad);
    auto file = CacheFile::Open(directory, kName);
    if (!file.ok()) continue;
    ++opened;
    // Reads what it can reach; the sanitizer sees a step too far.
    const cache::Index& content = (*file)->index();
    if (content.constants() != nullptr) {
      for (const cache::Extent* e : *content.constants()) {
        const auto blob = (*file)->Read(*e);
        EXPECT_TRUE(blob.ok() ? blob->size() <= good.size()
                              : absl::IsDataLoss(blob.status()));
        (*file)->Drop(*e);
      }
    }
    if (content.programs() == nullptr) continue;
    for (const cache::Program* p : *content.programs()) {
      const auto blob = (*file)->Read(*p->binary());
      EXPECT_TRUE(blob.ok() ? blob->size() <= good.size()
                            : absl::IsDataLoss(blob.status()));
    }
  }
  EXPECT_GT(opened, 0)
      << "every forgery was refused: then the forging is wrong";
}

TEST_F(CacheFileTest, AnotherFormatVersionIsRefusedByName) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  Bytes bytes = ReadAll(kName);
  bytes[8] = kCacheFormatVersion + 1;
  const Hash128 header = HashBytes({bytes.data(), 56});
  std::memcpy(&bytes[56], &header.low, sizeof(header.low));
  WriteAll(kName, bytes);
  EXPECT_THAT(std::string(Verify(directory, kName).message()),
              HasSubstr(absl::StrCat("format ", kCacheFormatVersion + 1)));
}

TEST_F(CacheFileTest, ForeignThingsAreRefused) {
  const CacheDirectory directory = Open();
  EXPECT_TRUE(
      absl::IsNotFound(CacheFile::Open(directory, "none.glescache").status()));
  WriteAll("text.glescache", Bytes(300, 'x'));
  EXPECT_TRUE(
      absl::IsDataLoss(CacheFile::Open(directory, "text.glescache").status()));
  ASSERT_EQ(mkdir(Path("dir.glescache").c_str(), 0700), 0);
  EXPECT_FALSE(CacheFile::Open(directory, "dir.glescache").ok());
  ASSERT_EQ(mkfifo(Path("pipe.glescache").c_str(), 0600), 0);
  EXPECT_FALSE(CacheFile::Open(directory, "pipe.glescache").ok());
}

TEST_F(CacheFileTest, AFileThatOthersMayWriteIsRefused) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  ASSERT_EQ(chmod(Path(kName).c_str(), 0666), 0);
  const absl::Status status = Verify(directory, kName);
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
}

TEST_F(CacheFileTest, AnotherUsersFileIsRefused) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName).ok());
  if (chown(Path(kName).c_str(), 1234, 1234) != 0) {
    GTEST_SKIP() << "needs root, to give a file to another user";
  }
  EXPECT_TRUE(absl::IsPermissionDenied(Verify(directory, kName)));
}

TEST_F(CacheFileTest, SymbolicLinksAreNeitherReadNorWrittenThrough) {
  testing::ScratchDirectory outside;
  const CacheDirectory elsewhere = *CacheDirectory::Open(outside.path());
  ASSERT_TRUE(WriteTo(elsewhere, kName, /*seed=*/9).ok());
  const std::string target = outside.path() + "/" + kName;
  ASSERT_EQ(symlink(target.c_str(), Path(kName).c_str()), 0);

  const CacheDirectory directory = Open();
  const absl::Status read = CacheFile::Open(directory, kName).status();
  EXPECT_TRUE(absl::IsPermissionDenied(read)) << read;
  EXPECT_THAT(std::string(read.message()), HasSubstr("symbolic link"));

  // The link itself is replaced; what it named stays as it was.
  ASSERT_TRUE(WriteTo(directory, kName, /*seed=*/3).ok());
  struct stat info;
  ASSERT_EQ(lstat(Path(kName).c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode));
  auto file = CacheFile::Open(elsewhere, kName);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->index().programs()->Get(0)->text()->low(), 9u);
}

TEST_F(CacheFileTest, TokensNeverBecomePaths) {
  for (const char* token :
       {"../../etc/passwd", "/etc/passwd", "a\nb", "", ".", "\xff\xfe"}) {
    const std::string name = CacheDirectory::FileName(token, "00ff");
    EXPECT_THAT(name.find_first_of("/\n"), std::string::npos) << name;
    EXPECT_NE(name[0], '.') << name;
    EXPECT_TRUE(absl::EndsWith(name, "-00ff.glescache")) << name;
  }
  EXPECT_LT(CacheDirectory::FileName(std::string(5000, 'x'), "00ff").size(),
            100u);
}

TEST_F(CacheFileTest, AbandonedWritersLeaveNothing) {
  const CacheDirectory directory = Open();
  {
    auto writer = CacheWriter::Create(directory);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->AddConstant(Blob(100, 1)).ok());
    EXPECT_EQ(scratch_.Files().size(), 1u);
  }
  EXPECT_THAT(scratch_.Files(), IsEmpty());
}

TEST_F(CacheFileTest, AFullDiskIsAnErrorThatLeavesTheOldFile) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName, 1).ok());
  // RLIMIT_FSIZE stands in for a full disk: write() fails in the middle.
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const auto size = static_cast<rlim_t>(ReadAll(kName).size());
  for (rlim_t limit = 0; limit < size; limit += 13) {
    const struct rlimit small = {limit, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_FALSE(WriteTo(directory, kName, 2).ok()) << limit;
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  EXPECT_THAT(scratch_.Files(), UnorderedElementsAre(kName));
  EXPECT_TRUE(Verify(directory, kName).ok());
}

TEST_F(CacheFileTest, DirectoriesThatCannotBeUsedSayWhich) {
  const absl::Status missing = CacheDirectory::Open(Path("missing")).status();
  EXPECT_TRUE(absl::IsNotFound(missing)) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("missing"));
  WriteAll("file", {1});
  EXPECT_FALSE(CacheDirectory::Open(Path("file")).ok());
}

TEST_F(CacheFileTest, AReadOnlyDirectoryIsReadAndNotWritten) {
  ASSERT_TRUE(WriteTo(Open(), kName).ok());
  ASSERT_EQ(chmod(scratch_.path().c_str(), 0500), 0);
  const pid_t child = fork();
  if (child == 0) {  // root may write everywhere; a user of no rights may not
    if (geteuid() == 0 && (chown(scratch_.path().c_str(), 65534, 65534) != 0 ||
                           chown(Path(kName).c_str(), 65534, 65534) != 0 ||
                           setgid(65534) != 0 || setuid(65534) != 0)) {
      _exit(3);
    }
    auto directory = CacheDirectory::Open(scratch_.path());
    if (!directory.ok()) _exit(4);
    if (!Verify(*directory, kName).ok()) _exit(1);
    _exit(absl::IsPermissionDenied(CacheWriter::Create(*directory).status())
              ? 0
              : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  (void)chmod(scratch_.path().c_str(), 0700);
  EXPECT_EQ(WEXITSTATUS(status), 0)
      << "1: not readable, 2: written, 3: no other user, 4: no directory";
}

TEST_F(CacheFileTest, TheLimitRemovesTheLongestUnused) {
  const CacheDirectory directory = Open();
  const char* names[] = {"a.glescache", "b.glescache", "c.glescache"};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(WriteTo(directory, names[i]).ok());
    const struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(names[i]).c_str(), times, 0), 0);
  }
  WriteAll("foreign.bin", Bytes(100000, 1));
  const auto size = static_cast<int64_t>(ReadAll(names[0]).size());
  ASSERT_TRUE(Verify(directory, names[0]).ok());  // now the latest used
  ASSERT_TRUE(directory.Limit(2 * size).ok());
  EXPECT_THAT(
      scratch_.Files(),
      UnorderedElementsAre("a.glescache", "c.glescache", "foreign.bin"));
  ASSERT_TRUE(directory.Limit(size).ok());
  EXPECT_THAT(scratch_.Files(),
              UnorderedElementsAre("a.glescache", "foreign.bin"));
}

TEST_F(CacheFileTest, ACacheLargerThanTheLimitIsNotKept) {
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, "small.glescache").ok());
  auto writer = CacheWriter::Create(directory);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->AddConstant(Blob(5000, 1)).ok());
  const auto size = (*writer)->Finish(kIdentity, 0, kName, 4096);
  EXPECT_TRUE(absl::IsResourceExhausted(size.status())) << size.status();
  EXPECT_THAT(std::string(size.status().message()),
              HasSubstr("serialization_max_bytes"));
  writer->reset();
  EXPECT_THAT(scratch_.Files(), UnorderedElementsAre("small.glescache"));
}

TEST_F(CacheFileTest, TemporaryFilesOfTheDeadAreSwept) {
  const CacheDirectory directory = Open();
  auto living = directory.CreateTemp();
  ASSERT_TRUE(living.ok());
  std::string young, old;
  {
    auto temp = directory.CreateTemp();
    young = temp->name;
  }
  {
    auto temp = directory.CreateTemp();
    old = temp->name;
  }
  const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  for (const std::string& name : {old, living->name}) {
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), long_ago, 0), 0);
  }
  directory.SweepTemps();
  EXPECT_THAT(scratch_.Files(), UnorderedElementsAre(young, living->name));
}

// Processes write and read one name, and are killed wherever they happen to be.
TEST_F(CacheFileTest, ProcessesKilledAnywhereNeverLeaveATornFile) {
  constexpr int kProcesses = 4;
  constexpr int kKills = 60;
  const CacheDirectory directory = Open();
  ASSERT_TRUE(WriteTo(directory, kName, 1).ok());
  const auto start = [&](int number) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    for (uint8_t round = 0;; ++round) {
      if (!Verify(directory, kName).ok()) _exit(1);
      const auto seed = static_cast<uint8_t>(number * 50 + round % 50);
      if (!WriteTo(directory, kName, seed, 20000 + 777 * round).ok()) _exit(2);
    }
  };
  std::vector<pid_t> pids;
  for (int i = 0; i < kProcesses; ++i) pids.push_back(start(i));
  std::mt19937 random(1);
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    usleep(1000 + random() % 20000);
    const int i = static_cast<int>(random() % kProcesses);
    kill(pids[i], SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(pids[i], &status, 0), pids[i]);
    EXPECT_TRUE(WIFSIGNALED(status))
        << "a process saw a torn file (1) or could not write (2): "
        << WEXITSTATUS(status);
    EXPECT_TRUE(Verify(directory, kName).ok()) << Verify(directory, kName);
    pids[i] = start(i);
  }
  for (pid_t pid : pids) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_TRUE(Verify(directory, kName).ok()) << Verify(directory, kName);
}

// The key of a start-up cache, and the tuning that the cache keeps. Without GL.

std::string KeyOf(const DeviceProfile& profile) {
  const egl::DeviceInfo device;
  const Graph graph;
  return IdentityOf({device, profile, graph, "a plan"}).key.ToHex();
}

// Weights packed under one profile are not uploaded under another.
TEST(CacheKeyTest, EveryTuningParameterAndEveryOptionChangesIt) {
  const DeviceProfile defaults;
  std::set<std::string> keys = {KeyOf(defaults)};
  EXPECT_EQ(KeyOf(DeviceProfile()), KeyOf(defaults));
  for (const TuningParameter& parameter : TuningParameters()) {
    DeviceProfile profile;
    const int value = parameter.Get(profile.choices);
    parameter.Set(value == parameter.max ? parameter.min : parameter.max,
                  &profile.choices);
    EXPECT_TRUE(keys.insert(KeyOf(profile)).second) << parameter.name;
  }
  DeviceProfile zero_copy;
  zero_copy.choices.zero_copy = 1;
  EXPECT_TRUE(keys.insert(KeyOf(zero_copy)).second) << "zero_copy";
  DeviceProfile half;
  half.options.half = true;
  EXPECT_TRUE(keys.insert(KeyOf(half)).second) << "half";
  // Weights past 65504 are stored as 65504, not as infinities.
  DeviceProfile infinite = half;
  infinite.options.saturate_halves = false;
  EXPECT_TRUE(keys.insert(KeyOf(infinite)).second) << "saturate_halves";
}

}  // namespace

}  // namespace gles_delegate
