#include "delegate/plan/planner.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/op.h"

namespace gles_delegate {
namespace {

// --- Packed constants that have the same values ------------------------------

// Ops choose smaller ids, for the dispatches of one node.
constexpr int kFirstId = 1 << 24;

// Ops that pack weights by their shapes alone. Others also look at attributes,
// such as which factor is transposed.
bool PacksByShape(const OpDefinition& op) {
  return op.builtin_code == BuiltinOperator_CONV_2D ||
         op.builtin_code == BuiltinOperator_DEPTHWISE_CONV_2D ||
         op.builtin_code == BuiltinOperator_FULLY_CONNECTED;
}

// All that the values of a dispatch's cacheable constants depend on, except the
// tensors that they are packed from.
std::string TextOf(const Dispatch& d, const Graph& graph) {
  std::string text = absl::StrCat(d.shader, " ", d.uniforms.ToString());
  for (const auto& [name, value] : d.defines) {
    absl::StrAppend(&text, " ", name, "=", value);
  }
  for (const auto* tensors : {&d.reads, &d.writes}) {
    for (const auto& [name, id] : *tensors) {
      absl::StrAppend(&text, " ", name, " ", graph.tensor(id).shape.ToString());
    }
  }
  return text;
}

using Ids = std::map<std::string, int>;  // by all that the values depend on

void ShareOfNode(const Node& node, const Graph& graph,
                 absl::Span<Dispatch> dispatches, Ids* ids) {
  if (!PacksByShape(*node.op)) return;
  std::string packed(node.op->name);
  for (TensorId id : node.inputs) {
    const bool is_constant = id != kNoTensor && graph.tensor(id).is_constant();
    absl::StrAppend(&packed, " ", is_constant ? id : kNoTensor);
  }
  for (size_t i = 0; i < dispatches.size(); ++i) {
    std::string text;
    for (PackedConstant& c : dispatches[i].constants) {
      if (!c.cacheable || c.literal || c.shared_id >= 0) continue;
      if (text.empty()) text = TextOf(dispatches[i], graph);
      const std::string key =
          absl::StrCat(packed, "; ", i, " ", c.name, " ", c.width, "x",
                       c.height, " ", c.always_float32, "; ", text);
      const int id = kFirstId + static_cast<int>(ids->size());
      c.shared_id = ids->try_emplace(key, id).first->second;
    }
  }
}

// Convolutions and FULLY_CONNECTEDs with the same weights, such as those of a
// loop's steps, upload them once: their cacheable constants
// (PackedConstant::cacheable) get the same shared_id if dispatches of the same
// text pack the same constant tensors. `ends`: where each node's dispatches
// end.
void ShareConstants(const Graph& graph, absl::Span<const size_t> ends,
                    absl::Span<Dispatch> dispatches) {
  Ids ids;
  size_t begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    ShareOfNode(graph.nodes[i], graph,
                dispatches.subspan(begin, ends[i] - begin), &ids);
    begin = ends[i];
  }
}

// "12", or "12 of odml.rms_norm".
std::string IndexText(const Node& node, const Graph& graph) {
  const auto composite = graph.composites.find(node.tflite_index);
  if (composite == graph.composites.end()) {
    return absl::StrCat(node.tflite_index);
  }
  return absl::StrCat(node.tflite_index, " of ", composite->second);
}

std::string Describe(const Node& node, const Graph& graph) {
  const std::string text =
      absl::StrCat(NameOf(node), " (node ", IndexText(node, graph), "; ");
  const auto list = [&](const std::vector<TensorId>& ids) {
    return absl::StrJoin(ids, ", ", [&](std::string* out, TensorId id) {
      absl::StrAppend(out, id == kNoTensor ? "-" : graph.tensor(id).ToString());
    });
  };
  return absl::StrCat(text, list(node.inputs), " -> ", list(node.outputs), ")");
}

absl::Status CheckStorage(const Graph& graph, const Dispatch& d,
                          const DeviceProfile& profile) {
  for (const auto* list : {&d.reads, &d.writes}) {
    for (const auto& [name, id] : *list) {
      const auto storage = StorageFor(graph.tensor(id), profile);
      if (!storage.ok()) {
        return Labelled(storage.status(), graph.tensor(id).ToString());
      }
    }
  }
  for (const PackedConstant& c : d.constants) {
    RETURN_IF_ERROR(ConstantStorageFor(c, profile).status());
  }
  return absl::OkStatus();
}

absl::Status CheckWorkGroups(const Dispatch& d, const DeviceLimits& limits) {
  int invocations = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (d.grid[axis] <= 0 || d.work_group[axis] <= 0) {
      return absl::InternalError(absl::StrCat(d.shader, " has an empty grid"));
    }
    if (d.grid[axis] == std::numeric_limits<int32_t>::max()) {
      return Exhausted(d.shader, " wants 2^31 or more invocations on axis ",
                       axis);
    }
    invocations *= d.work_group[axis];
    const int64_t groups =
        (int64_t{d.grid[axis]} + d.work_group[axis] - 1) / d.work_group[axis];
    if (d.work_group[axis] > limits.max_work_group_size[axis] ||
        groups > limits.max_work_group_count[axis]) {
      return Exhausted(d.shader, " wants ", groups, " work groups of ",
                       d.work_group[axis], " on axis ", axis,
                       ", past the device's limit of ",
                       limits.max_work_group_count[axis], " of ",
                       limits.max_work_group_size[axis]);
    }
  }
  if (invocations > limits.max_work_group_invocations) {
    return Exhausted(d.shader, " wants ", invocations,
                     " invocations a work group, the device allows ",
                     limits.max_work_group_invocations);
  }
  return absl::OkStatus();
}

absl::Status CheckBindings(const std::string& shader,
                           const gl_shaders::Bindings& bindings,
                           const DeviceLimits& limits) {
  if (bindings.images > limits.max_images ||
      bindings.buffers > limits.max_buffers ||
      bindings.samplers > limits.max_textures) {
    return Exhausted(shader, " binds ", bindings.samplers, " textures, ",
                     bindings.images, " images and ", bindings.buffers,
                     " buffers; the device allows ", limits.max_textures, ", ",
                     limits.max_images, " and ", limits.max_buffers);
  }
  if (bindings.images + bindings.buffers > limits.max_outputs) {
    return Exhausted(
        shader, " binds ", bindings.images, " images and ", bindings.buffers,
        " buffers; the device allows ", limits.max_outputs,
        " of both together (GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES)");
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const Graph& graph, const Dispatch& d,
                         const DeviceLimits& limits) {
  const auto params_bytes =
      static_cast<int64_t>(ParamsOf(graph, d).block_bytes());
  if (params_bytes > limits.max_uniform_block_bytes) {
    return Exhausted(d.shader, " has ", params_bytes,
                     " bytes of parameters; a uniform block of the device has ",
                     limits.max_uniform_block_bytes);
  }
  if (d.shared_bytes > limits.max_shared_memory_bytes) {
    return Exhausted(d.shader, " takes ", d.shared_bytes,
                     " bytes of shared memory a work group; the device has ",
                     limits.max_shared_memory_bytes);
  }
  return absl::OkStatus();
}

// kResourceExhausted: the device cannot hold or run the dispatch.
absl::Status CheckDispatch(const Graph& graph, const Dispatch& d,
                           const DeviceProfile& profile) {
  RETURN_IF_ERROR(CheckStorage(graph, d, profile));
  RETURN_IF_ERROR(CheckWorkGroups(d, profile.limits));
  const auto bindings = gl_shaders::AssignBindings(SpecOf(graph, d, profile));
  RETURN_IF_ERROR(CheckBindings(d.shader, bindings, profile.limits));
  return CheckMemory(graph, d, profile.limits);
}

bool FitsLimits(const std::array<int, 3>& group, const DeviceLimits& limits) {
  for (int axis = 0; axis < 3; ++axis) {
    if (group[axis] > limits.max_work_group_size[axis]) return false;
  }
  return group[0] * group[1] * group[2] <= limits.max_work_group_invocations;
}

// For `simd_lanes` invocations in a vector along x, regardless of the grid's
// width; idle invocations are cheap. One of three work groups, since the group
// is part of a program, and a CPU's compiler takes up to a second for each.
std::array<int, 3> VectorWorkGroup(const std::array<int, 3>& grid,
                                   int invocations, int simd_lanes) {
  const int vectors = std::max(1, invocations / simd_lanes);
  if (grid[1] > 1) return {simd_lanes, vectors, 1};
  if (grid[2] > 1) return {simd_lanes, 1, vectors};
  return {simd_lanes * vectors, 1, 1};
}

}  // namespace

using gl_shaders::Storage;

bool Planner::MultipliesHalves(TensorId src, TensorId dst) const {
  const auto is_half = [&](TensorId id) {
    return FormatFor(tensor(id), profile_.options) ==
           gl_shaders::Format::kRgba16f;
  };
  return profile_.choices.half_arithmetic != 0 && is_half(src) && is_half(dst);
}

TensorId Planner::AddTemporary(absl::string_view name, const Shape& shape,
                               DataType type) {
  return AddTemporaryOf(name, shape.dims(), type);
}

TensorId Planner::AddTemporaryOf(absl::string_view name, std::vector<int> dims,
                                 DataType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.name = std::string(name);
  tensor.always_float32 = node_->always_float32 || node_->integer_path;
  tensor.SetDims(std::move(dims));
  return graph_->AddTensor(std::move(tensor));
}

TensorId Planner::AddConstantTensor(absl::string_view name, const Shape& shape,
                                    const std::vector<float>& values) {
  const TensorId id = AddTemporary(name, shape);
  graph_->tensor(id).constant = ConstantData::Of(values);
  return id;
}

TensorId Planner::AddConstantView(const Tensor& constant, const Shape& shape) {
  Tensor view = constant;
  view.SetDims(shape.dims());
  return graph_->AddTensor(std::move(view));
}

std::array<int, 3> ChooseWorkGroup(const std::array<int, 3>& grid,
                                   const DeviceProfile& profile) {
  const int max_invocations =
      std::min(profile.choices.work_group_size,
               profile.limits.max_work_group_invocations);
  if (profile.choices.simd_lanes > 1) {
    const std::array<int, 3> group =
        VectorWorkGroup(grid, max_invocations, profile.choices.simd_lanes);
    if (FitsLimits(group, profile.limits)) return group;
  }
  std::array<int, 3> group = {1, 1, 1};
  int left = max_invocations;
  const auto grow = [&](int axis, int max) {
    while (group[axis] < grid[axis] && left >= 2 && group[axis] * 2 <= max &&
           group[axis] * 2 <= profile.limits.max_work_group_size[axis]) {
      group[axis] *= 2;
      left /= 2;
    }
  };
  grow(0, 16);
  grow(1, 8);
  grow(2, 64);
  grow(0, profile.limits.max_work_group_size[0]);  // a grid of one row
  return group;
}

absl::Status PlanNode(const Node& node, Planner* planner) {
  planner->Begin(node);
  const absl::Status status = node.op->plan(node, planner);
  return status.ok() ? status
                     : Labelled(status, Describe(node, planner->graph()));
}

void Planner::Begin(const Node& node) {
  node_ = &node;
  label_ = absl::StrCat(NameOf(node), " ", IndexText(node, *graph_));
  begins_node_ = true;
}

absl::Status Planner::Add(Dispatch d) {
  d.node = node_->tflite_index;
  d.begins_node = std::exchange(begins_node_, false);
  d.integer_path = node_->integer_path;
  for (PackedConstant& c : d.constants) {
    // Integer biases are sums with many bits.
    c.always_float32 |= node_->integer_path || node_->always_float32;
    literal_dispatches_ += c.literal;
  }
  d.label = label_;
  if (!d.writes.empty() && !node_->outputs.empty() &&
      d.writes[0].second == node_->outputs[0]) {
    d.post_ops.insert(d.post_ops.end(), node_->post_ops.begin(),
                      node_->post_ops.end());
  }
  if (d.work_group[0] == 0) {
    d.work_group = ChooseWorkGroup(
        SharesAll(profile_.choices) ? kAnyGrid : d.grid, profile_);
  }
  dispatches_.push_back(std::move(d));
  return CheckDispatch(*graph_, dispatches_.back(), profile_);
}

int MaxBoundTensors(const DeviceProfile& profile) {
  constexpr int kMax = 12;  // past which a longer chain saves little
  // Tensors that fit no texture become buffers, so buffers always count.
  int max = std::min(kMax, profile.limits.max_buffers);
  const bool textures = profile.choices.storage != Storage::kBuffer;
  if (textures && profile.choices.read_by == gl_shaders::ReadBy::kImage) {
    max = std::min(max, profile.limits.max_images);
  }
  max = std::min(max, profile.limits.max_outputs);
  return max;
}

absl::StatusOr<std::vector<Dispatch>> PlanGraph(Graph* graph,
                                                const DeviceProfile& profile) {
  Planner planner(graph, profile);
  std::vector<size_t> ends;  // of the nodes' dispatches
  for (const Node& node : graph->nodes) {
    RETURN_IF_ERROR(PlanNode(node, &planner));
    ends.push_back(planner.dispatches().size());
  }
  std::vector<Dispatch> dispatches = planner.TakeDispatches();
  ShareConstants(*graph, ends, absl::MakeSpan(dispatches));
  return dispatches;
}

}  // namespace gles_delegate
