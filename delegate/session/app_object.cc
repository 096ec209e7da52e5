#include "delegate/session/app_object.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

using Layout = ObjectForm::Layout;

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
           "of uint8; "
           "bind it as float32 with scale and bias";
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
    form.image_format = StoredFormat(texture);
    form.is_copied = IsCopiedTo(texture);
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
  return absl::FailedPreconditionError(
      absl::StrCat("tensor ", tensor.tflite_index, " (", tensor.ToString(),
                   ") has a GL object bound, and ", why));
}

absl::StatusOr<UsedObject> ResolveObject(const AppObject& object,
                                         const Tensor& tensor, bool is_input,
                                         const egl::DeviceInfo& device) {
  TextureFacts texture;
  if (object.is_external()) {
    if (auto s = CheckExternal(object.name, device); !s.ok()) {
      return CannotBind(tensor, s.message());
    }
  } else if (object.is_texture()) {
    auto facts = FactsOf(object.name);
    if (!facts.ok()) return CannotBind(tensor, facts.status().message());
    texture = *facts;
  }
  for (const std::string& wrong :
       {CheckTensor(tensor), CheckElement(object, tensor, texture),
        CheckShape(object, tensor.shape, is_input)}) {
    if (!wrong.empty()) return CannotBind(tensor, wrong);
  }
  UsedObject result = {FormOf(object, tensor, texture, is_input), object.name,
                       object.view, ScalingOf(object, tensor)};
  if (object.is_external() || (object.is_own && object.name == 0)) {
    return result;
  }
  const absl::Status fits =
      object.is_texture()
          ? CheckTexture(texture, tensor.shape, is_input, object.resize != 0)
          : CheckBuffer(object.name, ObjectBytes(result.form, tensor.shape));
  if (!fits.ok()) return CannotBind(tensor, fits.message());
  return result;
}

}  // namespace gles_delegate
