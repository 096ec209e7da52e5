#include "egl/device_info.h"

#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// --- Who made the driver -----------------------------------------------------

namespace {

using absl::string_view;

// True if `text` begins with the words of `lead`, ignoring case: "llvmpipe
// (LLVM 15)" has the lead "llvmpipe", "llvmpipe2" does not. A final '#' in a
// lead matches a digit: "FD#" matches "FD618".
bool HasLead(string_view text, string_view lead) {
  const bool digit = absl::ConsumeSuffix(&lead, "#");
  if (!absl::StartsWithIgnoreCase(text, lead)) return false;
  text.remove_prefix(lead.size());
  if (digit) return !text.empty() && absl::ascii_isdigit(text[0]);
  return text.empty() || !absl::ascii_isalnum(text[0]);
}

template <typename Named>
struct Lead {
  string_view lead;
  Named named;
};
using KindLead = Lead<DeviceKind>;
using WrapperLead = Lead<Wrapper>;

// The name of the first lead of `text`; the default: it has none of them.
template <typename Named>
Named Find(absl::Span<const Lead<Named>> leads, string_view text) {
  for (const Lead<Named>& l : leads) {
    if (HasLead(text, l.lead)) return l.named;
  }
  return Named();
}

// How the names of devices begin.
constexpr KindLead kRendererLeads[] = {
    {"llvmpipe", DeviceKind::kLlvmpipe},
    {"softpipe", DeviceKind::kSoftpipe},
    {"SwiftShader", DeviceKind::kSwiftShader},
    {"Google SwiftShader", DeviceKind::kSwiftShader},
    {"Software Rasterizer", DeviceKind::kOtherSoftware},
    {"swrast", DeviceKind::kOtherSoftware},
    {"SWR", DeviceKind::kOtherSoftware},
    {"Microsoft Basic Render Driver", DeviceKind::kOtherSoftware},
    {"NVIDIA", DeviceKind::kNvidia},
    {"GeForce", DeviceKind::kNvidia},
    {"Quadro", DeviceKind::kNvidia},
    {"Tesla", DeviceKind::kNvidia},
    {"Tegra", DeviceKind::kNvidia},
    {"NVK", DeviceKind::kNvidia},
    {"NV#", DeviceKind::kNvidia},  // Nouveau's chips, "NV166"
    {"NVA#", DeviceKind::kNvidia},
    {"NVC#", DeviceKind::kNvidia},
    {"NVD#", DeviceKind::kNvidia},
    {"NVE#", DeviceKind::kNvidia},
    {"NVF#", DeviceKind::kNvidia},
    {"Mali", DeviceKind::kMali},
    {"Mali#", DeviceKind::kMali},  // Lima's "Mali450"
    {"Immortalis", DeviceKind::kMali},
    {"Panfrost", DeviceKind::kMali},
    {"Adreno", DeviceKind::kAdreno},
    {"Qualcomm", DeviceKind::kAdreno},
    {"Turnip", DeviceKind::kAdreno},
    {"FD#", DeviceKind::kAdreno},  // Freedreno's "FD618"
    {"V3D", DeviceKind::kV3d},
    {"VC4", DeviceKind::kV3d},
    {"VideoCore", DeviceKind::kV3d},
    {"PowerVR", DeviceKind::kPowerVr},
    {"Apple", DeviceKind::kApple},
    {"Vivante", DeviceKind::kVivante},
    {"Intel", DeviceKind::kIntel},
    {"Mesa Intel", DeviceKind::kIntel},
    {"Mesa DRI Intel", DeviceKind::kIntel},
    {"AMD", DeviceKind::kAmd},
    {"ATI", DeviceKind::kAmd},
    {"Radeon", DeviceKind::kAmd},
    {"Samsung Xclipse", DeviceKind::kAmd},
    {"Xclipse", DeviceKind::kAmd},
};

// How the names of makers begin, for a renderer's name that tells nothing.
constexpr KindLead kVendorLeads[] = {
    {"NVIDIA", DeviceKind::kNvidia},
    {"nouveau", DeviceKind::kNvidia},
    {"ARM", DeviceKind::kMali},
    {"Panfrost", DeviceKind::kMali},
    {"lima", DeviceKind::kMali},
    {"Qualcomm", DeviceKind::kAdreno},
    {"freedreno", DeviceKind::kAdreno},
    {"Broadcom", DeviceKind::kV3d},
    {"Imagination", DeviceKind::kPowerVr},
    {"Apple", DeviceKind::kApple},
    {"Vivante", DeviceKind::kVivante},
    {"etnaviv", DeviceKind::kVivante},
    {"Intel", DeviceKind::kIntel},
    {"AMD", DeviceKind::kAmd},
    {"Advanced Micro Devices", DeviceKind::kAmd},
    {"ATI", DeviceKind::kAmd},
    {"Samsung", DeviceKind::kAmd},
};

// Mesa's driver names. Those not listed (swrast, or a display's name such as
// "rockchip") do not identify the device.
constexpr KindLead kEglDrivers[] = {
    {"nouveau", DeviceKind::kNvidia},  {"tegra", DeviceKind::kNvidia},
    {"iris", DeviceKind::kIntel},      {"crocus", DeviceKind::kIntel},
    {"i915", DeviceKind::kIntel},      {"i965", DeviceKind::kIntel},
    {"radeonsi", DeviceKind::kAmd},    {"r600", DeviceKind::kAmd},
    {"asahi", DeviceKind::kApple},     {"v3d", DeviceKind::kV3d},
    {"vc4", DeviceKind::kV3d},         {"panfrost", DeviceKind::kMali},
    {"panthor", DeviceKind::kMali},    {"lima", DeviceKind::kMali},
    {"msm", DeviceKind::kAdreno},      {"kgsl", DeviceKind::kAdreno},
    {"powervr", DeviceKind::kPowerVr}, {"pvr", DeviceKind::kPowerVr},
    {"etnaviv", DeviceKind::kVivante},
};

constexpr WrapperLead kWrapperLeads[] = {
    {"virgl", Wrapper::kVirgl},
    {"zink", Wrapper::kZink},
    {"ANGLE", Wrapper::kAngle},
    {"D3D12", Wrapper::kD3d12},
    {"SVGA3D", Wrapper::kSvga},
    {"Android Emulator OpenGL ES Translator", Wrapper::kEmulator},
};

// "virtio_gpu" is not here: it may hand on to the device's own driver.
constexpr WrapperLead kEglWrappers[] = {
    {"zink", Wrapper::kZink},
    {"d3d12", Wrapper::kD3d12},
    {"vmwgfx", Wrapper::kSvga},
    {"virpipe", Wrapper::kVirgl},
};

// The text between the first bracket of `text` and its closing one, or the end:
// "b (c)" of "a (b (c)) d". "" without a bracket.
string_view InBrackets(string_view text) {
  const size_t open = text.find('(');
  if (open == string_view::npos) return "";
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) {
      return text.substr(open + 1, i - open - 1);
    }
  }
  return text.substr(open + 1);
}

// The second of the comma-separated parts outside brackets, or the first if
// there is only one. "Mesa, Vulkan 1.3 (llvmpipe (a, b)), c" -> "Vulkan 1.3
// ...".
string_view SecondPart(string_view text) {
  int depth = 0;
  size_t begin = 0;
  int part = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    if (++part == 2) return text.substr(begin, i - begin);
    begin = i + 1;
  }
  return text.substr(begin);
}

// The device in ANGLE's name: "ANGLE (maker, device, driver)", with "Vulkan
// 1.3.230 (device (id))" for Vulkan and "ANGLE Metal Renderer: device" for
// Metal; older versions: "ANGLE (device) on Vulkan 1.1".
string_view AngleDevice(string_view renderer) {
  string_view device =
      absl::StripLeadingAsciiWhitespace(SecondPart(InBrackets(renderer)));
  if (HasLead(device, "Vulkan")) device = InBrackets(device);
  absl::ConsumePrefix(&device, "ANGLE Metal Renderer: ");
  return device;
}

// "256 bits" -> 256, anywhere in llvmpipe's name.
int SimdBits(string_view device) {
  const size_t end = device.find(" bits");
  if (end == string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && absl::ascii_isdigit(device[begin - 1])) --begin;
  int bits = 0;
  return absl::SimpleAtoi(device.substr(begin, end - begin), &bits) ? bits : 0;
}

bool IsSoftware(DeviceKind kind) {
  return kind == DeviceKind::kLlvmpipe || kind == DeviceKind::kSoftpipe ||
         kind == DeviceKind::kSwiftShader || kind == DeviceKind::kOtherSoftware;
}

// The names of `renderer`, layer by layer, down to the device.
void LookThrough(string_view renderer, string_view vendor, int depth,
                 DriverIdentity* identity) {
  const Wrapper wrapper = Find<Wrapper>(kWrapperLeads, renderer);
  if (wrapper != Wrapper::kNone && depth < 4) {
    // A wrapper around a wrapper is known by the outer one.
    if (depth == 0) identity->wrapper = wrapper;
    const string_view device = wrapper == Wrapper::kAngle
                                   ? AngleDevice(renderer)
                                   : InBrackets(renderer);
    // "Google Inc. (ARM)", "Google (NVIDIA Corporation)".
    LookThrough(device, InBrackets(vendor), depth + 1, identity);
    return;
  }
  identity->kind = Find<DeviceKind>(kRendererLeads, renderer);
  if (identity->kind == DeviceKind::kUnknown) {
    identity->kind = Find<DeviceKind>(kVendorLeads, vendor);
  }
  if (identity->kind == DeviceKind::kLlvmpipe) {
    identity->simd_bits = SimdBits(renderer);
  }
}

// ASCII: it goes into messages and JSON.
std::string GetString(GLenum name) {
  std::string text;
  const GLubyte* byte = gl().GetString(name);
  for (; byte != nullptr && *byte != 0; ++byte) {
    text += *byte < 0x80 ? static_cast<char>(*byte) : '?';
  }
  return text;
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
  info->max_texture_size = GetInteger(GL_MAX_TEXTURE_SIZE);
  info->max_texture_layers = GetInteger(GL_MAX_ARRAY_TEXTURE_LAYERS);
  info->max_work_group_invocations =
      GetInteger(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
  info->max_work_group_size = GetInt3(GL_MAX_COMPUTE_WORK_GROUP_SIZE);
  info->max_work_group_count = GetInt3(GL_MAX_COMPUTE_WORK_GROUP_COUNT);
  info->max_shared_memory_bytes = GetInteger(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
  info->max_buffers = GetInteger(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
  info->max_images = GetInteger(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
  info->max_image_units = GetInteger(GL_MAX_IMAGE_UNITS);
  info->max_textures = GetInteger(GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS);
  info->max_outputs = GetInteger(GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES);
  GLint64 buffer_bytes = 0;
  gl().GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &buffer_bytes);
  info->max_buffer_bytes = buffer_bytes;
  info->max_uniform_block_bytes = GetInteger(GL_MAX_UNIFORM_BLOCK_SIZE);
  info->uniform_offset_alignment =
      GetInteger(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT);
  info->program_binary_formats = GetInteger(GL_NUM_PROGRAM_BINARY_FORMATS);
}

void ReadExtensions(DeviceInfo* info) {
  const int count = GetInteger(GL_NUM_EXTENSIONS);
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

DriverIdentity IdentifyDriver(const DriverStrings& strings) {
  DriverIdentity identity;
  LookThrough(strings.renderer, strings.vendor, 0, &identity);
  if (identity.wrapper == Wrapper::kNone) {
    identity.wrapper = Find<Wrapper>(kEglWrappers, strings.egl_driver);
    // Whatever such a renderer's name begins with is the inner device's.
    const DeviceKind kind = Find<DeviceKind>(kEglDrivers, strings.egl_driver);
    if (kind != DeviceKind::kUnknown) identity.kind = kind;
  }
  // All of ANGLE says so in GL_VERSION: "OpenGL ES 3.1 (ANGLE 2.1.27278 ...)".
  if (identity.wrapper == Wrapper::kNone &&
      HasLead(InBrackets(strings.version), "ANGLE")) {
    identity.wrapper = Wrapper::kAngle;
  }
  identity.software = IsSoftware(identity.kind);
  return identity;
}

string_view NameOf(DeviceKind kind) {
  constexpr string_view kNames[] = {
      "unknown", "llvmpipe", "softpipe", "SwiftShader", "software",
      "NVIDIA",  "Intel",    "AMD",      "Apple",       "V3D",
      "Mali",    "Adreno",   "PowerVR",  "Vivante"};
  static_assert(std::size(kNames) ==
                static_cast<size_t>(DeviceKind::kVivante) + 1);
  return kNames[static_cast<size_t>(kind)];
}

string_view NameOf(Wrapper wrapper) {
  constexpr string_view kNames[] = {
      "", "virgl", "zink", "ANGLE", "D3D12", "SVGA3D", "Android emulator"};
  static_assert(std::size(kNames) ==
                static_cast<size_t>(Wrapper::kEmulator) + 1);
  return kNames[static_cast<size_t>(wrapper)];
}

std::string FamilyName(const DriverIdentity& identity) {
  if (identity.wrapper == Wrapper::kNone) {
    return std::string(NameOf(identity.kind));
  }
  return absl::StrCat(NameOf(identity.wrapper), " on ", NameOf(identity.kind));
}

absl::StatusOr<DeviceInfo> ReadDeviceInfo() {
  RETURN_IF_ERROR(LoadGl());
  if (egl().GetCurrentContext() == EGL_NO_CONTEXT) {
    return FailedPrecondition("no EGLContext is current on this thread");
  }
  DeviceInfo info;
  info.vendor = GetString(GL_VENDOR);
  info.renderer = GetString(GL_RENDERER);
  info.version = GetString(GL_VERSION);
  if (!ParseVersion(info.version, &info.major, &info.minor) ||
      info.major * 10 + info.minor < 31) {
    return FailedPrecondition(
        "the context is \"", info.version, "\" on \"", info.renderer,
        "\"; OpenGL ES 3.1 or later is needed (compute shaders)");
  }
  RETURN_IF_ERROR(CheckLlvm(info.renderer));
  info.shading_language_version = GetString(GL_SHADING_LANGUAGE_VERSION);
  static_cast<DriverIdentity&>(info) = IdentifyDriver(
      {EglDriverName(), info.vendor, info.renderer, info.version});
  ReadLimits(&info);
  ReadExtensions(&info);
  if (info.Has("GL_EXT_texture_buffer")) {
    info.max_texel_buffer_texels = GetInteger(GL_MAX_TEXTURE_BUFFER_SIZE_EXT);
  }
  return info;
}

}  // namespace gles_delegate::egl
