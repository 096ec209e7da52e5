#include "delegate/runtime/command.h"

#include <algorithm>
#include <iterator>

#include "delegate/plan/storage.h"

namespace gles_delegate {

using gl_shaders::Bindings;

namespace {

// Whether the position's object can be the memory of the tensor.
bool HoldsMemory(const Tensor& tensor, const std::vector<ObjectForm>& forms,
                 size_t position, const DeviceProfile& profile) {
  const auto storage = StorageFor(tensor, profile);
  return position < forms.size() && forms[position].holds_texels &&
         FormatFor(tensor, profile.options) == gl_shaders::Format::kRgba32f &&
         storage.ok() && gl_shaders::IsBuffer(*storage);
}

}  // namespace

std::vector<BoundCache> FindBoundCaches(const Graph& graph,
                                        const DeviceProfile& profile,
                                        const BoundTransfers& bound) {
  std::vector<BoundCache> caches;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor& output = graph.tensor(graph.outputs[i]);
    const auto input =
        std::find(graph.inputs.begin(), graph.inputs.end(), output.view.of);
    if (input == graph.inputs.end()) continue;
    const Tensor& source = graph.tensor(*input);
    const auto from = std::distance(graph.inputs.begin(), input);
    if (source.shape == output.shape && !source.is_variable &&
        HoldsMemory(source, bound.inputs, from, profile) &&
        HoldsMemory(output, bound.outputs, i, profile)) {
      BoundCache& cache = caches.emplace_back();
      cache.input = static_cast<int>(from);
      cache.output = static_cast<int>(i);
    }
  }
  return caches;
}

void UseBuffers(absl::Span<const UsedObject> inputs,
                absl::Span<const UsedObject> outputs,
                std::vector<BoundCache>* caches,
                std::vector<Command>* commands) {
  for (BoundCache& cache : *caches) {
    const UsedObject& buffer = outputs[cache.output];
    cache.is_in_place = inputs[cache.input].name == buffer.name;
    GLuint view = buffer.view;
    if (view == 0 && cache.view != 0) {
      egl::SetBuffer(cache.view, GL_RGBA32F, buffer.name);
      view = cache.view;
    }
    for (const auto& [command, binding] : cache.bindings) {
      Binding& b = (*commands)[command].bindings[binding];
      b.object = b.kind == Bindings::Kind::kBuffer ? buffer.name : view;
    }
  }
}

}  // namespace gles_delegate
