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

namespace gles_delegate::egl {

// --- The driver's identity, by the strings that it reports -------------------

// Families of devices and software renderers.
enum class DeviceKind {
  kUnknown,
  kLlvmpipe,  // also as Vulkan's lavapipe
  kSoftpipe,
  kSwiftShader,
  kOtherSoftware,  // swrast, SWR, Microsoft's Basic Render Driver
  kNvidia,         // Nouveau and NVK too
  kIntel,
  kAmd,  // Samsung's Xclipse too
  kApple,
  kV3d,
  kMali,    // Panfrost and Lima too
  kAdreno,  // Freedreno and Turnip too
  kPowerVr,
  kVivante,  // Etnaviv too
};

// A layer between OpenGL ES and the device's own driver. Its shader compiler
// and defects are its own, so measurements without it do not apply.
enum class Wrapper {
  kNone,
  kVirgl,     // a virtual machine's: commands are sent to the host's driver
  kZink,      // Mesa's OpenGL on Vulkan
  kAngle,     // Google's OpenGL ES on Vulkan, OpenGL, Metal or Direct3D
  kD3d12,     // Mesa's OpenGL on Direct3D 12 (WSL)
  kSvga,      // VMware's
  kEmulator,  // the Android emulator's translator
};

// The driver's strings; empty if it does not report one.
struct DriverStrings {
  // eglGetDisplayDriverName (EGL_MESA_query_driver): "iris", "swrast", "msm".
  std::string egl_driver;
  std::string vendor;    // GL_VENDOR
  std::string renderer;  // GL_RENDERER
  std::string version;   // GL_VERSION
};

struct DriverIdentity {
  // The underlying device, as far as the wrapper reports it.
  DeviceKind kind = DeviceKind::kUnknown;
  Wrapper wrapper = Wrapper::kNone;
  // True if the underlying device is a CPU.
  bool software = false;
  // Vector width in bits if the driver reports it ("256 bits"), else 0.
  int simd_bits = 0;
};

// Matches names by their structure and position, never by a substring: a
// wrapper's renderer starts with the wrapper's name and has the device's in
// brackets; a device's starts with the vendor or family. EGL's driver name
// takes precedence (Mesa). Pure.
DriverIdentity IdentifyDriver(const DriverStrings& strings);

// "llvmpipe", "Mali", "unknown".
absl::string_view NameOf(DeviceKind kind);
// "virgl", "ANGLE"; "" for kNone.
absl::string_view NameOf(Wrapper wrapper);
// "llvmpipe", "virgl on llvmpipe".
std::string FamilyName(const DriverIdentity& identity);

// The driver's limits. The defaults are the minima of OpenGL ES 3.1.
struct DeviceLimits {
  int max_texture_size = 2048;  // texels of a texture's width or height
  int max_texture_layers = 256;
  int64_t max_buffer_bytes = int64_t{1} << 27;  // of a shader storage block
  int max_texel_buffer_texels = 0;              // 0: no GL_EXT_texture_buffer
  int max_images = 4;     // image uniforms of a compute shader
  int max_buffers = 4;    // shader storage blocks of a compute shader
  int max_textures = 16;  // samplers of a compute shader
  // Images and shader storage blocks of a compute shader together (OpenGL ES
  // 3.1, section 7.6).
  int max_outputs = 4;
  int max_work_group_invocations = 128;
  std::array<int, 3> max_work_group_size = {128, 128, 64};
  std::array<int, 3> max_work_group_count = {65535, 65535, 65535};
  int max_uniform_block_bytes = 16384;
  int max_shared_memory_bytes = 16384;
};

// The driver (DriverIdentity) and its limits, queried at run time.
struct DeviceInfo : DriverIdentity, DeviceLimits {
  std::string vendor;
  std::string renderer;
  std::string version;                   // GL_VERSION, whole
  std::string shading_language_version;  // whole
  int major = 0;
  int minor = 0;

  int max_image_units = 4;
  int uniform_offset_alignment = 256;
  int program_binary_formats = 0;
  std::set<std::string, std::less<>> extensions;

  bool Has(absl::string_view extension) const {
    return extensions.find(extension) != extensions.end();
  }
};

// Queries the current context. kFailedPrecondition: no context is current, its
// version, which the message has, is below ES 3.1, or CheckLlvm()
// (gl_api.h).
absl::StatusOr<DeviceInfo> ReadDeviceInfo();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DEVICE_INFO_H_
