// What an executor hands to GL for one dispatch, worked out when the executor
// is built.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "delegate/runtime/object_form.h"
#include "egl/gl_api.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// One tensor, constant or host buffer at its binding point.
struct Binding {
  gl_shaders::Bindings::Kind kind;
  int unit = 0;
  GLuint object = 0;
  GLenum target = 0;  // of a texture
  GLenum format = 0;  // of an image
  GLenum access = 0;  // of an image
  GLboolean layered = GL_FALSE;
  GLuint sampler = 0;  // of a texture of the app's
  // Of a buffer: the bytes that the shader sees. 0 bytes: the whole.
  GLintptr offset = 0;
  GLsizeiptr bytes = 0;
};

// What an upload or a readback moves: bytes [begin, end) of the buffer of one
// input or output of the partition.
struct Piece {
  int index = -1;  // of the input or output; -1: no upload and no readback
  size_t begin = 0;
  size_t end = 0;
  // A fence follows this readback, and with it the driver is handed what was
  // recorded: the GPU begins while the next piece is recorded.
  bool fenced = false;
};

struct Command {
  GLuint program = 0;
  GLintptr params_offset = 0;  // bytes, in the buffer of all Params blocks
  GLsizeiptr params_bytes = 0;
  std::vector<Binding> bindings;
  std::array<GLuint, 3> groups = {1, 1, 1};
  GLbitfield barrier = 0;  // before the dispatch; 0: none
  int node = -1;           // TFLite's index; -1: an upload or a readback
  std::string label;       // "CONV_2D 12"
  std::string shader;      // "conv_1x1"
  Piece piece;             // of an upload or a readback
  // Where the object's own members of the Params block begin, if the command is
  // a transfer from or to an object of the app's. -1: any other command.
  GLintptr object_params = -1;
  ObjectScaling scaling;  // what is there
  // What it wrote is then copied to an object of the app's.
  bool is_copied = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_H_
