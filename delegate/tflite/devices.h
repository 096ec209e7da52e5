// What GPUs the machine has, for TfLiteGlesDelegateDevices() and
// TfLiteGlesDelegateIsSupported().
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_

#include <string>

#include "absl/status/status.h"
#include "delegate/tflite/options.h"

namespace gles_delegate {

// A JSON array: each way to a display, opened and tried. What was current on
// this thread is current afterwards.
std::string DevicesText();

// kOk: a delegate with these options finds a GPU for a context of its own. Else
// the reason, with a line for each way to one.
absl::Status FindDevice(const Options& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
