// Messages to a runtime's error reporter.
//
// Each message is one line with its newline, since some reporters concatenate
// them (Python's, into an exception's text). The reason for a failure comes
// first and alone: warnings are held back until the runtime's call is over, and
// dropped if it fails.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// "WARNING: TfLiteGlesDelegate: " and the text, the form of all warnings.
std::string WarningLine(absl::string_view text);

// Reports a warning after the runtime's current call (HeldWarnings).
void Warn(TfLiteContext* context, absl::string_view text);

// Reports "TfLiteGlesDelegate: " and the text immediately; for messages that
// are neither warnings nor failures.
void Tell(TfLiteContext* context, absl::string_view text);

// Holds the warnings of one call by the runtime. A call may span several
// threads, one after the other: each part has a Scope.
class HeldWarnings {
 public:
  class Scope {
   public:
    explicit Scope(HeldWarnings* warnings);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    HeldWarnings* const before_;
  };

  // Ends the call: reports the warnings, or only the failure. The only place
  // that converts a Status to TFLite's status and message.
  TfLiteStatus End(TfLiteContext* context, const absl::Status& status);

 private:
  friend void Warn(TfLiteContext* context, absl::string_view text);
  std::vector<std::string> texts_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_
