#include "tests/testing/app_objects.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "quant/half.h"
#include "tests/testing/gl.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {

using egl::gl;

namespace {

bool IsPacked(const Holding& holding) {
  return holding.object.layout == kTfLiteGlesObjectPhwc4;
}

// Calls fn(element, value) for each element of the object in its order: the
// index of the tensor's value, or -1 and the channel where there is none.
template <typename Fn>
void ForEachElement(const Holding& holding, const Shape& s, Fn fn) {
  const int n = holding.channels(s);
  const int outer = IsPacked(holding) ? (n + 3) / 4 : 1;
  const int inner = IsPacked(holding) ? 4 : n;
  size_t element = 0;
  for (int b = 0; b < s[0]; ++b) {
    for (int slice = 0; slice < outer; ++slice) {
      for (int y = 0; y < s[1]; ++y) {
        for (int x = 0; x < s[2]; ++x) {
          for (int k = 0; k < inner; ++k, ++element) {
            const int c = slice * 4 + k;
            const int at = ((b * s[1] + y) * s[2] + x) * s[3] + c;
            fn(element, c < s[3] ? at : -1, c);
          }
        }
      }
    }
  }
}

float Opaque(const Holding& holding) {
  if (!holding.is_of_bytes()) return 1;
  return holding.has_sign ? 127 : 255;
}

std::vector<uint8_t> BytesOfElements(const Holding& holding,
                                     const std::vector<float>& elements) {
  std::vector<uint8_t> bytes;
  if (holding.is_of_bytes()) {
    for (float v : elements) {
      bytes.push_back(static_cast<uint8_t>(static_cast<int>(v)));
    }
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
  }
  if (holding.format == GL_RGBA8) {
    for (float v : elements) {
      bytes.push_back(static_cast<uint8_t>(std::lround(v * 255)));
    }
    return bytes;
  }
  if (holding.format == GL_RGBA16F) {
    bytes.resize(elements.size() * 2);
    FloatsToHalves(reinterpret_cast<const uint8_t*>(elements.data()),
                   bytes.data(), elements.size());
    return bytes;
  }
  bytes.resize(elements.size() * sizeof(float));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

}  // namespace

int Holding::channels(const Shape& shape) const {
  if (object.channels != 0) return object.channels;
  return is_texture() ? 4 : shape[3];
}

size_t Holding::elements(const Shape& s) const {
  const int n = channels(s);
  return size_t{1} * s[0] * s[1] * s[2] *
         (IsPacked(*this) ? (n + 3) / 4 * 4 : n);
}

Holding BufferHolding(std::string description, int layout, int element,
                      int channels, float scale, float bias) {
  Holding holding;
  holding.description = std::move(description);
  holding.object.layout = layout;
  holding.object.element = element;
  holding.object.channels = channels;
  holding.object.scale = scale;
  holding.object.bias = bias;
  return holding;
}

Holding TextureHolding(std::string description, GLenum format, float scale,
                       float bias) {
  Holding holding = BufferHolding(std::move(description), 0, 0, 0, scale, bias);
  holding.object.type = kTfLiteGlesObjectTexture2d;
  holding.format = format;
  return holding;
}

std::vector<float> SomeElements(const Holding& holding, const Shape& shape,
                                int round) {
  Random random(absl::StrCat("elements", round));
  std::vector<float> elements(holding.elements(shape));
  for (float& v : elements) {
    if (holding.is_of_bytes()) {
      v = static_cast<float>(random.NextInt(0, 255) -
                             (holding.has_sign ? 128 : 0));
    } else if (holding.format == GL_RGBA8) {
      v = static_cast<float>(random.NextInt(0, 255)) / 255;
    } else {
      v = static_cast<float>(random.NextInt(-128, 128)) / 64;
    }
  }
  return elements;
}

std::vector<float> ValuesOf(const Holding& holding, const Shape& shape,
                            const std::vector<float>& elements, float scale,
                            float bias) {
  // Channels that the object lacks.
  std::vector<float> values(ElementCount(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    const bool fourth = i % shape[3] == 3;
    values[i] = (fourth ? Opaque(holding) : 0) * scale + bias;
  }
  ForEachElement(holding, shape, [&](size_t element, int value, int) {
    if (value >= 0) values[value] = elements[element] * scale + bias;
  });
  return values;
}

std::vector<float> ElementsOf(const Holding& holding, const Shape& shape,
                              const std::vector<float>& values, float scale,
                              float bias) {
  std::vector<float> elements(holding.elements(shape));
  ForEachElement(holding, shape, [&](size_t element, int value, int c) {
    if (value < 0) {
      elements[element] = c == 3 && !IsPacked(holding) ? Opaque(holding) : 0;
      return;
    }
    const float v = (values[value] - bias) / scale;
    const float low = holding.has_sign ? -128 : 0;
    elements[element] = holding.is_of_bytes()
                            ? std::min(std::max(std::round(v), low), low + 255)
                        : holding.format == GL_RGBA8
                            ? std::min(std::max(v, 0.0f), 1.0f)
                            : v;
  });
  return elements;
}

AppObject::AppObject(const Holding& holding, const Shape& shape,
                     const std::vector<float>& elements)
    : holding_(holding), elements_(holding.elements(shape)) {
  const std::vector<uint8_t> bytes = BytesOfElements(holding, elements);
  if (!holding.is_texture()) {
    buffer_ =
        Must(egl::Buffer::Create(bytes.size(), bytes.data(), GL_DYNAMIC_COPY));
    return;
  }
  texture_ = Must(egl::Texture::Create(
      {GL_TEXTURE_2D, holding.format, shape[2], shape[1], 1}));
  texture_.Upload(0, 0, 0, shape[2], shape[1], 1, bytes.data());
}

GLuint AppObject::name() const {
  return holding_.is_texture() ? texture_.id() : buffer_.id();
}

TfLiteGlesObject AppObject::object() const {
  TfLiteGlesObject object = holding_.object;
  object.name = name();
  return object;
}

std::vector<float> AppObject::Read() const {
  if (holding_.is_texture()) return ReadTexture(texture_);
  if (!holding_.is_of_bytes()) return ReadAll<float>(buffer_);
  std::vector<float> values;
  for (uint8_t byte : ReadAll<uint8_t>(buffer_)) {
    values.push_back(holding_.has_sign ? static_cast<int8_t>(byte) : byte);
  }
  values.resize(elements_);
  return values;
}

std::vector<float> ReadTexture(GLuint texture, int width, int height) {
  constexpr char kCopy[] = R"(#version 310 es
precision highp float;
layout(local_size_x = 1) in;
layout(binding = 0) uniform highp sampler2D picture;
layout(std430, binding = 0) writeonly buffer Data { vec4 texels[]; };
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  texels[p.y * textureSize(picture, 0).x + p.x] = texelFetch(picture, p, 0);
}
)";
  const egl::Program copy = Must(egl::Program::Compile(kCopy, "copy"));
  const egl::Buffer to = Must(egl::Buffer::Create(size_t{16} * width * height,
                                                  nullptr, GL_DYNAMIC_COPY));
  gl().UseProgram(copy.id());
  gl().ActiveTexture(GL_TEXTURE0);
  gl().BindTexture(GL_TEXTURE_2D, texture);
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, to.id());
  gl().DispatchCompute(width, height, 1);
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  return ReadAll<float>(to);
}

}  // namespace gles_delegate::testing
