// labels: unit egl llvmpipe softpipe
#include <cstdint>
#include <tuple>

#include "base/status_macros.h"
#include "egl/device_info.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::DeviceInfo;
using ::gles_delegate::egl::DeviceKind;

class DeviceInfoTest : public DeviceTest {};

TEST_F(DeviceInfoTest, WithoutCurrentContextIsFailedPrecondition) {
  const absl::StatusOr<DeviceInfo> info = egl::ReadDeviceInfo();
  EXPECT_EQ(info.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(info.status().message(), HasSubstr("no EGLContext is current"));
}

TEST_F(DeviceInfoTest, LimitsReachTheMinimaOfEs31) {
  const DeviceInfo& info = TestContext()->device();
  EXPECT_GE(info.major * 10 + info.minor, 31);
  EXPECT_FALSE(info.vendor.empty());
  EXPECT_FALSE(info.renderer.empty());
  EXPECT_THAT(info.version, HasSubstr("OpenGL ES 3."));
  EXPECT_THAT(info.shading_language_version, HasSubstr("OpenGL ES GLSL ES 3."));
  const std::tuple<const char*, int64_t, int64_t> minima[] = {
      {"texture size", info.max_texture_size, 2048},
      {"array texture layers", info.max_texture_layers, 256},
      {"invocations", info.max_work_group_invocations, 128},
      {"work group x", info.max_work_group_size[0], 128},
      {"work group y", info.max_work_group_size[1], 128},
      {"work group z", info.max_work_group_size[2], 64},
      {"work groups x", info.max_work_group_count[0], 65535},
      {"work groups y", info.max_work_group_count[1], 65535},
      {"work groups z", info.max_work_group_count[2], 65535},
      {"shared memory", info.max_shared_memory_bytes, 16384},
      {"storage buffers", info.max_buffers, 4},
      {"images", info.max_images, 4},
      {"image units", info.max_image_units, 4},
      {"textures", info.max_textures, 16},
      {"outputs", info.max_outputs, 4},
      {"storage buffer", info.max_buffer_bytes, int64_t{1} << 27},
      {"uniform block", info.max_uniform_block_bytes, 16384},
      {"program formats", info.program_binary_formats, 0}};
  for (const auto& [what, limit, min] : minima) {
    EXPECT_GE(limit, min) << what;
  }
  EXPECT_GE(info.uniform_offset_alignment, 1);
  EXPECT_LE(info.uniform_offset_alignment, 256);
  EXPECT_FALSE(info.extensions.empty());
  EXPECT_FALSE(info.Has("GL_NO_such_extension"));
}

// A driver of EGL_MESA_query_driver.
TEST_F(DeviceInfoTest, EglsNameOfTheDriverIsAsked) {
  absl::Status status = TestContext()->Run([] {
    const egl::Instead<&egl::EglApi::QueryString> extensions(
        [](auto...) { return "EGL_KHR_fence_sync EGL_MESA_query_driver"; });
    const egl::Instead<&egl::EglApi::GetDisplayDriverName> driver(
        [](auto...) { return "panfrost"; });
    const egl::Instead<&egl::GlApi::GetString> strings([](GLenum name) {
      return reinterpret_cast<const GLubyte*>(
          name == GL_VERSION ? "OpenGL ES 3.1 Mesa 27.0" : "Some GPU");
    });
    ASSIGN_OR_RETURN(const DeviceInfo info, egl::ReadDeviceInfo());
    EXPECT_EQ(NameOf(info.kind), NameOf(DeviceKind::kMali));
    EXPECT_FALSE(info.software);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(DeviceInfoTest, MesaSoftwareDriversAreSoftware) {
  const DeviceInfo& info = TestContext()->device();
  const bool mesa_cpu =
      info.kind == DeviceKind::kLlvmpipe || info.kind == DeviceKind::kSoftpipe;
  if (!mesa_cpu) {
    GTEST_SKIP() << "not a Mesa software driver: " << info.renderer;
  }
  EXPECT_TRUE(info.software);
}

// The driver's strings, replaced.
absl::Status StatusWithVersion(const GLubyte* (*get_string)(GLenum)) {
  return TestContext()->Run([&] {
    const egl::Instead<&egl::GlApi::GetString> fault(get_string);
    return egl::ReadDeviceInfo().status();
  });
}

TEST_F(DeviceInfoTest, OldOrForeignVersionsAreRefusedByName) {
  const absl::Status es30 = StatusWithVersion(+[](GLenum) {
    return reinterpret_cast<const GLubyte*>("OpenGL ES 3.0 Pretended");
  });
  EXPECT_EQ(es30.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(es30.message(), HasSubstr("OpenGL ES 3.0 Pretended"));
  EXPECT_THAT(es30.message(), HasSubstr("OpenGL ES 3.1 or later"));

  const absl::Status desktop = StatusWithVersion(
      +[](GLenum) { return reinterpret_cast<const GLubyte*>("4.6.0 NVIDIA"); });
  EXPECT_EQ(desktop.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(desktop.message(), HasSubstr("4.6.0 NVIDIA"));

  const absl::Status nothing =
      StatusWithVersion(+[](GLenum) -> const GLubyte* { return nullptr; });
  EXPECT_EQ(nothing.code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gles_delegate::testing
