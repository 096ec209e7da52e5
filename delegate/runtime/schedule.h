// The order of an executor's dispatches (uploads, the plan, readbacks), and the
// GL calls of each, prepared when the executor is built.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/host_transfer.h"
#include "egl/gl_api.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// --- The GL calls of a dispatch ----------------------------------------------

// A tensor, constant or host buffer at its binding point.
struct Binding {
  gl_shaders::Bindings::Kind kind;
  int unit = 0;
  GLuint object = 0;
  GLenum target = 0;  // of a texture
  GLenum format = 0;  // of an image
  GLenum access = 0;  // of an image
  GLboolean layered = GL_FALSE;
  GLuint sampler = 0;  // of a texture of the app's
  int app_slot = -1;   // of a tensor whose memory is an app's buffer
};

// The range moved by an upload or readback: bytes [begin, end) of the buffer of
// one partition input or output.
struct Piece {
  int index = -1;  // of the input or output; -1: no upload and no readback
  size_t begin = 0;
  size_t end = 0;
  // This readback is followed by a fence, which also flushes, so that the GPU
  // begins while the next piece is recorded.
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
  // For transfers of an app's object: offset of the object's members in the
  // Params block. -1: other commands.
  GLintptr object_params = -1;
  ObjectScaling scaling;  // the current values
  // The result is then copied to an app's object.
  bool is_copied = false;
};

// --- Caches that stay in an app's buffers ------------------------------------

// An input whose memory an output is a view of (passes/views.cc), if the
// objects of both hold texels exactly as the tensors' buffers do: the output's
// buffer is the tensors' memory. No dispatch copies it after the update, and
// none copies the input's buffer before it if that is the same.
struct BoundCache {
  int input = -1;   // of the graph
  int output = -1;  // of the graph
  // The rest is set by the executor.
  int slot = -1;
  GLuint view = 0;  // of texel buffers: a texture for those without a view
  // Each command that binds it, and the number of its binding.
  std::vector<std::pair<int, int>> bindings;
  bool is_in_place = false;  // both have the same buffer
};

// --- The dispatch that transfers an app's object -----------------------------

// bound_input.comp and bound_output.comp.

// The dispatch's own members of its Params block that may change between
// Invokes.
UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling);

// The object's binding point, after the dispatch's other bindings; `form` of
// kind kNone: a host buffer.
gl_shaders::Bindings::Point ObjectBinding(const ObjectForm& form,
                                          bool is_upload,
                                          const gl_shaders::Bindings& others);

// --- Their order -------------------------------------------------------------

struct Schedule {
  std::vector<Dispatch> dispatches;  // uploads, the plan's own, readbacks
  std::vector<Piece> pieces;         // by dispatch
  size_t uploads = 0;                // dispatches, at the beginning
  size_t readbacks = 0;              // dispatches, at the end
};

// The transfers of a plan's inputs and outputs, and the complete schedule.
// `can_map`: the driver has persistently mapped buffers
// (egl::Buffer::CanBeMapped()).
struct TransferPlan {
  std::vector<HostTransfer> inputs;  // of the graph
  std::vector<HostTransfer> outputs;
  std::vector<BoundCache> caches;  // of kBoundMemory
  Schedule schedule;
};
TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound = {});

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
