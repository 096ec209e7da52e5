// How an app's texture or buffer holds the values of an input or output.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "delegate/graph/graph.h"
#include "egl/gl_api.h"
#include "egl/objects.h"

namespace gles_delegate {

// What the program of a transfer depends on. An object of another form takes
// another program.
struct ObjectForm {
  enum class Kind { kNone, kBuffer, kTexture };
  enum class Layout {
    kBhwc,   // tightly packed
    kPhwc4,  // batch, slice, height, width, and four channels of the slice
  };
  enum class Element { kFloat32, kByte, kSignedByte };

  Kind kind = Kind::kNone;
  // A buffer of the tensor's own floats in BHWC: the program of other inputs
  // and outputs (upload.comp, readback.comp) does.
  bool is_plain = false;
  Layout layout = Layout::kBhwc;        // of buffers
  Element element = Element::kFloat32;  // of buffers
  int channels = 0;                     // that the object holds of a pixel
  // Of a texture that is written: what shaders store in.
  GLenum image_format = 0;
  // Of a texture that is written: shaders cannot store to it. They store to a
  // texture of the delegate's own (CopiedOutput), and GL copies that.
  bool is_copied = false;
  bool is_external = false;  // a GL_TEXTURE_EXTERNAL_OES
  // A texture, or a part of it, is resized to the input's height and width.
  bool is_resized = false;

  bool is_bound() const { return kind != Kind::kNone; }
  bool operator==(const ObjectForm& o) const {
    return kind == o.kind && is_plain == o.is_plain && layout == o.layout &&
           element == o.element && channels == o.channels &&
           image_format == o.image_format && is_copied == o.is_copied &&
           is_external == o.is_external && is_resized == o.is_resized;
  }
  bool operator!=(const ObjectForm& o) const { return !(*this == o); }
};

// What may change from one Invoke to the next without another program.
struct ObjectScaling {
  // The tensor's value = scale * the object's + bias. Textures of normalized
  // formats hold 0 to 1.
  float scale = 1;
  float bias = 0;
  // x, y, width and height of what is resized, in pixels; width 0: all of it.
  std::array<float, 4> crop = {};

  bool operator==(const ObjectScaling& o) const {
    return scale == o.scale && bias == o.bias && crop == o.crop;
  }
  bool operator!=(const ObjectScaling& o) const { return !(*this == o); }
};

// An object that an Invoke uses: a GL name of the form that was built for.
struct UsedObject {
  GLuint name = 0;
  ObjectScaling scaling;
};

// Whole slices of four channels.
inline int ObjectSlices(const ObjectForm& form) {
  return (form.channels + 3) / 4;
}

// Bytes that a buffer of this form takes for a tensor of this shape. A buffer
// of bytes takes whole words of four. 0 for textures.
int64_t ObjectBytes(const ObjectForm& form, const Shape& shape);

// By position, what is there of a graph's inputs and outputs already; empty:
// nothing is.
struct BoundTransfers {
  // The app's objects that they are in.
  std::vector<ObjectForm> inputs;
  std::vector<ObjectForm> outputs;
  // The memory (HostTransfer::HostMemory) in which an earlier executor of the
  // graph had the host's tensors lie, which is used on; nullptr: none.
  std::vector<std::shared_ptr<egl::Buffer>> input_memory;
  std::vector<std::shared_ptr<egl::Buffer>> output_memory;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_
