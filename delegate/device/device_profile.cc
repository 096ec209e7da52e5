#include "delegate/device/device_profile.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/device/known_names.h"
#include "egl/context.h"
#include "egl/process.h"

namespace gles_delegate {

using egl::DeviceKind;
using gl_shaders::ReadBy;
using gl_shaders::Storage;

// --- What the driver has -----------------------------------------------------

namespace {

// Those that no plan may exceed: no more than what the delegate saves of an
// app's context (egl/context.h).
DeviceLimits LimitsOf(const egl::DeviceInfo& device) {
  DeviceLimits limits = device;
  // Indices in shaders are 32-bit ints.
  limits.max_buffer_bytes = std::min<int64_t>(
      device.max_buffer_bytes, std::numeric_limits<int32_t>::max());
  limits.max_images =
      std::min({egl::kImageUnits, device.max_images, device.max_image_units});
  limits.max_buffers = std::min(egl::kStorageBuffers, device.max_buffers);
  limits.max_textures = std::min(egl::kTextureUnits, device.max_textures);
  return limits;
}

// docs/drivers.md lists the shader defects, each with a shader that shows it;
// docs/cold_start.md describes compiler threads.
DeviceFaults FaultsOf(const egl::DeviceInfo& device) {
  DeviceFaults faults;
  faults.infinite_halves_are_nan = device.kind == DeviceKind::kSwiftShader;
  // selfie_segmentation's programs were compiled up to four times.
  faults.compiles_by_sizes = device.kind == DeviceKind::kLlvmpipe &&
                             device.wrapper == egl::Wrapper::kNone;
  // By NVIDIA's own driver, or by Nouveau.
  const bool is_nvidia = device.kind == DeviceKind::kNvidia &&
                         device.wrapper == egl::Wrapper::kNone;
  const bool is_mesa = absl::StrContains(device.version, "Mesa");
  faults.unpack_half_fails = is_nvidia && is_mesa;
  faults.compiles_in_turn = is_nvidia && !is_mesa;
  return faults;
}

// --- How it is used ----------------------------------------------------------

constexpr char kTuningVariable[] = "GLES_DELEGATE_TUNING";

// The device presets. A preset sets what differs from the values in
// DeviceChoices, which are for unknown devices. The first three were measured.

DeviceChoices Llvmpipe(int simd_bits) {
  DeviceChoices p;
  // A store into a buffer costs a tenth of one into an image, a load from its
  // texels no more than one from an image, and a fifth of a texelFetch.
  p.storage = Storage::kTexelBuffer;
  p.read_by = ReadBy::kImage;
  p.constants = Storage::kTexture2d;
  // An invocation must do much, as each costs; as many run abreast as a vector
  // has floats.
  p.work_group_size = 32;
  p.conv_tile_pixels = 4;
  p.conv_tile_slices = 4;
  p.depthwise_tile_pixels = 4;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  p.simd_lanes = simd_bits > 0 ? simd_bits / 32 : 8;
  p.winograd_min_channels = 64;
  p.winograd_band_bytes = 1 << 20;
  // While one thread computes the scale, the other sleeps, which costs less
  // than a dispatch that wakes both.
  p.fused_squeeze_texels = 4096;
  p.read_through = 1;
  // Weights cost nothing as literals, and the memory is the host's own.
  p.unrolled_terms = 160;
  p.host_transfers = 1;
  return p;
}

DeviceChoices Softpipe() {
  DeviceChoices p;
  p.storage = Storage::kTexture2d;
  p.work_group_size = 16;
  p.conv_tile_slices = 2;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  return p;
}

DeviceChoices Nvidia() {  // an H200's
  DeviceChoices p;
  // texelFetch of 128-bit texels has an eighth of the throughput of buffers.
  p.storage = Storage::kBuffer;
  p.conv_tile_slices = 2;
  p.depthwise_tile_pixels = 2;
  // Sums are split until this many invocations share them
  // (conv_shared.cc).
  p.split_k_target = 48 << 10;
  p.fused_depthwise_work = 1300;
  p.fused_plane_work = 6000;  // 7x7 of 1024 and 14x14 of 512 lose by more
  p.fused_next_texels = 8192;
  p.read_through = 1;
  // One multiprocessor reads this many texels in less time than two dispatches
  // take; a classifier's 64,000 take more.
  p.fused_squeeze_texels = 56 << 10;
  p.winograd_min_channels = 64;
  p.winograd_band_bytes = 64 << 20;  // for images of a million pixels
  p.share_programs = 1;              // each takes 5 to 200 ms to compile
  p.across_bus = 1;
  p.zero_copy = 1;
  p.half_arithmetic = 1;
  return p;
}

// The presets below were chosen by compiler output, not timed: by each driver's
// own compiler (./dev drivers, docs/drivers.md), and by the sources named in
// docs/tuning.md.

DeviceChoices Amd() {
  DeviceChoices p;
  // The kernels of Google's ML Drift keep tensors in buffers there.
  p.storage = Storage::kBuffer;
  // 32 to 64 registers in place of 48 to 64: up to all 16 waves are resident.
  p.conv_tile_pixels = 2;
  p.conv_tile_slices = 2;
  p.depthwise_tile_pixels = 2;
  return p;
}

// NVIDIA's GPUs with Mesa's driver. On a Kepler, programs spill with 16-bit
// arithmetic, and in work groups for whole planes, whose many invocations get
// few registers each. Its mapped memory and its compiler have not been
// measured.
DeviceChoices Nouveau() {
  DeviceChoices p = Nvidia();
  p.zero_copy = 0;
  p.half_arithmetic = 0;
  p.fused_squeeze_texels = 0;
  p.fused_plane_work = 0;
  return p;
}

// Apple's GPUs, by Asahi.
DeviceChoices Apple() {
  DeviceChoices p;
  p.storage = Storage::kBuffer;
  // 1x1 convolutions are at full occupancy, 1024 threads. With 4 pixels 576 to
  // 896 are resident.
  p.conv_tile_pixels = 2;
  // 640 to 896 threads in place of 448 to 640; 832 to 1024 by columns.
  p.depthwise_tile_pixels = 2;
  p.depthwise_by_columns = 1;
  return p;
}

// Desktop and laptop GPUs, Gen9 to Xe-HPG.
DeviceChoices Intel() {
  DeviceChoices p;
  // Programs that read buffers take 0.45 to 0.5 of the cycles, by the
  // compiler's count, of those that read textures.
  p.storage = Storage::kBuffer;
  // 9 of 10 programs and 23 of 27 are compiled for vectors of 16 invocations;
  // with tiles of 4 pixels 5 of 10 and 16 of 27, the others for 8.
  p.conv_tile_pixels = 2;
  p.depthwise_tile_pixels = 2;
  return p;
}

DeviceChoices Adreno() {
  DeviceChoices p;
  // Textures go through the first-level cache, buffers do not (Qualcomm's
  // guide).
  p.storage = Storage::kTexture2d;
  // With 4 pixels, 3x3 windows spill registers on an Adreno 630; 5x5 windows
  // spill with any tile if their rows are unrolled.
  p.depthwise_tile_pixels = 2;
  p.depthwise_unrolled_taps = 9;
  return p;
}

DeviceChoices Mali() {
  DeviceChoices p;
  p.storage = Storage::kBuffer;
  // 2 outputs, as ML Drift for 32-bit floats on middling layers. With 4,
  // windows that are no 1x1 spill on a G52. 64 invocations a work group, the
  // default, are Arm's advised maximum.
  p.conv_tile_pixels = 2;
  p.depthwise_tile_pixels = 2;
  // With 2 pixels a residual addition in integers spills on a G52 and a G610,
  // and so do 5x5 windows with stride 2 that read whole rows first.
  p.residual_tile_pixels = 1;
  p.depthwise_by_columns = 1;
  // 8 boxes an invocation spill there, too, and 4 texels of softmax.
  p.held_boxes = 0;
  // So do 4 rows of a product. An LSTM's gates take fewer cycles in turn.
  p.few_registers = 1;
  // The memory is the host's own.
  p.host_transfers = 1;
  return p;
}

DeviceChoices MaliMidgard() {
  DeviceChoices p = Mali();
  // With larger ones windows of 3x3 spill the 16 registers of a T860, and so do
  // an LSTM and 3 rows of a product.
  p.conv_tile_pixels = 1;
  p.depthwise_tile_pixels = 1;
  p.depthwise_unrolled_taps = 3;
  // Past 64 invocations of a work group each has 8 registers.
  p.few_registers = 2;
  return p;
}

// Raspberry Pis' GPUs.
DeviceChoices V3d() {
  DeviceChoices p;
  p.storage = Storage::kTexture2d;
  // A register past 32 halves the threads of a processor.
  p.conv_tile_pixels = 2;
  // With 2 pixels a residual addition in integers spills.
  p.residual_tile_pixels = 1;
  // With 2 pixels, 3x3 windows spill on V3D 7.1, and 5x5 windows with 1 if
  // their rows are unrolled.
  p.depthwise_tile_pixels = 1;
  p.depthwise_unrolled_taps = 9;
  // With all gates at once an LSTM spills; so do 4 rows of an integer product
  // on V3D 7.1, and 8 boxes per invocation.
  p.few_registers = 1;
  p.held_boxes = 4;
  // A vector's lanes.
  p.work_group_size = 16;
  p.reduction_lanes = 16;
  // The memory is the host's own. This is for tensors that the user puts into
  // buffers.
  p.host_transfers = 1;
  return p;
}

// Chosen from documentation, neither timed nor compiled: no compiler of it that
// takes OpenGL ES 3.1 was at hand.
DeviceChoices PowerVr() {
  DeviceChoices p;
  // The kernels of Google's ML Drift keep tensors in textures there.
  p.storage = Storage::kTexture2d;
  // A task is 32 invocations of one work group (Imagination's guide).
  p.work_group_size = 32;
  // ML Drift's tile for 32-bit floats on layers of many channels.
  p.conv_tile_pixels = 1;
  p.conv_tile_slices = 4;
  // The memory is the host's own. This is for tensors that the user puts into
  // buffers.
  p.host_transfers = 1;
  return p;
}

// A wrapper (virgl, zink, ANGLE, ...) adds another compiler and another path to
// memory, so measurements on the device itself do not apply. This preset
// therefore uses nothing optional: no literal weights (virgl sends a shader's
// text in pieces, and its compiler miscomputed them), no fusions, no Winograd,
// no mapped tensors. Only the work per invocation depends on the underlying
// device.
DeviceChoices Wrapped(const egl::DeviceInfo& device) {
  DeviceChoices p;
  if (!device.software) return p;
  p.work_group_size = 32;
  p.conv_tile_slices = 4;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  return p;
}

DeviceChoices RowFor(const egl::DeviceInfo& device) {
  if (device.wrapper != egl::Wrapper::kNone) return Wrapped(device);
  switch (device.kind) {
    case DeviceKind::kLlvmpipe:
      return Llvmpipe(device.simd_bits);
    case DeviceKind::kSoftpipe:
      return Softpipe();
    case DeviceKind::kNvidia:
      return FaultsOf(device).unpack_half_fails ? Nouveau() : Nvidia();
    case DeviceKind::kAmd:
      return Amd();
    case DeviceKind::kApple:
      return Apple();
    case DeviceKind::kIntel:
      return Intel();
    case DeviceKind::kAdreno:
      return Adreno();
    case DeviceKind::kMali:
      return absl::StrContains(device.renderer, "Mali-T") ? MaliMidgard()
                                                          : Mali();
    case DeviceKind::kV3d:
      return V3d();
    case DeviceKind::kPowerVr:
      return PowerVr();
    default:
      return DeviceChoices();
  }
}

// How inputs and outputs cross the bus by these choices.
BusTransfers BusTransfersOf(const DeviceChoices& choices) {
  BusTransfers bus;
  if (choices.across_bus == 0) return bus;
  // Chosen on an H200.
  bus.upload_piece_bytes = 256 << 10;
  bus.readback_piece_bytes = 3 << 19;
  bus.staged_upload_bytes = 1 << 20;
  bus.early_dispatches = 2;
  // A score for each of 1001 classes; a detector's boxes. Timed, it is 0.89 to
  // 1.08 of the time without, and a dispatch less.
  bus.host_output_bytes = 4 << 10;
  bus.half_transfers = true;
  return bus;
}

}  // namespace

int ReductionThreads(const DeviceChoices& choices) {
  if (SharesAll(choices)) return 32;
  return choices.few_registers > 1 ? 64 : 256;
}

std::optional<Storage> StorageOption(int option) {
  // Those count from 1, in the same order.
  constexpr auto kLast = static_cast<int>(Storage::kBuffer);
  if (option < 1 || option > kLast + 1) return std::nullopt;
  return static_cast<Storage>(option - 1);
}

absl::Status CheckTuningVariable() {
  DeviceChoices any;
  absl::Status applied =
      ApplyTuning(egl::EnvironmentValue(kTuningVariable), &any);
  if (applied.ok()) return applied;
  return Invalid("environment variable ", kTuningVariable, ": ",
                 applied.message());
}

DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const PlanningOptions& options) {
  DeviceProfile profile = {LimitsOf(device), RowFor(device), options,
                           FaultsOf(device)};
  DeviceChoices* choices = &profile.choices;
  choices->storage = options.storage.value_or(choices->storage);
  Startup* startup = &profile.options.startup;
  if (choices->share_programs == 0 && *startup != Startup::kTiered) {
    *startup = Startup::kDirect;
  }
  if (*startup == Startup::kAuto) *startup = Startup::kTiered;
  if (*startup == Startup::kBaseline) *choices = BaselineChoices(*choices);
  if (options.zero_copy) choices->zero_copy = *options.zero_copy ? 1 : 0;
  (void)ApplyTuning(options.tuning, choices);
  (void)ApplyTuning(egl::EnvironmentValue(kTuningVariable), choices);
  profile.bus = BusTransfersOf(*choices);
  return profile;
}

// --- Tuning parameters -------------------------------------------------------

int TuningParameter::Get(const DeviceChoices& choices) const {
  return std::visit([&choices](auto m) { return static_cast<int>(choices.*m); },
                    member);
}

void TuningParameter::Set(int value, DeviceChoices* choices) const {
  std::visit(
      [&](auto m) {
        using Value = std::decay_t<decltype(choices->*m)>;
        choices->*m = static_cast<Value>(value);
      },
      member);
}

const std::vector<TuningParameter>& TuningParameters() {
  constexpr int kAny = 1 << 30;  // A limit of what texts may say, no more.
  static const auto* const kParameters = new std::vector<TuningParameter>{
#define TUNING(type, name, value, least, most, baseline, meaning, ...) \
  {#name, &DeviceChoices::name, least, most, {__VA_ARGS__}},
#include "delegate/device/tuning.inc"
  };
  return *kParameters;
}

DeviceChoices BaselineChoices(DeviceChoices choices) {
  constexpr int kKept = -1;
#define TUNING(type, name, value, least, most, baseline, ...) \
  if (baseline != kKept)                                      \
    choices.name = static_cast<decltype(choices.name)>(baseline);
#include "delegate/device/tuning.inc"
  return choices;
}

std::string TuningText(const DeviceChoices& choices) {
  return absl::StrJoin(
      TuningParameters(), ",",
      [&choices](std::string* out, const TuningParameter& parameter) {
        absl::StrAppend(out, parameter.name, "=", parameter.Get(choices));
      });
}

absl::Status ApplyTuning(absl::string_view text, DeviceChoices* choices) {
  constexpr char kSeparator[] = " (several are separated by commas)";
  const std::vector<TuningParameter>& parameters = TuningParameters();
  DeviceChoices set = *choices;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(pair.first);
    if (!absl::StrContains(part, '=')) {
      return Invalid("'", part, "' is not of the form name=value", kSeparator);
    }
    const auto parameter = absl::c_find_if(
        parameters, [name](const auto& p) { return p.name == name; });
    if (parameter == parameters.end()) {
      std::vector<absl::string_view> known;
      for (const TuningParameter& p : parameters) known.push_back(p.name);
      return Invalid("unknown tuning parameter '", name, "'",
                     KnownNames(name, known));
    }
    int value = 0;
    if (!absl::SimpleAtoi(pair.second, &value)) {
      return Invalid("tuning parameter ", name, ": '", pair.second,
                     "' is not an integer", kSeparator);
    }
    if (value < parameter->min || value > parameter->max) {
      return Invalid("tuning parameter ", name, ": ", value, " is not ",
                     parameter->min, " to ", parameter->max);
    }
    parameter->Set(value, &set);
  }
  *choices = set;
  return absl::OkStatus();
}

}  // namespace gles_delegate
