// labels: unit
// Drivers by the strings that they report. A line of the table
// that is marked "seen" was read from a driver that ran; the others are how the
// drivers' sources and public device databases have it.
#include "absl/strings/str_cat.h"
#include "egl/device_info.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::egl {
namespace {

struct Known {
  DriverStrings says;
  DeviceKind kind;
  Wrapper wrapper = Wrapper::kNone;
  bool software = false;
  int simd_bits = 0;
};

constexpr char kMesa[] = "OpenGL ES 3.2 Mesa 22.3.6";
constexpr char kAngle[] =
    "OpenGL ES 3.1 (ANGLE 2.1.27278 git hash: 0d61b30acc76)";

// A table, and therefore longer than other functions: a row for each name.
std::vector<Known> MesaDrivers() {
  using K = DeviceKind;
  return {
      // Seen: Debian 12.
      {{"swrast", "Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", kMesa},
       K::kLlvmpipe,
       Wrapper::kNone,
       true,
       256},
      // Seen: Debian 12.
      {{"swrast", "Mesa/X.org", "softpipe", "OpenGL ES 3.1 Mesa 22.3.6"},
       K::kSoftpipe,
       Wrapper::kNone,
       true},
      {{"", "Mesa", "llvmpipe (LLVM 22.1.0, 128 bits)",
        "OpenGL ES 3.2 Mesa 26.2.6"},
       K::kLlvmpipe,
       Wrapper::kNone,
       true,
       128},
      // Whose CPU it runs on must not make llvmpipe an AMD GPU.
      {{"", "Mesa", "llvmpipe (AMD EPYC)", kMesa},
       K::kLlvmpipe,
       Wrapper::kNone,
       true},
      {{"", "Mesa", "SWR (LLVM 12.0.0, 256 bits)", kMesa},
       K::kOtherSoftware,
       Wrapper::kNone,
       true},
      {{"", "Mesa Project", "Software Rasterizer", kMesa},
       K::kOtherSoftware,
       Wrapper::kNone,
       true},
      {{"radeonsi", "AMD",
        "AMD Radeon RX 6800 (navi21, LLVM 15.0.6, DRM 3.49, 6.1.0)", kMesa},
       K::kAmd},
      {{"", "AMD", "AMD Radeon Graphics (radeonsi, renoir, ACO, DRM 3.57)",
        "OpenGL ES 3.2 Mesa 24.2.8"},
       K::kAmd},
      {{"", "X.Org", "Radeon RX Vega (VEGA10, DRM 3.27.0, LLVM 7.0.1)", kMesa},
       K::kAmd},
      {{"r600", "Mesa", "AMD CEDAR (DRM 2.50.0 / 5.4, LLVM 9.0.0)", kMesa},
       K::kAmd},
      {{"iris", "Intel", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", kMesa},
       K::kIntel},
      {{"", "Intel Open Source Technology Center",
        "Mesa DRI Intel(R) HD Graphics 520 (Skylake GT2)", kMesa},
       K::kIntel},
      {{"crocus", "Intel", "Mesa Intel(R) HD Graphics 4400 (HSW GT2)", kMesa},
       K::kIntel},
      {{"panfrost", "Panfrost", "Mali-T860 (Panfrost)", kMesa}, K::kMali},
      {{"", "Mesa", "Mali-G52 r1 (Panfrost)", kMesa}, K::kMali},
      {{"rockchip", "Mesa", "Mali-G610 MC4 (Panfrost)", kMesa}, K::kMali},
      {{"lima", "lima", "Mali450", "OpenGL ES 2.0 Mesa 22.3.6"}, K::kMali},
      {{"v3d", "Broadcom", "V3D 4.2", "OpenGL ES 3.1 Mesa 22.3.6"}, K::kV3d},
      {{"", "Broadcom", "V3D 7.1.7.0", "OpenGL ES 3.1 Mesa 25.0.7"}, K::kV3d},
      {{"vc4", "Broadcom", "VC4 V3D 2.1", "OpenGL ES 2.0 Mesa 22.3.6"},
       K::kV3d},
      {{"msm", "freedreno", "FD630", kMesa}, K::kAdreno},
      {{"", "Mesa", "FD618", kMesa}, K::kAdreno},
      {{"asahi", "Mesa", "Apple M1 (G13G B1)", "OpenGL ES 3.2 Mesa 24.1.0"},
       K::kApple},
      {{"", "Mesa", "Apple M1 Pro (G13S C0)", kMesa}, K::kApple},
      {{"nouveau", "Mesa", "NV166", kMesa}, K::kNvidia},
      {{"", "nouveau", "NVE6", kMesa}, K::kNvidia},
      {{"etnaviv", "etnaviv", "Vivante GC7000 rev 6214",
        "OpenGL ES 3.1 Mesa 25.0.7"},
       K::kVivante},
      // A virtual machine that hands on to the device's own driver.
      {{"virtio_gpu", "freedreno", "FD690", kMesa}, K::kAdreno},
      // A display controller's name says nothing of what computes.
      {{"meson", "Panfrost", "Mali-G31 (Panfrost)", kMesa}, K::kMali},
  };
}

std::vector<Known> VendorDrivers() {
  using K = DeviceKind;
  return {
      // Seen: driver 580.
      {{"", "NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2",
        "OpenGL ES 3.2 NVIDIA 580.95.05"},
       K::kNvidia},
      {{"", "NVIDIA Corporation", "GeForce GTX 1060 6GB/PCIe/SSE2",
        "OpenGL ES 3.2 NVIDIA 535.54.03"},
       K::kNvidia},
      {{"", "NVIDIA Corporation", "NVIDIA Tegra", "OpenGL ES 3.2 NVIDIA 35.4"},
       K::kNvidia},
      {{"", "ARM", "Mali-G78", "OpenGL ES 3.2 v1.r32p1-01eac0"}, K::kMali},
      {{"", "ARM", "Mali-G720-Immortalis MC12", "OpenGL ES 3.2 v1.r44p0"},
       K::kMali},
      {{"", "Qualcomm", "Adreno (TM) 640",
        "OpenGL ES 3.2 V@0502.0 (GIT@09fef447e8, I1fe547a144)"},
       K::kAdreno},
      {{"", "Imagination Technologies", "PowerVR Rogue GE8320",
        "OpenGL ES 3.2 build 1.11@5425693"},
       K::kPowerVr},
      {{"", "Imagination Technologies", "PowerVR B-Series BXM-8-256",
        "OpenGL ES 3.2 build 1.17@6210866"},
       K::kPowerVr},
      {{"", "Samsung Electronics Co., Ltd.", "Samsung Xclipse 920",
        "OpenGL ES 3.2"},
       K::kAmd},
      {{"", "Broadcom", "VideoCore VI HW", "OpenGL ES 3.1"}, K::kV3d},
      {{"", "Vivante Corporation", "Vivante GC7000L", "OpenGL ES 3.1 V6.4.3"},
       K::kVivante},
      {{"", "Google Inc.", "Google SwiftShader",
        "OpenGL ES 3.0 SwiftShader 4.1.0.7"},
       K::kSwiftShader,
       Wrapper::kNone,
       true},
      {{"", "Somebody", "Something", "OpenGL ES 3.1"}, K::kUnknown},
      // Parts of names in the wrong place.
      {{"", "Somebody", "Mamdala (intelligent, llvmpipeline)", ""},
       K::kUnknown},
      {{"", "Armada Inc.", "Warm 1", ""}, K::kUnknown},
      {{}, K::kUnknown},
  };
}

// A table, and therefore longer than other functions: a row for each name.
std::vector<Known> Wrappers() {
  using K = DeviceKind;
  constexpr Wrapper kVirgl = Wrapper::kVirgl, kZink = Wrapper::kZink,
                    kD3d12 = Wrapper::kD3d12;
  return {
      // Seen: Debian 12's virgl_test_server with EGL's driver called "swrast".
      {{"swrast", "Mesa/X.org", "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))",
        kMesa},
       K::kLlvmpipe,
       kVirgl,
       true,
       256},
      {{"virtio_gpu", "Mesa",
        "virgl (Mesa Intel(R) UHD Graphics 620 (KBL GT2))", kMesa},
       K::kIntel,
       kVirgl},
      {{"virtio_gpu", "Mesa", "virgl (NVIDIA GeForce RTX 3060/PCIe/SSE2)",
        kMesa},
       K::kNvidia,
       kVirgl},
      {{"virtio_gpu", "Mesa",
        "virgl (ANGLE (Apple, Apple M1, OpenGL 4.1 Metal - 83))", kMesa},
       K::kApple,
       kVirgl},
      {{"virtio_gpu", "Red Hat", "virgl", kMesa}, K::kUnknown, kVirgl},
      // Seen: Debian 12's zink on lavapipe.
      {{"swrast", "Collabora Ltd", "zink (llvmpipe (LLVM 15.0.6, 256 bits))",
        kMesa},
       K::kLlvmpipe,
       kZink,
       true,
       256},
      {{"zink", "Mesa",
        "zink Vulkan 1.3(AMD Radeon RX 6600 (RADV NAVI23) (MESA_RADV))",
        "OpenGL ES 3.2 Mesa 24.2.8"},
       K::kAmd,
       kZink},
      {{"zink", "Mesa",
        "zink Vulkan 1.3(NVIDIA GeForce RTX 3060 "
        "(NVIDIA_PROPRIETARY))",
        kMesa},
       K::kNvidia,
       kZink},
      {{"", "Mesa", "zink Vulkan 1.3(Turnip Adreno (TM) 660 (MESA_TURNIP))",
        kMesa},
       K::kAdreno,
       kZink},
      {{"", "Mesa",
        "zink Vulkan 1.4(llvmpipe (LLVM 22.1.0, 256 bits) "
        "(MESA_LLVMPIPE))",
        kMesa},
       K::kLlvmpipe,
       kZink,
       true,
       256},
      {{"d3d12", "Microsoft Corporation", "D3D12 (NVIDIA GeForce RTX 3080)",
        kMesa},
       K::kNvidia,
       kD3d12},
      {{"", "Microsoft Corporation", "D3D12 (Intel(R) Iris(R) Xe Graphics)",
        kMesa},
       K::kIntel,
       kD3d12},
      {{"", "Microsoft Corporation", "D3D12 (Microsoft Basic Render Driver)",
        kMesa},
       K::kOtherSoftware,
       kD3d12,
       true},
      {{"vmwgfx", "VMware, Inc.", "SVGA3D; build: RELEASE;  LLVM;", kMesa},
       K::kUnknown,
       Wrapper::kSvga},
      {{"", "Google (NVIDIA Corporation)",
        "Android Emulator OpenGL ES Translator (GeForce GTX 1060/PCIe/SSE2)",
        "OpenGL ES 3.1 (4.5.0 NVIDIA 535.54.03)"},
       K::kNvidia,
       Wrapper::kEmulator},
      {{"", "Google (Google Inc.)",
        "Android Emulator OpenGL ES Translator (Google SwiftShader)",
        "OpenGL ES 3.1 (OpenGL ES 3.1 SwiftShader 4.0.0.1)"},
       K::kSwiftShader,
       Wrapper::kEmulator,
       true},
  };
}

// A table, and therefore longer than other functions: a row for each name.
std::vector<Known> Angles() {
  using K = DeviceKind;
  struct Line {
    const char* vendor;
    const char* renderer;
    DeviceKind kind;
    bool software = false;
    int simd_bits = 0;
  };
  const Line kLines[] = {
      // Seen: ANGLE of Chromium 147 on Debian 12's lavapipe.
      {"Google Inc. (Mesa)",
       "ANGLE (Mesa, Vulkan 1.3.230 (llvmpipe (LLVM 15.0.6 256 bits) "
       "(0x00000000)), llvmpipe-0.0.1)",
       K::kLlvmpipe, true, 256},
      // Seen: the same ANGLE on its own SwiftShader.
      {"Google Inc. (Google)",
       "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) "
       "(0x0000C0DE)), SwiftShader driver-5.0.0)",
       K::kSwiftShader, true},
      {"Google Inc. (Mesa/X.org)",
       "ANGLE (Mesa/X.org, llvmpipe (LLVM 15.0.7 256 bits), OpenGL 4.5)",
       K::kLlvmpipe, true, 256},
      {"Google Inc. (NVIDIA)",
       "ANGLE (NVIDIA, Vulkan 1.3.242 (NVIDIA NVIDIA GeForce RTX 3080 "
       "(0x00002206)), NVIDIA-535.54.3.0)",
       K::kNvidia},
      {"Google Inc. (NVIDIA)", "ANGLE (NVIDIA, Vulkan 1.3)", K::kNvidia},
      {"Google Inc. (NVIDIA)",
       "ANGLE (NVIDIA, NVIDIA GeForce GTX 1660 Direct3D11 vs_5_0 ps_5_0, "
       "D3D11-31.0.15.3623)",
       K::kNvidia},
      {"Google Inc. (Intel)",
       "ANGLE (Intel, Intel(R) UHD Graphics 630 (0x00003E92) Direct3D11 "
       "vs_5_0 ps_5_0, D3D11-31.0.101.2111)",
       K::kIntel},
      {"Google Inc. (Intel)",
       "ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)",
       K::kIntel},
      {"Google Inc. (AMD)",
       "ANGLE (AMD, Vulkan 1.3.278 (AMD Radeon RX 6800 (RADV NAVI21) "
       "(0x000073BF)), radv-24.0.5)",
       K::kAmd},
      {"Google Inc. (Apple)",
       "ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)",
       K::kApple},
      {"Google Inc. (Apple)", "ANGLE (Apple, Apple M2 Max, OpenGL 4.1)",
       K::kApple},
      {"Google Inc. (ARM)",
       "ANGLE (ARM, Vulkan 1.1.177 (Mali-G78 (0x92020010)), Mali-32.1.0)",
       K::kMali},
      {"Google Inc. (ARM)",
       "ANGLE (ARM, Vulkan 1.3.278 (Mali-G715 (0xB8A21010)), Mali-44.1.0)",
       K::kMali},
      {"Google Inc. (Qualcomm)",
       "ANGLE (Qualcomm, Vulkan 1.1.128 (Adreno (TM) 640 (0x06040001)), "
       "Adreno-512.502.0)",
       K::kAdreno},
      {"Google Inc. (Samsung Electronics Co., Ltd.)",
       "ANGLE (Samsung Xclipse 940) on Vulkan 1.3.279", K::kAmd},
      {"Google Inc. (Imagination Technologies)",
       "ANGLE (Imagination Technologies, Vulkan 1.3.225 (PowerVR D-Series "
       "DXT-48-1536 (0x71061212)), PowerVR-1.602.860)",
       K::kPowerVr},
      {"Google Inc. (Broadcom)",
       "ANGLE (Broadcom, Vulkan 1.2.255 (V3D 7.1.7 (0x00000000)), V3DV-23.3)",
       K::kV3d},
      {"Google Inc. (Microsoft)",
       "ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) "
       "Direct3D11 vs_5_0 ps_5_0, D3D11-10.0.22621.3672)",
       K::kOtherSoftware, true},
      {"Google Inc. (Unknown)", "ANGLE (Unknown, Vulkan 1.3 (New GPU), 1.0)",
       K::kUnknown},
  };
  std::vector<Known> known;
  for (const Line& l : kLines) {
    known.push_back({{"", l.vendor, l.renderer, kAngle},
                     l.kind,
                     Wrapper::kAngle,
                     l.software,
                     l.simd_bits});
  }
  return known;
}

void Check(const std::vector<Known>& table) {
  for (const Known& known : table) {
    SCOPED_TRACE(absl::StrCat(known.says.vendor, " | ", known.says.renderer));
    const DriverIdentity identity = IdentifyDriver(known.says);
    EXPECT_EQ(NameOf(identity.kind), NameOf(known.kind));
    EXPECT_EQ(NameOf(identity.wrapper), NameOf(known.wrapper));
    EXPECT_EQ(identity.software, known.software);
    EXPECT_EQ(identity.simd_bits, known.simd_bits);
  }
}

TEST(DriverIdentityTest, MesasDriversAreToldApart) { Check(MesaDrivers()); }

TEST(DriverIdentityTest, MakersDriversAreToldApart) { Check(VendorDrivers()); }

TEST(DriverIdentityTest, WrappersAreToldFromWhatTheyRunOn) {
  Check(Wrappers());
}

TEST(DriverIdentityTest, AnglesDeviceIsFound) { Check(Angles()); }

TEST(DriverIdentityTest, AngleIsKnownByItsVersionAlone) {
  const DriverIdentity identity =
      IdentifyDriver({"", "Somebody", "Mali-G78", kAngle});
  EXPECT_EQ(identity.wrapper, Wrapper::kAngle);
  EXPECT_EQ(identity.kind, DeviceKind::kMali);
}

TEST(DriverIdentityTest, EglsNameOfTheDriverWins) {
  EXPECT_EQ(IdentifyDriver({"panfrost", "Mesa", "G925 (new name)", kMesa}).kind,
            DeviceKind::kMali);
  EXPECT_EQ(IdentifyDriver({"zink", "Mesa", "Something new", kMesa}).wrapper,
            Wrapper::kZink);
}

TEST(DriverIdentityTest, FamiliesHaveNames) {
  EXPECT_EQ(FamilyName(IdentifyDriver({"", "ARM", "Mali-G78", ""})), "Mali");
  EXPECT_EQ(FamilyName(IdentifyDriver(
                {"", "Mesa", "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))", ""})),
            "virgl on llvmpipe");
}

TEST(DriverIdentityTest, BracketsThatDoNotCloseAreNoCrash) {
  for (const char* renderer :
       {"ANGLE (", "ANGLE (((((", "virgl (virgl (virgl (virgl (virgl (virgl",
        "zink", "ANGLE (,,,", "ANGLE )(", "llvmpipe ( bits", " bits", "FD"}) {
    IdentifyDriver({"", renderer, renderer, renderer});
  }
}

}  // namespace
}  // namespace gles_delegate::egl
