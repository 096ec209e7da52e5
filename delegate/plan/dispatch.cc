#include "delegate/plan/dispatch.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "absl/base/casts.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/graph_text.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

// --- UniformBlock -----------------------------------------------------------

namespace {

struct TypeInfo {
  absl::string_view name;  // GLSL's
  int words;
  bool floats;
};

const TypeInfo& InfoOf(UniformBlock::Type type) {
  static constexpr TypeInfo kTypes[] = {{"int", 1, false},
                                        {"ivec2", 2, false},
                                        {"ivec4", 4, false},
                                        {"float", 1, true},
                                        {"vec4", 4, true}};
  return kTypes[static_cast<int>(type)];
}

// The words of a member as `text_of(word)`, joined by `separator`.
template <typename Word, typename TextOf>
std::string JoinWords(const UniformBlock::Member& member, const uint8_t* bytes,
                      absl::string_view separator, TextOf text_of) {
  std::vector<Word> words(InfoOf(member.type).words);
  std::memcpy(words.data(), bytes + member.offset, 4 * words.size());
  return absl::StrJoin(words, separator, [&](std::string* out, Word word) {
    absl::StrAppend(out, text_of(word));
  });
}

}  // namespace

void UniformBlock::AddMember(absl::string_view name, Type type,
                             const void* data) {
  // std140: vec2 aligns to 8 bytes, vec4 to 16.
  const size_t bytes = InfoOf(type).words * size_t{4};
  const size_t at = (bytes_.size() + bytes - 1) / bytes * bytes;
  bytes_.resize(at + bytes);
  std::memcpy(bytes_.data() + at, data, bytes);
  members_.push_back({std::string(name), type, at});
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
  const auto as_is = [](auto value) { return absl::StrCat(value); };
  std::string text;
  for (const Member& member : members_) {
    const TypeInfo& type = InfoOf(member.type);
    const std::string value =
        type.floats ? JoinWords<float>(member, bytes_.data(), ",", as_is)
                    : JoinWords<int32_t>(member, bytes_.data(), ",", as_is);
    absl::StrAppend(&text, text.empty() ? "" : " ", member.name, "=",
                    type.words == 1 ? value : absl::StrCat("(", value, ")"));
  }
  return text;
}

std::string UniformBlock::ToConstants() const {
  std::string text;
  for (const Member& member : members_) {
    const TypeInfo& type = InfoOf(member.type);
    absl::StrAppend(
        &text, "const ", type.name, " ", member.name, " = ", type.name, "(",
        JoinWords<uint32_t>(member, bytes_.data(), ", ",
                            [&](uint32_t bits) {
                              // A float's bits, as no text is an infinity.
                              return absl::StrCat(
                                  type.floats ? "uintBitsToFloat(" : "int(",
                                  bits, "u)");
                            }),
        ");\n");
  }
  return text;
}

// --- Dispatch ---------------------------------------------------------------

Dispatch& Dispatch::Define(absl::string_view name, int value) {
  return Define(name, absl::StrCat(value));
}

Dispatch& Dispatch::Apply(absl::string_view name, std::vector<PostOp> ops,
                          TensorId of) {
  stages.push_back({{name, std::move(ops)}, of});
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

Dispatch& Dispatch::Take(Tiling tiling) {
  defines = std::move(tiling.defines);
  grid = tiling.grid;
  work_group = tiling.work_group;
  shared_bytes = tiling.shared_bytes;
  return *this;
}

std::string Dispatch::ToString() const {
  std::string text = absl::StrCat(shader, integer_path ? " in integers" : "");
  for (const auto& [name, value] : defines) {
    absl::StrAppend(&text, " -D", name, "=", value);
  }
  for (const auto& [name, id] : reads) {
    absl::StrAppend(&text, " ", name, flat_planes ? "<-flat t" : "<-t", id);
  }
  for (const auto& [name, id] : writes) {
    absl::StrAppend(&text, " ", name, "->t", id);
  }
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
      if (op.operand != kNoTensor &&
          !graph.tensor(op.operand).view.IsWritten()) {
        show(op.operand);
      }
    }
    for (TensorId id : OperandsOf(d.stages)) show(id);
    for (const auto& [name, id] : d.writes) show(id);
    absl::StrAppend(&text, d.label, ": ", d.ToString(), "\n");
  }
  return text;
}

// --- Shaders and Params of dispatches ----------------------------------------

using gl_shaders::ShaderSpec;
using gl_shaders::Storage;
using gl_shaders::TensorBinding;
using gl_shaders::View;

namespace {

// The function as its shader applies it to values of `channels`, or to a stage
// of the tensor `of`.
PostOp CallOf(const Graph& graph, PostOp op, int channels, TensorId of) {
  // In one order, so that x + y and y + x share a program.
  op.operand_first &= op.function != "add" && op.function != "mul";
  if (op.operand == kNoTensor) return op;
  const Shape& s = graph.tensor(op.operand).shape;
  if (op.operand_as == OperandAs::kLookup && s.c == 4) {
    op.operand_as = OperandAs::kPackedLookup;
  }
  if (op.operand_as != OperandAs::kBroadcast) return op;
  if (of != kNoTensor) {
    op.operand_as =
        s == graph.tensor(of).shape ? OperandAs::kElement : OperandAs::kChannel;
  } else if (s.c == 1 && channels > 1) {
    op.operand_as = OperandAs::kSplat;
  }
  return op;
}

// A tensor bound by a dispatch, with the shader's name for it.
struct NamedTensor {
  std::string name;
  TensorId id = kNoTensor;
  bool write = false;
  const PostOp* post_op = nullptr;  // whose operand it is
  bool skipped = false;             // by that
  bool flat = false;                // Dispatch::flat_planes
};

// In the order of the spec's tensors.
std::vector<NamedTensor> NamedTensors(const Dispatch& d) {
  std::vector<NamedTensor> tensors;
  const bool flat = d.flat_planes;
  for (const auto& [name, id] : d.reads) {
    tensors.push_back({name, id, false, nullptr, false, flat});
  }
  for (size_t i = 0; i < d.post_ops.size(); ++i) {
    const bool skipped = i < 32 && (d.skipped_post_ops >> i & 1) != 0;
    tensors.push_back({absl::StrCat("post", i), d.post_ops[i].operand, false,
                       &d.post_ops[i], skipped});
  }
  for (const Stage& stage : d.stages) {
    for (size_t i = 0; i < stage.ops.size(); ++i) {
      tensors.push_back({absl::StrCat(stage.name, i), stage.ops[i].operand,
                         false, nullptr, false, flat});
    }
  }
  for (const auto& [name, id] : d.writes) tensors.push_back({name, id, true});
  const auto is_none = [](const NamedTensor& t) { return t.id == kNoTensor; };
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(), is_none),
                tensors.end());
  return tensors;
}

// The tensor's view of the memory that the shader sees.
View ViewOf(const Graph& graph, const Dispatch& dispatch,
            const NamedTensor& named) {
  if (named.post_op != nullptr && named.post_op->operand_max_pool) {
    return View::kMaxPool;
  }
  const View view = graph.tensor(named.id).addressed_as();
  return named.write && view == View::kNone ? dispatch.writes_as : view;
}

// T_at of a view in a tensor of shape `of`.
void AddPlace(const std::string& name, const MemoryView& view, const Shape& of,
              UniformBlock* block) {
  const auto at = [&](int last) {
    block->Int4(name, view.at[kWidthAxis], view.at[kHeightAxis],
                view.at[kBatchAxis] * of.slices() + view.at[kChannelAxis] / 4,
                last);
  };
  switch (view.kind) {
    case View::kNone:
      break;
    case View::kBox:
      return at(view.slices != 0 ? view.slices : of.slices());
    case View::kRows:
      return at(of.c);
    case View::kDepthToSpace:
      return block->Int4(name, view.block, 0, 0, 0);
    case View::kBilinear:
      return block->Int4(name, absl::bit_cast<int>(view.scale_x),
                         absl::bit_cast<int>(view.scale_y),
                         absl::bit_cast<int>(view.shift), 0);
    case View::kMaxPool:
      return block->Int4(name, view.step[0], view.step[1], view.window[0] - 1,
                         view.window[1] - 1);
  }
}

// A tensor's members of COMMON_PARAMS.
void AddTensorParams(const Graph& graph, const Dispatch& dispatch,
                     const NamedTensor& named, UniformBlock* block) {
  const Tensor& tensor = graph.tensor(named.id);
  const Shape& s = tensor.shape;
  block->Int4(absl::StrCat(named.name, "_size"), named.flat ? s.w * s.h : s.w,
              named.flat ? 1 : s.h, s.slices(), s.b);
  int zero_point = 0, scale_bits = 0;
  if (tensor.holds_quantized) {
    // uint8 values are stored with 128 subtracted.
    zero_point = static_cast<int>(tensor.quantization.zero_point[0]) -
                 (tensor.quantized == DataType::kUint8 ? 128 : 0);
    scale_bits = absl::bit_cast<int>(tensor.quantization.scale[0]);
  }
  block->Int4(absl::StrCat(named.name, "_aux"), s.c, zero_point, scale_bits, 0);
  MemoryView view = tensor.view;
  view.kind = ViewOf(graph, dispatch, named);
  if (view.kind == View::kNone) return;
  const Shape& of = view.of == kNoTensor ? s : graph.tensor(view.of).shape;
  AddPlace(absl::StrCat(named.name, "_at"), view, of, block);
  block->Int4(absl::StrCat(named.name, "_of"), of.w, of.h, of.slices(), 0);
}

TensorBinding BindingOf(const Graph& graph, const Dispatch& dispatch,
                        const NamedTensor& named,
                        const DeviceProfile& profile) {
  const Tensor& tensor = graph.tensor(named.id);
  const Tensor& memory =
      tensor.view.of != kNoTensor ? graph.tensor(tensor.view.of) : tensor;
  // The pixels that are written are those of the memory.
  const bool as_rows = tensor.view.kind == View::kRows;
  const int channels = (as_rows ? memory : tensor).shape.c;
  const auto storage = StorageFor(memory, profile);
  return {named.name,
          storage.value_or(Storage::kBuffer),
          FormatFor(tensor, profile.options),
          named.write,
          named.write && (channels % 4 != 0 || dispatch.masks_tails),
          /*scaled=*/!dispatch.integer_path,
          ViewOf(graph, dispatch, named)};
}

}  // namespace

std::vector<TensorId> BoundTensors(const Dispatch& dispatch) {
  std::vector<TensorId> ids;
  for (const NamedTensor& t : NamedTensors(dispatch)) ids.push_back(t.id);
  return ids;
}

std::vector<TensorId> ReadTensors(const Dispatch& dispatch) {
  std::vector<TensorId> ids;
  for (const NamedTensor& t : NamedTensors(dispatch)) {
    if (!t.write && !t.skipped) ids.push_back(t.id);
  }
  return ids;
}

ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                  const DeviceProfile& profile) {
  ShaderSpec spec;
  spec.shader = dispatch.shader;
  spec.defines = dispatch.defines;
  spec.read_by = profile.choices.read_by;
  spec.saturate_halves = profile.options.saturate_halves;
  spec.infinite_halves_are_nan = profile.faults.infinite_halves_are_nan;
  spec.unpack_half_fails = profile.faults.unpack_half_fails;
  spec.half_arithmetic = dispatch.half_arithmetic;
  spec.write_in_two = dispatch.write_in_two;
  spec.work_group = dispatch.work_group;
  if (dispatch.fixed_params) {
    spec.fixed_params = ParamsOf(graph, dispatch).ToConstants();
  }
  for (const NamedTensor& named : NamedTensors(dispatch)) {
    spec.tensors.push_back(BindingOf(graph, dispatch, named, profile));
  }
  for (size_t i = 0; i < dispatch.post_ops.size(); ++i) {
    spec.post_ops.push_back(
        CallOf(graph, dispatch.post_ops[i],
               graph.tensor(dispatch.writes[0].second).shape.c, kNoTensor));
    spec.post_ops.back().optional = (dispatch.optional_post_ops >> i & 1) != 0;
  }
  constexpr int kAnyChannels = 4;
  for (const Stage& stage : dispatch.stages) {
    spec.stages.push_back({stage.name, {}});
    for (const PostOp& op : stage.ops) {
      spec.stages.back().ops.push_back(
          CallOf(graph, op, kAnyChannels, stage.of));
    }
  }
  for (const PackedConstant& c : dispatch.constants) {
    const auto storage = ConstantStorageFor(c, profile);
    spec.constants.push_back({c.name,
                              storage.value_or(Storage::kBuffer),
                              FormatFor(c, profile.options),
                              c.literal ? c.width : 0,
                              {}});
    if (!c.quantized) continue;
    spec.constants.back().quantized_bits = c.quantized->bits;
    spec.constants.back().half_scales = c.quantized->half_scales;
  }
  return spec;
}

UniformBlock ParamsOf(const Graph& graph, const Dispatch& dispatch) {
  UniformBlock block;
  block.Int4("grid", dispatch.grid[0], dispatch.grid[1], dispatch.grid[2], 0);
  for (const NamedTensor& named : NamedTensors(dispatch)) {
    AddTensorParams(graph, dispatch, named, &block);
  }
  for (size_t i = 0; i < dispatch.post_ops.size(); ++i) {
    block.Float4(absl::StrCat("post", i, "_params"),
                 dispatch.post_ops[i].params);
  }
  if (dispatch.optional_post_ops != 0) {
    block.Int4("post_skipped", static_cast<int>(dispatch.skipped_post_ops), 0,
               0, 0);
  }
  for (const Stage& stage : dispatch.stages) {
    for (size_t i = 0; i < stage.ops.size(); ++i) {
      block.Float4(absl::StrCat(stage.name, i, "_params"), stage.ops[i].params);
    }
  }
  for (const PackedConstant& c : dispatch.constants) {
    block.Int4(absl::StrCat(c.name, "_size"), c.width, c.height,
               c.quantized ? c.quantized->block_shift : 0,
               c.quantized ? c.quantized->first_scale : 0);
  }
  block.Append(dispatch.uniforms);
  return block;
}

}  // namespace gles_delegate
