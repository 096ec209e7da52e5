// The current context's device: identity, limits and extensions.
#ifndef GLES_DELEGATE_EGL_DEVICE_INFO_H_
#define GLES_DELEGATE_EGL_DEVICE_INFO_H_

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/driver_identity.h"

namespace gles_delegate::egl {

// The driver (DriverIdentity) and its limits, queried at run time; nothing
// beyond the ES 3.1 minima is assumed.
struct DeviceInfo : DriverIdentity {
  std::string vendor;
  std::string renderer;
  std::string version;                   // GL_VERSION, whole
  std::string shading_language_version;  // whole
  int major = 0;
  int minor = 0;

  int max_texture_size = 0;
  int max_array_texture_layers = 0;
  int max_texel_buffer_texels = 0;  // 0: no GL_EXT_texture_buffer
  int max_work_group_invocations = 0;
  std::array<int, 3> max_work_group_size = {};
  std::array<int, 3> max_work_group_count = {};
  int max_shared_memory_bytes = 0;
  int max_compute_ssbos = 0;
  int max_compute_images = 0;
  int max_image_units = 0;
  int max_compute_textures = 0;
  int max_combined_shader_outputs = 0;  // images + SSBOs of one program
  int64_t max_ssbo_bytes = 0;
  int max_uniform_block_bytes = 0;
  int uniform_offset_alignment = 0;
  int program_binary_formats = 0;
  std::set<std::string, std::less<>> extensions;

  bool Has(absl::string_view extension) const {
    return extensions.find(extension) != extensions.end();
  }
};

// Queries the current context. kFailedPrecondition: no context is current, its
// version, which the message has, is below ES 3.1, or CheckLlvm()
// (other_llvm.h).
absl::StatusOr<DeviceInfo> ReadDeviceInfo();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DEVICE_INFO_H_
