#include "delegate/tflite/object_struct.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gles_delegate {
namespace {

absl::Status OutOfRange(absl::string_view field, double value,
                        absl::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      "TfLiteGlesObject: ", field, " ", value, " is not ", allowed));
}

absl::Status CheckValues(const TfLiteGlesObject& o) {
  if (o.type < kTfLiteGlesObjectBuffer ||
      o.type > kTfLiteGlesObjectTextureExternal) {
    return OutOfRange("type", o.type, "a TfLiteGlesObjectType");
  }
  if (o.name == 0) {
    return absl::InvalidArgumentError(
        "TfLiteGlesObject: name 0 is no object; "
        "TfLiteGlesDelegateUnbindObject unbinds");
  }
  if (o.layout != kTfLiteGlesObjectBhwc && o.layout != kTfLiteGlesObjectPhwc4) {
    return OutOfRange("layout", o.layout, "a TfLiteGlesObjectLayout");
  }
  if (o.element < kTfLiteGlesElementFloat32 ||
      o.element > kTfLiteGlesElementQuantized) {
    return OutOfRange("element", o.element, "a TfLiteGlesObjectElement");
  }
  if (o.channels < 0) return OutOfRange("channels", o.channels, "0 or more");
  if (o.scale == 0 || !std::isfinite(o.scale)) {
    return OutOfRange("scale", o.scale, "a finite number other than 0");
  }
  if (!std::isfinite(o.bias)) return OutOfRange("bias", o.bias, "finite");
  for (float crop : {o.crop_x, o.crop_y, o.crop_width, o.crop_height}) {
    if (!std::isfinite(crop)) return OutOfRange("crop", crop, "finite");
  }
  if (o.crop_width < 0 || o.crop_height < 0 ||
      (o.crop_width == 0) != (o.crop_height == 0)) {
    return OutOfRange("crop_width or crop_height",
                      std::min(o.crop_width, o.crop_height),
                      "more than 0 (both 0: the whole texture)");
  }
  return absl::OkStatus();
}

// AppObjectOf() converts by value.
static_assert(static_cast<int>(AppObject::Type::kTextureExternal) ==
              kTfLiteGlesObjectTextureExternal);
static_assert(static_cast<int>(AppObject::Type::kTexture2d) ==
              kTfLiteGlesObjectTexture2d);
static_assert(static_cast<int>(AppObject::Element::kUint8) ==
              kTfLiteGlesElementUint8);
static_assert(static_cast<int>(AppObject::Element::kQuantized) ==
              kTfLiteGlesElementQuantized);
static_assert(static_cast<int>(ObjectForm::Layout::kPhwc4) ==
              kTfLiteGlesObjectPhwc4);

}  // namespace

void InitObject(TfLiteGlesObject* object, size_t size) {
  if (object == nullptr || size < sizeof(object->struct_size)) return;
  TfLiteGlesObject defaults = {};
  defaults.struct_size = size;
  defaults.scale = 1;
  // Bytes, because `size` may be less than the type's or more.
  char* bytes = reinterpret_cast<char*>(object);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &defaults, std::min(size, sizeof(defaults)));
}

absl::StatusOr<TfLiteGlesObject> WholeObject(const TfLiteGlesObject* caller) {
  if (caller == nullptr) {
    return absl::InvalidArgumentError(
        "no TfLiteGlesObject was given; TfLiteGlesDelegateUnbindObject "
        "unbinds");
  }
  TfLiteGlesObject object;
  InitObject(&object, sizeof(object));
  size_t size = 0;
  std::memcpy(&size, caller, sizeof(size));
  constexpr size_t kMin = offsetof(TfLiteGlesObject, layout);
  constexpr size_t kMax = 1 << 16;
  if (size < kMin || size > kMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("TfLiteGlesObject: struct_size ", size,
                     " is not the size of one; fill it in by "
                     "TfLiteGlesDelegateObjectDefault"));
  }
  const char* bytes = reinterpret_cast<const char*>(caller);
  for (size_t i = sizeof(object); i < size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::InvalidArgumentError(
        "TfLiteGlesObject: a field is set that this version of the library "
        "does not know; it needs a newer one");
  }
  std::memcpy(&object, bytes, std::min(size, sizeof(object)));
  object.struct_size = sizeof(object);
  RETURN_IF_ERROR(CheckValues(object));
  return object;
}

AppObject AppObjectOf(const TfLiteGlesObject& object) {
  AppObject result;
  result.type = static_cast<AppObject::Type>(object.type);
  result.name = object.name;
  result.layout = static_cast<ObjectForm::Layout>(object.layout);
  result.element = static_cast<AppObject::Element>(object.element);
  result.channels = object.channels;
  result.is_resized = object.resize != 0;
  result.scaling = {
      object.scale,
      object.bias,
      {object.crop_x, object.crop_y, object.crop_width, object.crop_height}};
  return result;
}

}  // namespace gles_delegate
