#include "tools/inference_diff/suggest_float32.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace gles_delegate {
namespace {

std::string Ranges(const std::set<int>& nodes) {
  std::vector<std::string> ranges;
  for (auto it = nodes.begin(); it != nodes.end();) {
    const int first = *it;
    int last = first;
    while (++it != nodes.end() && *it == last + 1) ++last;
    ranges.push_back(first == last ? absl::StrCat(first)
                                   : absl::StrCat(first, "-", last));
  }
  return absl::StrJoin(ranges, ",");
}

}  // namespace

absl::StatusOr<Float32Suggestion> SuggestFloat32Nodes(const Model& model,
                                                      BackendSpec spec,
                                                      PerLayerOptions options) {
  spec.options.emplace_back("is_precision_loss_allowed", "1");
  options.alone = true;
  ASSIGN_OR_RETURN(auto layers, CompareLayers(model, spec, options));
  std::map<int, int> writers;  // of the model's tensors
  for (const LayerError& e : layers) writers[e.layer.tensor] = e.layer.node;
  Float32Suggestion suggestion;
  std::set<int> nodes;
  for (LayerError& e : layers) {
    if (e.quantized || !e.delegated || e.values.Within(kFloat16Error)) continue;
    nodes.insert(e.layer.node);
    for (int id : e.layer.inputs) {
      const auto writer = writers.find(id);
      if (writer != writers.end()) nodes.insert(writer->second);
    }
    suggestion.layers.push_back(std::move(e));
  }
  suggestion.nodes = Ranges(nodes);
  return suggestion;
}

}  // namespace gles_delegate
