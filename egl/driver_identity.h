// Which driver a context has, from what the driver says of itself.
#ifndef GLES_DELEGATE_EGL_DRIVER_IDENTITY_H_
#define GLES_DELEGATE_EGL_DRIVER_IDENTITY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// The families of devices and of software renderers that compute in the end.
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

// What stands between OpenGL ES and the device's own driver. A wrapper has its
// own shader compiler and its own defects, so it is a driver of its own: what
// was measured on the device without it does not hold.
enum class Wrapper {
  kNone,
  kVirgl,     // a virtual machine's: commands are sent to the host's driver
  kZink,      // Mesa's OpenGL on Vulkan
  kAngle,     // Google's OpenGL ES on Vulkan, OpenGL, Metal or Direct3D
  kD3d12,     // Mesa's OpenGL on Direct3D 12 (WSL)
  kSvga,      // VMware's
  kEmulator,  // the Android emulator's translator
};

// What is known of a driver, as it says it itself. Empty: it does not say.
struct DriverStrings {
  // eglGetDisplayDriverName (EGL_MESA_query_driver): "iris", "swrast", "msm".
  std::string egl_driver;
  std::string vendor;    // GL_VENDOR
  std::string renderer;  // GL_RENDERER
  std::string version;   // GL_VERSION
};

struct DriverIdentity {
  // What computes in the end, as far as the wrapper tells.
  DeviceKind kind = DeviceKind::kUnknown;
  Wrapper wrapper = Wrapper::kNone;
  // A processor computes, whatever stands between.
  bool software = false;
  // The width of its vectors where it says that ("256 bits"), else 0.
  int simd_bits = 0;
};

// By the form of the names, never by a part of a name that may stand anywhere:
// a wrapper's renderer begins with the wrapper's own name and holds the
// device's in brackets; a device's begins with the maker's or the family's.
// EGL's name of the driver comes first where Mesa has it. Pure.
DriverIdentity IdentifyDriver(const DriverStrings& strings);

// "llvmpipe", "Mali", "unknown".
absl::string_view NameOf(DeviceKind kind);
// "virgl", "ANGLE"; "" for kNone.
absl::string_view NameOf(Wrapper wrapper);
// "llvmpipe", "virgl on llvmpipe".
std::string FamilyName(const DriverIdentity& identity);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DRIVER_IDENTITY_H_
