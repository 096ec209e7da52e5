// labels: unit tools sanitize
// Files are replaced as a whole, and what is no plain file is left what it is.
#include "tools/common/text_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace fs = std::filesystem;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class TextFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  const testing::ScratchDirectory folder_;
};

TEST_F(TextFileTest, AFileIsMadeAndReplaced) {
  EXPECT_TRUE(WriteText(Path("a.txt"), "a long first text").ok());
  EXPECT_TRUE(WriteText(Path("a.txt"), "second").ok());
  EXPECT_EQ(Read(Path("a.txt")), "second");
  EXPECT_THAT(folder_.Files(), ElementsAre("a.txt"));
}

// /dev/stdout is a symbolic link, too: replacing it would take it from all.
TEST_F(TextFileTest, ASymbolicLinkStaysOne) {
  fs::create_symlink(Path("target.txt"), Path("link.txt"));
  EXPECT_TRUE(WriteText(Path("link.txt"), "text").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.txt")));
  EXPECT_EQ(Read(Path("target.txt")), "text");
  EXPECT_THAT(folder_.Files(), UnorderedElementsAre("link.txt", "target.txt"));
}

TEST_F(TextFileTest, ADeviceStaysOne) {
  EXPECT_TRUE(WriteText("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(TextFileTest, AFailureNamesThePathAndLeavesNothing) {
  const absl::Status status = WriteText(Path("no/such/a.txt"), "text");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/such/a.txt"));
  EXPECT_FALSE(WriteText(folder_.path(), "text").ok());
  EXPECT_THAT(folder_.Files(), IsEmpty());
}

TEST_F(TextFileTest, WhatCannotBeWrittenIsKnownBefore) {
  WriteText(Path("a.txt"), "text").IgnoreError();
  fs::create_symlink(Path("later.txt"), Path("link.txt"));
  for (const char* const name : {"a.txt", "new.txt", "link.txt"}) {
    EXPECT_TRUE(CheckWritable(Path(name)).ok()) << name;
    EXPECT_TRUE(WriteText(Path(name), "text").ok()) << name;
  }
  EXPECT_TRUE(CheckWritable("/dev/null").ok());
  const std::pair<std::string, std::string> kWrong[] = {
      {"", "Is a directory"},
      {"no/such/a.txt", "No such file or directory"},
      {"a.txt/b.txt", "Not a directory"}};
  for (const auto& [name, why] : kWrong) {
    EXPECT_EQ(std::string(CheckWritable(Path(name)).message()),
              "cannot write " + Path(name) + ": " + why);
    EXPECT_EQ(CheckWritable(Path(name)), WriteText(Path(name), "text"));
  }
}

}  // namespace
}  // namespace gles_delegate
