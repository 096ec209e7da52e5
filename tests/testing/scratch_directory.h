// A directory for one test, which is removed after it.
#ifndef GLES_DELEGATE_TESTS_TESTING_SCRATCH_DIRECTORY_H_
#define GLES_DELEGATE_TESTS_TESTING_SCRATCH_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gles_delegate::testing {

class ScratchDirectory {
 public:
  ScratchDirectory() : path_(::testing::TempDir() + "/gles_delegate_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      ADD_FAILURE() << "cannot make " << path_;
    }
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  // The names of the files in it.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::string path_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_SCRATCH_DIRECTORY_H_
