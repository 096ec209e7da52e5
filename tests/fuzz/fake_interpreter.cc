#include "tests/fuzz/fake_interpreter.h"

#include <algorithm>
#include <set>
#include <utility>

namespace gles_delegate::fuzz {
namespace {

// Past this a tensor has no memory, as if an allocation had failed.
constexpr int64_t kMaxBytes = 1 << 22;

FakeInterpreter* g_interpreter = nullptr;

int64_t BytesOf(TfLiteType type) {
  switch (type) {
    case kTfLiteInt64:
      return 8;
    case kTfLiteFloat32:
    case kTfLiteInt32:
      return 4;
    case kTfLiteFloat16:
    case kTfLiteInt16:
      return 2;
    default:
      return 1;
  }
}

// -1: none, or too many.
int64_t BytesOf(const TfLiteTensor& tensor) {
  int64_t bytes = BytesOf(tensor.type);
  for (int i = 0; i < tensor.dims->size; ++i) {
    const int64_t extent = tensor.dims->data[i];
    if (extent < 0 || extent > kMaxBytes) return -1;
    bytes *= extent;
    if (bytes > kMaxBytes) return -1;
  }
  return bytes;
}

}  // namespace

FakeInterpreter& FakeInterpreter::Of(TfLiteContext*) { return *g_interpreter; }

FakeInterpreter::FakeInterpreter(FakeRuntime* runtime)
    : runtime_(runtime), context_(runtime->context()) {
  g_interpreter = this;
  context_->PreviewDelegatePartitioning =
      [](TfLiteContext* context, const TfLiteIntArray* nodes,
         TfLiteDelegateParams** params,
         int* count) { return Of(context).Preview(*nodes, params, count); };
  context_->ReplaceNodeSubsetsWithDelegateKernels =
      [](TfLiteContext* context, TfLiteRegistration registration,
         const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
        return Of(context).Replace(registration, *nodes, delegate);
      };
}

FakeInterpreter::~FakeInterpreter() {
  FreeKernels();
  g_interpreter = nullptr;
}

void FakeInterpreter::FreeKernels() {
  for (Kernel& kernel : kernels_) {
    kernel.registration.free(context_, kernel.node.user_data);
  }
  kernels_.clear();
}

bool FakeInterpreter::Apply(TfLiteDelegate* delegate) {
  if (delegate->Prepare(context_, delegate) == kTfLiteOk) return true;
  FreeKernels();
  return false;
}

bool FakeInterpreter::Allocate() {
  memory_.assign(context_->tensors_size, {});
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    TfLiteTensor& tensor = context_->tensors[i];
    if (tensor.allocation_type == kTfLiteMmapRo) continue;
    // Kernels that lend memory take it back before they are prepared.
    if (tensor.allocation_type == kTfLiteCustom) continue;
    const int64_t bytes = BytesOf(tensor);
    tensor.bytes = bytes < 0 ? 0 : static_cast<size_t>(bytes);
    memory_[i].assign(tensor.bytes, 0);
    tensor.data.raw =
        bytes <= 0 ? nullptr : reinterpret_cast<char*>(memory_[i].data());
  }
  bool is_prepared = true;
  for (Kernel& kernel : kernels_) {
    is_prepared &=
        kernel.registration.prepare(context_, &kernel.node) == kTfLiteOk;
  }
  return is_prepared;
}

void FakeInterpreter::Invoke() {
  for (Kernel& kernel : kernels_) {
    (void)kernel.registration.invoke(context_, &kernel.node);
  }
}

void FakeInterpreter::ResizeBatch(int from, int to) {
  for (size_t i = 0; i < context_->tensors_size; ++i) {
    TfLiteTensor& tensor = context_->tensors[i];
    if (tensor.allocation_type == kTfLiteMmapRo || tensor.dims->size == 0) {
      continue;
    }
    if (tensor.dims->data[0] == from) tensor.dims->data[0] = to;
  }
}

// Runs of nodes, as TFLite cuts a chain.
std::vector<FakeInterpreter::Partition> FakeInterpreter::Cut(
    const TfLiteIntArray& nodes) {
  const std::set<int> chosen(nodes.data, nodes.data + nodes.size);
  TfLiteIntArray* plan = nullptr;
  context_->GetExecutionPlan(context_, &plan);
  std::vector<Partition> partitions;
  bool was_chosen = false;
  for (int i = 0; i < plan->size; ++i) {
    const bool is_chosen = chosen.count(plan->data[i]) > 0;
    if (is_chosen && !was_chosen) partitions.emplace_back();
    if (is_chosen) partitions.back().nodes.push_back(plan->data[i]);
    was_chosen = is_chosen;
  }
  for (Partition& partition : partitions) {
    const std::set<int> own(partition.nodes.begin(), partition.nodes.end());
    std::set<int> made, used,
        outside(runtime_->outputs().begin(), runtime_->outputs().end());
    for (int i = 0; i < plan->size; ++i) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      context_->GetNodeAndRegistration(context_, plan->data[i], &node,
                                       &registration);
      const bool is_own = own.count(plan->data[i]) > 0;
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
  for (const Partition& partition : Cut(nodes)) {
    // TFLite writes to each of these tensors.
    for (int id : partition.outputs) context_->tensors[id].delegate = delegate;
    const TfLiteDelegateParams params = ParamsOf(partition, delegate);
    Kernel kernel = {registration, {}};
    kernel.node.inputs = params.input_tensors;
    kernel.node.outputs = params.output_tensors;
    kernel.node.delegate = delegate;
    kernel.node.user_data = registration.init(
        context_, reinterpret_cast<const char*>(&params), sizeof(params));
    kernels_.push_back(kernel);
  }
  return kTfLiteOk;
}

TfLiteIntArray* FakeInterpreter::Ints(std::vector<int> values) {
  values.insert(values.begin(), static_cast<int>(values.size()));
  ints_.push_back(std::move(values));
  return reinterpret_cast<TfLiteIntArray*>(ints_.back().data());
}

}  // namespace gles_delegate::fuzz
