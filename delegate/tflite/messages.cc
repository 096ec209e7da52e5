#include "delegate/tflite/messages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

constexpr char kName[] = "TfLiteGlesDelegate: ";

thread_local HeldWarnings* t_held = nullptr;

void Report(TfLiteContext* context, const std::string& line) {
  context->ReportError(context, "%s\n", Printable(line).c_str());
}

}  // namespace

std::string WarningLine(absl::string_view text) {
  return absl::StrCat("WARNING: TfLiteGlesDelegate: ", text);
}

void Warn(TfLiteContext* context, absl::string_view text) {
  if (t_held == nullptr) {
    Report(context, WarningLine(text));
  } else {
    t_held->texts_.emplace_back(text);
  }
}

void Tell(TfLiteContext* context, absl::string_view text) {
  Report(context, absl::StrCat(kName, text));
}

HeldWarnings::Scope::Scope(HeldWarnings* warnings)
    : before_(std::exchange(t_held, warnings)) {}
HeldWarnings::Scope::~Scope() { t_held = before_; }

TfLiteStatus HeldWarnings::End(TfLiteContext* context,
                               const absl::Status& status) {
  const std::vector<std::string> texts = std::exchange(texts_, {});
  if (!status.ok()) {
    Report(context, absl::StrCat(kName, status.message()));
    return kTfLiteError;
  }
  for (const std::string& text : texts) Report(context, WarningLine(text));
  return kTfLiteOk;
}

}  // namespace gles_delegate
