// Lists the machine's GPUs, for TfLiteGlesDelegateDevices() and
// TfLiteGlesDelegateIsSupported().
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_

#include <string>

#include "absl/status/status.h"
#include "delegate/tflite/options.h"

namespace gles_delegate {

// A JSON array with the result of opening each display. Restores the current
// context.
std::string DevicesText();

// kOk if a delegate with these options can make its own context; otherwise the
// reason for each display.
absl::Status FindDevice(const Options& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
