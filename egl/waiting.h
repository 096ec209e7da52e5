// How a thread waits for the GPU, without a word of GL.
#ifndef GLES_DELEGATE_EGL_WAITING_H_
#define GLES_DELEGATE_EGL_WAITING_H_

namespace gles_delegate::egl {

enum class Waiting {
  kPassive,     // asleep in the driver
  kActive,      // asks the driver again and again for at most 2 ms, then sleeps
  kAggressive,  // asks again and again until the GPU has finished
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_WAITING_H_
