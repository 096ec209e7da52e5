// Dispatches as plain data: what an op makes of a node. A plan can be printed,
// so that a test can compare it with a text. Nothing here calls GL.
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
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Weights and tables, laid out for one shader: `width` x `height` texels of
// four floats, read as <name>_at(x, y) (see gl_shaders/shader.h). The values
// are made when the plan is uploaded, not when it is checked.
struct PackedConstant {
  std::string name;  // as the shader calls it
  int width = 1;     // texels a row
  int height = 1;
  // Stored in 32 bits, even where precision loss is allowed.
  bool always_float32 = false;
  // The values are written into the shader's text, as float32. They must be few
  // and finite, and the shader must read them at places that are known when it
  // is compiled.
  bool literal = false;
  // The values follow from the node's constant inputs, from shapes, from what
  // the plan's text shows, and from nothing else (such as attributes). The
  // start-up cache may then keep the values: its key is made of these three.
  bool cacheable = false;
  // Constants of one plan that have the same id have the same values, and are
  // uploaded once. -1: no other constant has these values.
  int shared_id = -1;
  // Writes width * height * 4 floats. May be called more than once, from the
  // planning thread only. Shares the ownership of all that it reads.
  std::function<void(absl::Span<float>)> fill;
};

// The values of a shader's Params block, or of the members at its end, by the
// names and types of the declaration in the .comp, in its order. The offsets
// follow std140. Validation compares each member with what the linked program
// says (delegate/runtime/check_params.h).
class UniformBlock {
 public:
  enum class Type { kInt, kInt2, kInt4, kFloat, kFloat4 };
  struct Member {
    std::string name;
    Type type = Type::kInt;
    size_t offset = 0;  // bytes, from the block's beginning
  };

  void Int(absl::string_view name, int v);
  void Int2(absl::string_view name, int x, int y);
  void Int4(absl::string_view name, int x, int y, int z, int w);
  void Float(absl::string_view name, float v);
  void Float4(absl::string_view name, const std::array<float, 4>& v);
  // Adds the members of `end`. The block must fill whole vec4s before, as
  // offsets within `end` are kept.
  void Append(const UniformBlock& end);

  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // What the block takes in GL: std140 rounds its size up to 16 bytes.
  size_t block_bytes() const { return (bytes_.size() + 15) / 16 * 16; }
  absl::Span<const Member> members() const { return members_; }
  std::string ToString() const;  // "stride=(2,2) alpha=0.1"

 private:
  void AddMember(absl::string_view name, Type type, const void* data);
  std::vector<uint8_t> bytes_;
  std::vector<Member> members_;
};

// How a dispatch's grid goes through the batch, so that a part of the batch can
// be dispatched by itself: the grid is then shorter on one axis, each tensor
// begins later in its memory, and all else stays as it is.
struct BatchAxis {
  int axis = -1;       // of the grid, the outermost in it; -1: no part can be
  int64_t units = 1;   // that a batch has along the axis
  int units_each = 1;  // that an invocation computes

  bool IsThere() const { return axis >= 0; }
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
      writes;  // the first takes the post-ops
  std::vector<PackedConstant> constants;
  UniformBlock uniforms;
  std::vector<PostOp> post_ops;         // applied by write_<first of writes>
  bool on_codes = false;                // as Node::on_codes
  std::array<int, 3> grid = {1, 1, 1};  // invocations
  std::array<int, 3> work_group = {0, 0, 0};  // zeros: chosen from the grid
  BatchAxis batch;
  // Of post_ops, by the bits of their indices: those that the program skips
  // where a uniform says so, and those that it skips here. What a skipped one
  // reads is bound, and not read (plan/share_programs.h).
  uint32_t optional_post_ops = 0;
  uint32_t skipped_post_ops = 0;
  // What is written is zero past its last channel, whether or not its last
  // texel has channels there.
  bool masks_tails = false;
  // To the shader a written tensor that has memory of its own lies in that
  // memory as one that has none: kBox, or in buffers kRows.
  std::optional<MemoryView::Kind> writes_as;
  // Of a text that does several things: which of them the dispatch does. The
  // uniform `variant` has it, as the .comp says.
  std::optional<std::array<int, 4>> variant;
  // How a dispatch shares its work out.
  struct Tiling {
    std::vector<std::pair<std::string, std::string>> defines;  // all of them
    std::array<int, 3> grid = {1, 1, 1};
    std::array<int, 3> work_group = {0, 0, 0};
    int64_t shared_bytes = 0;
    BatchAxis batch;
  };
  // Another one that costs little more, for where others have its program.
  std::optional<Tiling> other_tiling;
  bool half_arithmetic = false;  // ShaderSpec::half_arithmetic
  bool write_in_two = false;     // ShaderSpec::write_in_two
  // To the shader each plane of a tensor of `reads` is one row: T_size is
  // (width * height, 1, slices, batch). Only of tensors that lie in buffers,
  // and in memory of their own.
  bool flat_planes = false;
  int64_t shared_bytes = 0;  // shared memory that a work group takes
  // The dispatch writes a part of the tensor only (of a concatenation, say).
  // Other dispatches write the rest, which memory planning must keep.
  bool partial_write = false;
  int node = -1;      // tflite_index, for the profile
  std::string label;  // "CONV_2D 12", for errors and profiles

  Dispatch& Define(absl::string_view name, int value = 1);
  Dispatch& Define(absl::string_view name, absl::string_view value);
  Dispatch& Read(absl::string_view name, TensorId id);
  Dispatch& Write(absl::string_view name, TensorId id);
  Dispatch& Constant(PackedConstant constant);
  // An extent past 31 bits is stored as 2^31 - 1, which planning refuses.
  Dispatch& Grid(int64_t x, int64_t y, int64_t z);
  // One invocation for each texel of a tensor of this shape.
  Dispatch& OverTexels(const Shape& shape);
  Dispatch& WorkGroup(int x, int y, int z);
  // An op whose shader declares shared memory must say how much: planning
  // compares it with the device's limit.
  Dispatch& SharedMemory(int64_t bytes);
  Dispatch& Take(Tiling tiling);
  std::string ToString() const;
};

// The whole plan as text, a line per dispatch: for golden tests and reports.
std::string PlanToString(const Graph& graph,
                         absl::Span<const Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_H_
