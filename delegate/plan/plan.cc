#include "delegate/plan/plan.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/op.h"
#include "delegate/plan/program.h"

namespace gles_delegate {

using gl_shaders::Format;
using gl_shaders::Storage;

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

// --- Planner ----------------------------------------------------------------

TensorId Planner::AddTemporary(absl::string_view name, const Shape& shape,
                               DataType type) {
  return AddTemporaryOf(name, {shape.b, shape.h, shape.w, shape.c}, type);
}

TensorId Planner::AddTemporaryOf(absl::string_view name, std::vector<int> dims,
                                 DataType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.name = std::string(name);
  tensor.always_float32 = always_float32_;
  tensor.shape = Shape::FromDims(dims);
  tensor.dims = std::move(dims);
  return graph_->AddTensor(std::move(tensor));
}

TensorId Planner::AddConstantTensor(absl::string_view name, const Shape& shape,
                                    std::vector<float> values) {
  const TensorId id = AddTemporary(name, shape);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  graph_->tensor(id).constant = ConstantData::Own(std::move(bytes));
  return id;
}

TensorId Planner::AddConstantView(const Tensor& constant, const Shape& shape) {
  Tensor view = constant;
  view.dims = {shape.b, shape.h, shape.w, shape.c};
  view.shape = shape;
  return graph_->AddTensor(std::move(view));
}

void Planner::Add(Dispatch dispatch) {
  literal_dispatches_ +=
      std::any_of(dispatch.constants.begin(), dispatch.constants.end(),
                  [](const PackedConstant& c) { return c.literal; });
  dispatches_.push_back(std::move(dispatch));
}

// --- Planning ---------------------------------------------------------------

namespace {

std::string Describe(const Node& node, const Graph& graph) {
  std::string text =
      absl::StrCat(node.op->name, " (node ", node.tflite_index, "; ");
  const auto list = [&](const std::vector<TensorId>& ids) {
    return absl::StrJoin(ids, ", ", [&](std::string* out, TensorId id) {
      absl::StrAppend(out, id == kNoTensor ? "-" : graph.tensor(id).ToString());
    });
  };
  return absl::StrCat(text, list(node.inputs), " -> ", list(node.outputs), ")");
}

absl::Status Annotate(const absl::Status& status, const std::string& prefix) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(prefix, ": ", status.message()));
}

absl::Status CheckDispatch(const Graph& graph, const Dispatch& d,
                           const DeviceProfile& profile) {
  for (const auto* list : {&d.reads, &d.writes}) {
    for (const auto& [name, id] : *list) {
      const auto storage = StorageFor(graph.tensor(id), profile);
      if (!storage.ok())
        return Annotate(storage.status(), graph.tensor(id).ToString());
    }
  }
  for (const PackedConstant& c : d.constants) {
    const auto storage = ConstantStorageFor(c, profile);
    if (!storage.ok()) return storage.status();
  }
  int invocations = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (d.grid[axis] <= 0 || d.work_group[axis] <= 0) {
      return absl::InternalError(absl::StrCat(d.shader, " has an empty grid"));
    }
    invocations *= d.work_group[axis];
    const int groups =
        (d.grid[axis] + d.work_group[axis] - 1) / d.work_group[axis];
    if (d.work_group[axis] > profile.max_work_group_size[axis] ||
        groups > profile.max_work_group_count[axis]) {
      return absl::ResourceExhaustedError(absl::StrCat(
          d.shader, " wants ", groups, " work groups of ", d.work_group[axis],
          " on axis ", axis, ", past the device's limit of ",
          profile.max_work_group_count[axis], " of ",
          profile.max_work_group_size[axis]));
    }
  }
  if (invocations > profile.max_work_group_invocations) {
    return absl::ResourceExhaustedError(
        absl::StrCat(d.shader, " wants ", invocations,
                     " invocations a work group, the device allows ",
                     profile.max_work_group_invocations));
  }
  const gl_shaders::Bindings bindings =
      gl_shaders::AssignBindings(SpecOf(graph, d, profile));
  if (bindings.images > profile.max_images ||
      bindings.buffers > profile.max_buffers ||
      bindings.samplers > profile.max_textures) {
    return absl::ResourceExhaustedError(
        absl::StrCat(d.shader, " binds ", bindings.samplers, " textures, ",
                     bindings.images, " images and ", bindings.buffers,
                     " buffers; the device allows ", profile.max_textures, ", ",
                     profile.max_images, " and ", profile.max_buffers));
  }
  if (bindings.images + bindings.buffers > profile.max_outputs) {
    return absl::ResourceExhaustedError(absl::StrCat(
        d.shader, " binds ", bindings.images, " images and ", bindings.buffers,
        " buffers; the device allows ", profile.max_outputs,
        " of both together (GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES)"));
  }
  const auto params_bytes = static_cast<int64_t>(ParamsOf(graph, d).size());
  if (params_bytes > profile.max_uniform_block_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(d.shader, " has ", params_bytes,
                     " bytes of parameters; a uniform block of the device has ",
                     profile.max_uniform_block_bytes));
  }
  if (d.shared_bytes > profile.max_shared_memory_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(d.shader, " takes ", d.shared_bytes,
                     " bytes of shared memory a work group; the device has ",
                     profile.max_shared_memory_bytes));
  }
  return absl::OkStatus();
}

}  // namespace

std::array<int, 3> ChooseWorkGroup(const std::array<int, 3>& grid,
                                   const DeviceProfile& profile) {
  std::array<int, 3> group = {1, 1, 1};
  int left =
      std::min(profile.work_group_size, profile.max_work_group_invocations);
  const auto grow = [&](int axis, int most) {
    while (group[axis] < grid[axis] && left >= 2 && group[axis] * 2 <= most &&
           group[axis] * 2 <= profile.max_work_group_size[axis]) {
      group[axis] *= 2;
      left /= 2;
    }
  };
  grow(0, 16);
  grow(1, 8);
  grow(2, 64);
  grow(0, profile.max_work_group_size[0]);  // a grid of one row
  return group;
}

Format FormatFor(const Tensor& tensor, const DeviceProfile& profile) {
  if (tensor.holds_codes) return Format::kRgba8i;
  switch (tensor.type) {
    case DataType::kInt32:
    case DataType::kBool:
      return Format::kRgba32i;
    default:
      return profile.half && !tensor.always_float32 ? Format::kRgba16f
                                                    : Format::kRgba32f;
  }
}

absl::StatusOr<Storage> StorageFor(const Tensor& tensor,
                                   const DeviceProfile& profile) {
  return StorageFor(tensor.shape, FormatFor(tensor, profile), profile);
}

namespace {

// GLES_DELEGATE_STORAGE_SEED=n, for tests: each shape has a storage of its own,
// by chance, so that all kinds meet in one plan.
Storage PreferredStorage(const Shape& shape, const DeviceProfile& profile) {
  const char* seed = std::getenv("GLES_DELEGATE_STORAGE_SEED");
  if (seed == nullptr || *seed == '\0') return profile.storage;
  uint32_t hash = static_cast<uint32_t>(std::atoi(seed)) * 2654435761u;
  for (int extent : {shape.b, shape.h, shape.w, shape.c}) {
    hash = (hash ^ static_cast<uint32_t>(extent)) * 2246822519u;
    hash ^= hash >> 15;
  }
  constexpr Storage kStorages[] = {Storage::kTextureArray, Storage::kTexture2d,
                                   Storage::kBuffer, Storage::kTexelBuffer};
  return kStorages[hash % std::size(kStorages)];
}

}  // namespace

absl::StatusOr<Storage> StorageFor(const Shape& shape, Format format,
                                   const DeviceProfile& profile) {
  const int64_t layers = int64_t{shape.b} * shape.slices();
  const auto fits = [&](Storage storage) {
    switch (storage) {
      case Storage::kTextureArray:
        return shape.w <= profile.max_texture_size &&
               shape.h <= profile.max_texture_size &&
               layers <= profile.max_texture_layers;
      case Storage::kTexture2d:
        return shape.w <= profile.max_texture_size &&
               layers * shape.h <= profile.max_texture_size;
      case Storage::kBuffer: {
        return layers * shape.h * shape.w * BytesPerTexel(format) <=
               profile.max_buffer_bytes;
      }
      case Storage::kTexelBuffer: {
        const int64_t texels = layers * shape.h * shape.w;
        return texels <= profile.max_texel_buffer_texels &&
               texels * BytesPerTexel(format) <= profile.max_buffer_bytes;
      }
    }
    return false;
  };
  for (Storage storage : {PreferredStorage(shape, profile), Storage::kTexture2d,
                          Storage::kTextureArray, Storage::kBuffer}) {
    if (fits(storage)) return storage;
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "a tensor of ", shape.ToString(), " (", layers,
      " layers) fits no storage: ", "textures up to ", profile.max_texture_size,
      ", ", profile.max_texture_layers, " layers, buffers up to ",
      profile.max_buffer_bytes, " bytes"));
}

absl::Status PlanNode(const Node& node, Planner* planner) {
  const size_t first = planner->dispatches().size();
  planner->Begin(node);
  // The node may live in the planner's graph, whose tensors AddTemporary moves.
  const absl::Status status = node.op->plan(node, planner);
  const std::string label = absl::StrCat(node.op->name, " ", node.tflite_index);
  if (!status.ok()) return Annotate(status, Describe(node, planner->graph()));
  planner->Finish(first, node, label);
  for (size_t i = first; i < planner->dispatches().size(); ++i) {
    absl::Status check = CheckDispatch(
        planner->graph(), planner->dispatches()[i], planner->profile());
    if (!check.ok()) return Annotate(check, Describe(node, planner->graph()));
  }
  return absl::OkStatus();
}

void Planner::Finish(size_t first, const Node& node, const std::string& label) {
  for (size_t i = first; i < dispatches_.size(); ++i) {
    Dispatch& d = dispatches_[i];
    d.node = node.tflite_index;
    d.on_codes = node.on_codes;
    // Biases of codes are sums of many bits.
    for (PackedConstant& c : d.constants) {
      c.always_float32 |= node.on_codes || node.always_float32;
    }
    d.label = label;
    if (!d.writes.empty() && d.writes[0].second == node.outputs[0]) {
      d.post_ops.insert(d.post_ops.end(), node.post_ops.begin(),
                        node.post_ops.end());
    }
    if (d.work_group[0] == 0) d.work_group = ChooseWorkGroup(d.grid, profile_);
  }
}

int MaxBoundTensors(const DeviceProfile& profile) {
  constexpr int kMost = 12;  // past which a longer chain saves little
  // Tensors that fit no texture become buffers, so buffers always count.
  int most = std::min(kMost, profile.max_buffers);
  const bool textures = profile.storage != Storage::kBuffer;
  if (textures && profile.read_by == gl_shaders::ReadBy::kImage) {
    most = std::min(most, profile.max_images);
  }
  most = std::min(most, profile.max_outputs);
  return most;
}

absl::StatusOr<std::vector<Dispatch>> PlanGraph(Graph* graph,
                                                const DeviceProfile& profile) {
  Planner planner(graph, profile);
  for (const Node& node : graph->nodes) {
    if (auto s = PlanNode(node, &planner); !s.ok()) return s;
  }
  return planner.TakeDispatches();
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
