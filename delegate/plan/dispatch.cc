#include "delegate/plan/dispatch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/graph_text.h"

namespace gles_delegate {

// --- UniformBlock -----------------------------------------------------------

namespace {

int WordsOf(UniformBlock::Type type) {
  switch (type) {
    case UniformBlock::Type::kInt:
    case UniformBlock::Type::kFloat:
      return 1;
    case UniformBlock::Type::kInt2:
      return 2;
    case UniformBlock::Type::kInt4:
    case UniformBlock::Type::kFloat4:
      return 4;
  }
  return 0;
}

// Four bytes of a member as text.
std::string WordText(UniformBlock::Type type, const uint8_t* word) {
  if (type == UniformBlock::Type::kFloat ||
      type == UniformBlock::Type::kFloat4) {
    float f;
    std::memcpy(&f, word, sizeof(f));
    return absl::StrCat(f);
  }
  int32_t v;
  std::memcpy(&v, word, sizeof(v));
  return absl::StrCat(v);
}

}  // namespace

void UniformBlock::AddMember(absl::string_view name, Type type,
                             const void* data) {
  // std140: vec2 aligns to 8 bytes, vec4 to 16.
  const size_t bytes = WordsOf(type) * size_t{4};
  const size_t at = (bytes_.size() + bytes - 1) / bytes * bytes;
  bytes_.resize(at + bytes);
  std::memcpy(bytes_.data() + at, data, bytes);
  members_.push_back({std::string(name), type, at});
}

void UniformBlock::Int(absl::string_view name, int v) {
  AddMember(name, Type::kInt, &v);
}

void UniformBlock::Int2(absl::string_view name, int x, int y) {
  const int v[2] = {x, y};
  AddMember(name, Type::kInt2, v);
}

void UniformBlock::Int4(absl::string_view name, int x, int y, int z, int w) {
  const int v[4] = {x, y, z, w};
  AddMember(name, Type::kInt4, v);
}

void UniformBlock::Float(absl::string_view name, float v) {
  AddMember(name, Type::kFloat, &v);
}

void UniformBlock::Float4(absl::string_view name,
                          const std::array<float, 4>& v) {
  AddMember(name, Type::kFloat4, v.data());
}

void UniformBlock::Append(const UniformBlock& end) {
  const size_t at = block_bytes();
  bytes_.resize(at);
  bytes_.insert(bytes_.end(), end.bytes_.begin(), end.bytes_.end());
  for (Member member : end.members_) {
    member.offset += at;
    members_.push_back(std::move(member));
  }
}

std::string UniformBlock::ToString() const {
  std::string text;
  for (const Member& member : members_) {
    std::vector<std::string> values;
    for (int i = 0; i < WordsOf(member.type); ++i) {
      values.push_back(
          WordText(member.type, bytes_.data() + member.offset + 4 * i));
    }
    const std::string value = absl::StrJoin(values, ",");
    absl::StrAppend(&text, text.empty() ? "" : " ", member.name, "=",
                    values.size() == 1 ? value : absl::StrCat("(", value, ")"));
  }
  return text;
}

std::string UniformBlock::ToConstants() const {
  std::string text;
  for (const Member& member : members_) {
    const int words = WordsOf(member.type);
    const bool floats =
        member.type == Type::kFloat || member.type == Type::kFloat4;
    std::vector<std::string> values;
    for (int i = 0; i < words; ++i) {
      uint32_t bits;
      std::memcpy(&bits, bytes_.data() + member.offset + 4 * i, sizeof(bits));
      // A float's bits, as no text is an infinity.
      values.push_back(floats ? absl::StrCat("uintBitsToFloat(", bits, "u)")
                              : absl::StrCat("int(", bits, "u)"));
    }
    const std::string type = absl::StrCat(
        words == 1 ? (floats ? "float" : "int") : (floats ? "vec" : "ivec"),
        words == 1 ? "" : absl::StrCat(words));
    absl::StrAppend(&text, "const ", type, " ", member.name, " = ", type, "(",
                    absl::StrJoin(values, ", "), ");\n");
  }
  return text;
}

// --- Dispatch ---------------------------------------------------------------

Dispatch& Dispatch::Define(absl::string_view name, int value) {
  return Define(name, absl::StrCat(value));
}

Dispatch& Dispatch::Define(absl::string_view name, absl::string_view value) {
  defines.emplace_back(std::string(name), std::string(value));
  return *this;
}

Dispatch& Dispatch::Read(absl::string_view name, TensorId id) {
  reads.emplace_back(std::string(name), id);
  return *this;
}

Dispatch& Dispatch::Write(absl::string_view name, TensorId id) {
  writes.emplace_back(std::string(name), id);
  return *this;
}

Dispatch& Dispatch::Constant(PackedConstant constant) {
  constants.push_back(std::move(constant));
  return *this;
}

Dispatch& Dispatch::Apply(absl::string_view name, std::vector<PostOp> ops,
                          TensorId of) {
  stages.push_back({name, std::move(ops), of});
  return Define(absl::AsciiStrToUpper(name));
}

Dispatch& Dispatch::Grid(int64_t x, int64_t y, int64_t z) {
  const auto fit = [](int64_t extent) {
    return static_cast<int>(
        std::min<int64_t>(extent, std::numeric_limits<int32_t>::max()));
  };
  grid = {fit(x), fit(y), fit(z)};
  return *this;
}

Dispatch& Dispatch::OverTexels(const Shape& shape) {
  return Grid(shape.w, shape.h, int64_t{shape.slices()} * shape.b);
}

Dispatch& Dispatch::WorkGroup(int x, int y, int z) {
  work_group = {x, y, z};
  return *this;
}

Dispatch& Dispatch::SharedMemory(int64_t bytes) {
  shared_bytes = bytes;
  return *this;
}

Dispatch& Dispatch::Take(Tiling tiling) {
  defines = std::move(tiling.defines);
  grid = tiling.grid;
  work_group = tiling.work_group;
  shared_bytes = tiling.shared_bytes;
  return *this;
}

std::string Dispatch::ToString() const {
  std::string text = absl::StrCat(shader, integer_path ? " in integers" : "");
  for (const auto& [name, value] : defines)
    absl::StrAppend(&text, " -D", name, "=", value);
  for (const auto& [name, id] : reads) {
    absl::StrAppend(&text, " ", name, flat_planes ? "<-flat t" : "<-t", id);
  }
  for (const auto& [name, id] : writes)
    absl::StrAppend(&text, " ", name, "->t", id);
  for (const PackedConstant& c : constants) {
    absl::StrAppend(&text, " ", c.name);
    if (c.quantized) {
      absl::StrAppend(&text, " in ", c.quantized->bits, " bits");
      if (c.quantized->block_shift < 30) {
        absl::StrAppend(&text, " by ", 4 << c.quantized->block_shift,
                        c.quantized->half_scales ? " with halves" : "");
      }
    }
    absl::StrAppend(&text, "[", c.width, "x", c.height, "]");
  }
  const std::string own = uniforms.ToString();
  if (!own.empty()) absl::StrAppend(&text, " {", own, "}");
  for (size_t i = 0; i < post_ops.size(); ++i) {
    absl::StrAppend(&text, " ", PostOpText(post_ops[i]),
                    skipped_post_ops >> i & 1    ? " (skipped)"
                    : optional_post_ops >> i & 1 ? " (optional)"
                                                 : "");
  }
  for (const Stage& stage : stages) {
    absl::StrAppend(&text, " ", StageText(stage));
  }
  absl::StrAppend(&text, fixed_params ? " fixed" : "",
                  masks_tails ? " masks tails" : "",
                  writes_as == MemoryView::Kind::kNone   ? ""
                  : writes_as == MemoryView::Kind::kRows ? " writes rows"
                                                         : " writes a box",
                  " grid ", absl::StrJoin(grid, "x"), " group ",
                  absl::StrJoin(work_group, "x"));
  return text;
}

std::string PlanToString(const Graph& graph,
                         absl::Span<const Dispatch> dispatches) {
  std::string text;
  std::vector<bool> shown(graph.tensors.size(), false);
  for (const Dispatch& d : dispatches) {
    const auto show = [&](TensorId id) {
      if (shown[id]) return;
      shown[id] = true;
      const Tensor& t = graph.tensor(id);
      absl::StrAppend(&text, "t", id, " ", t.shape.ToString(),
                      t.is_constant() ? " constant" : "",
                      t.holds_quantized ? " quantized values" : "",
                      t.always_float32 ? " float32" : "", t.view.ToString(),
                      "\n");
    };
    for (const auto& [name, id] : d.reads) show(id);
    for (const PostOp& op : d.post_ops) {
      // It has no writers.
      if (op.operand != kNoTensor && !graph.tensor(op.operand).view.IsWritten())
        show(op.operand);
    }
    for (TensorId id : OperandsOf(d.stages)) show(id);
    for (const auto& [name, id] : d.writes) show(id);
    absl::StrAppend(&text, d.label, ": ", d.ToString(), "\n");
  }
  return text;
}

}  // namespace gles_delegate
