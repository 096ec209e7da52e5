// Of host_memory.h: the app's objects.
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/host_memory.h"
#include "egl/gl_api.h"

namespace gles_delegate {
namespace {

using egl::gl;
using Layout = ObjectForm::Layout;

// --- Whether GL has such an object -------------------------------------------

// Each function says why not, or "".

// GL's description of a texture's level 0.
struct TextureFacts {
  int width = 0;
  int height = 0;
  GLint format = 0;  // sized, internal
  GLint is_immutable = 0;
};

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

std::string NoTexture(GLuint texture) {
  return absl::StrCat("the app's context has no texture ", texture);
}

bool CanBeStoredTo(GLenum format) {
  return format == GL_RGBA8 || format == GL_RGBA16F || format == GL_RGBA32F;
}

// Bytes without an alpha, or glTexImage2D's names without sizes.
bool CanBeCopiedTo(GLenum format) {
  return format == GL_RGB8 || format == GL_RGBA || format == GL_RGB ||
         CanBeStoredTo(format);
}

// The facts of a GL_TEXTURE_2D that is not empty.
std::string LookAt(GLuint texture, TextureFacts* facts) {
  if (gl().IsTexture(texture) == GL_FALSE) return NoTexture(texture);
  gl().BindTexture(GL_TEXTURE_2D, texture);
  if (gl().GetError() != GL_NO_ERROR) {
    return absl::StrCat("texture ", texture,
                        " is no GL_TEXTURE_2D, but of another target");
  }
  const auto level = [](GLenum what, GLint* value) {
    gl().GetTexLevelParameteriv(GL_TEXTURE_2D, 0, what, value);
  };
  level(GL_TEXTURE_WIDTH, &facts->width);
  level(GL_TEXTURE_HEIGHT, &facts->height);
  level(GL_TEXTURE_INTERNAL_FORMAT, &facts->format);
  gl().GetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_IMMUTABLE_FORMAT,
                         &facts->is_immutable);
  gl().BindTexture(GL_TEXTURE_2D, 0);
  if (facts->width > 0 && facts->height > 0) return "";
  return absl::StrCat("level 0 of texture ", texture, " is empty");
}

// Whether shaders can read such a GL_TEXTURE_EXTERNAL_OES. GL does not report
// its size and format.
std::string CheckExternal(GLuint texture, const egl::DeviceInfo& device) {
  if (!device.Has("GL_OES_EGL_image_external_essl3")) {
    return "the driver lacks GL_OES_EGL_image_external_essl3, by which shaders "
           "read external textures; bind the EGLImage to a GL_TEXTURE_2D";
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
    return absl::StrCat("texture ", texture, " is no GL_TEXTURE_EXTERNAL_OES");
  }
  // Mesa makes colours of planes in the stages that draw; its compute shaders
  // see the first plane as red, and no error tells so (26.2.6).
  if (planes > 1 && absl::StrContains(device.version, "Mesa")) {
    return absl::StrCat(
        "external texture ", texture, " has ", planes,
        " planes (YUV), of which this driver's compute shaders read the first "
        "alone; draw it to a GL_TEXTURE_2D and bind that");
  }
  return "";
}

// The same for the tensor's shape.
std::string CheckTexture(const TextureFacts& texture, const Shape& shape,
                         bool is_input, bool is_resized) {
  if (!is_resized && (texture.width != shape.w || texture.height != shape.h)) {
    return absl::StrCat(
        "the texture is ", texture.width, " wide and ", texture.height,
        " high, the tensor ", shape.w, " and ", shape.h,
        is_input ? " (TfLiteGlesObject::resize resizes it)" : "");
  }
  const auto format = absl::StrCat("0x", absl::Hex(texture.format));
  if (is_input) {
    if (!IsOfIntegers(texture.format)) return "";
    return absl::StrCat("the texture's format ", format,
                        " is of integers, not of floats");
  }
  if (CanBeCopiedTo(texture.format)) return "";
  return absl::StrCat("the texture's format ", format,
                      " is not GL_RGBA8, GL_RGB8, GL_RGBA16F or GL_RGBA32F, "
                      "which alone are written");
}

// --- An object and its tensor ------------------------------------------------

// Why an object cannot hold the tensor's values, or "".
std::string CheckTensor(const Tensor& tensor) {
  if (tensor.is_variable) {
    return "it is a state that stays on the GPU by itself";
  }
  if (tensor.type != DataType::kFloat32 || tensor.is_host_view()) {
    return "only float32 and quantized tensors can be bound";
  }
  return "";
}

// The same for the elements.
std::string CheckElement(const AppObject& object, const Tensor& tensor,
                         const TextureFacts& texture) {
  if (object.element == kTfLiteGlesElementUint8 && object.is_texture()) {
    return "an element of uint8 is one of a buffer; a texture's format says "
           "what its elements are";
  }
  if (object.element != kTfLiteGlesElementQuantized) return "";
  if (tensor.quantized != DataType::kInt8 &&
      tensor.quantized != DataType::kUint8) {
    return "it has no 8-bit codes; bind it as float32";
  }
  if (!object.is_texture()) return "";
  if (tensor.quantized != DataType::kUint8 || texture.format != GL_RGBA8) {
    return "of textures only GL_RGBA8 holds quantized values, and only those "
           "of uint8; bind it as float32 with scale and bias";
  }
  return "";
}

// The same for the shape.
std::string CheckShape(const AppObject& object, const Shape& s, bool is_input) {
  if (object.is_texture() && (s.b != 1 || s.c > 4)) {
    return "a texture holds one picture of at most 4 channels";
  }
  const bool is_packed = object.layout == kTfLiteGlesObjectPhwc4;
  if (object.channels != 0 && object.channels != s.c &&
      (is_packed || object.channels > 4 || s.c > 4)) {
    return absl::StrCat("the object has ", object.channels,
                        " channels; in BHWC order and of at most 4 channels on "
                        "either side that may differ from the tensor's");
  }
  if (object.is_texture() && is_packed) return "a texture has no layout";
  if (object.is_external() && !is_input) {
    return "an external texture is read only";
  }
  if (object.is_external() && object.resize != 0 && object.crop_width == 0) {
    return "GL does not tell the size of an external texture, so that "
           "crop_width and crop_height must";
  }
  if (object.resize != 0 && !(object.is_texture() && is_input)) {
    return "only the texture of an input is resized";
  }
  return "";
}

ObjectForm FormOf(const AppObject& object, const Tensor& tensor,
                  const TextureFacts& texture, bool is_input) {
  ObjectForm form;
  form.kind = object.is_texture() ? ObjectForm::Kind::kTexture
                                  : ObjectForm::Kind::kBuffer;
  form.layout =
      object.layout == kTfLiteGlesObjectPhwc4 ? Layout::kPhwc4 : Layout::kBhwc;
  if (!object.is_texture() && object.element != kTfLiteGlesElementFloat32) {
    form.element = object.element == kTfLiteGlesElementQuantized &&
                           tensor.quantized == DataType::kInt8
                       ? ObjectForm::Element::kSignedByte
                       : ObjectForm::Element::kByte;
  }
  form.channels = object.channels != 0  ? object.channels
                  : object.is_texture() ? 4
                                        : tensor.shape.c;
  if (object.is_texture() && !is_input) {
    const bool is_stored = CanBeStoredTo(texture.format);
    form.image_format = is_stored ? texture.format : GL_RGBA8;
    form.is_copied = !is_stored || texture.is_immutable == 0;
  }
  form.is_external = object.is_external();
  form.is_resized = object.resize != 0;
  const bool holds_floats = form.kind == ObjectForm::Kind::kBuffer &&
                            form.element == ObjectForm::Element::kFloat32 &&
                            form.channels == tensor.shape.c &&
                            object.scale == 1 && object.bias == 0 &&
                            !tensor.is_float_view();
  form.is_plain = holds_floats && form.layout == ObjectForm::Layout::kBhwc;
  // Padding is the app's, and need not be zero.
  form.holds_texels = holds_floats && tensor.shape.c % 4 == 0 &&
                      form.layout == ObjectForm::Layout::kPhwc4;
  return form;
}

ObjectScaling ScalingOf(const AppObject& object, const Tensor& tensor) {
  ObjectScaling scaling = {
      object.scale,
      object.bias,
      {object.crop_x, object.crop_y, object.crop_width, object.crop_height}};
  if (object.element == kTfLiteGlesElementQuantized) {
    const float scale = tensor.quantization.scale[0];
    const auto zero = static_cast<float>(tensor.quantization.zero_point[0]);
    scaling.scale = object.is_texture() ? scale * 255 : scale;
    scaling.bias = -scale * zero;
  }
  return scaling;
}

}  // namespace

absl::Status CannotBind(const Tensor& tensor, absl::string_view why) {
  return FailedPrecondition("tensor ", tensor.tflite_index, " (",
                            tensor.ToString(), ") has a GL object bound, and ",
                            why);
}

absl::Status CheckBuffer(GLuint buffer, int64_t bytes) {
  if (gl().IsBuffer(buffer) == GL_FALSE) {
    return FailedPrecondition("the app's context has no buffer ", buffer);
  }
  GLint64 has = 0;
  gl().BindBuffer(GL_COPY_READ_BUFFER, buffer);
  gl().GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &has);
  gl().BindBuffer(GL_COPY_READ_BUFFER, 0);
  if (has >= bytes) return absl::OkStatus();
  return FailedPrecondition("buffer ", buffer, " has ", has, " bytes, and ",
                            bytes, " are needed");
}

absl::StatusOr<UsedObject> ResolveObject(const AppObject& object,
                                         const Tensor& tensor, bool is_input,
                                         const egl::DeviceInfo& device) {
  TextureFacts texture;
  for (const std::string& wrong :
       {object.is_external()  ? CheckExternal(object.name, device)
        : object.is_texture() ? LookAt(object.name, &texture)
                              : "",
        CheckTensor(tensor), CheckElement(object, tensor, texture),
        CheckShape(object, tensor.shape, is_input)}) {
    if (!wrong.empty()) return CannotBind(tensor, wrong);
  }
  UsedObject result = {FormOf(object, tensor, texture, is_input), object.name,
                       object.view, ScalingOf(object, tensor)};
  if (object.is_external() || (object.is_own && object.name == 0)) {
    return result;
  }
  if (!object.is_texture()) {
    const absl::Status fits =
        CheckBuffer(object.name, ObjectBytes(result.form, tensor.shape));
    if (!fits.ok()) return CannotBind(tensor, fits.message());
    return result;
  }
  const std::string wrong =
      CheckTexture(texture, tensor.shape, is_input, object.resize != 0);
  if (!wrong.empty()) return CannotBind(tensor, wrong);
  return result;
}

}  // namespace gles_delegate
