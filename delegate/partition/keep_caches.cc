#include "delegate/partition/keep_caches.h"

#include <algorithm>
#include <any>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/hash_tables.h"
#include "delegate/ops/movement/dynamic_update_slice.h"

namespace gles_delegate {

void KeepCachesInFloat32(const BoundTransfers& bound, Graph* graph) {
  const auto holds_texels = [](const std::vector<ObjectForm>& forms,
                               ptrdiff_t position) {
    return position < static_cast<ptrdiff_t>(forms.size()) &&
           forms[position].holds_texels;
  };
  // Of each tensor that updates of an input lead to: the input's position.
  HashMap<TensorId, ptrdiff_t> updated;
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    updated[graph->inputs[i]] = static_cast<ptrdiff_t>(i);
  }
  for (const Node& node : graph->nodes) {
    if (std::any_cast<UpdateSlice>(&node.attributes) == nullptr) continue;
    const auto from = updated.find(node.inputs[0]);
    if (from == updated.end()) continue;
    const ptrdiff_t input = from->second;
    const TensorId to = node.outputs[0];
    updated[to] = input;
    const auto output =
        std::find(graph->outputs.begin(), graph->outputs.end(), to);
    if (output == graph->outputs.end() || !holds_texels(bound.inputs, input) ||
        !holds_texels(bound.outputs,
                      std::distance(graph->outputs.begin(), output))) {
      continue;
    }
    for (const auto& [id, of] : updated) {
      if (of == input) graph->tensor(id).always_float32 = true;
    }
  }
}

}  // namespace gles_delegate
