#include "egl/gl_state.h"

#include <iterator>

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

GLint GetInt(GLenum name) {
  GLint value = 0;
  gl().GetIntegerv(name, &value);
  return value;
}

GLint GetInt(GLenum name, GLuint index) {
  GLint value = 0;
  gl().GetIntegeri_v(name, index, &value);
  return value;
}

GLint64 GetInt64(GLenum name, GLuint index) {
  GLint64 value = 0;
  gl().GetInteger64i_v(name, index, &value);
  return value;
}

template <typename IndexedBuffers>
void SaveIndexed(GLenum binding, GLenum start, GLenum size,
                 IndexedBuffers* buffers) {
  for (size_t i = 0; i < buffers->size(); ++i) {
    auto& buffer = (*buffers)[i];
    buffer.name = GetInt(binding, i);
    if (buffer.name == 0) continue;
    buffer.start = GetInt64(start, i);
    buffer.size = GetInt64(size, i);
  }
}

template <typename IndexedBuffers>
void RestoreIndexed(GLenum target, const IndexedBuffers& buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto& buffer = buffers[i];
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

}  // namespace

GlState::GlState(const DeviceInfo& device) {
  DropErrors();
  program_ = GetInt(GL_CURRENT_PROGRAM);
  draw_framebuffer_ = GetInt(GL_DRAW_FRAMEBUFFER_BINDING);
  read_framebuffer_ = GetInt(GL_READ_FRAMEBUFFER_BINDING);
  for (int i = 0; i < kPixelStores; ++i) {
    pixel_stores_[i] = GetInt(kStores[i].name);
  }
  active_unit_ = GetInt(GL_ACTIVE_TEXTURE);
  textures_.Resize(device.max_compute_textures);
  for (size_t i = 0; i < textures_.size(); ++i) {
    gl().ActiveTexture(GL_TEXTURE0 + i);
    textures_[i] = {GetInt(GL_TEXTURE_BINDING_2D),
                    GetInt(GL_TEXTURE_BINDING_2D_ARRAY),
                    GetInt(GL_SAMPLER_BINDING)};
  }
  images_.Resize(device.max_image_units);
  for (size_t i = 0; i < images_.size(); ++i) {
    ImageUnit& image = images_[i];
    image.name = GetInt(GL_IMAGE_BINDING_NAME, i);
    image.level = GetInt(GL_IMAGE_BINDING_LEVEL, i);
    gl().GetBooleani_v(GL_IMAGE_BINDING_LAYERED, i, &image.layered);
    image.layer = GetInt(GL_IMAGE_BINDING_LAYER, i);
    image.access = GetInt(GL_IMAGE_BINDING_ACCESS, i);
    image.format = GetInt(GL_IMAGE_BINDING_FORMAT, i);
  }
  storage_buffers_.Resize(GetInt(GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS));
  uniform_buffers_.Resize(GetInt(GL_MAX_UNIFORM_BUFFER_BINDINGS));
  static_assert(std::size(kGeneric) == kGenericBuffers);
  static_assert(std::size(kStores) == kPixelStores);
  for (int i = 0; i < kGenericBuffers; ++i) {
    generic_buffers_[i] = GetInt(kGeneric[i].query);
  }
  SaveIndexed(GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER_START,
              GL_SHADER_STORAGE_BUFFER_SIZE, &storage_buffers_);
  SaveIndexed(GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
              GL_UNIFORM_BUFFER_SIZE, &uniform_buffers_);

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

void GlState::Restore() const {
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
  for (int i = 0; i < kGenericBuffers; ++i) {
    gl().BindBuffer(kGeneric[i].target, generic_buffers_[i]);
  }
  for (int i = 0; i < kPixelStores; ++i) {
    gl().PixelStorei(kStores[i].name, pixel_stores_[i]);
  }
  gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, draw_framebuffer_);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, read_framebuffer_);
  gl().UseProgram(program_);
  DropErrors();  // of a program that the app deleted while it was current
}

}  // namespace gles_delegate::egl
