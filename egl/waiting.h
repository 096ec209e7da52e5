// How a thread waits for the GPU, without GL types.
#ifndef GLES_DELEGATE_EGL_WAITING_H_
#define GLES_DELEGATE_EGL_WAITING_H_

namespace gles_delegate::egl {

enum class Waiting {
  kPassive,     // asleep in the driver
  kActive,      // polls for at most 2 ms, then sleeps
  kAggressive,  // polls until the GPU has finished
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_WAITING_H_
