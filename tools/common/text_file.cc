#include "tools/common/text_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace gles_delegate {
namespace {

// True where there is nothing yet, or a plain file.
bool MayBeReplaced(const std::string& path) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(path, error).type();
  return type == std::filesystem::file_type::not_found ||
         type == std::filesystem::file_type::regular;
}

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path) {
  constexpr size_t kPiece = 1 << 16, kMost = size_t{1} << 31;
  const auto refuse = [&path](const char* why) {
    return absl::NotFoundError(absl::StrCat("Cannot open ", path, ": ", why));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return refuse(std::strerror(errno));
  std::vector<uint8_t> bytes;
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size <= kMost) bytes.reserve(size);
  uint8_t piece[kPiece];
  while (const size_t read = std::fread(piece, 1, kPiece, file.get())) {
    if (bytes.size() + read > kMost) return refuse("it has more than 2 GiB");
    bytes.insert(bytes.end(), piece, piece + read);
  }
  if (std::ferror(file.get()) != 0) return refuse(std::strerror(errno));
  return bytes;
}

absl::Status WriteText(const std::string& path, const std::string& text) {
  bool written = false;
  errno = EIO;  // for a stream that fails without a system call
  if (MayBeReplaced(path)) {
    const std::string unfinished = path + ".part";
    written = Write(unfinished, text) &&
              std::rename(unfinished.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (!written) std::remove(unfinished.c_str());
    errno = error;
  } else {
    written = Write(path, text);
  }
  return written ? absl::OkStatus() : CannotWrite(path, errno);
}

absl::Status CheckWritable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return CannotWrite(path, EISDIR);
  }
  // A file that is replaced need not be writable, but its folder.
  std::filesystem::path place = path;
  if (MayBeReplaced(path)) place = place.parent_path() / ".";
  // A symbolic link may lead to a file that is yet to be made.
  if (std::filesystem::is_symlink(path, error) ||
      access(place.c_str(), W_OK) == 0) {
    return absl::OkStatus();
  }
  return CannotWrite(path, errno);
}

std::string XmlEscaped(const std::string& text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\n';
  });
  // A newline in an attribute would read as a space.
  return absl::StrReplaceAll(kept, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"\n", "&#10;"}});
}

std::string HtmlDocument(const std::string& title, const std::string& style,
                         const std::string& body) {
  constexpr char kStyle[] = R"(
:root { color-scheme: light dark; --line: #8886; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem;
       margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { opacity: .7; } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: .15rem .5rem; border-bottom: 1px solid var(--line);
         text-align: left; vertical-align: top; overflow-wrap: normal; }
)";
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>",
      XmlEscaped(title), "</title>\n<style>", kStyle, style,
      "</style></head><body>\n", body, "</body></html>\n");
}

std::string HtmlFact(const std::string& name, const std::string& value) {
  return absl::StrCat("<dt>", name, "</dt><dd>", XmlEscaped(value), "</dd>\n");
}

}  // namespace gles_delegate
