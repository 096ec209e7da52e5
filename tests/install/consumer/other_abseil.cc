// A program with its own abseil beside the delegate's archive.
#include <gles_delegate/gles_delegate.h>

#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

int main() {
  absl::Mutex mutex;
  absl::MutexLock lock(&mutex);
  absl::Cord text("gles_delegate");
  text.Append(absl::StrCat(" ", TfLiteGlesDelegateVersion()));
  const absl::Status status = absl::UnknownError(std::string(text));
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.verbosity = 99;
  if (TfLiteGlesDelegateCreate(&options) != nullptr) return 1;
  std::printf("%s\n", std::string(status.message()).c_str());
}
