// How an app's texture or buffer holds the values of an input or output.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "egl/gl_api.h"
#include "egl/objects.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The properties that determine a transfer's program.
struct ObjectForm {
  enum class Kind { kNone, kBuffer, kTexture };
  enum class Layout {
    kBhwc,   // tightly packed
    kPhwc4,  // batch, slice, height, width, and four channels of the slice
  };
  enum class Element { kFloat32, kByte, kSignedByte };

  Kind kind = Kind::kNone;
  // A buffer of the tensor's floats in BHWC order, for which the usual programs
  // (upload.comp, readback.comp) work.
  bool is_plain = false;
  // A buffer with the same texels as the tensor's memory of 32-bit floats.
  bool holds_texels = false;
  Layout layout = Layout::kBhwc;        // of buffers
  Element element = Element::kFloat32;  // of buffers
  int channels = 0;                     // that the object holds of a pixel
  // For output textures: the format for stores.
  GLenum image_format = 0;
  // For output textures to which shaders cannot store: they store to the
  // delegate's own texture (HostTransfer), which GL copies.
  bool is_copied = false;
  bool is_external = false;  // a GL_TEXTURE_EXTERNAL_OES
  // All or part of a texture is resized to the input's height and width.
  bool is_resized = false;

  bool is_bound() const { return kind != Kind::kNone; }
  bool operator==(const ObjectForm& o) const {
    return kind == o.kind && is_plain == o.is_plain &&
           holds_texels == o.holds_texels && layout == o.layout &&
           element == o.element && channels == o.channels &&
           image_format == o.image_format && is_copied == o.is_copied &&
           is_external == o.is_external && is_resized == o.is_resized;
  }
};

// Properties that may change between Invokes without another program.
struct ObjectScaling {
  // tensor value = scale * object value + bias. Textures of normalized formats
  // have values of 0 to 1.
  float scale = 1;
  float bias = 0;
  // x, y, width and height of the resized part, in pixels; width 0: all of it.
  std::array<float, 4> crop = {};

  bool operator==(const ObjectScaling& o) const {
    return scale == o.scale && bias == o.bias && crop == o.crop;
  }
};

// An object for an Invoke. The transfer's program was built for its form.
struct UsedObject {
  ObjectForm form;  // kNone: the tensor has no object
  GLuint name = 0;
  GLuint view = 0;  // of a buffer: a texture of its texels, if there is one
  ObjectScaling scaling;
};

// Bytes of a buffer of this form for a tensor of this shape, rounded up to
// words of four. 0 for textures.
int64_t ObjectBytes(const ObjectForm& form, const Shape& shape);

// Existing objects and memory of a graph's inputs and outputs, by position; may
// be empty.
struct BoundTransfers {
  // The forms of the app's objects.
  std::vector<ObjectForm> inputs;
  std::vector<ObjectForm> outputs;
  // Memory (HostTransfer::HostMemory) from an earlier executor of the graph in
  // which the host's tensors are placed, to be reused; nullptr: none.
  std::vector<std::shared_ptr<egl::Buffer>> input_memory;
  std::vector<std::shared_ptr<egl::Buffer>> output_memory;
};

// --- The dispatch that transfers it ------------------------------------------

// The dispatches between an app's textures or buffers and the tensors that they
// replace: bound_input.comp and bound_output.comp.

// Reads an object of `form` into the tensor, or writes the tensor to it.
Dispatch ObjectTransfer(const Graph& graph, TensorId id, const ObjectForm& form,
                        bool is_upload, const DeviceProfile& profile);

// The dispatch's own members of its Params block that may change between
// Invokes.
UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling);

// The object's binding point, after the dispatch's other bindings; `form` of
// kind kNone: a host buffer.
gl_shaders::Bindings::Point ObjectBinding(const ObjectForm& form,
                                          bool is_upload,
                                          const gl_shaders::Bindings& others);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_FORM_H_
