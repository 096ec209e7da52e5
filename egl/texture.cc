
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

// How texels of a sized internal format look in host memory.
struct Layout {
  GLenum internal;
  GLenum format;
  GLenum type;
  int texel_bytes;
};

constexpr Layout kLayouts[] = {
    {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8},
    {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT, 8},
    {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, 8},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4},
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4},
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4},
    {GL_RG32F, GL_RG, GL_FLOAT, 8},
    {GL_RG16F, GL_RG, GL_HALF_FLOAT, 4},
    {GL_R32F, GL_RED, GL_FLOAT, 4},
    {GL_R16F, GL_RED, GL_HALF_FLOAT, 2},
    {GL_R32I, GL_RED_INTEGER, GL_INT, 4},
    {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4},
    {GL_R8I, GL_RED_INTEGER, GL_BYTE, 1},
    {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1},
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
};

const Layout* FindLayout(GLenum internal) {
  for (const Layout& layout : kLayouts) {
    if (layout.internal == internal) return &layout;
  }
  return nullptr;
}

std::string Name(const Texture::Desc& desc) {
  return absl::StrCat("a texture of ", desc.width, "x", desc.height, "x",
                      desc.layers, ", format 0x", absl::Hex(desc.format));
}

GLenum BindingOf(GLenum target) {
  switch (target) {
    case GL_TEXTURE_2D:
      return GL_TEXTURE_BINDING_2D;
    case GL_TEXTURE_BUFFER_EXT:
      return GL_TEXTURE_BINDING_BUFFER_EXT;
    default:
      return GL_TEXTURE_BINDING_2D_ARRAY;
  }
}

// Binds a texture to the active unit within a scope, then restores the previous
// binding.
class ScopedBind {
 public:
  ScopedBind(GLenum target, GLuint id) : target_(target) {
    GLint before = 0;
    gl().GetIntegerv(BindingOf(target), &before);
    before_ = static_cast<GLuint>(before);
    gl().BindTexture(target, id);
  }
  ~ScopedBind() { gl().BindTexture(target_, before_); }
  ScopedBind(const ScopedBind&) = delete;
  ScopedBind& operator=(const ScopedBind&) = delete;

 private:
  GLenum target_;
  GLuint before_ = 0;
};

absl::Status CheckLimit(const Texture::Desc& desc, const char* side, int value,
                        GLenum limit_name) {
  GLint limit = 0;
  gl().GetIntegerv(limit_name, &limit);
  if (value <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      Name(desc), ": its ", side, " is past this device's limit, ", limit));
}

absl::Status CheckDesc(const Texture::Desc& desc) {
  if (FindLayout(desc.format) == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(Name(desc), ": not a format that textures here have"));
  }
  const bool is_2d = desc.target == GL_TEXTURE_2D;
  if ((!is_2d && desc.target != GL_TEXTURE_2D_ARRAY) || desc.width < 1 ||
      desc.height < 1 || desc.layers < 1 || (is_2d && desc.layers != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Name(desc), ", target 0x", absl::Hex(desc.target),
                     ": not a 2-D texture or array of at least one texel"));
  }
  absl::Status status =
      CheckLimit(desc, "width", desc.width, GL_MAX_TEXTURE_SIZE);
  status.Update(CheckLimit(desc, "height", desc.height, GL_MAX_TEXTURE_SIZE));
  status.Update(CheckLimit(desc, "number of layers", desc.layers,
                           GL_MAX_ARRAY_TEXTURE_LAYERS));
  return status;
}

}  // namespace

absl::StatusOr<Texture> Texture::Create(const Desc& desc) {
  RETURN_IF_ERROR(CheckDesc(desc));
  Texture texture;
  texture.handle_ = Handle<DeleteTexture>::New(gl().GenTextures);
  texture.desc_ = desc;

  const ScopedBind bind(desc.target, texture.id());
  if (desc.target == GL_TEXTURE_2D) {
    gl().TexStorage2D(desc.target, /*levels=*/1, desc.format, desc.width,
                      desc.height);
  } else {
    gl().TexStorage3D(desc.target, /*levels=*/1, desc.format, desc.width,
                      desc.height, desc.layers);
  }
  gl().TexParameteri(desc.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl().TexParameteri(desc.target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl().TexParameteri(desc.target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl().TexParameteri(desc.target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  RETURN_IF_ERROR(CheckGl(absl::StrCat("creating ", Name(desc))));
  return texture;
}

absl::StatusOr<Texture> Texture::OfBuffers(GLenum format) {
  if (FindLayout(format) == nullptr || gl().TexBufferEXT == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("texels of format 0x", absl::Hex(format), " in a buffer"));
  }
  Texture texture;
  texture.handle_ = Handle<DeleteTexture>::New(gl().GenTextures);
  texture.desc_ = {GL_TEXTURE_BUFFER_EXT, format, 0};
  return texture;
}

absl::StatusOr<Texture> Texture::OfBuffer(const Buffer& buffer, GLenum format) {
  auto texture = OfBuffers(format);
  if (!texture.ok()) return texture;
  const size_t texels = buffer.bytes() / FindLayout(format)->texel_bytes;
  texture->desc_.width = static_cast<int>(texels);
  SetBuffer(texture->id(), format, buffer.id());
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("viewing a buffer as ", Name(texture->desc_))));
  return texture;
}

void SetBuffer(GLuint texture, GLenum format, GLuint buffer) {
  const ScopedBind bind(GL_TEXTURE_BUFFER_EXT, texture);
  gl().TexBufferEXT(GL_TEXTURE_BUFFER_EXT, format, buffer);
}

size_t Texture::bytes() const {
  if (id() == 0) return 0;
  return static_cast<size_t>(desc_.width) * desc_.height * desc_.layers *
         FindLayout(desc_.format)->texel_bytes;
}

absl::Status Texture::Upload(int x, int y, int layer, int width, int height,
                             int layers, const void* data) {
  const Layout* layout = FindLayout(desc_.format);
  if (id() == 0 || layout == nullptr || desc_.target == GL_TEXTURE_BUFFER_EXT ||
      x < 0 || y < 0 || layer < 0 || width < 0 || height < 0 || layers < 0 ||
      width > desc_.width - x || height > desc_.height - y ||
      layers > desc_.layers - layer) {
    return absl::OutOfRangeError(
        absl::StrCat("an upload of ", width, "x", height, "x", layers, " at ",
                     x, ",", y, ",", layer, " into ", Name(desc_)));
  }
  const ScopedBind bind(desc_.target, id());
  // Rows follow each other without padding. Nothing here relies on another
  // alignment, so it stays.
  gl().PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (desc_.target == GL_TEXTURE_2D) {
    gl().TexSubImage2D(desc_.target, /*level=*/0, x, y, width, height,
                       layout->format, layout->type, data);
  } else {
    gl().TexSubImage3D(desc_.target, /*level=*/0, x, y, layer, width, height,
                       layers, layout->format, layout->type, data);
  }
  return absl::OkStatus();
}

absl::StatusOr<Framebuffer> Framebuffer::Of(const Texture& texture) {
  Framebuffer framebuffer;
  framebuffer.handle_ =
      Handle<DeleteFramebuffer, /*is_shared=*/false>::New(gl().GenFramebuffers);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer.id());
  gl().FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                            GL_TEXTURE_2D, texture.id(), /*level=*/0);
  const GLenum state = gl().CheckFramebufferStatus(GL_READ_FRAMEBUFFER);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  const std::string what =
      absl::StrCat("a framebuffer of ", Name(texture.desc()));
  RETURN_IF_ERROR(CheckGl(absl::StrCat("making ", what)));
  if (state == GL_FRAMEBUFFER_COMPLETE) return framebuffer;
  return absl::FailedPreconditionError(
      absl::StrCat(what, ": the driver reads no such framebuffer (state 0x",
                   absl::Hex(state), ")"));
}

absl::StatusOr<Sampler> Sampler::Nearest() {
  Sampler sampler;
  sampler.handle_ = Handle<DeleteSampler>::New(gl().GenSamplers);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  RETURN_IF_ERROR(CheckGl("making a sampler"));
  return sampler;
}

}  // namespace gles_delegate::egl
