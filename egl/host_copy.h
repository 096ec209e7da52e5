// Copies between host tensors and mapped GPU memory.
#ifndef GLES_DELEGATE_EGL_HOST_COPY_H_
#define GLES_DELEGATE_EGL_HOST_COPY_H_

#include <cstddef>

namespace gles_delegate::egl {

// memcpy. From 8 MiB on it is shared by threads that live as long as the call,
// at most 8 and at most half of the machine's: on an H200's host one thread
// moves 17 GB/s and eight 80, but to start them takes up to 100 us
// (docs/performance.md).
void HostCopy(void* to, const void* from, size_t bytes);
// By so many threads (1 or more), whatever the size.
void HostCopyBy(size_t threads, void* to, const void* from, size_t bytes);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HOST_COPY_H_
