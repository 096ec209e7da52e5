#include "delegate/tflite/resolve_object.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/runtime/check_object.h"

namespace gles_delegate {
namespace {

bool IsExternal(const TfLiteGlesObject& object) {
  return object.type == kTfLiteGlesObjectTextureExternal;
}

bool IsTexture(const TfLiteGlesObject& object) {
  return object.type == kTfLiteGlesObjectTexture2d || IsExternal(object);
}

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
std::string CheckElement(const TfLiteGlesObject& object, const Tensor& tensor,
                         const TextureFacts& texture) {
  if (object.element == kTfLiteGlesElementUint8 && IsTexture(object)) {
    return "an element of uint8 is one of a buffer; a texture's format says "
           "what its elements are";
  }
  if (object.element != kTfLiteGlesElementQuantized) return "";
  if (tensor.quantized != DataType::kInt8 &&
      tensor.quantized != DataType::kUint8) {
    return "it has no 8-bit codes; bind it as float32";
  }
  if (!IsTexture(object)) return "";
  if (tensor.quantized != DataType::kUint8 || texture.format != GL_RGBA8) {
    return "of textures only GL_RGBA8 holds quantized values, and only those "
           "of uint8; "
           "bind it as float32 with scale and bias";
  }
  return "";
}

// The same for the shape.
std::string CheckShape(const TfLiteGlesObject& object, const Shape& s,
                       bool is_input) {
  if (IsTexture(object) && (s.b != 1 || s.c > 4)) {
    return "a texture holds one picture of at most 4 channels";
  }
  const bool is_packed = object.layout == kTfLiteGlesObjectPhwc4;
  if (object.channels != 0 && object.channels != s.c &&
      (is_packed || object.channels > 4 || s.c > 4)) {
    return absl::StrCat("the object has ", object.channels,
                        " channels; in BHWC order and of at most 4 channels on "
                        "either side that may differ from the tensor's");
  }
  if (IsTexture(object) && is_packed) return "a texture has no layout";
  if (IsExternal(object) && !is_input) {
    return "an external texture is read only";
  }
  if (IsExternal(object) && object.resize != 0 && object.crop_width == 0) {
    return "GL does not tell the size of an external texture, so that "
           "crop_width and crop_height must";
  }
  if (object.resize != 0 && !(IsTexture(object) && is_input)) {
    return "only the texture of an input is resized";
  }
  return "";
}

ObjectForm FormOf(const TfLiteGlesObject& object, const Tensor& tensor,
                  const TextureFacts& texture, bool is_input) {
  ObjectForm form;
  form.kind = IsTexture(object) ? ObjectForm::Kind::kTexture
                                : ObjectForm::Kind::kBuffer;
  form.layout = object.layout == kTfLiteGlesObjectPhwc4
                    ? ObjectForm::Layout::kPhwc4
                    : ObjectForm::Layout::kBhwc;
  if (!IsTexture(object) && object.element != kTfLiteGlesElementFloat32) {
    form.element = object.element == kTfLiteGlesElementQuantized &&
                           tensor.quantized == DataType::kInt8
                       ? ObjectForm::Element::kSignedByte
                       : ObjectForm::Element::kByte;
  }
  form.channels = object.channels != 0 ? object.channels
                  : IsTexture(object)  ? 4
                                       : tensor.shape.c;
  if (IsTexture(object) && !is_input) {
    form.image_format = StoredFormat(texture);
    form.is_copied = IsCopiedTo(texture);
  }
  form.is_external = IsExternal(object);
  form.is_resized = object.resize != 0;
  form.is_plain = form.kind == ObjectForm::Kind::kBuffer &&
                  form.layout == ObjectForm::Layout::kBhwc &&
                  form.element == ObjectForm::Element::kFloat32 &&
                  form.channels == tensor.shape.c && object.scale == 1 &&
                  object.bias == 0 && !tensor.is_float_view();
  return form;
}

ObjectScaling ScalingOf(const TfLiteGlesObject& object, const Tensor& tensor) {
  ObjectScaling scaling;
  scaling.scale = object.scale;
  scaling.bias = object.bias;
  if (object.element == kTfLiteGlesElementQuantized) {
    const float scale = tensor.quantization.scale[0];
    const auto zero = static_cast<float>(tensor.quantization.zero_point[0]);
    scaling.scale = IsTexture(object) ? scale * 255 : scale;
    scaling.bias = -scale * zero;
  }
  scaling.crop = {object.crop_x, object.crop_y, object.crop_width,
                  object.crop_height};
  return scaling;
}

}  // namespace

absl::Status CannotBind(const Tensor& tensor, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("tensor ", tensor.tflite_index, " (", tensor.ToString(),
                   ") has a GL object bound, and ", why));
}

absl::StatusOr<ResolvedObject> ResolveObject(const TfLiteGlesObject& object,
                                             const Tensor& tensor,
                                             bool is_input,
                                             const egl::DeviceInfo& device) {
  TextureFacts texture;
  if (IsExternal(object)) {
    if (auto s = CheckExternal(object.name, device); !s.ok()) {
      return CannotBind(tensor, s.message());
    }
  } else if (IsTexture(object)) {
    auto facts = FactsOf(object.name);
    if (!facts.ok()) return CannotBind(tensor, facts.status().message());
    texture = *facts;
  }
  for (const std::string& wrong :
       {CheckTensor(tensor), CheckElement(object, tensor, texture),
        CheckShape(object, tensor.shape, is_input)}) {
    if (!wrong.empty()) return CannotBind(tensor, wrong);
  }
  ResolvedObject result;
  result.form = FormOf(object, tensor, texture, is_input);
  result.used = {object.name, ScalingOf(object, tensor)};
  if (IsExternal(object)) return result;
  const absl::Status fits =
      IsTexture(object)
          ? CheckTexture(texture, tensor.shape, is_input, object.resize != 0)
          : CheckBuffer(object.name, ObjectBytes(result.form, tensor.shape));
  if (!fits.ok()) return CannotBind(tensor, fits.message());
  return result;
}

}  // namespace gles_delegate
