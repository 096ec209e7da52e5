#include "delegate/tflite/buffered_tensors.h"

#include <algorithm>
#include <any>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/simple_delegate.h"
#include "egl/caught.h"

namespace gles_delegate {
namespace {

bool Contains(const std::vector<int>& ids, int id) {
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

AppObject BufferedTensors::ObjectOf(const TensorBuffer::OnGpuBuffer& buffer) {
  AppObject object;
  object.name = buffer.name;
  object.view = buffer.view;
  object.is_own = true;
  object.layout = ObjectForm::Layout::kPhwc4;
  return object;
}

void BufferedTensors::ChooseCaches(const Graph& graph) {
  caches_.clear();
  shapes_.clear();
  if (!runtime_) return;
  for (const Node& node : graph.nodes) {
    if (std::any_cast<UpdateSlice>(&node.attributes) == nullptr) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    if (!Contains(graph.inputs, from) || !Contains(graph.outputs, to)) continue;
    for (TensorId id : {from, to}) {
      const Tensor& tensor = graph.tensor(id);
      if (!HoldsFloats(tensor) || Contains(others_, tensor.tflite_index)) {
        continue;
      }
      caches_.push_back(tensor.tflite_index);
      shapes_[tensor.tflite_index] = tensor.shape;
    }
  }
}

bool BufferedTensors::IsCache(int tensor) const {
  return Contains(caches_, tensor);
}

bool BufferedTensors::Has(int tensor) const {
  return IsCache(tensor) || Contains(others_, tensor);
}

void BufferedTensors::Require(TfLiteContext* context,
                              const std::vector<int>& others,
                              const HashSet<int>& shared) {
  others_.clear();
  const auto require = [&](const std::vector<int>& tensors) {
    for (int tensor : tensors) {
      TfLiteTensor& t = context->tensors[tensor];
      if (!shared.contains(tensor) &&
          runtime_->require(runtime_->runtime, BuffersOf(context), &t,
                            t.bytes) == 0) {
        others_.push_back(tensor);
      }
    }
  };
  require(caches_);
  if (others_.size() == caches_.size()) {
    others_.clear();
  } else {
    caches_.clear();
  }
  require(others);
}

absl::StatusOr<TensorBuffer*> BufferedTensors::BufferOf(TfLiteContext* context,
                                                        int tensor,
                                                        bool writes) {
  TfLiteTensor& t = context->tensors[tensor];
  void *buffer = nullptr, *memory = nullptr, *locked = nullptr;
  size_t bytes = 0;
  const int status =
      runtime_->find(runtime_->runtime, BuffersOf(context), &t, writes ? 1 : 0,
                     &buffer, &memory, &bytes, &locked);
  if (locked != nullptr) locked_.push_back(locked);
  // The runtime has placed it like the tensors that need no such buffer.
  if (status != 0 && t.data.data != nullptr) return nullptr;
  if (status != 0) {
    return absl::InternalError(
        absl::StrCat("the runtime has no buffer of tensor ", tensor,
                     " (status ", status, ")"));
  }
  auto* const own = static_cast<TensorBuffer*>(buffer);
  if (own != nullptr) bytes = own->bytes();
  if (bytes < t.bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the runtime's buffer of tensor ", tensor, " has ", bytes,
                     " bytes, and the tensor ", t.bytes,
                     "; make new buffers after a resize"));
  }
  if (own == nullptr) t.data.data = memory;
  return own;
}

absl::StatusOr<HostMemory> BufferedTensors::Lock(TfLiteContext* context,
                                                 int tensor, bool writes,
                                                 const GpuPlace* place) {
  TfLiteTensor& t = context->tensors[tensor];
  ASSIGN_OR_RETURN(const auto buffer, BufferOf(context, tensor, writes));
  if (buffer == nullptr) return MemoryOf(t);
  ASSIGN_OR_RETURN(auto locked, buffer->Lock(/*reads=*/!writes, writes, place));
  own_.push_back(buffer);
  t.data.data = locked.data;
  HostMemory memory = MemoryOf(t);
  memory.buffer = locked.buffer;
  memory.context = locked.context;
  return memory;
}

absl::StatusOr<HostMemory> BufferedTensors::Lock(TfLiteContext* context,
                                                 int tensor, bool writes) {
  return Lock(context, tensor, writes, &place_);
}

absl::StatusOr<std::optional<AppObject>> BufferedTensors::FindCache(
    TfLiteContext* context, int tensor, bool writes) {
  ASSIGN_OR_RETURN(const auto buffer, BufferOf(context, tensor, writes));
  if (buffer == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(auto on_gpu, buffer->OnGpu(place_, shapes_.at(tensor),
                                              /*reads=*/!writes, writes));
  return ObjectOf(on_gpu);
}

absl::Status BufferedTensors::BringToHost(TfLiteContext* context,
                                          const std::vector<int>& outputs) {
  Finish();
  for (const std::vector<int>* tensors : {&caches_, &others_}) {
    for (int tensor : *tensors) {
      RETURN_IF_ERROR(
          Lock(context, tensor, Contains(outputs, tensor), nullptr).status());
    }
  }
  return absl::OkStatus();
}

void BufferedTensors::Finish() {
  for (void* locked : locked_) runtime_->unlock(runtime_->runtime, locked);
  for (TensorBuffer* buffer : own_) buffer->Unlock();
  locked_.clear();
  own_.clear();
}

}  // namespace gles_delegate

namespace {

using gles_delegate::TensorBuffer;

// nullptr: no memory.
void* CreateBuffer(size_t bytes) {
  TensorBuffer* made = nullptr;
  (void)gles_delegate::egl::Caught([&] {
    made = new TensorBuffer(bytes);
    return absl::OkStatus();
  });
  return made;
}
void DestroyBuffer(void* buffer) { delete static_cast<TensorBuffer*>(buffer); }
int LockBuffer(void* buffer, int reads, int writes, void** memory) {
  const absl::Status locked = gles_delegate::egl::Caught([&] {
    auto held =
        static_cast<TensorBuffer*>(buffer)->Lock(reads != 0, writes != 0);
    if (held.ok()) *memory = held->data;
    return held.status();
  });
  return locked.ok() ? 0 : 1;
}
void UnlockBuffer(void* buffer) {
  static_cast<TensorBuffer*>(buffer)->Unlock();
}
int ClearBuffer(void* buffer) {
  void* memory = nullptr;
  if (LockBuffer(buffer, /*reads=*/0, /*writes=*/1, &memory) != 0) return 1;
  std::memset(memory, 0, static_cast<TensorBuffer*>(buffer)->bytes());
  UnlockBuffer(buffer);
  return 0;
}
int UseBuffers(TfLiteDelegate* delegate, const GlesRuntimeBuffers* buffers) {
  const absl::Status used = gles_delegate::egl::Caught(
      [&] { return gles_delegate::UseBuffersOfRuntime(delegate, *buffers); });
  return used.ok() ? 0 : 1;
}

}  // namespace

const GlesTensorBufferFunctions* GlesDelegatePrivateTensorBuffers(void) {
  static constexpr GlesTensorBufferFunctions kFunctions = {
      CreateBuffer, DestroyBuffer, LockBuffer,
      UnlockBuffer, ClearBuffer,   UseBuffers};
  return &kFunctions;
}
