#include "delegate/tflite/runtime_caches.h"

#include <algorithm>
#include <any>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/tflite/simple_delegate.h"

namespace gles_delegate {
namespace {

bool Contains(const std::vector<TensorId>& ids, TensorId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool HoldsFloats(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view() &&
         !tensor.is_host_view() && !tensor.is_variable;
}

void* BuffersOf(TfLiteContext* context) {
  // kTfLiteLiteRtBufferContext, of LiteRT's newer headers.
  constexpr auto kBuffers = static_cast<TfLiteExternalContextType>(4);
  return context->GetExternalContext(context, kBuffers);
}

}  // namespace

AppObject RuntimeCaches::ObjectOf(const TensorBuffer::OnGpuBuffer& buffer) {
  AppObject object;
  object.name = buffer.name;
  object.view = buffer.view;
  object.is_own = true;
  object.layout = ObjectForm::Layout::kPhwc4;
  return object;
}

void RuntimeCaches::Choose(const Graph& graph) {
  tensors_.clear();
  shapes_.clear();
  if (!runtime_) return;
  for (const Node& node : graph.nodes) {
    if (std::any_cast<UpdateSlice>(&node.attributes) == nullptr) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    if (!Contains(graph.inputs, from) || !Contains(graph.outputs, to)) continue;
    for (TensorId id : {from, to}) {
      const Tensor& tensor = graph.tensor(id);
      if (!HoldsFloats(tensor)) continue;
      tensors_.push_back(tensor.tflite_index);
      shapes_[tensor.tflite_index] = tensor.shape;
    }
  }
}

void RuntimeCaches::Require(TfLiteContext* context) {
  const bool all =
      std::all_of(tensors_.begin(), tensors_.end(), [&](int tensor) {
        TfLiteTensor& t = context->tensors[tensor];
        return runtime_->require(runtime_->runtime, BuffersOf(context), &t,
                                 t.bytes) == 0;
      });
  if (!all) tensors_.clear();
}

absl::StatusOr<RuntimeCaches::Place> RuntimeCaches::PlaceOf(
    TfLiteContext* context, int tensor, bool writes) {
  void *buffer = nullptr, *locked = nullptr;
  Place place;
  const int status = runtime_->find(runtime_->runtime, BuffersOf(context),
                                    &context->tensors[tensor], writes ? 1 : 0,
                                    &buffer, &place.memory, &locked);
  if (status != 0) {
    return absl::InternalError(
        absl::StrCat("the runtime has no buffer of tensor ", tensor,
                     " (status ", status, ")"));
  }
  if (locked != nullptr) locked_.push_back(locked);
  place.buffer = static_cast<TensorBuffer*>(buffer);
  return place;
}

absl::StatusOr<std::optional<AppObject>> RuntimeCaches::Find(
    TfLiteContext* context, int tensor, bool writes) {
  const auto place = PlaceOf(context, tensor, writes);
  if (!place.ok()) return place.status();
  if (place->buffer == nullptr) {
    context->tensors[tensor].data.data = place->memory;
    return std::nullopt;
  }
  auto buffer = place->buffer->OnGpu(place_, shapes_.at(tensor),
                                     /*reads=*/!writes, writes);
  if (!buffer.ok()) return buffer.status();
  return ObjectOf(*buffer);
}

absl::Status RuntimeCaches::BringToHost(TfLiteContext* context,
                                        const std::vector<int>& outputs) {
  for (int tensor : tensors_) {
    const bool writes =
        std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
    const auto place = PlaceOf(context, tensor, writes);
    if (!place.ok()) return place.status();
    void* memory = place->memory;
    if (place->buffer != nullptr) {
      auto on_host = place->buffer->OnHost(/*reads=*/!writes, writes);
      if (!on_host.ok()) return on_host.status();
      memory = *on_host;
    }
    context->tensors[tensor].data.data = memory;
  }
  return absl::OkStatus();
}

void RuntimeCaches::Finish() {
  for (void* locked : locked_) runtime_->unlock(runtime_->runtime, locked);
  locked_.clear();
}

}  // namespace gles_delegate

namespace {

using gles_delegate::TensorBuffer;

void* CreateBuffer(size_t bytes) { return new TensorBuffer(bytes); }
void DestroyBuffer(void* buffer) { delete static_cast<TensorBuffer*>(buffer); }
int LockBuffer(void* buffer, int reads, int writes, void** memory) {
  auto on_host =
      static_cast<TensorBuffer*>(buffer)->OnHost(reads != 0, writes != 0);
  if (!on_host.ok()) return 1;
  *memory = *on_host;
  return 0;
}
int ClearBuffer(void* buffer) {
  auto* const values = static_cast<TensorBuffer*>(buffer);
  auto on_host = values->OnHost(/*reads=*/false, /*writes=*/true);
  if (!on_host.ok()) return 1;
  std::memset(*on_host, 0, values->bytes());
  return 0;
}
int UseBuffers(TfLiteDelegate* delegate, const GlesRuntimeBuffers* buffers) {
  return gles_delegate::UseBuffersOfRuntime(delegate, *buffers).ok() ? 0 : 1;
}

}  // namespace

const GlesTensorBufferFunctions* GlesDelegatePrivateTensorBuffers(void) {
  static constexpr GlesTensorBufferFunctions kFunctions = {
      CreateBuffer, DestroyBuffer, LockBuffer, ClearBuffer, UseBuffers};
  return &kFunctions;
}
