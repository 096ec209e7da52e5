// Of gles_simple_delegate.h: a partition's inputs and outputs.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "egl/process.h"

namespace gles_delegate {

// --- The option state_pairs --------------------------------------------------

namespace {

// Quiet NaNs with payloads: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint64_t kMagic[] = {0x7fd5a6c47fe91b35, 0x7fcd39f27ff40e81};

struct CacheMark {
  uint64_t magic[2];
  uint64_t pool, cache;  // their numbers
  uint64_t updates;      // of the cache
};

std::atomic<uint64_t> g_pools{0};

}  // namespace

CachePool::CachePool() : number_(++g_pools) {}

absl::StatusOr<std::shared_ptr<KeptCache>> CachePool::MarkedIn(
    const HostMemory& memory) const {
  CacheMark mark;
  if (memory.data == nullptr || memory.bytes < sizeof(mark)) return nullptr;
  std::memcpy(&mark, memory.data, sizeof(mark));
  if (std::memcmp(mark.magic, kMagic, sizeof(kMagic)) != 0) return nullptr;
  std::shared_ptr<KeptCache> cache;
  if (mark.pool == number_ && mark.cache < caches_.size()) {
    cache = caches_[mark.cache].lock();
  }
  if (cache == nullptr) {
    return FailedPrecondition(
        "state_pairs: this call got a cache of another delegate, or of an "
        "interpreter that was deleted; write values");
  }
  if (cache->updates != mark.updates) {
    return FailedPrecondition(
        "state_pairs: this call got a cache that a later call has updated "
        "since; pass on the last call's, or write values");
  }
  return cache;
}

std::shared_ptr<KeptCache> CachePool::Add() {
  auto cache = std::make_shared<KeptCache>();
  cache->number = caches_.size();
  caches_.push_back(cache);
  return cache;
}

void CachePool::Mark(const KeptCache& cache, const HostMemory& memory) const {
  if (memory.data == nullptr) return;
  const CacheMark mark = {
      {kMagic[0], kMagic[1]}, number_, cache.number, cache.updates};
  std::memcpy(memory.data, &mark, sizeof(mark));
}

// --- Buffers of the runtime --------------------------------------------------

namespace {

bool Contains(const std::vector<int>& ids, int id) {
  return absl::c_linear_search(ids, id);
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

bool IsDynamic(const TfLiteContext& context, int tensor) {
  return tensor >= 0 &&
         context.tensors[tensor].allocation_type == kTfLiteDynamic;
}

// Tensors used by the model's nodes outside a partition.
struct OtherNodes {
  HashSet<int> tensors;
  // TFLite prepares nodes after these within Invoke, when the app has already
  // written the model's inputs.
  bool have_dynamic_outputs = false;
};

absl::StatusOr<OtherNodes> NodesBeside(TfLiteContext* context,
                                       const KernelSetup& setup) {
  OtherNodes others;
  const HashSet<int> own(setup.partition.nodes.begin(),
                         setup.partition.nodes.end());
  for (int index : setup.nodes.plan) {
    if (own.contains(index)) continue;
    ASSIGN_OR_RETURN(const auto found, setup.nodes.find.Get(context, index));
    for (int id : ReadInts(found.node->inputs)) others.tensors.insert(id);
    for (int id : ReadInts(found.node->outputs)) {
      others.tensors.insert(id);
      others.have_dynamic_outputs |= IsDynamic(*context, id);
    }
  }
  return others;
}

}  // namespace

// Inputs and outputs of a partition in buffers of the runtime that are of this
// library's kind (TensorBuffer): caches, such as a language model's keys and
// values, which stay on the GPU, and tensors whose memory the GPU accesses.
// Without such a runtime, caches may be in the delegate's buffers (KeptCache).
// Threads: as SimpleDelegateKernel's.
class BufferedTensors {
 public:
  // `runtime`: nullopt if it has no such buffers. `pool`: nullptr if no cache
  // is kept then.
  BufferedTensors(const std::optional<GlesRuntimeBuffers>& runtime,
                  std::shared_ptr<CachePool> pool, GpuPlace place)
      : runtime_(runtime), place_(std::move(place)) {
    if (!runtime_) pool_ = std::move(pool);
  }

  bool HasBuffers() const { return runtime_ || Keeps(); }
  bool Keeps() const { return pool_ != nullptr; }
  // Chooses the inputs and outputs of `graph` between which only a
  // DYNAMIC_UPDATE_SLICE is: float32, in the runtime's tensors.
  void ChooseCaches(const Graph& graph) {
    caches_.clear();
    shapes_.clear();
    inputs_.clear();
    if (!HasBuffers() || keeps_none_) return;
    for (const Node& node : graph.nodes) {
      if (node.As<UpdateSlice>() == nullptr) continue;
      const TensorId from = node.inputs[0], to = node.outputs[0];
      if (!Contains(graph.inputs, from) || !Contains(graph.outputs, to)) {
        continue;
      }
      const int input = graph.tensor(from).tflite_index;
      // One buffer cannot become two caches.
      if (Keeps() && (!HoldsFloats(graph.tensor(from)) || IsCache(input))) {
        continue;
      }
      inputs_[graph.tensor(to).tflite_index] = input;
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
  // A cache's object; {}: known before the next inference.
  static AppObject ObjectOf(const TensorBuffer::OnGpuBuffer& buffer) {
    AppObject object;
    object.name = buffer.name;
    object.view = buffer.view;
    object.is_own = true;
    object.layout = kTfLiteGlesObjectPhwc4;
    return object;
  }
  // The runtime's tensors.
  const std::vector<int>& caches() const { return caches_; }
  const std::vector<int>& others() const { return others_; }
  bool IsCache(int tensor) const { return Contains(caches_, tensor); }
  bool Has(int tensor) const {
    return IsCache(tensor) || Contains(others_, tensor);
  }
  // Asks the runtime for the buffers of the caches and of `others`, except
  // those that are `shared` with other nodes. If the runtime refuses one of a
  // cache, or one of a kept cache is shared, no tensor is a cache.
  void Require(TfLiteContext* context, const std::vector<int>& others,
               const HashSet<int>& shared) {
    others_.clear();
    if (Keeps()) {
      keeps_none_ = absl::c_any_of(caches_, [&](int tensor) {
        return shared.contains(tensor) ||
               context->tensors[tensor].bytes < sizeof(CacheMark);
      });
      if (!keeps_none_) return;
      caches_.clear();
      inputs_.clear();
      return;
    }
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

  // Before an inference, which reads or writes the tensor, until Finish(). The
  // tensor's memory. kInternal: the runtime has no buffer of the tensor, which
  // has no memory. kInvalidArgument: the buffer is too small.
  absl::StatusOr<HostMemory> Lock(TfLiteContext* context, int tensor,
                                  bool writes, bool on_cpu = false) {
    TfLiteTensor& t = context->tensors[tensor];
    ASSIGN_OR_RETURN(const auto buffer, BufferOf(context, tensor, writes));
    if (buffer == nullptr) return MemoryOf(t);
    ASSIGN_OR_RETURN(auto locked, buffer->Lock(/*reads=*/!writes, writes,
                                               on_cpu ? nullptr : &place_));
    own_.push_back(buffer);
    t.data.data = locked.data;
    HostMemory memory = MemoryOf(t);
    memory.buffer = locked.buffer;
    memory.context = locked.context;
    return memory;
  }
  // The same for a cache: the GL buffer with its values. nullopt: the app has
  // given the runtime another kind of buffer, which is the tensor's memory.
  absl::StatusOr<std::optional<AppObject>> FindCache(TfLiteContext* context,
                                                     int tensor, bool writes) {
    ASSIGN_OR_RETURN(const auto buffer, BufferOf(context, tensor, writes));
    if (buffer == nullptr) return std::nullopt;
    ASSIGN_OR_RETURN(auto on_gpu, buffer->OnGpu(place_, shapes_.at(tensor),
                                                /*reads=*/!writes, writes));
    return ObjectOf(on_gpu);
  }
  // The tensors get host memory with the values, for an inference on the CPU.
  absl::Status BringToHost(TfLiteContext* context,
                           const std::vector<int>& outputs) {
    Finish();
    if (Keeps()) {
      for (const auto& [output, input] : inputs_) {
        const HostMemory memory = MemoryOf(context->tensors[input]);
        ASSIGN_OR_RETURN(const auto cache, pool_->MarkedIn(memory));
        if (cache == nullptr) continue;
        ASSIGN_OR_RETURN(const HostMemory values,
                         cache->buffer->Lock(/*reads=*/true, /*writes=*/false));
        std::memcpy(memory.data, values.data,
                    std::min(memory.bytes, values.bytes));
        cache->buffer->Unlock();
      }
      return absl::OkStatus();
    }
    for (const std::vector<int>* tensors : {&caches_, &others_}) {
      for (int tensor : *tensors) {
        RETURN_IF_ERROR(
            Lock(context, tensor, Contains(outputs, tensor), /*on_cpu=*/true)
                .status());
      }
    }
    return absl::OkStatus();
  }
  // After the inference, whatever became of it.
  void Finish() {
    for (void* locked : locked_) runtime_->unlock(runtime_->runtime, locked);
    for (TensorBuffer* buffer : own_) buffer->Unlock();
    locked_.clear();
    own_.clear();
  }
  // After an inference on the GPU: marks the kept caches.
  void NoteUpdates(TfLiteContext* context) {
    if (!Keeps()) return;
    for (const auto& [output, input] : inputs_) {
      KeptCache& cache = *taken_.at(input);
      ++cache.updates;
      pool_->Mark(cache, MemoryOf(context->tensors[input]));
      pool_->Mark(cache, MemoryOf(context->tensors[output]));
    }
  }

 private:
  // The tensor's buffer; nullptr: the tensor has the memory of another kind.
  absl::StatusOr<TensorBuffer*> BufferOf(TfLiteContext* context, int tensor,
                                         bool writes) {
    TfLiteTensor& t = context->tensors[tensor];
    if (Keeps() && writes) return taken_.at(inputs_.at(tensor))->buffer.get();
    if (Keeps()) return TakeKept(tensor, MemoryOf(t));
    void *buffer = nullptr, *memory = nullptr, *locked = nullptr;
    size_t bytes = 0;
    const int status =
        runtime_->find(runtime_->runtime, BuffersOf(context), &t,
                       writes ? 1 : 0, &buffer, &memory, &bytes, &locked);
    if (locked != nullptr) locked_.push_back(locked);
    // The runtime has placed it like the tensors that need no such buffer.
    if (status != 0 && t.data.data != nullptr) return nullptr;
    if (status != 0) {
      return Internal("the runtime has no buffer of tensor ", tensor,
                      " (status ", status, ")");
    }
    auto* const own = static_cast<TensorBuffer*>(buffer);
    if (own != nullptr) bytes = own->bytes();
    if (bytes < t.bytes) {
      return Invalid("the runtime's buffer of tensor ", tensor, " has ", bytes,
                     " bytes, and the tensor ", t.bytes,
                     "; make new buffers after a resize");
    }
    if (own == nullptr) t.data.data = memory;
    return own;
  }

  // The kept cache that an inference reads from `input` and updates. Errors as
  // CheckBytes() and CachePool::MarkedIn(); kInvalidArgument: it has another
  // size.
  absl::StatusOr<TensorBuffer*> TakeKept(int input, const HostMemory& memory) {
    RETURN_IF_ERROR(
        CheckBytes(memory, memory.bytes / sizeof(float), DataType::kFloat32));
    ASSIGN_OR_RETURN(auto cache, pool_->MarkedIn(memory));
    if (cache == nullptr) {
      std::shared_ptr<KeptCache>& own = own_caches_[input];
      if (own == nullptr) own = pool_->Add();
      if (own->buffer == nullptr || own->buffer->bytes() != memory.bytes) {
        own->buffer = std::make_unique<TensorBuffer>(memory.bytes);
      }
      cache = own;
      ++cache->updates;
      ASSIGN_OR_RETURN(const HostMemory values,
                       cache->buffer->Lock(/*reads=*/false, /*writes=*/true));
      std::memcpy(values.data, memory.data, memory.bytes);
      cache->buffer->Unlock();
    }
    if (cache->buffer->bytes() != memory.bytes) {
      return Invalid("state_pairs: a cache of ", cache->buffer->bytes(),
                     " bytes is passed to an input of ", memory.bytes,
                     " bytes");
    }
    taken_[input] = cache;
    return cache->buffer.get();
  }

  std::optional<GlesRuntimeBuffers> runtime_;
  std::shared_ptr<CachePool> pool_;  // nullptr: no cache is kept
  // Kept caches by input: for values; of the last inference.
  HashMap<int, std::shared_ptr<KeptCache>> own_caches_, taken_;
  bool keeps_none_ = false;  // Require() found that kept caches are shared
  const GpuPlace place_;
  std::vector<int> caches_, others_;
  HashMap<int, Shape> shapes_;      // of caches
  HashMap<int, int> inputs_;        // of caches, by output
  std::vector<void*> locked_;       // of the runtime
  std::vector<TensorBuffer*> own_;  // locked
};

TensorIo::TensorIo(const KernelSetup& setup, Session* session)
    : setup_(setup),
      session_(session),
      buffered_(std::make_unique<BufferedTensors>(
          setup.runtime_buffers, setup.caches,
          GpuPlace{session->setup().gpu, setup.worker})) {}

TensorIo::~TensorIo() = default;

void TensorIo::Abandon() { buffered_->Finish(); }

void TensorIo::SetObjects() {
  const auto set = [this](std::vector<IoSlot>* slots) {
    for (IoSlot& slot : *slots) {
      const AppObject* object = setup_.objects->Of(slot.index());
      if (object == nullptr) object = handles_.Of(slot.index());
      slot.object.reset();
      if (object != nullptr) slot.object = *object;
    }
  };
  set(&session_->inputs());
  set(&session_->outputs());
  if (version_ != version()) session_->NoteObjects();
  version_ = version();
}

void TensorIo::TakeHandle(const TfLiteContext& context, int index) {
  if (index < 0) return;
  const TfLiteTensor& tensor = context.tensors[index];
  const AppObject* had = handles_.Of(index);
  const bool has = setup_.delegate != nullptr && tensor.buffer_handle > 0 &&
                   DelegateOfTensor(tensor) == setup_.delegate;
  if (!has) {
    if (had != nullptr) handles_.Unbind(index);
    return;
  }
  const auto name = static_cast<uint32_t>(tensor.buffer_handle);
  if (had != nullptr && had->name == name) return;
  AppObject object;
  object.name = name;
  handles_.Bind(index, object);
}

void TensorIo::Begin(std::vector<ConstantOutput> constants) {
  constants_ = std::move(constants);
  buffered_->ChooseCaches(session_->graph());
  for (int tensor : buffered_->caches()) {
    handles_.Bind(tensor, BufferedTensors::ObjectOf({}));
  }
}

absl::Status TensorIo::RequireBuffers(TfLiteContext* context) {
  if (!buffered_->HasBuffers()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto beside, NodesBeside(context, setup_));
  const std::vector<int> caches = buffered_->caches();
  std::vector<int> others;
  for (int tensor : session_->ZeroCopyTensors()) {
    if (!buffered_->IsCache(tensor) && setup_.objects->Of(tensor) == nullptr) {
      others.push_back(tensor);
    }
  }
  buffered_->Require(context, others, beside.tensors);
  for (int tensor : caches) {
    if (!buffered_->IsCache(tensor)) handles_.Unbind(tensor);
  }
  session_->setup().report->tensors_kept_on_gpu = buffered_->caches();
  session_->setup().report->zero_copy_tensors = buffered_->others();
  return absl::OkStatus();
}

absl::Status TensorIo::TakeCache(TfLiteContext* context, int index,
                                 bool writes) {
  if (setup_.objects->Of(index) != nullptr && buffered_->Keeps()) {
    return FailedPrecondition("tensor ", index,
                              " is bound to a GL object, and state_pairs keeps "
                              "it on the GPU: use one of them");
  }
  ASSIGN_OR_RETURN(const auto object,
                   buffered_->FindCache(context, index, writes));
  const AppObject* had = handles_.Of(index);
  if (!object) {
    if (had != nullptr) handles_.Unbind(index);
  } else if (had == nullptr || had->name != object->name) {
    handles_.Bind(index, *object);
  }
  return absl::OkStatus();
}

absl::Status TensorIo::Take(TfLiteContext* context, IoSlot* slot, bool writes) {
  const int index = slot->index();
  if (!buffered_->Has(index)) {
    TakeHandle(*context, index);
  } else if (session_->is_on_cpu()) {
    // OnHost() finds it.
  } else if (buffered_->IsCache(index)) {
    RETURN_IF_ERROR(TakeCache(context, index, writes));
  } else {
    ASSIGN_OR_RETURN(auto memory, buffered_->Lock(context, index, writes));
    slot->memory = memory;
    return absl::OkStatus();
  }
  slot->memory = MemoryOf(context->tensors[index]);
  return absl::OkStatus();
}

absl::Status TensorIo::Collect(TfLiteContext* context) {
  for (auto* slots : {&session_->inputs(), &session_->outputs()}) {
    for (IoSlot& slot : *slots) {
      const bool writes = slots == &session_->outputs();
      if (auto s = Take(context, &slot, writes); !s.ok()) {
        Abandon();
        return s;
      }
    }
  }
  if (version() != version_) SetObjects();
  return absl::OkStatus();
}

absl::Status TensorIo::OnHost(TfLiteContext* context,
                              absl::FunctionRef<absl::Status()> run) {
  std::vector<int> outputs;
  for (const IoSlot& slot : session_->outputs()) {
    outputs.push_back(slot.index());
  }
  absl::Status status = buffered_->BringToHost(context, outputs);
  if (status.ok()) status = egl::Caught(run);
  buffered_->Finish();
  return status;
}

absl::Status TensorIo::Finish(TfLiteContext* context) {
  buffered_->Finish();
  buffered_->NoteUpdates(context);
  for (const ConstantOutput& constant : constants_) {
    RETURN_IF_ERROR(
        constant.CopyTo(MemoryOf(context->tensors[constant.index])));
  }
  for (const IoSlot& slot : session_->outputs()) {
    // TFLite, or the app, has it copied (CopyHandle).
    if (slot.object && !slot.object->is_own &&
        handles_.Of(slot.index()) != nullptr) {
      context->tensors[slot.index()].data_is_stale = true;
    }
  }
  return absl::OkStatus();
}

void TensorIo::LendMemory(TfLiteContext* context) {
  if (!session_->LendsMemory()) return;
  const auto others = NodesBeside(context, setup_);
  if (!others.ok() || others->have_dynamic_outputs) return;
  for (const bool is_input : {true, false}) {
    const auto& slots = is_input ? session_->inputs() : session_->outputs();
    for (size_t i = 0; i < slots.size(); ++i) {
      const int index = slots[i].index();
      if (others->tensors.contains(index) || buffered_->Has(index)) continue;
      TfLiteTensor& tensor = context->tensors[index];
      const bool has_custom = tensor.allocation_type != kTfLiteArenaRw;
      auto memory = session_->Lend(is_input, i, tensor.bytes, has_custom);
      if (memory == nullptr) continue;
      char* const data = memory.get();
      lent_.push_back({index, std::move(memory)});
      session_->setup().report->zero_copy_tensors.push_back(index);
      // Last: an allocation that fails leaves the tensor as it is.
      tensor.allocation_type = kTfLiteCustom;
      tensor.data.raw = data;
    }
  }
}

void TensorIo::TakeMemoryBack(TfLiteContext* context) {
  for (const Lent& lent : lent_) {
    TfLiteTensor& tensor = context->tensors[lent.tensor];
    // The app may have given it other memory in the meantime
    // (SetCustomAllocationForTensor).
    const bool is_ours =
        tensor.data.raw == lent.memory.get() || tensor.data.raw == nullptr;
    if (tensor.allocation_type == kTfLiteCustom && is_ours) {
      tensor.allocation_type = kTfLiteArenaRw;
      tensor.data.raw = nullptr;
    }
  }
  lent_.clear();
  session_->setup().report->zero_copy_tensors = buffered_->others();
}

}  // namespace gles_delegate
