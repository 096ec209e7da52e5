// Copies between host tensors and mapped GPU memory.
#ifndef GLES_DELEGATE_EGL_HOST_COPY_H_
#define GLES_DELEGATE_EGL_HOST_COPY_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace gles_delegate::egl {

// memcpy. From 8 MiB on it is shared by threads that live as long as the call,
// at most 8 and at most half of the machine's: on an H200's host one thread
// moves 17 GB/s and eight 80, but to start them takes up to 100 us
// (docs/performance.md).
void HostCopy(void* to, const void* from, size_t bytes);
// By so many threads (1 or more), whatever the size.
void HostCopyBy(size_t threads, void* to, const void* from, size_t bytes);

// For copies that go on in order, so that what was copied is used while the
// rest is on its way: copy(i) is called for each i below `pieces`, by as many
// threads as HostCopy would use for `bytes`, this one among them, and ready(i)
// on this thread, in order, once copy(i) is done.
void CopyInOrder(size_t bytes, size_t pieces,
                 absl::FunctionRef<void(size_t)> copy,
                 absl::FunctionRef<void(size_t)> ready);
// By so many threads (1 or more), whatever the size.
void CopyInOrderBy(size_t threads, size_t pieces,
                   absl::FunctionRef<void(size_t)> copy,
                   absl::FunctionRef<void(size_t)> ready);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HOST_COPY_H_
