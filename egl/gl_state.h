// Saves and restores the GL state of an app's context.
#ifndef GLES_DELEGATE_EGL_GL_STATE_H_
#define GLES_DELEGATE_EGL_GL_STATE_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "egl/device_info.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// The delegate uses only the first binding points of each kind, up to these
// numbers or the device's, and only these are saved. ProfileFor()
// (delegate/device/device_profile.cc) makes them limits of planning; validation
// mode checks each dispatch.
inline constexpr int kTextureUnits = 16;
inline constexpr int kImageUnits = 16;
inline constexpr int kStorageBuffers = 16;
inline constexpr int kUniformBuffers = 1;  // Params

// Saves the state on construction, sets what the delegate's uploads and shaders
// rely on (no pack or unpack buffer, tight rows, no sampler objects, unit 0
// active), and restores the saved state on Restore().
//
// Not saved, since the delegate never changes it: vertex and fragment state,
// other texture targets, queries, transform feedback (which must be inactive or
// paused), the app's debug callback. Pending GL errors of the app are dropped,
// so that they are not taken for the delegate's. An object that the app deleted
// while it was bound is gone afterwards.
//
// Needs the same current context of `device` throughout. Does not allocate,
// since each inference makes one.
class GlState {
 public:
  explicit GlState(const DeviceInfo& device);
  void Restore() const;

  GlState(const GlState&) = delete;
  GlState& operator=(const GlState&) = delete;

 private:
  struct TextureUnit {
    GLint texture_2d = 0;
    GLint texture_2d_array = 0;
    GLint sampler = 0;
  };
  struct ImageUnit {
    GLint name = 0;
    GLint level = 0;
    GLboolean layered = GL_FALSE;
    GLint layer = 0;
    GLint access = 0;
    GLint format = 0;
  };
  struct IndexedBuffer {
    GLint name = 0;
    GLint64 start = 0;
    GLint64 size = 0;  // 0: the whole buffer (glBindBufferBase)
  };
  static constexpr int kGenericBuffers = 7;
  static constexpr int kPixelStores = 10;

  GLint program_ = 0;
  GLint active_unit_ = GL_TEXTURE0;
  GLint draw_framebuffer_ = 0;
  GLint read_framebuffer_ = 0;
  std::array<GLint, kGenericBuffers> generic_buffers_ = {};
  std::array<GLint, kPixelStores> pixel_stores_ = {};
  // As many as the device has, up to the constants above.
  template <typename Point, int max>
  struct Points {
    std::array<Point, max> points = {};
    size_t count = 0;
    void Resize(int device_has) {
      count = static_cast<size_t>(std::clamp(device_has, 0, max));
    }
    size_t size() const { return count; }
    Point& operator[](size_t i) { return points[i]; }
    const Point& operator[](size_t i) const { return points[i]; }
  };
  Points<TextureUnit, kTextureUnits> textures_;
  Points<ImageUnit, kImageUnits> images_;
  Points<IndexedBuffer, kStorageBuffers> storage_buffers_;
  Points<IndexedBuffer, kUniformBuffers> uniform_buffers_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_GL_STATE_H_
