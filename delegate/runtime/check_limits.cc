#include "delegate/runtime/check_limits.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "egl/gl_state.h"

namespace gles_delegate {
namespace {

struct Limit {
  absl::string_view what;
  int64_t value;
  int64_t max;
};

// The dispatch's bindings and sizes with their limits.
std::vector<Limit> LimitsOf(const Dispatch& d,
                            const gl_shaders::Bindings& bindings,
                            int64_t params_bytes,
                            const egl::DeviceInfo& device) {
  std::vector<Limit> limits = {
      {"textures bound", bindings.samplers,
       std::min(egl::kTextureUnits, device.max_compute_textures)},
      {"images bound", bindings.images,
       std::min({egl::kImageUnits, device.max_compute_images,
                 device.max_image_units})},
      {"storage buffers bound", bindings.buffers,
       std::min(egl::kStorageBuffers, device.max_compute_ssbos)},
      {"images and storage buffers together",
       bindings.images + bindings.buffers, device.max_combined_shader_outputs},
      {"bytes of parameters", params_bytes, device.max_uniform_block_bytes},
      {"bytes of shared memory", d.shared_bytes,
       device.max_shared_memory_bytes},
  };
  int64_t invocations = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t group = std::max(1, d.work_group[axis]);
    invocations *= group;
    limits.push_back({"invocations of a work group on one axis", group,
                      device.max_work_group_size[axis]});
    limits.push_back({"work groups on one axis",
                      (d.grid[axis] + group - 1) / group,
                      device.max_work_group_count[axis]});
  }
  limits.push_back({"invocations of a work group", invocations,
                    device.max_work_group_invocations});
  return limits;
}

// Whether the shader's text declares shared memory that the dispatch, by its
// #defines, takes.
bool TakesSharedMemory(const Dispatch& d) {
  const auto text = gl_shaders::ShaderFile(absl::StrCat(d.shader, ".comp"));
  const bool declares =
      text.ok() && text->find("\nshared ") != absl::string_view::npos;
  const bool is_alone = std::all_of(d.work_group.begin(), d.work_group.end(),
                                    [](int extent) { return extent <= 1; });
  return declares && !is_alone &&
         std::any_of(
             d.defines.begin(), d.defines.end(), [](const auto& define) {
               return (define.first == "THREADS" || define.first == "LANES") &&
                      define.second != "1";
             });
}

}  // namespace

absl::Status CheckDeviceLimits(const Dispatch& d,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device) {
  const auto violation = [&d](const auto&... words) {
    return absl::InternalError(absl::StrCat("validation: ", d.label, " (",
                                            d.shader, ".comp)", words...));
  };
  for (const Limit& limit : LimitsOf(d, bindings, params_bytes, device)) {
    if (limit.value <= limit.max) continue;
    return violation(
        ": ", limit.what, ": ", limit.value, "; rule: at most ", limit.max,
        " (the device's limit, or what is saved of an app's context)");
  }
  const int align = std::max(1, device.uniform_offset_alignment);
  if (params_offset % align != 0) {
    return violation(": parameters at byte ", params_offset,
                     "; rule: a multiple of ", align);
  }
  if (d.shared_bytes == 0 && TakesSharedMemory(d)) {
    return violation(
        " takes shared memory; rule: Dispatch::SharedMemory says how much");
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
