// What an op says of its work: dispatches, as plain data. Printable and
// comparable, so a plan can be a golden test; nothing here touches GL.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PLAN_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PLAN_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Weights and tables, laid out for one shader: `width` x `height` texels of
// four floats, read as <name>_at(x, y) (see gl_shaders/shader.h). Filled when
// the plan is uploaded, not when it is checked.
struct PackedConstant {
  std::string name;  // as the shader calls it
  int width = 1;     // texels a row
  int height = 1;
  bool always_float32 = false;  // even where precision loss is allowed
  // Written into the shader's text, as float32: for few values, all finite,
  // that are read at places known when the shader is compiled.
  bool literal = false;
  // The values follow from the node's constant inputs, from shapes and from
  // what the plan's text shows, and from nothing else (attributes, say): the
  // start-up cache may keep them under the key that it makes of those.
  bool cacheable = false;
  // Constants of a plan with the same id have the same values, and are uploaded
  // once; -1: shared by none.
  int shared_id = -1;
  // Writes width * height * 4 floats. May be called more than once, from the
  // planning thread only; holds what it needs by shared ownership.
  std::function<void(absl::Span<float>)> fill;
};

// Values of a shader's Params block, in the order in which the .comp declares
// them; std140 offsets are worked out here.
class UniformBlock {
 public:
  void Int(absl::string_view name, int v);
  void Int2(absl::string_view name, int x, int y);
  void Int4(absl::string_view name, int x, int y, int z, int w);
  void Float(absl::string_view name, float v);
  void Float4(absl::string_view name, const std::array<float, 4>& v);

  absl::Span<const uint8_t> bytes() const { return bytes_; }
  std::string ToString() const;  // "stride=(2,2) alpha=0.1"

 private:
  void Append(absl::string_view name, const void* data, int words,
              bool is_float);
  std::vector<uint8_t> bytes_;
  std::string text_;
};

// One glDispatchCompute, described.
struct Dispatch {
  // gl_shaders/<shader>.comp
  explicit Dispatch(absl::string_view shader) : shader(shader) {}

  std::string shader;
  // Structure only (tile sizes, storage, variants); sizes go into uniforms, so
  // that one program serves many layers.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::pair<std::string, TensorId>> reads;  // name in the shader
  std::vector<std::pair<std::string, TensorId>>
      writes;  // first: takes post_ops
  std::vector<PackedConstant> constants;
  UniformBlock uniforms;
  std::vector<PostOp> post_ops;         // applied by write_<first of writes>
  bool on_codes = false;                // as its node's
  std::array<int, 3> grid = {1, 1, 1};  // invocations
  std::array<int, 3> work_group = {0, 0, 0};  // zeros: chosen from the grid
  int64_t shared_bytes = 0;  // shared memory that a work group takes
  // The writes cover only a part of the tensor (concatenation): the rest of it
  // is written by other dispatches and must not be thought dead.
  bool partial_write = false;
  int node = -1;      // tflite_index, for the profile
  std::string label;  // "CONV_2D 12", for errors and profiles

  Dispatch& Define(absl::string_view name, int value = 1);
  Dispatch& Define(absl::string_view name, absl::string_view value);
  Dispatch& Read(absl::string_view name, TensorId id);
  Dispatch& Write(absl::string_view name, TensorId id);
  Dispatch& Constant(PackedConstant constant);
  Dispatch& Grid(int x, int y, int z);
  Dispatch& WorkGroup(int x, int y, int z);
  // Must be said by whose shader declares any: planning holds it against the
  // device's limit.
  Dispatch& SharedMemory(int64_t bytes);
  std::string ToString() const;
};

// How this device is used best: the one tuning table's row for it, with the
// user's options applied. See device_profile.cc.
struct DeviceProfile {
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  gl_shaders::ReadBy read_by = gl_shaders::ReadBy::kFetch;
  gl_shaders::Storage constants =
      gl_shaders::Storage::kBuffer;  // or kTexture2d
  bool half = false;                 // 16-bit storage
  // What is finite and past the largest 16-bit float is stored as that one, not
  // as an infinity.
  bool saturate_halves = false;
  // Register tile of convolutions: pixels by output slices an invocation.
  int conv_tile_pixels = 4;
  int conv_tile_slices = 1;
  // Likewise of depthwise convolutions: pixels of a row by rows.
  int depthwise_tile_pixels = 4;
  int depthwise_tile_rows = 1;
  // Invocations that the device runs abreast, where tiles should leave none of
  // them idle (a processor's vector units); 1: no matter.
  int simd_lanes = 1;
  // Invocations that may share one sum through shared memory; 1: none.
  int reduction_lanes = 32;
  // Invocations that keep the whole device busy: convolutions with fewer output
  // texels split their sums. 0: never split.
  int split_target = 0;
  int split_tile_pixels = 1;  // their tile, as above
  int split_tile_slices = 1;
  // A 1x1 convolution computes the depthwise convolution before it by itself
  // where that one's taps * slices * how often they are made (once for 16
  // output slices of the 1x1) are no more than this; 0: never.
  int fused_depthwise_work = 0;
  // A 1x1 convolution of at most so many output slices multiplies its input by
  // a gate as it reads it, so that no MUL has to; 0: never.
  int fused_gate_slices = 0;
  // Convolutions of 3x3 go by Winograd's F(4x4, 3x3) where input and output
  // have so many channels (delegate/ops/conv/conv_winograd.h); 0: never.
  int winograd_min_channels = 0;
  // Those are made in bands whose tensors between are no larger, so that they
  // stay in a processor's cache; 0: at once.
  int winograd_band_bytes = 0;
  // Convolutions of so many terms (taps * input slices * output slices) at most
  // are spelled out, the weights literals; 0: none.
  int unrolled_terms = 0;
  // 1: the host itself brings inputs into the device's layout and outputs out
  // of it, where they lie in buffers: the device's memory is the host's, and
  // its processors are no faster at it. 0: the device does.
  int host_transfers = 0;
  // Inputs and outputs travel in pieces of about so many bytes, so that the
  // host copies one while the GPU moves the next; 0: whole.
  int upload_piece_bytes = 0;
  int readback_piece_bytes = 0;
  // An input of so many bytes or more is copied to the GPU's own memory first,
  // and the upload reads it there; 0: none is.
  int staged_upload_bytes = 0;
  // With 16-bit storage floats cross the bus as 16 bits, too: 1; else 0.
  int half_transfers = 0;
  // Wanted invocations a work group, within the device's limit.
  int work_group_size = 64;
  // The device's limits that planning checks.
  int max_texture_size = 2048;
  int max_texture_layers = 256;
  int64_t max_buffer_bytes = int64_t{1} << 27;
  int max_texel_buffer_texels = 0;  // 0: the device has no texel buffers
  int max_images = 4;               // image uniforms of a compute shader
  int max_buffers = 4;              // shader storage blocks, two kept for I/O
  int max_textures = 16;            // samplers of a compute shader
  int max_outputs = 4;              // images + buffers together (GLES 3.1, 7.6)
  int max_work_group_invocations = 128;
  std::array<int, 3> max_work_group_size = {128, 128, 64};
  std::array<int, 3> max_work_group_count = {65535, 65535, 65535};
  int max_uniform_block_bytes = 16384;
  int max_shared_memory_bytes = 16384;
};

// Takes an op's dispatches. One Planner plans a whole graph, node by node; the
// partition check runs the same code on a graph of one node.
class Planner {
 public:
  Planner(Graph* graph, const DeviceProfile& profile)
      : graph_(graph), profile_(profile) {}

  const Graph& graph() const { return *graph_; }
  const Tensor& tensor(TensorId id) const { return graph_->tensor(id); }
  const DeviceProfile& profile() const { return profile_; }

  // A tensor between two dispatches of one op, float32 or float16 as the rest.
  // `type`: kInt32 for one of integers.
  TensorId AddTemporary(absl::string_view name, const Shape& shape,
                        DataType type = DataType::kFloat32);
  // Likewise with TFLite's dims, where the rank matters (5).
  TensorId AddTemporaryOf(absl::string_view name, std::vector<int> dims,
                          DataType type);
  // Like a temporary, but with constant values (in BHWC order).
  TensorId AddConstantTensor(absl::string_view name, const Shape& shape,
                             std::vector<float> values);

  // An integer constant seen with another shape of as many elements; the bytes
  // are shared.
  TensorId AddConstantView(const Tensor& constant, const Shape& shape);

  // The node's post-ops are added to every dispatch whose first write is the
  // node's outputs[0] (each of its texels is written once), work groups of
  // zeros are chosen, `node` and `label` are filled in. An empty grid is an
  // error.
  void Add(Dispatch dispatch);

  // Dispatches whose text holds weights as literals: each is a program of its
  // own, which takes time to compile.
  int literal_dispatches() const { return literal_dispatches_; }

  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  std::vector<Dispatch> TakeDispatches() { return std::move(dispatches_); }

  // For PlanNode: temporaries made from here on are stored as this node's
  // outputs are.
  void Begin(const Node& node) { always_float32_ = node.always_float32; }
  // For PlanNode: gives the dispatches from `first` on their node, label,
  // post-ops and work groups.
  void Finish(size_t first, const Node& node, const std::string& label);

 private:
  Graph* graph_;
  DeviceProfile profile_;
  std::vector<Dispatch> dispatches_;
  int literal_dispatches_ = 0;
  bool always_float32_ = false;
};

// How many tensors and packed constants, the written one among them, any
// dispatch may bind on this device, whatever their storage; at most 12.
int MaxBoundTensors(const DeviceProfile& profile);

// Plans every node of the graph, in order, then checks each dispatch against
// the device's limits (tensor sizes, bindings, work groups). The first refusal
// is returned: it names the node, its shapes and the rule.
absl::StatusOr<std::vector<Dispatch>> PlanGraph(Graph* graph,
                                                const DeviceProfile& profile);

// One node's plan, appended to `planner`; used by PlanGraph.
absl::Status PlanNode(const Node& node, Planner* planner);

// A work group of about the wanted size that fits the grid and the limits: x
// first (neighbouring texels), then y, then z.
std::array<int, 3> ChooseWorkGroup(const std::array<int, 3>& grid,
                                   const DeviceProfile& profile);

// What a texel of the tensor is: floats in the profile's precision, int32 and
// bool (0 or 1) as 32-bit integers; codes where the tensor holds_codes, uint8
// less 128.
gl_shaders::Format FormatFor(const Tensor& tensor,
                             const DeviceProfile& profile);

// Where a tensor of this shape lives: the profile's storage if it fits the
// device's limits, else another that does. kResourceExhausted: none fits.
absl::StatusOr<gl_shaders::Storage> StorageFor(const Shape& shape,
                                               gl_shaders::Format format,
                                               const DeviceProfile& profile);
absl::StatusOr<gl_shaders::Storage> StorageFor(const Tensor& tensor,
                                               const DeviceProfile& profile);

// The whole plan as text, a line per dispatch: for golden tests and reports.
std::string PlanToString(const Graph& graph,
                         absl::Span<const Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PLAN_H_
