// What the delegate says to a runtime's error reporter.
//
// Each message is a line of its own, newline included: some reporters join what
// they get (in Python, into the text of an exception). The reason for a failure
// stands first and alone: warnings are held back until the runtime's call is
// over, and dropped if it fails.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// "WARNING: TfLiteGlesDelegate: " and the text: every warning's form.
std::string WarningLine(absl::string_view text);

// Reports a warning, once the call of the runtime's is over (HeldWarnings).
void Warn(TfLiteContext* context, absl::string_view text);

// Reports "TfLiteGlesDelegate: " and the text, now: what is neither a warning
// nor a failure.
void Tell(TfLiteContext* context, absl::string_view text);

// Holds the warnings of one call of the runtime's. A call may take place on
// several threads, one after the other: each part has a Scope.
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

  // Ends the call: reports the warnings, or the failure alone. The one place
  // where a Status becomes TFLite's status and message.
  TfLiteStatus End(TfLiteContext* context, const absl::Status& status);

 private:
  friend void Warn(TfLiteContext* context, absl::string_view text);
  std::vector<std::string> texts_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_MESSAGES_H_
