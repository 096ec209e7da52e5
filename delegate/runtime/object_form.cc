#include "delegate/runtime/object_form.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/float_view.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

using gl_shaders::Bindings;

namespace {

// Number of slices of four channels.
int ObjectSlices(const ObjectForm& form) { return (form.channels + 3) / 4; }

using Kind = ObjectForm::Kind;
using Layout = ObjectForm::Layout;
using Element = ObjectForm::Element;

// Bytes are written four at a time, in rows of this many words.
constexpr int64_t kWordsPerRow = 1 << 12;

int64_t Words(const ObjectForm& form, const Shape& shape) {
  return ObjectBytes(form, shape) / 4;
}

bool IsOfPackedBytes(const ObjectForm& form) {
  return form.kind == Kind::kBuffer && form.element != Element::kFloat32 &&
         form.layout == Layout::kBhwc;
}

// The object's value for 1.
float OpaqueAlpha(Element element) {
  switch (element) {
    case Element::kFloat32:
      return 1;
    case Element::kByte:
      return 255;
    case Element::kSignedByte:
      return 127;
  }
  return 1;
}

absl::string_view ImageFormatName(GLenum format) {
  return format == GL_RGBA8     ? "rgba8"
         : format == GL_RGBA16F ? "rgba16f"
                                : "rgba32f";
}

void DefineForm(const Tensor& tensor, const ObjectForm& form, bool is_upload,
                Dispatch* d) {
  if (form.kind == Kind::kTexture) {
    d->Define("TEXTURE", is_upload ? "1" : ImageFormatName(form.image_format));
  }
  if (form.is_external) d->Define("EXTERNAL");
  if (form.is_resized) d->Define("RESIZED");
  if (form.element != Element::kFloat32) {
    d->Define("BYTES", form.element == Element::kSignedByte ? 1 : 2);
  }
  if (form.layout == Layout::kPhwc4) d->Define("PHWC4");
  if (is_upload) {
    if (tensor.is_float_view()) d->Define("QUANTIZED");
  } else {
    d->Define("OPAQUE", form.layout == Layout::kPhwc4 ? "false" : "true");
  }
}

// An invocation moves a texel or, for byte output, a word.
void LayGrid(const Shape& s, const ObjectForm& form, bool is_upload,
             Dispatch* d) {
  if (is_upload) {
    d->Grid(s.w, s.h, int64_t{s.slices()} * s.b);
  } else if (form.kind == Kind::kTexture) {
    d->Grid(s.w, s.h, 1);
  } else if (IsOfPackedBytes(form)) {
    const int64_t words = Words(form, s);
    d->Grid(std::min(words, kWordsPerRow),
            (words + kWordsPerRow - 1) / kWordsPerRow, 1);
  } else {
    d->Grid(s.w, s.h, int64_t{ObjectSlices(form)} * s.b);
  }
}

// The members that follow those.
void AddFormUniforms(const Tensor& tensor, const ObjectForm& form,
                     UniformBlock* block) {
  if (tensor.is_float_view()) {
    const quant::CodeRange range = RangeOf(tensor.quantized);
    block->Float4(
        "quantized",
        {tensor.quantization.scale[0],
         static_cast<float>(tensor.quantization.zero_point[0]),
         static_cast<float>(range.low), static_cast<float>(range.high)});
  } else {
    block->Float4("quantized", {1, 0, 0, 0});
  }
  block->Int4("object", form.channels, ObjectSlices(form),
              static_cast<int>(kWordsPerRow), 0);
}

}  // namespace

int64_t ObjectBytes(const ObjectForm& form, const Shape& s) {
  if (form.kind != Kind::kBuffer) return 0;
  const int64_t pixels = int64_t{s.b} * s.h * s.w;
  const int64_t elements =
      pixels * (form.layout == Layout::kPhwc4 ? int64_t{4} * ObjectSlices(form)
                                              : form.channels);
  return form.element == Element::kFloat32 ? elements * 4
                                           : (elements + 3) / 4 * 4;
}

UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling) {
  UniformBlock block;
  block.Float4("scaling",
               {scaling.scale, scaling.bias, OpaqueAlpha(form.element), 0});
  block.Float4("crop", scaling.crop);
  return block;
}

Dispatch ObjectTransfer(const Graph& graph, TensorId id, const ObjectForm& form,
                        bool is_upload, const DeviceProfile& profile) {
  const Tensor& tensor = graph.tensor(id);
  Dispatch d(is_upload ? "bound_input" : "bound_output");
  if (is_upload) {
    d.Write("dst", id);
  } else {
    d.Read("src", id);
  }
  DefineForm(tensor, form, is_upload, &d);
  LayGrid(tensor.shape, form, is_upload, &d);
  d.label = absl::StrCat(d.shader, " ", tensor.name);
  d.uniforms = ScalingUniforms(form, {});
  AddFormUniforms(tensor, form, &d.uniforms);
  const Bindings others = gl_shaders::AssignBindings(SpecOf(graph, d, profile));
  d.Define("HOST_BINDING", ObjectBinding(form, is_upload, others).unit);
  d.work_group = ChooseWorkGroup(d.grid, profile);
  return d;
}

Bindings::Point ObjectBinding(const ObjectForm& form, bool is_upload,
                              const Bindings& others) {
  if (form.kind != Kind::kTexture) {
    return {Bindings::Kind::kBuffer, others.buffers};
  }
  return is_upload ? Bindings::Point{Bindings::Kind::kSampler, others.samplers}
                   : Bindings::Point{Bindings::Kind::kImage, others.images};
}

// --- Whether GL has such an object -------------------------------------------

using egl::gl;

namespace {

// Whether shaders sample the format as integers, which no tensor's values are.
bool IsOfIntegers(GLenum format) {
  constexpr GLenum kFormats[] = {
      GL_R8I,     GL_R8UI,     GL_R16I,    GL_R16UI,    GL_R32I,
      GL_R32UI,   GL_RG8I,     GL_RG8UI,   GL_RG16I,    GL_RG16UI,
      GL_RG32I,   GL_RG32UI,   GL_RGB8I,   GL_RGB8UI,   GL_RGB16I,
      GL_RGB16UI, GL_RGB32I,   GL_RGB32UI, GL_RGBA8I,   GL_RGBA8UI,
      GL_RGBA16I, GL_RGBA16UI, GL_RGBA32I, GL_RGBA32UI, GL_RGB10_A2UI};
  return absl::c_linear_search(kFormats, format);
}

absl::Status NoTexture(GLuint texture) {
  return absl::FailedPreconditionError(
      absl::StrCat("the app's context has no texture ", texture));
}

bool CanBeStoredTo(GLenum format) {
  return format == GL_RGBA8 || format == GL_RGBA16F || format == GL_RGBA32F;
}

// Bytes without an alpha, or glTexImage2D's names without sizes.
bool CanBeCopiedTo(GLenum format) {
  return format == GL_RGB8 || format == GL_RGBA || format == GL_RGB ||
         CanBeStoredTo(format);
}

}  // namespace

absl::Status CheckBuffer(GLuint buffer, int64_t bytes) {
  if (gl().IsBuffer(buffer) == GL_FALSE) {
    return absl::FailedPreconditionError(
        absl::StrCat("the app's context has no buffer ", buffer));
  }
  GLint64 has = 0;
  gl().BindBuffer(GL_COPY_READ_BUFFER, buffer);
  gl().GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &has);
  gl().BindBuffer(GL_COPY_READ_BUFFER, 0);
  if (has >= bytes) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "buffer ", buffer, " has ", has, " bytes, and ", bytes, " are needed"));
}

absl::StatusOr<TextureFacts> FactsOf(GLuint texture) {
  if (gl().IsTexture(texture) == GL_FALSE) return NoTexture(texture);
  gl().BindTexture(GL_TEXTURE_2D, texture);
  if (gl().GetError() != GL_NO_ERROR) {
    return absl::FailedPreconditionError(absl::StrCat(
        "texture ", texture, " is no GL_TEXTURE_2D, but of another target"));
  }
  TextureFacts facts;
  GLint format = 0, immutable = 0;
  const auto level = [](GLenum what, GLint* value) {
    gl().GetTexLevelParameteriv(GL_TEXTURE_2D, 0, what, value);
  };
  level(GL_TEXTURE_WIDTH, &facts.width);
  level(GL_TEXTURE_HEIGHT, &facts.height);
  level(GL_TEXTURE_INTERNAL_FORMAT, &format);
  gl().GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT,
                         &immutable);
  gl().BindTexture(GL_TEXTURE_2D, 0);
  facts.format = static_cast<GLenum>(format);
  facts.is_immutable = immutable != 0;
  if (facts.width > 0 && facts.height > 0) return facts;
  return absl::FailedPreconditionError(
      absl::StrCat("level 0 of texture ", texture, " is empty"));
}

absl::Status CheckExternal(GLuint texture, const egl::DeviceInfo& device) {
  if (!device.Has("GL_OES_EGL_image_external_essl3")) {
    return absl::FailedPreconditionError(
        "the driver lacks GL_OES_EGL_image_external_essl3, by which shaders "
        "read external textures; bind the EGLImage to a GL_TEXTURE_2D");
  }
  if (gl().IsTexture(texture) == GL_FALSE) return NoTexture(texture);
  const GLint before = egl::GetInteger(GL_TEXTURE_BINDING_EXTERNAL_OES);
  gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
  const bool is_external = gl().GetError() == GL_NO_ERROR;
  GLint planes = 1;
  gl().GetTexParameteriv(GL_TEXTURE_EXTERNAL_OES,
                         GL_REQUIRED_TEXTURE_IMAGE_UNITS_OES, &planes);
  gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, before);
  if (!is_external) {
    return absl::FailedPreconditionError(
        absl::StrCat("texture ", texture, " is no GL_TEXTURE_EXTERNAL_OES"));
  }
  // Mesa makes colours of planes in the stages that draw; its compute shaders
  // see the first plane as red, and no error tells so (26.2.6).
  if (planes > 1 && absl::StrContains(device.version, "Mesa")) {
    return absl::FailedPreconditionError(absl::StrCat(
        "external texture ", texture, " has ", planes,
        " planes (YUV), of which this driver's compute shaders read the first "
        "alone; draw it to a GL_TEXTURE_2D and bind that"));
  }
  return absl::OkStatus();
}

absl::Status CheckTexture(const TextureFacts& texture, const Shape& shape,
                          bool is_input, bool is_resized) {
  if (!is_resized && (texture.width != shape.w || texture.height != shape.h)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the texture is ", texture.width, " wide and ", texture.height,
        " high, the tensor ", shape.w, " and ", shape.h,
        is_input ? " (TfLiteGlesObject::resize resizes it)" : ""));
  }
  const auto format = absl::StrCat("0x", absl::Hex(texture.format));
  if (is_input) {
    if (!IsOfIntegers(texture.format)) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        "the texture's format ", format, " is of integers, not of floats"));
  }
  if (CanBeCopiedTo(texture.format)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the texture's format ", format,
                   " is not GL_RGBA8, GL_RGB8, GL_RGBA16F or GL_RGBA32F, which "
                   "alone are written"));
}

bool IsCopiedTo(const TextureFacts& texture) {
  return !texture.is_immutable || !CanBeStoredTo(texture.format);
}

GLenum StoredFormat(const TextureFacts& texture) {
  return CanBeStoredTo(texture.format) ? texture.format : GL_RGBA8;
}

}  // namespace gles_delegate
