#include "delegate/plan/share_constants.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/op.h"

namespace gles_delegate {
namespace {

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

}  // namespace

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

}  // namespace gles_delegate
