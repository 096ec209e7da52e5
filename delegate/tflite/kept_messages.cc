#include "delegate/tflite/kept_messages.h"

#include <cstdarg>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "egl/caught.h"

namespace gles_delegate {
namespace {

// A C callback has no other way to it.
thread_local std::string kept_text;

void KeepMessage(TfLiteContext*, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  absl::string_view text(line);
  while (absl::ConsumeSuffix(&text, "\n")) continue;
  (void)egl::Caught([text] {
    absl::StrAppend(&kept_text, kept_text.empty() ? "" : "; ", text);
    return absl::OkStatus();
  });
}

}  // namespace

KeptMessages::KeptMessages(TfLiteContext* context)
    : context_(context),
      told_by_(context->ReportError),
      before_(std::exchange(kept_text, "")) {
  context_->ReportError = KeepMessage;
}

KeptMessages::~KeptMessages() {
  context_->ReportError = told_by_;
  kept_text.swap(before_);  // allocates nothing
}

std::string KeptMessages::Take() { return std::exchange(kept_text, ""); }

}  // namespace gles_delegate
