#include "tools/common/text_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// True where there is nothing yet, or a plain file.
bool MayBeReplaced(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(path, error).type();
  return type == std::filesystem::file_type::not_found ||
         type == std::filesystem::file_type::regular;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

absl::Status WriteText(const std::string& path, const std::string& text) {
  bool written = false;
  if (MayBeReplaced(path)) {
    const std::string unfinished = path + ".part";
    written = Write(unfinished, text) &&
              std::rename(unfinished.c_str(), path.c_str()) == 0;
    if (!written) std::remove(unfinished.c_str());
  } else {
    written = Write(path, text);
  }
  if (written) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

}  // namespace gles_delegate
