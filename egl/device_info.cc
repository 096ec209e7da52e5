#include "egl/device_info.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/displays.h"
#include "egl/gl_api.h"
#include "egl/other_llvm.h"

namespace gles_delegate::egl {
namespace {

// ASCII: it goes into messages and JSON.
std::string GetString(GLenum name) {
  std::string text;
  const GLubyte* byte = gl().GetString(name);
  for (; byte != nullptr && *byte != 0; ++byte) {
    text += *byte < 0x80 ? static_cast<char>(*byte) : '?';
  }
  return text;
}

int IntegerLimit(GLenum name) {
  GLint value = 0;
  gl().GetIntegerv(name, &value);
  return value;
}

std::array<int, 3> GetInt3(GLenum name) {
  std::array<int, 3> values = {};
  for (GLuint i = 0; i < 3; ++i) gl().GetIntegeri_v(name, i, &values[i]);
  return values;
}

// "OpenGL ES 3.2 Mesa 22.3.6" -> 3, 2. False for anything but OpenGL ES.
// GL_MAJOR_VERSION is not asked: ES 2.0 does not have it.
bool ParseVersion(absl::string_view version, int* major, int* minor) {
  constexpr absl::string_view kPrefix = "OpenGL ES ";
  if (!absl::StartsWith(version, kPrefix)) return false;
  version.remove_prefix(kPrefix.size());
  if (version.size() < 3 || !absl::ascii_isdigit(version[0]) ||
      version[1] != '.' || !absl::ascii_isdigit(version[2])) {
    return false;
  }
  *major = version[0] - '0';
  *minor = version[2] - '0';
  return true;
}

void ReadLimits(DeviceInfo* info) {
  info->max_texture_size = IntegerLimit(GL_MAX_TEXTURE_SIZE);
  info->max_array_texture_layers = IntegerLimit(GL_MAX_ARRAY_TEXTURE_LAYERS);
  info->max_work_group_invocations =
      IntegerLimit(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
  info->max_work_group_size = GetInt3(GL_MAX_COMPUTE_WORK_GROUP_SIZE);
  info->max_work_group_count = GetInt3(GL_MAX_COMPUTE_WORK_GROUP_COUNT);
  info->max_shared_memory_bytes =
      IntegerLimit(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
  info->max_compute_ssbos = IntegerLimit(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
  info->max_compute_images = IntegerLimit(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
  info->max_image_units = IntegerLimit(GL_MAX_IMAGE_UNITS);
  info->max_compute_textures = IntegerLimit(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS);
  info->max_combined_shader_outputs =
      IntegerLimit(GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES);
  GLint64 ssbo_bytes = 0;
  gl().GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &ssbo_bytes);
  info->max_ssbo_bytes = ssbo_bytes;
  info->max_uniform_block_bytes = IntegerLimit(GL_MAX_UNIFORM_BLOCK_SIZE);
  info->uniform_offset_alignment =
      IntegerLimit(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  info->program_binary_formats = IntegerLimit(GL_NUM_PROGRAM_BINARY_FORMATS);
}

void ReadExtensions(DeviceInfo* info) {
  const int count = IntegerLimit(GL_NUM_EXTENSIONS);
  for (int i = 0; i < count; ++i) {
    const GLubyte* name = gl().GetStringi(GL_EXTENSIONS, i);
    if (name == nullptr) continue;
    info->extensions.insert(reinterpret_cast<const char*>(name));
  }
}

// "" if EGL does not report it: only Mesa has EGL_MESA_query_driver.
std::string EglDriverName() {
  const EGLDisplay display = egl().GetCurrentDisplay();
  if (display == EGL_NO_DISPLAY || egl().GetDisplayDriverName == nullptr ||
      !HasEglExtension(egl().QueryString(display, EGL_EXTENSIONS),
                       "EGL_MESA_query_driver")) {
    return "";
  }
  const char* name = egl().GetDisplayDriverName(display);
  return name == nullptr ? "" : name;
}

}  // namespace

absl::StatusOr<DeviceInfo> ReadDeviceInfo() {
  RETURN_IF_ERROR(LoadGl());
  if (egl().GetCurrentContext() == EGL_NO_CONTEXT) {
    return absl::FailedPreconditionError(
        "no EGLContext is current on this thread");
  }
  DeviceInfo info;
  info.vendor = GetString(GL_VENDOR);
  info.renderer = GetString(GL_RENDERER);
  info.version = GetString(GL_VERSION);
  if (!ParseVersion(info.version, &info.major, &info.minor) ||
      info.major * 10 + info.minor < 31) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the context is \"", info.version, "\" on \"", info.renderer,
        "\"; OpenGL ES 3.1 or later is needed (compute shaders)"));
  }
  RETURN_IF_ERROR(CheckLlvm(info.renderer));
  info.shading_language_version = GetString(GL_SHADING_LANGUAGE_VERSION);
  static_cast<DriverIdentity&>(info) = IdentifyDriver(
      {EglDriverName(), info.vendor, info.renderer, info.version});
  ReadLimits(&info);
  ReadExtensions(&info);
  if (info.Has("GL_EXT_texture_buffer")) {
    info.max_texel_buffer_texels = IntegerLimit(GL_MAX_TEXTURE_BUFFER_SIZE_EXT);
  }
  return info;
}

}  // namespace gles_delegate::egl
