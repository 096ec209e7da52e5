// Which binding point each tensor and constant of a shader has.
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {
namespace {

Bindings::Kind KindOf(const TensorBinding& tensor, ReadBy read_by) {
  if (tensor.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  if (tensor.storage == Storage::kTexelBuffer) {
    return tensor.write ? Bindings::Kind::kBuffer : Bindings::Kind::kImage;
  }
  return tensor.write || read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                                   : Bindings::Kind::kSampler;
}

Bindings::Kind KindOf(const ConstantBinding& constant, ReadBy read_by) {
  if (constant.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  return read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                   : Bindings::Kind::kSampler;
}

Bindings::Point Take(Bindings::Kind kind, Bindings* bindings) {
  switch (kind) {
    case Bindings::Kind::kSampler:
      return {kind, bindings->samplers++};
    case Bindings::Kind::kImage:
      return {kind, bindings->images++};
    case Bindings::Kind::kBuffer:
      return {kind, bindings->buffers++};
  }
  return {kind, 0};
}

}  // namespace

Bindings AssignBindings(const ShaderSpec& spec) {
  Bindings bindings;
  for (const TensorBinding& t : spec.tensors) {
    bindings.tensors.push_back(Take(KindOf(t, spec.read_by), &bindings));
  }
  for (const ConstantBinding& c : spec.constants) {
    bindings.constants.push_back(
        c.literal_width > 0 ? Bindings::Point{Bindings::Kind::kBuffer, -1}
                            : Take(KindOf(c, spec.read_by), &bindings));
  }
  return bindings;
}

}  // namespace gles_delegate::gl_shaders
