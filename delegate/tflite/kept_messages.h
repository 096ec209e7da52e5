// Hides from the user what the runtime's kernels report.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KEPT_MESSAGES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KEPT_MESSAGES_H_

#include <string>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, what is reported through the context is kept instead. Objects
// on one thread end in the reverse order of their making, and those that live
// at the same time keep one text together.
class KeptMessages {
 public:
  explicit KeptMessages(TfLiteContext* context);
  ~KeptMessages();
  KeptMessages(const KeptMessages&) = delete;
  KeptMessages& operator=(const KeptMessages&) = delete;

  // All messages since the last call, separated by "; ".
  std::string Take();

 private:
  TfLiteContext* const context_;
  void (*const told_by_)(TfLiteContext*, const char*, ...);
  std::string before_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KEPT_MESSAGES_H_
