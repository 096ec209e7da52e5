#include "tools/conformance/minimal_device.h"

#include <algorithm>

#include "base/status_macros.h"
#include "egl/gl_api.h"
#include "egl/testing.h"

namespace gles_delegate::conformance {
namespace {

struct Minimum {
  GLenum name;
  GLint value;
};
constexpr Minimum kMinima[] = {
    {GL_MAX_TEXTURE_SIZE, 2048},
    {GL_MAX_ARRAY_TEXTURE_LAYERS, 256},
    {GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, 128},
    {GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, 16384},
    {GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, 4},
    {GL_MAX_COMPUTE_IMAGE_UNIFORMS, 4},
    {GL_MAX_IMAGE_UNITS, 4},
    {GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS, 16},
    {GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES, 4},
    {GL_MAX_UNIFORM_BLOCK_SIZE, 16384},
};
constexpr GLint kWorkGroupSize[3] = {128, 128, 64};
constexpr GLint kWorkGroupCount = 65535;
constexpr GLint64 kStorageBlockBytes = GLint64{1} << 27;

void GL_APIENTRY MinimalIntegerv(GLenum name, GLint* value) {
  egl::driver_gl().GetIntegerv(name, value);
  for (const Minimum& minimum : kMinima) {
    if (minimum.name == name) *value = std::min(*value, minimum.value);
  }
}

void GL_APIENTRY MinimalIntegeri(GLenum name, GLuint index, GLint* value) {
  egl::driver_gl().GetIntegeri_v(name, index, value);
  if (name == GL_MAX_COMPUTE_WORK_GROUP_SIZE && index < 3) {
    *value = std::min(*value, kWorkGroupSize[index]);
  } else if (name == GL_MAX_COMPUTE_WORK_GROUP_COUNT) {
    *value = std::min(*value, kWorkGroupCount);
  }
}

void GL_APIENTRY MinimalInteger64v(GLenum name, GLint64* value) {
  egl::driver_gl().GetInteger64v(name, value);
  if (name == GL_MAX_SHADER_STORAGE_BLOCK_SIZE) {
    *value = std::min(*value, kStorageBlockBytes);
  }
}

}  // namespace

absl::Status PretendMinimalDevice() {
  RETURN_IF_ERROR(egl::LoadGl());
  egl::driver_gl();  // is copied before the changes
  egl::GlApi& table = egl::MutableGlForTesting();
  table.GetIntegerv = MinimalIntegerv;
  table.GetIntegeri_v = MinimalIntegeri;
  table.GetInteger64v = MinimalInteger64v;
  return absl::OkStatus();
}

}  // namespace gles_delegate::conformance
