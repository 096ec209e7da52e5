// Textures and buffers of an app's that stand in for tensors, with what is in
// them worked out element by element.
#ifndef GLES_DELEGATE_TESTS_TESTING_APP_OBJECTS_H_
#define GLES_DELEGATE_TESTS_TESTING_APP_OBJECTS_H_

#include <string>
#include <vector>

#include "egl/objects.h"
#include "gles_delegate/gles_delegate.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

// The contents of TfLiteGlesObject without its name; a texture's format; and
// the sign of codes.
struct Holding {
  std::string description;
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  GLenum format = 0;
  bool has_sign = false;

  bool is_texture() const { return object.type == kTfLiteGlesObjectTexture2d; }
  bool is_of_bytes() const {
    return !is_texture() && object.element != kTfLiteGlesElementFloat32;
  }
  // For a tensor of this BHWC shape.
  int channels(const Shape& shape) const;
  size_t elements(const Shape& shape) const;
};

Holding BufferHolding(std::string description, int layout, int element,
                      int channels = 0, float scale = 1, float bias = 0);
Holding TextureHolding(std::string description, GLenum format, float scale = 1,
                       float bias = 0);

// Numbers that the object can hold exactly, one for each of its elements, in
// its order; they depend on `round` alone.
std::vector<float> SomeElements(const Holding& holding, const Shape& shape,
                                int round = 0);

// The BHWC values of the tensor that such elements stand for, of an input.
// `scale` and `bias`: TfLiteGlesObject's, or those of codes.
std::vector<float> ValuesOf(const Holding& holding, const Shape& shape,
                            const std::vector<float>& elements, float scale,
                            float bias);
// The elements that an output of these values is written as. Bytes are rounded.
std::vector<float> ElementsOf(const Holding& holding, const Shape& shape,
                              const std::vector<float>& values, float scale,
                              float bias);

// The input of the tests of pictures, for a model that negates: 6 rows of 5
// pixels of 4 channels.
inline const Shape& PictureShape() {
  static const auto& shape = *new Shape{1, 6, 5, 4};
  return shape;
}
inline std::vector<float> Negated(std::vector<float> values) {
  for (float& v : values) v = -v;
  return values;
}

// The GL object, in the current context.
class AppObject {
 public:
  // `elements`: SomeElements(), or of an object that is written anything.
  AppObject(const Holding& holding, const Shape& shape,
            const std::vector<float>& elements);

  // To hand to TfLiteGlesDelegateBindObject().
  TfLiteGlesObject object() const;
  GLuint name() const;
  // Its contents, read by the test's own shader.
  std::vector<float> Read() const;

 private:
  Holding holding_;
  size_t elements_ = 0;
  egl::Buffer buffer_;
  egl::Texture texture_;
};

// The four channels of each texel of a GL_TEXTURE_2D, as shaders sample them.
std::vector<float> ReadTexture(GLuint texture, int width, int height);
inline std::vector<float> ReadTexture(const egl::Texture& texture) {
  return ReadTexture(texture.id(), texture.desc().width, texture.desc().height);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_APP_OBJECTS_H_
