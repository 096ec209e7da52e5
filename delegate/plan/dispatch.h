// Dispatches as plain data: the result of planning nodes. Plans are printable,
// so that tests can compare them with text. No GL calls here.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_H_
#define GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Rows of quantized weights, each of the weights of four outputs, as
// gl_shaders/shader.h lays them out.
struct QuantizedRows {
  int bits = 8;  // of a weight: 8, 4 or 2
  bool half_scales = false;
  int block_shift = 30;  // log2 of a block's inputs / 4; 30: one block a row
  int first_scale = 0;   // texel
};

// Weights and tables, packed for one shader: `width` x `height` texels of four
// floats, read as <name>_at(x, y) (gl_shaders/shader.h). The values are
// computed when the plan is uploaded, not when it is checked.
struct PackedConstant {
  PackedConstant() = default;
  PackedConstant(absl::string_view name, int width, int height = 1)
      : name(name), width(width), height(height) {}

  std::string name;  // as the shader calls it
  int width = 1;     // texels a row
  int height = 1;
  // Stored in 32 bits, even if precision loss is allowed.
  bool always_float32 = false;
  // The texels are four 32-bit words of such rows each.
  std::optional<QuantizedRows> quantized = {};
  // The values become float32 literals in the shader. They must be few and
  // finite, and the shader must read them at indices known at compile time.
  bool literal = false;
  // The values depend only on the node's constant inputs, on shapes and on the
  // plan's text (not on attributes). The start-up cache, whose key covers these
  // three, may then store them.
  bool cacheable = false;
  // Constants of a plan with the same id have the same values and are uploaded
  // once. -1: unique.
  int shared_id = -1;
  // Writes width * height * 4 floats, which are 0. May be called repeatedly, on
  // the planning thread. Shares ownership of everything that it reads.
  std::function<void(absl::Span<float>)> fill;
  // The same for `quantized`, of words that are 0.
  std::function<void(absl::Span<uint32_t>)> fill_words;
};

// The values of a shader's Params block, or of its last members, with the
// names, types and order of the declaration in the .comp. Offsets follow
// std140. Validation compares each member with the linked program
// (delegate/runtime/program_cache.h).
class UniformBlock {
 public:
  enum class Type { kInt, kInt2, kInt4, kFloat, kFloat4 };
  struct Member {
    std::string name;
    Type type = Type::kInt;
    size_t offset = 0;  // bytes, from the block's beginning
  };

  void Int(absl::string_view name, int v) { AddMember(name, Type::kInt, &v); }
  void Int2(absl::string_view name, int x, int y) {
    AddMember(name, Type::kInt2, std::array<int, 2>{x, y}.data());
  }
  void Int4(absl::string_view name, const std::array<int, 4>& v) {
    AddMember(name, Type::kInt4, v.data());
  }
  void Int4(absl::string_view name, int x, int y, int z, int w) {
    Int4(name, {x, y, z, w});
  }
  void Float(absl::string_view name, float v) {
    AddMember(name, Type::kFloat, &v);
  }
  void Float4(absl::string_view name, const std::array<float, 4>& v) {
    AddMember(name, Type::kFloat4, v.data());
  }
  // Appends the members of `end`. The block must consist of whole vec4s, since
  // offsets within `end` are kept.
  void Append(const UniformBlock& end);

  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // The block's size in GL: std140 rounds up to 16 bytes.
  size_t block_bytes() const { return (bytes_.size() + 15) / 16 * 16; }
  absl::Span<const Member> members() const { return members_; }
  std::string ToString() const;  // "stride=(2,2) alpha=0.1"
  // "const ivec2 stride = ivec2(2, 2);" and so on.
  std::string ToConstants() const;

 private:
  void AddMember(absl::string_view name, Type type, const void* data);
  std::vector<uint8_t> bytes_;
  std::vector<Member> members_;
};

// Describes one glDispatchCompute.
struct Dispatch {
  // gl_shaders/<shader>.comp
  explicit Dispatch(absl::string_view shader) : shader(shader) {}

  std::string shader;
  // Structure only (tile sizes, storage, variants); sizes are uniforms, so that
  // one program serves many layers.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::pair<std::string, TensorId>> reads;  // name in the shader
  std::vector<std::pair<std::string, TensorId>>
      writes;  // the first takes the post-ops
  std::vector<PackedConstant> constants;
  UniformBlock uniforms;
  std::vector<PostOp> post_ops;         // applied by write_<first of writes>
  std::vector<Stage> stages;            // called by the shader
  bool integer_path = false;            // as Node::integer_path
  std::array<int, 3> grid = {1, 1, 1};  // invocations
  std::array<int, 3> work_group = {0, 0, 0};  // zeros: chosen from the grid
  // Bit masks of indices into post_ops: those that the program can skip,
  // depending on a uniform, and those that this dispatch skips. Operands of
  // skipped post-ops are bound but not read (plan/share_programs.h).
  uint32_t optional_post_ops = 0;
  uint32_t skipped_post_ops = 0;
  // Zeroes padding channels even if the last texel has none.
  bool masks_tails = false;
  // The Params block is constants in the shader's text (plan/share_programs.h).
  bool fixed_params = false;
  // Makes the shader treat a written tensor with its own memory as a view:
  // kBox, or for buffers kRows.
  MemoryView::Kind writes_as = MemoryView::Kind::kNone;
  // How a dispatch divides its work.
  struct Tiling {
    std::vector<std::pair<std::string, std::string>> defines;  // all of them
    std::array<int, 3> grid = {1, 1, 1};
    std::array<int, 3> work_group = {0, 0, 0};
    int64_t shared_bytes = 0;
  };
  // An alternative that costs little more, for sharing a program.
  std::optional<Tiling> other_tiling;
  bool half_arithmetic = false;  // ShaderSpec::half_arithmetic
  bool write_in_two = false;     // ShaderSpec::write_in_two
  // Makes the shader treat each plane of a tensor of `reads` and of stages as
  // one row: T_size is (width * height, 1, slices, batch). Only for tensors in
  // buffers with their own memory.
  bool flat_planes = false;
  int64_t shared_bytes = 0;  // shared memory per work group
  int node = -1;             // tflite_index, for the profile
  bool begins_node = false;  // the first dispatch of a node of the graph
  std::string label;         // "CONV_2D 12", for errors and profiles

  Dispatch& Define(absl::string_view name, int value = 1);
  Dispatch& Define(absl::string_view name, absl::string_view value) {
    defines.emplace_back(name, value);
    return *this;
  }
  Dispatch& Read(absl::string_view name, TensorId id) {
    reads.emplace_back(name, id);
    return *this;
  }
  Dispatch& Write(absl::string_view name, TensorId id) {
    writes.emplace_back(name, id);
    return *this;
  }
  Dispatch& Constant(PackedConstant constant) {
    constants.push_back(std::move(constant));
    return *this;
  }
  // Lets the shader call the functions as <name>(), which is a constant, and
  // defines <NAME>. `of`: as Stage::of.
  Dispatch& Apply(absl::string_view name, std::vector<PostOp> ops,
                  TensorId of = kNoTensor);
  // An extent above 31 bits becomes 2^31 - 1, which planning refuses.
  Dispatch& Grid(int64_t x, int64_t y, int64_t z);
  // One invocation per texel of a tensor with this shape.
  Dispatch& OverTexels(const Shape& shape) {
    return Grid(shape.w, shape.h, int64_t{shape.slices()} * shape.b);
  }
  Dispatch& WorkGroup(int x, int y, int z) {
    work_group = {x, y, z};
    return *this;
  }
  // Required for shaders with shared memory: planning compares the size with
  // the device's limit.
  Dispatch& SharedMemory(int64_t bytes) {
    shared_bytes = bytes;
    return *this;
  }
  Dispatch& Take(Tiling tiling);
  std::string ToString() const;
};

// The whole plan as text, one line per dispatch: for golden tests and reports.
std::string PlanToString(const Graph& graph,
                         absl::Span<const Dispatch> dispatches);

// --- Shaders and Params of dispatches ----------------------------------------

// Converts a dispatch to its shader description and Params block, still as
// plain data.

// The tensors that a dispatch binds, in the order of its spec: reads, operands
// of post-ops and of stages, writes.
std::vector<TensorId> BoundTensors(const Dispatch& dispatch);
// The tensors whose values it uses: reads, operands of post-ops that are not
// skipped, and those of stages.
std::vector<TensorId> ReadTensors(const Dispatch& dispatch);

// The dispatch's shader on this device. Every tensor must have some storage.
gl_shaders::ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                              const DeviceProfile& profile);

// The complete Params block: the members of COMMON_PARAMS with the same names
// (gl_shaders/shader.h), then the dispatch's own.
UniformBlock ParamsOf(const Graph& graph, const Dispatch& dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_H_
