#include "delegate/plan/dispatch.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {

// --- UniformBlock -----------------------------------------------------------

void UniformBlock::Append(absl::string_view name, const void* data, int words,
                          bool is_float) {
  // std140: vec2 aligns to 8 bytes, vec4 to 16.
  const size_t align = words == 1 ? 4 : words == 2 ? 8 : 16;
  const size_t at = (bytes_.size() + align - 1) / align * align;
  bytes_.resize(at + words * 4);
  std::memcpy(bytes_.data() + at, data, words * 4);
  std::vector<std::string> values;
  for (int i = 0; i < words; ++i) {
    const char* word = static_cast<const char*>(data) + 4 * i;
    if (is_float) {
      float f;
      std::memcpy(&f, word, 4);
      values.push_back(absl::StrCat(f));
    } else {
      int32_t v;
      std::memcpy(&v, word, 4);
      values.push_back(absl::StrCat(v));
    }
  }
  absl::StrAppend(&text_, text_.empty() ? "" : " ", name, "=",
                  words == 1
                      ? values[0]
                      : absl::StrCat("(", absl::StrJoin(values, ","), ")"));
}

void UniformBlock::Int(absl::string_view name, int v) {
  Append(name, &v, 1, false);
}

void UniformBlock::Int2(absl::string_view name, int x, int y) {
  const int v[2] = {x, y};
  Append(name, v, 2, false);
}

void UniformBlock::Int4(absl::string_view name, int x, int y, int z, int w) {
  const int v[4] = {x, y, z, w};
  Append(name, v, 4, false);
}

void UniformBlock::Float(absl::string_view name, float v) {
  Append(name, &v, 1, true);
}

void UniformBlock::Float4(absl::string_view name,
                          const std::array<float, 4>& v) {
  Append(name, v.data(), 4, true);
}

std::string UniformBlock::ToString() const { return text_; }

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

Dispatch& Dispatch::Grid(int x, int y, int z) {
  grid = {x, y, z};
  return *this;
}

Dispatch& Dispatch::WorkGroup(int x, int y, int z) {
  work_group = {x, y, z};
  return *this;
}

Dispatch& Dispatch::SharedMemory(int64_t bytes) {
  shared_bytes = bytes;
  return *this;
}

namespace {

// "(0,6)": a post-op's constants up to the last that is not zero; clamp has
// two.
std::string ParamsText(const PostOp& op) {
  size_t count = op.params.size();
  const size_t least = op.function == "clamp" ? 2 : 0;
  while (count > least && op.params[count - 1] == 0) --count;
  if (count == 0) return "";
  return absl::StrCat(
      "(", absl::StrJoin(absl::MakeConstSpan(op.params).first(count), ","),
      ")");
}

}  // namespace

std::string Dispatch::ToString() const {
  std::string text = absl::StrCat(shader, on_codes ? " on codes" : "");
  for (const auto& [name, value] : defines)
    absl::StrAppend(&text, " -D", name, "=", value);
  for (const auto& [name, id] : reads)
    absl::StrAppend(&text, " ", name, "<-t", id);
  for (const auto& [name, id] : writes)
    absl::StrAppend(&text, " ", name, "->t", id);
  for (const PackedConstant& c : constants) {
    absl::StrAppend(&text, " ", c.name, "[", c.width, "x", c.height, "]");
  }
  const std::string own = uniforms.ToString();
  if (!own.empty()) absl::StrAppend(&text, " {", own, "}");
  for (const PostOp& op : post_ops) {
    absl::StrAppend(&text, " |", op.function);
    text += ParamsText(op);
    if (op.operand != kNoTensor) {
      absl::StrAppend(&text, "(t", op.operand,
                      op.operand_zero_extend ? " zero-extended)" : ")");
    }
  }
  absl::StrAppend(&text, " grid ", absl::StrJoin(grid, "x"), " group ",
                  absl::StrJoin(work_group, "x"));
  return text;
}

std::string PlanToString(const Graph& graph,
                         absl::Span<const Dispatch> dispatches) {
  std::string text;
  std::vector<bool> shown(graph.tensors.size(), false);
  for (const Dispatch& d : dispatches) {
    for (const auto* list : {&d.reads, &d.writes}) {
      for (const auto& [name, id] : *list) {
        if (shown[id]) continue;
        shown[id] = true;
        const Tensor& t = graph.tensor(id);
        absl::StrAppend(&text, "t", id, " ", t.shape.ToString(),
                        t.is_constant() ? " constant" : "",
                        t.holds_codes ? " codes" : "",
                        t.always_float32 ? " float32" : "");
        if (t.view.of != kNoTensor) {
          absl::StrAppend(&text, " in t", t.view.of, " at ",
                          absl::StrJoin(t.view.at, ","));
        }
        text += "\n";
      }
    }
    absl::StrAppend(&text, d.label, ": ", d.ToString(), "\n");
  }
  return text;
}

}  // namespace gles_delegate
