#include "tests/fuzz/fake_interpreter.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "delegate/cpu_ops/custom_ops.h"

namespace gles_delegate::fuzz {
namespace {

// Past this a tensor has no memory, as if an allocation had failed.
constexpr int64_t kMaxBytes = 1 << 22;

std::map<TfLiteContext*, FakeInterpreter*> g_interpreters;

// -1: none, or too many.
int64_t BytesOf(const TfLiteTensor& tensor, int64_t most = kMaxBytes) {
  auto bytes = static_cast<int64_t>(ElementBytes(tensor.type));
  for (int i = 0; i < tensor.dims->size; ++i) {
    const int64_t extent = tensor.dims->data[i];
    if (extent < 0 || extent > most) return -1;
    bytes *= extent;
    if (bytes > most) return -1;
  }
  return bytes;
}

}  // namespace

FakeInterpreter& FakeInterpreter::Of(TfLiteContext* context) {
  return *g_interpreters.at(context);
}

FakeInterpreter::FakeInterpreter(FakeRuntime* runtime)
    : runtime_(runtime),
      context_(runtime->context()),
      own_plan_(runtime->plan()) {
  g_interpreters[context_] = this;
  context_->PreviewDelegatePartitioning =
      [](TfLiteContext* context, const TfLiteIntArray* nodes,
         TfLiteDelegateParams** params,
         int* count) { return Of(context).Preview(*nodes, params, count); };
  // A newer runtime's, whose registrations are longer.
  TfLiteStatus (*const replace)(TfLiteContext*, NewestRegistration,
                                const TfLiteIntArray*, TfLiteDelegate*) =
      [](TfLiteContext* context, NewestRegistration registration,
         const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
        return Of(context).Replace(registration.base, *nodes, delegate);
      };
  std::memcpy(&context_->ReplaceNodeSubsetsWithDelegateKernels, &replace,
              sizeof(replace));
}

FakeInterpreter::~FakeInterpreter() {
  FreeKernels();
  g_interpreters.erase(context_);
}

void FakeInterpreter::FreeKernels() {
  runtime_->SetPlan(own_plan_);
  for (Kernel& kernel : kernels_) {
    kernel.registration.free(context_, NodeOf(kernel).user_data);
  }
  kernels_.clear();
}

TfLiteNode& FakeInterpreter::NodeOf(const Kernel& kernel) {
  TfLiteNode* node = nullptr;
  TfLiteRegistration* registration = nullptr;
  context_->GetNodeAndRegistration(context_, kernel.node, &node, &registration);
  return *node;
}

bool FakeInterpreter::Apply(TfLiteDelegate* delegate) {
  if (delegate->Prepare(context_, delegate) == kTfLiteOk) return true;
  FreeKernels();
  return false;
}

bool FakeInterpreter::Allocate() {
  const auto is_in_arena = [](const TfLiteTensor& t) {
    // Kernels that lend memory take it back before they are prepared.
    return t.allocation_type == kTfLiteArenaRw ||
           t.allocation_type == kTfLiteArenaRwPersistent;
  };
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    TfLiteTensor& t = context_->tensors[i];
    if (is_in_arena(t)) t.data.raw = nullptr;
  }
  if (!runtime_->PrepareNodes()) return false;
  memory_.assign(context_->tensors_size, {});
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    TfLiteTensor& tensor = context_->tensors[i];
    if (!is_in_arena(tensor)) continue;
    const int64_t bytes = BytesOf(tensor);
    tensor.bytes = bytes < 0 ? 0 : static_cast<size_t>(bytes);
    memory_[i].assign(tensor.bytes, 0);
    tensor.data.raw =
        bytes <= 0 ? nullptr : reinterpret_cast<char*>(memory_[i].data());
  }
  return true;
}

void FakeInterpreter::Invoke() {
  // On the CPU the delegate gives its nodes memory.
  constexpr int64_t kMaxOnCpu = 1 << 26;
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    if (BytesOf(context_->tensors[i], kMaxOnCpu) < 0) return;
  }
  // Nodes that are not the delegate's would write these.
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    TfLiteTensor& t = context_->tensors[i];
    if (t.allocation_type != kTfLiteDynamic || t.data.raw != nullptr) continue;
    const std::vector<int> dims(t.dims->data, t.dims->data + t.dims->size);
    (void)context_->ResizeTensor(context_, &t, NewInts(dims));
  }
  for (Kernel& kernel : kernels_) {
    (void)kernel.registration.invoke(context_, &NodeOf(kernel));
  }
}

void FakeInterpreter::Resize(int extent) {
  bool any = false;
  for (int id : runtime_->inputs()) {
    const int axis = id < 0 ? -1 : runtime_->FreeAxis(id);
    if (axis < 0 || axis >= context_->tensors[id].dims->size) continue;
    any = true;
    TfLiteTensor& t = context_->tensors[id];
    std::vector<int> dims(t.dims->data, t.dims->data + t.dims->size);
    dims[axis] = extent;
    (void)context_->ResizeTensor(context_, &t, NewInts(dims));
  }
  for (size_t i = 0; !any && i < context_->tensors_size; ++i) {
    TfLiteTensor& tensor = context_->tensors[i];
    if (tensor.allocation_type == kTfLiteMmapRo || tensor.dims->size == 0) {
      continue;
    }
    if (tensor.dims->data[0] == 1) tensor.dims->data[0] = extent;
  }
}

// Runs of nodes, as TFLite cuts a chain.
std::vector<FakeInterpreter::Partition> FakeInterpreter::Cut(
    const TfLiteIntArray& nodes) {
  const std::set<int> chosen(nodes.data, nodes.data + nodes.size);
  const std::vector<int>& plan = runtime_->plan();
  std::vector<Partition> partitions;
  bool was_chosen = false;
  for (int index : plan) {
    const bool is_chosen = chosen.count(index) > 0;
    if (is_chosen && !was_chosen) partitions.emplace_back();
    if (is_chosen) partitions.back().nodes.push_back(index);
    was_chosen = is_chosen;
  }
  for (Partition& partition : partitions) {
    const std::set<int> own(partition.nodes.begin(), partition.nodes.end());
    std::set<int> made, used,
        outside(runtime_->outputs().begin(), runtime_->outputs().end());
    for (int index : plan) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      context_->GetNodeAndRegistration(context_, index, &node, &registration);
      const bool is_own = own.count(index) > 0;
      for (int k = 0; k < node->inputs->size; ++k) {
        const int id = node->inputs->data[k];
        if (!is_own) outside.insert(id);
        if (is_own && id >= 0 && made.count(id) == 0) used.insert(id);
      }
      if (!is_own) continue;
      made.insert(node->outputs->data,
                  node->outputs->data + node->outputs->size);
    }
    partition.inputs.assign(used.begin(), used.end());
    for (int id : made) {
      if (id >= 0 && outside.count(id) > 0) partition.outputs.push_back(id);
    }
  }
  // An absent output of the model counts among those of the first partition.
  const std::vector<int>& outputs = runtime_->outputs();
  if (!partitions.empty() &&
      std::find(outputs.begin(), outputs.end(), -1) != outputs.end()) {
    partitions[0].outputs.push_back(-1);
  }
  return partitions;
}

TfLiteDelegateParams FakeInterpreter::ParamsOf(const Partition& partition,
                                               TfLiteDelegate* delegate) {
  return {delegate, Ints(partition.nodes), Ints(partition.inputs),
          Ints(partition.outputs)};
}

TfLiteStatus FakeInterpreter::Preview(const TfLiteIntArray& nodes,
                                      TfLiteDelegateParams** params,
                                      int* count) {
  previewed_.clear();
  for (const Partition& partition : Cut(nodes)) {
    previewed_.push_back(ParamsOf(partition, nullptr));
  }
  *params = previewed_.data();
  *count = static_cast<int>(previewed_.size());
  return kTfLiteOk;
}

TfLiteStatus FakeInterpreter::Replace(const TfLiteRegistration& registration,
                                      const TfLiteIntArray& nodes,
                                      TfLiteDelegate* delegate) {
  std::vector<int> plan = runtime_->plan();
  for (const Partition& partition : Cut(nodes)) {
    // TFLite writes to each of these tensors.
    for (int id : partition.outputs) context_->tensors[id].delegate = delegate;
    const TfLiteDelegateParams params = ParamsOf(partition, delegate);
    TfLiteNode node = {};
    node.inputs = params.input_tensors;
    node.outputs = params.output_tensors;
    node.delegate = delegate;
    node.user_data = registration.init(
        context_, reinterpret_cast<const char*>(&params), sizeof(params));
    kernels_.push_back({registration, runtime_->AddNode(node, registration)});
    // In the place of its first node.
    const auto is_own = [&](int index) {
      return std::count(partition.nodes.begin(), partition.nodes.end(), index) >
             0;
    };
    *std::find_if(plan.begin(), plan.end(), is_own) = kernels_.back().node;
    plan.erase(std::remove_if(plan.begin(), plan.end(), is_own), plan.end());
  }
  runtime_->SetPlan(std::move(plan));
  return kTfLiteOk;
}

TfLiteIntArray* FakeInterpreter::Ints(std::vector<int> values) {
  values.insert(values.begin(), static_cast<int>(values.size()));
  ints_.push_back(std::move(values));
  return reinterpret_cast<TfLiteIntArray*>(ints_.back().data());
}

}  // namespace gles_delegate::fuzz
