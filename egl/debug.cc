#include "egl/debug.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "egl/objects.h"
#include "egl/process.h"

namespace gles_delegate::egl {
namespace {

// A length that every driver accepts (GL_MAX_DEBUG_MESSAGE_LENGTH and
// GL_MAX_LABEL_LENGTH are 256 or more in practice).
constexpr size_t kMaxNameBytes = 255;
// A driver that repeats itself must not fill the memory.
constexpr size_t kMaxStoredErrors = 8;
constexpr size_t kMaxTexts = 1000;

std::vector<std::string>& ErrorsOfThread() {
  thread_local std::vector<std::string> errors;
  return errors;
}

const char* SeverityName(GLenum severity) {
  switch (severity) {
    case GL_DEBUG_SEVERITY_HIGH_KHR:
      return "high";
    case GL_DEBUG_SEVERITY_MEDIUM_KHR:
      return "medium";
    case GL_DEBUG_SEVERITY_LOW_KHR:
      return "low";
    default:
      return "note";
  }
}

// True the first time that this process sees the text; false of every new text
// once there were kMaxTexts.
bool IsNew(const std::string& text) {
  static absl::Mutex& mutex = *new absl::Mutex;
  static std::set<std::string>& seen = *new std::set<std::string>;
  const absl::MutexLock lock(&mutex);
  return seen.size() < kMaxTexts && seen.insert(text).second;
}

void GL_APIENTRY LogMessage(GLenum /*source*/, GLenum type, GLuint /*id*/,
                            GLenum severity, GLsizei length,
                            const GLchar* message, const void* /*user*/) {
  // Our own groups, which drivers report when they begin and end.
  if (type == GL_DEBUG_TYPE_PUSH_GROUP_KHR ||
      type == GL_DEBUG_TYPE_POP_GROUP_KHR) {
    return;
  }
  const std::string text(message,
                         length < 0 ? std::strlen(message) : size_t(length));
  if (type == GL_DEBUG_TYPE_ERROR_KHR) {
    std::vector<std::string>& errors = ErrorsOfThread();
    if (errors.size() >= kMaxStoredErrors) errors.erase(errors.begin());
    errors.push_back(text);
  }
  const std::string line = absl::StrCat(SeverityName(severity), ": ", text);
  if (!ProgramTraceIsOn() && !IsNew(line)) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: driver: %s\n", line.c_str());
}

}  // namespace

bool DebugIsOn() { return DebugHas("context") || ProgramTraceIsOn(); }

bool ProgramTraceIsOn() { return DebugHas("programs"); }

ProgramTrace::ProgramTrace(absl::string_view label)
    : label_(ProgramTraceIsOn() ? label : "") {
  if (label_.empty()) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: program begins: %s\n",
               label_.c_str());
}

ProgramTrace::~ProgramTrace() {
  if (label_.empty()) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: program ends: %s\n",
               label_.c_str());
}

void StartDebugLog() {
  gl().DebugMessageCallbackKHR(LogMessage, /*userParam=*/nullptr);
}

std::vector<std::string> TakeLoggedErrors() {
  return std::exchange(ErrorsOfThread(), {});
}

void LabelObject(GLenum kind, GLuint object, absl::string_view label) {
  if (object == 0 || !DebugIsOn() || !HasExtension("GL_KHR_debug")) return;
  gl().ObjectLabelKHR(
      kind, object, static_cast<GLsizei>(std::min(label.size(), kMaxNameBytes)),
      label.data());
}

DebugGroup::DebugGroup(const char* label) : is_open_(label != nullptr) {
  if (!is_open_) return;
  gl().PushDebugGroupKHR(
      GL_DEBUG_SOURCE_APPLICATION_KHR, /*id=*/0,
      static_cast<GLsizei>(std::min(std::strlen(label), kMaxNameBytes)), label);
}

DebugGroup::~DebugGroup() {
  if (is_open_) gl().PopDebugGroupKHR();
}

// --- A shader compiler's log -------------------------------------------------

namespace {

// A place as compilers name it: source string and line.
using Place = std::pair<int, int>;

// The unsigned number at text[*at], which moves past it; -1 if none is there.
int ReadNumber(absl::string_view text, size_t* at) {
  const size_t begin = *at;
  while (*at < text.size() && absl::ascii_isdigit(text[*at])) ++*at;
  int value = 0;
  if (*at == begin ||
      !absl::SimpleAtoi(text.substr(begin, *at - begin), &value)) {
    return -1;
  }
  return value;
}

// The first "S:L" or "S(L)" of a line of the log, if any.
bool FindPlace(absl::string_view line, Place* place) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (!absl::ascii_isdigit(line[i])) continue;
    const int string = ReadNumber(line, &i);
    if (string < 0 || i >= line.size() || (line[i] != ':' && line[i] != '(')) {
      continue;
    }
    ++i;
    const int number = ReadNumber(line, &i);
    if (number < 0) continue;
    *place = {string, number};
    return true;
  }
  return false;
}

std::set<Place> FindPlaces(absl::string_view log) {
  std::set<Place> places;
  for (absl::string_view line : absl::StrSplit(log, '\n')) {
    Place place;
    if (FindPlace(line, &place)) places.insert(place);
  }
  return places;
}

// "#line 12" or "#line 12 1": the place of the line after it.
bool ParseLineDirective(absl::string_view line, Place* next) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line[0] != '#') return false;
  const std::vector<absl::string_view> words =
      absl::StrSplit(line.substr(1), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() < 2 || words[0] != "line") return false;
  if (!absl::SimpleAtoi(words[1], &next->second)) return false;
  if (words.size() > 2) return absl::SimpleAtoi(words[2], &next->first);
  return true;
}

}  // namespace

std::string DescribeLog(absl::string_view log, absl::string_view source) {
  std::string text(absl::StripTrailingAsciiWhitespace(log));
  const std::set<Place> places = FindPlaces(log);
  Place at = {0, 1};
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    if (places.count(at) > 0) {
      absl::StrAppend(&text, "\n  ", at.second, " | ", line);
    }
    if (!ParseLineDirective(line, &at)) ++at.second;
  }
  return text;
}

}  // namespace gles_delegate::egl
