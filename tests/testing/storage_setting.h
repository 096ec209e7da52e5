// The storage of a test's tensors.
#ifndef GLES_DELEGATE_TESTS_TESTING_STORAGE_SETTING_H_
#define GLES_DELEGATE_TESTS_TESTING_STORAGE_SETTING_H_

#include "gl_shaders/shader.h"

namespace gles_delegate::testing {

struct StorageSetting {
  gl_shaders::Storage storage = gl_shaders::Storage::kBuffer;
  bool half = false;
};

// Each storage, and 16 bits in buffers and in textures.
inline constexpr StorageSetting kStorageSettings[] = {
    {gl_shaders::Storage::kBuffer, false},
    {gl_shaders::Storage::kBuffer, true},
    {gl_shaders::Storage::kTextureArray, true},
    {gl_shaders::Storage::kTexture2d, false},
    {gl_shaders::Storage::kTexelBuffer, false}};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_STORAGE_SETTING_H_
