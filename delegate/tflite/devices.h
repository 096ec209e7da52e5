// What GPUs the machine has, for TfLiteGlesDelegateDevices().
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_

#include <string>

namespace gles_delegate {

// A JSON array: each way to a display, opened and tried. What was current on
// this thread is current afterwards.
std::string DevicesText();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DEVICES_H_
