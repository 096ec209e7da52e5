// Saves and restores the GL state of an app's context.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "egl/context.h"
#include "egl/process.h"

namespace gles_delegate::egl {
namespace {

struct Binding {
  GLenum target;
  GLenum query;
};

constexpr Binding kGeneric[] = {
    {GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER_BINDING},
    {GL_COPY_WRITE_BUFFER, GL_COPY_WRITE_BUFFER_BINDING},
    {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
    {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING},
    {GL_DISPATCH_INDIRECT_BUFFER, GL_DISPATCH_INDIRECT_BUFFER_BINDING},
    {GL_SHADER_STORAGE_BUFFER, GL_SHADER_STORAGE_BUFFER_BINDING},
    {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
};

struct PixelStore {
  GLenum name;
  GLint own;  // what the delegate's uploads and readbacks rely on
};

constexpr PixelStore kStores[] = {
    {GL_UNPACK_ALIGNMENT, 1},    {GL_UNPACK_ROW_LENGTH, 0},
    {GL_UNPACK_SKIP_PIXELS, 0},  {GL_UNPACK_SKIP_ROWS, 0},
    {GL_UNPACK_IMAGE_HEIGHT, 0}, {GL_UNPACK_SKIP_IMAGES, 0},
    {GL_PACK_ALIGNMENT, 1},      {GL_PACK_ROW_LENGTH, 0},
    {GL_PACK_SKIP_PIXELS, 0},    {GL_PACK_SKIP_ROWS, 0},
};

GLint GetIndexed(GLenum name, GLuint index) {
  GLint value = 0;
  gl().GetIntegeri_v(name, index, &value);
  return value;
}

GLint64 GetInt64(GLenum name, GLuint index) {
  GLint64 value = 0;
  gl().GetInteger64i_v(name, index, &value);
  return value;
}

struct IndexedBuffer {
  GLint name = 0;
  GLint64 start = 0;
  GLint64 size = 0;  // 0: the whole buffer (glBindBufferBase)
};

void SaveIndexed(GLenum binding, GLenum start, GLenum size,
                 absl::Span<IndexedBuffer> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    IndexedBuffer& buffer = buffers[i];
    buffer.name = GetIndexed(binding, i);
    if (buffer.name == 0) continue;
    buffer.start = GetInt64(start, i);
    buffer.size = GetInt64(size, i);
  }
}

void RestoreIndexed(GLenum target, absl::Span<const IndexedBuffer> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const IndexedBuffer& buffer = buffers[i];
    if (buffer.size > 0) {
      gl().BindBufferRange(target, i, buffer.name, buffer.start, buffer.size);
    } else {
      gl().BindBufferBase(target, i, buffer.name);
    }
  }
}

void DropErrors() {
  for (int i = 0; i < 16 && gl().GetError() != GL_NO_ERROR; ++i) {
  }
}

// Saves the state on construction, sets what the delegate's uploads and shaders
// rely on (no pack or unpack buffer, tight rows, no sampler objects, unit 0
// active), and restores the saved state on Restore(). Does not allocate, since
// each inference makes one.
class GlState {
 public:
  explicit GlState(const DeviceInfo& device)
      : textures_(Saved(device.max_textures, kTextureUnits)),
        images_(Saved(device.max_image_units, kImageUnits)),
        storage_buffers_(
            Saved(GetInteger(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS),
                  kStorageBuffers)),
        uniform_buffers_(Saved(GetInteger(GL_MAX_UNIFORM_BUFFER_BINDINGS),
                               kUniformBuffers)) {
    DropErrors();
    program_ = GetInteger(GL_CURRENT_PROGRAM);
    draw_framebuffer_ = GetInteger(GL_DRAW_FRAMEBUFFER_BINDING);
    read_framebuffer_ = GetInteger(GL_READ_FRAMEBUFFER_BINDING);
    for (size_t i = 0; i < pixel_stores_.size(); ++i) {
      pixel_stores_[i] = GetInteger(kStores[i].name);
    }
    active_unit_ = GetInteger(GL_ACTIVE_TEXTURE);
    for (size_t i = 0; i < textures_.size(); ++i) {
      gl().ActiveTexture(GL_TEXTURE0 + i);
      textures_[i] = {GetInteger(GL_TEXTURE_BINDING_2D),
                      GetInteger(GL_TEXTURE_BINDING_2D_ARRAY),
                      GetInteger(GL_SAMPLER_BINDING)};
    }
    for (size_t i = 0; i < images_.size(); ++i) {
      ImageUnit& image = images_[i];
      image.name = GetIndexed(GL_IMAGE_BINDING_NAME, i);
      image.level = GetIndexed(GL_IMAGE_BINDING_LEVEL, i);
      gl().GetBooleani_v(GL_IMAGE_BINDING_LAYERED, i, &image.layered);
      image.layer = GetIndexed(GL_IMAGE_BINDING_LAYER, i);
      image.access = GetIndexed(GL_IMAGE_BINDING_ACCESS, i);
      image.format = GetIndexed(GL_IMAGE_BINDING_FORMAT, i);
    }
    for (size_t i = 0; i < generic_buffers_.size(); ++i) {
      generic_buffers_[i] = GetInteger(kGeneric[i].query);
    }
    SaveIndexed(GL_SHADER_STORAGE_BUFFER_BINDING,
                GL_SHADER_STORAGE_BUFFER_START, GL_SHADER_STORAGE_BUFFER_SIZE,
                absl::MakeSpan(storage_buffers_));
    SaveIndexed(GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
                GL_UNIFORM_BUFFER_SIZE, absl::MakeSpan(uniform_buffers_));

    // The delegate's own defaults.
    gl().BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl().BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    for (const PixelStore& store : kStores) {
      gl().PixelStorei(store.name, store.own);
    }
    // A sampler object would overrule our textures' filters, and one that wants
    // mipmaps makes a texture of one level read as black.
    for (size_t i = 0; i < textures_.size(); ++i) {
      if (textures_[i].sampler != 0) gl().BindSampler(i, 0);
    }
    gl().ActiveTexture(GL_TEXTURE0);
  }

  void Restore() const {
    for (size_t i = 0; i < textures_.size(); ++i) {
      gl().ActiveTexture(GL_TEXTURE0 + i);
      gl().BindTexture(GL_TEXTURE_2D, textures_[i].texture_2d);
      gl().BindTexture(GL_TEXTURE_2D_ARRAY, textures_[i].texture_2d_array);
      gl().BindSampler(i, textures_[i].sampler);
    }
    gl().ActiveTexture(active_unit_);
    for (size_t i = 0; i < images_.size(); ++i) {
      const ImageUnit& image = images_[i];
      gl().BindImageTexture(i, image.name, image.level, image.layered,
                            image.layer, image.access, image.format);
    }
    // Before the generic points: an indexed bind changes those too.
    RestoreIndexed(GL_SHADER_STORAGE_BUFFER, storage_buffers_);
    RestoreIndexed(GL_UNIFORM_BUFFER, uniform_buffers_);
    for (size_t i = 0; i < generic_buffers_.size(); ++i) {
      gl().BindBuffer(kGeneric[i].target, generic_buffers_[i]);
    }
    for (size_t i = 0; i < pixel_stores_.size(); ++i) {
      gl().PixelStorei(kStores[i].name, pixel_stores_[i]);
    }
    gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, draw_framebuffer_);
    gl().BindFramebuffer(GL_READ_FRAMEBUFFER, read_framebuffer_);
    gl().UseProgram(program_);
    DropErrors();  // of a program that the app deleted while it was current
  }

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

  // How many of these binding points the device has, up to `most`.
  static size_t Saved(int device_has, int most) {
    return static_cast<size_t>(std::clamp(device_has, 0, most));
  }

  GLint program_ = 0;
  GLint active_unit_ = GL_TEXTURE0;
  GLint draw_framebuffer_ = 0;
  GLint read_framebuffer_ = 0;
  std::array<GLint, std::size(kGeneric)> generic_buffers_ = {};
  std::array<GLint, std::size(kStores)> pixel_stores_ = {};
  absl::InlinedVector<TextureUnit, kTextureUnits> textures_;
  absl::InlinedVector<ImageUnit, kImageUnits> images_;
  absl::InlinedVector<IndexedBuffer, kStorageBuffers> storage_buffers_;
  absl::InlinedVector<IndexedBuffer, kUniformBuffers> uniform_buffers_;
};

}  // namespace

absl::Status WithAppState(const DeviceInfo& device,
                          absl::FunctionRef<absl::Status()> fn) {
  const GlState state(device);
  absl::Status ran = Caught(fn);
  state.Restore();
  return ran;
}

}  // namespace gles_delegate::egl
