// labels: unit
#include "delegate/device/device_profile.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using gl_shaders::Storage;
using ::testing::IsSupersetOf;

egl::DeviceInfo DeviceOf(const char* vendor, const char* renderer) {
  egl::DeviceInfo device;
  device.vendor = vendor;
  device.renderer = renderer;
  static_cast<egl::DriverIdentity&>(device) =
      egl::IdentifyDriver({"", vendor, renderer, "OpenGL ES 3.2 Mesa"});
  return device;
}

TEST(DeviceProfileTest, LlvmpipesLanesAreItsVectors) {
  EXPECT_EQ(ProfileFor(DeviceOf("Mesa", "llvmpipe (LLVM 15.0.6, 256 bits)"), {})
                .choices.simd_lanes,
            8);
  EXPECT_EQ(ProfileFor(DeviceOf("Mesa", "llvmpipe (LLVM 22.1.0, 128 bits)"), {})
                .choices.simd_lanes,
            4);
  EXPECT_EQ(ProfileFor(DeviceOf("Mesa", "llvmpipe (LLVM 22.1.0, 512 bits)"), {})
                .choices.simd_lanes,
            16);
  EXPECT_EQ(ProfileFor(DeviceOf("Mesa", "llvmpipe"), {}).choices.simd_lanes, 8);
}

// Measurements on llvmpipe or on NVIDIA's driver hold for those alone.
TEST(DeviceProfileTest, AWrapperAsksForNothingSpecial) {
  for (const char* renderer :
       {"virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))",
        "zink (llvmpipe (LLVM 15.0.6, 256 bits))",
        ("ANGLE (Mesa, Vulkan 1.3.230 (llvmpipe (LLVM 15.0.6 256 bits) "
         "(0x00000000)), llvmpipe-0.0.1)"),
        "virgl (NVIDIA GeForce RTX 3060/PCIe/SSE2)",
        "D3D12 (NVIDIA GeForce RTX 3080)"}) {
    SCOPED_TRACE(renderer);
    const DeviceProfile p = ProfileFor(DeviceOf("Mesa", renderer), {});
    EXPECT_EQ(p.choices.unrolled_terms, 0);
    EXPECT_FALSE(p.faults.compiles_by_sizes);
    EXPECT_EQ(p.choices.host_transfers, 0);
    EXPECT_EQ(p.choices.winograd_min_channels, 0);
    EXPECT_EQ(p.choices.read_through, 0);
    EXPECT_EQ(p.choices.fused_depthwise_work, 0);
    EXPECT_EQ(p.choices.fused_squeeze_texels, 0);
    EXPECT_EQ(p.choices.fused_plane_work, 0);
    EXPECT_EQ(p.choices.fused_next_texels, 0);
    EXPECT_EQ(p.bus.staged_upload_bytes, 0);
    EXPECT_NE(p.choices.storage, Storage::kTexelBuffer);
    EXPECT_EQ(p.choices.read_by, gl_shaders::ReadBy::kFetch);
  }
}

TEST(DeviceProfileTest, MeasuredDriversHaveTheirRows) {
  const DeviceChoices llvmpipe =
      ProfileFor(DeviceOf("Mesa", "llvmpipe (LLVM 15.0.6, 256 bits)"), {})
          .choices;
  EXPECT_EQ(llvmpipe.storage, Storage::kTexelBuffer);
  EXPECT_EQ(llvmpipe.fused_squeeze_texels, 4096);
  EXPECT_EQ(llvmpipe.read_through, 1);
  EXPECT_EQ(ProfileFor(DeviceOf("Mesa", "softpipe"), {}).choices.storage,
            Storage::kTexture2d);
  const DeviceProfile nvidia =
      ProfileFor(DeviceOf("NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2"), {});
  EXPECT_EQ(nvidia.choices.storage, Storage::kBuffer);
  EXPECT_GT(nvidia.bus.staged_upload_bytes, 0);
}

// Rows that were chosen from compilers: docs/tuning.md has the reasons.
TEST(DeviceProfileTest, FamiliesWithoutAMeasurementHaveRowsOfTheirOwn) {
  const DeviceChoices amd =
      ProfileFor(DeviceOf("AMD", "AMD Radeon RX 6800 (radeonsi, navi21)"), {})
          .choices;
  EXPECT_EQ(amd.storage, Storage::kBuffer);
  EXPECT_EQ(amd.conv_tile_pixels * amd.conv_tile_slices, 4);
  EXPECT_EQ(amd.host_transfers, 0);  // A card's memory is across a bus.
  const DeviceChoices apple =
      ProfileFor(DeviceOf("Mesa", "Apple M1 (G13G A0)"), {}).choices;
  EXPECT_EQ(apple.storage, Storage::kBuffer);
  EXPECT_EQ(apple.conv_tile_pixels, 2);
  EXPECT_EQ(apple.depthwise_by_columns, 1);
  const DeviceChoices intel =
      ProfileFor(DeviceOf("Intel", "Mesa Intel(R) HD Graphics 530 (SKL GT2)"),
                 {})
          .choices;
  EXPECT_EQ(intel.storage, Storage::kBuffer);
  EXPECT_EQ(intel.conv_tile_pixels * intel.conv_tile_slices, 2);
  EXPECT_EQ(intel.depthwise_tile_pixels, 2);
  EXPECT_EQ(intel.host_transfers, 0);  // An Arc's memory is across a bus.
  const DeviceChoices adreno =
      ProfileFor(DeviceOf("freedreno", "FD630"), {}).choices;
  EXPECT_EQ(adreno.storage, Storage::kTexture2d);
  EXPECT_EQ(adreno.depthwise_tile_pixels, 2);
  EXPECT_EQ(adreno.depthwise_unrolled_taps, 9);
}

// A row that was chosen from documentation; and a family whose documentation
// says too little for a row, which keeps what every driver can do.
TEST(DeviceProfileTest, PowerVrHasARowAndVivanteHasNone) {
  const DeviceChoices powervr =
      ProfileFor(DeviceOf("Imagination Technologies", "PowerVR BXM-4-64"), {})
          .choices;
  EXPECT_EQ(powervr.storage, Storage::kTexture2d);
  EXPECT_EQ(powervr.work_group_size, 32);
  EXPECT_EQ(powervr.conv_tile_pixels * powervr.conv_tile_slices, 4);
  const DeviceChoices vivante =
      ProfileFor(DeviceOf("etnaviv", "Vivante GC7000 rev 6214"), {}).choices;
  EXPECT_EQ(vivante.storage, DeviceChoices().storage);
  EXPECT_EQ(vivante.work_group_size, DeviceChoices().work_group_size);
}

// Their memory is the host's: nothing is staged or moved in pieces.
TEST(DeviceProfileTest, BoardsPackTensorsOnTheHost) {
  for (const char* renderer :
       {"Mali-G52 r1 (Panfrost)", "V3D 7.1.7.0", "PowerVR BXM-4-64"}) {
    SCOPED_TRACE(renderer);
    const DeviceChoices p = ProfileFor(DeviceOf("Mesa", renderer), {}).choices;
    EXPECT_EQ(p.host_transfers, 1);
    EXPECT_EQ(p.across_bus, 0);
    EXPECT_LE(p.work_group_size, 64);
  }
}

// With larger tiles Mesa's compilers spill registers (docs/tuning.md).
TEST(DeviceProfileTest, TilesOfBoardsSpillNoRegisters) {
  const auto parameters_of = [](const char* renderer) {
    const auto profile = ProfileFor(DeviceOf("Mesa", renderer), {});
    return std::vector<std::string>(
        absl::StrSplit(TuningText(profile.choices), ','));
  };
  EXPECT_THAT(parameters_of("V3D 7.1.7.0"),
              IsSupersetOf({"depthwise_tile_pixels=1",
                            "depthwise_unrolled_taps=9", "few_registers=1",
                            "held_boxes=4", "residual_tile_pixels=1"}));
  EXPECT_THAT(
      parameters_of("Mali-G52 r1 (Panfrost)"),
      IsSupersetOf({"conv_tile_pixels=2", "conv_tile_slices=1",
                    "few_registers=1", "held_boxes=0", "residual_tile_pixels=1",
                    "depthwise_by_columns=1"}));
  EXPECT_THAT(parameters_of("Mali-T860 MC4 (Panfrost)"),
              IsSupersetOf({"conv_tile_pixels=1", "conv_tile_slices=1",
                            "depthwise_tile_pixels=1",
                            "depthwise_unrolled_taps=3", "few_registers=2"}));
}

// Bugs that shaders work around (docs/drivers.md), each of one driver only.
TEST(DeviceProfileTest, SwiftShaderMakesNansOfInfinities) {
  const auto faults = [](const char* renderer) {
    return ProfileFor(DeviceOf("Google Inc.", renderer), {}).faults;
  };
  EXPECT_TRUE(
      faults("ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) "
             "(0x0000C0DE)), SwiftShader driver-5.0.0)")
          .infinite_halves_are_nan);
  EXPECT_FALSE(faults("ANGLE (Mesa, Vulkan 1.3.230 (llvmpipe (LLVM 15.0.6 256 "
                      "bits) (0x00000000)), llvmpipe-0.0.1)")
                   .infinite_halves_are_nan);
  EXPECT_FALSE(
      faults("llvmpipe (LLVM 15.0.6, 256 bits)").infinite_halves_are_nan);
}

DeviceProfile ProfileOf(egl::DeviceKind kind, egl::Wrapper wrapper,
                        const char* version) {
  egl::DeviceInfo device;
  device.kind = kind;
  device.wrapper = wrapper;
  device.version = version;
  return ProfileFor(device, {});
}

TEST(DeviceProfileTest, NvidiasOwnDriverCompilesInTurn) {
  const auto in_turn = [](auto... device) {
    return ProfileOf(device...).faults.compiles_in_turn;
  };
  using egl::DeviceKind;
  using egl::Wrapper;
  const char* const nvidia = "OpenGL ES 3.2 NVIDIA 580.159.04";
  EXPECT_TRUE(in_turn(DeviceKind::kNvidia, Wrapper::kNone, nvidia));
  EXPECT_FALSE(in_turn(DeviceKind::kNvidia, Wrapper::kNone,
                       "OpenGL ES 3.2 Mesa 26.2.6-1"));
  EXPECT_FALSE(in_turn(DeviceKind::kNvidia, Wrapper::kAngle, nvidia));
}

TEST(DeviceProfileTest, NouveauCannotUnpackHalves) {
  const auto fails = [](auto... device) {
    return ProfileOf(device...).faults.unpack_half_fails;
  };
  using egl::DeviceKind;
  using egl::Wrapper;
  const char* const mesa = "OpenGL ES 3.2 Mesa 26.2.6-1";
  EXPECT_TRUE(fails(DeviceKind::kNvidia, Wrapper::kNone, mesa));
  EXPECT_FALSE(fails(DeviceKind::kNvidia, Wrapper::kNone,
                     "OpenGL ES 3.2 NVIDIA 580.159.04"));
  EXPECT_FALSE(fails(DeviceKind::kNvidia, Wrapper::kZink, mesa));
  EXPECT_FALSE(fails(DeviceKind::kAmd, Wrapper::kNone, mesa));
  // Nor does it gain by multiplying them.
  const auto multiplies = [](const char* version) {
    return ProfileOf(DeviceKind::kNvidia, Wrapper::kNone, version)
        .choices.half_arithmetic;
  };
  EXPECT_EQ(multiplies(mesa), 0);
  EXPECT_EQ(multiplies("OpenGL ES 3.2 NVIDIA 580.159.04"), 1);
}

TEST(DeviceProfileTest, NouveauFusesNothingThatItSpills) {
  const auto row = [](const char* version) {
    return ProfileOf(egl::DeviceKind::kNvidia, egl::Wrapper::kNone, version)
        .choices;
  };
  const DeviceChoices mesa = row("OpenGL ES 3.2 Mesa 26.2.6-1");
  EXPECT_EQ(mesa.fused_squeeze_texels, 0);
  EXPECT_EQ(mesa.fused_plane_work, 0);
  const DeviceChoices nvidia = row("OpenGL ES 3.2 NVIDIA 580.159.04");
  EXPECT_GT(nvidia.fused_squeeze_texels, 0);
  EXPECT_GT(nvidia.fused_plane_work, 0);
}

}  // namespace
}  // namespace gles_delegate
