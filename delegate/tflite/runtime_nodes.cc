#include "delegate/tflite/runtime_nodes.h"

#include <cstdarg>
#include <cstdio>
#include <limits>
#include <new>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "delegate/cpu_ops/abi.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/read_node.h"
#include "egl/caught.h"

namespace gles_delegate {
namespace {

// With more computed ids the shape of a segment sum is unknown.
constexpr size_t kMaxIdBytes = 64 << 20;

// C callbacks have no other way to these.
thread_local size_t limit = std::numeric_limits<size_t>::max();
thread_local decltype(TfLiteContext::ResizeTensor) runtimes_resize = nullptr;
thread_local std::string kept_text;

bool IsPastLimit(const TfLiteTensor& tensor, const TfLiteIntArray& dims) {
  if (!HasOwnMemory(tensor)) return false;
  double bytes = std::max<size_t>(1, ElementBytes(tensor.type));
  for (int i = 0; i < dims.size; ++i) bytes *= dims.data[i];
  return bytes > static_cast<double>(limit);
}

TfLiteStatus ResizeWithin(TfLiteContext* context, TfLiteTensor* tensor,
                          TfLiteIntArray* dims) {
  if (!IsPastLimit(*tensor, *dims)) {
    return runtimes_resize(context, tensor, dims);
  }
  std::free(dims);  // the runtime takes it from malloc(), and would own it
  context->ReportError(context, "a tensor takes more than %zu bytes", limit);
  return kTfLiteError;
}

void KeepMessage(TfLiteContext*, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  absl::string_view text(line);
  while (absl::ConsumeSuffix(&text, "\n")) continue;
  (void)egl::Caught([text] {
    absl::StrAppend(&kept_text, kept_text.empty() ? "" : "; ", text);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<FoundNode> NodeFinder::Get(TfLiteContext* context,
                                          int index) const {
  FoundNode found;
  if (get_ == nullptr ||
      get_(context, index, &found.node, &found.kernel) != kTfLiteOk) {
    return absl::InternalError(absl::StrCat("the runtime has no node ", index));
  }
  for (const TfLiteIntArray* list : {found.node->inputs, found.node->outputs}) {
    for (int i = 0; i < list->size; ++i) {
      const int id = list->data[i];
      if (id == kTfLiteOptionalTensor || HasTensor(*context, id)) continue;
      return absl::InternalError(absl::StrCat(
          "node ", index, " names tensor ", id, ", and the model has ",
          context->tensors_size, " tensors"));
    }
  }
  return found;
}

absl::StatusOr<std::vector<int>> NodeFinder::PlanOf(
    TfLiteContext* subgraph) const {
  TfLiteIntArray* plan = nullptr;
  if (get_plan_(subgraph, &plan) != kTfLiteOk) {
    return absl::InternalError("the runtime gave no execution plan");
  }
  return ReadInts(plan);
}

bool ResizeTensor(TfLiteContext* context, int id,
                  const std::vector<int>& dims) {
  TfLiteIntArray* array = NewIntArray(dims);
  return array != nullptr &&
         context->ResizeTensor(context, &context->tensors[id], array) ==
             kTfLiteOk;
}

bool IsInArena(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteArenaRw ||
         t.allocation_type == kTfLiteArenaRwPersistent;
}

bool IsConstant(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteMmapRo && t.data.raw != nullptr;
}

bool IsEmpty(const TfLiteTensor& t) {
  if (t.dims == nullptr || t.type == kTfLiteString ||
      t.allocation_type == kTfLiteDynamic) {
    return false;
  }
  const int* dims = t.dims->data;
  return std::find(dims, dims + t.dims->size, 0) != dims + t.dims->size;
}

bool HasOwnMemory(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteDynamic ||
         t.allocation_type == kTfLitePersistentRo;
}

void ReturnToArena(TfLiteTensor* tensor) {
  // Strings are dynamic from the start, and WHILE's kernel leaves them so.
  if (!HasOwnMemory(*tensor) || tensor->type == kTfLiteString) return;
  std::free(tensor->data.raw);  // The runtime takes it from malloc().
  tensor->data.raw = nullptr;
  tensor->allocation_type = kTfLiteArenaRw;
}

size_t ElementBytes(TfLiteType type) {
  switch (type) {
    case kTfLiteUInt32:
      return 4;
    case kTfLiteUInt64:
    case kTfLiteComplex64:
      return 8;
    case kTfLiteComplex128:
      return 16;
    default:
      return DataTypeSize(TypeOf(type));
  }
}

size_t BytesOf(const TfLiteTensor& t) {
  if (t.bytes != 0) return t.bytes;
  size_t bytes = ElementBytes(t.type);
  for (int i = 0; t.dims != nullptr && i < t.dims->size; ++i) {
    const int extent = t.dims->data[i];
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return 0;
  }
  return bytes;
}

void ScratchMemory::Lend(int id) {
  const TfLiteTensor& t = context_->tensors[id];
  const size_t bytes = BytesOf(t);
  const bool keeps_state = t.is_variable && t.data.raw != nullptr;
  if (!IsInArena(t) || keeps_state || bytes == 0) return;
  std::vector<uint8_t>& memory = (*blocks_)[id];
  memory.resize(bytes);
  changes_.Set(id, &TfLiteTensor::bytes, bytes);
  changes_.SetData(id, memory.data());
}

void ScratchMemory::LendToNode(const TfLiteNode& node,
                               absl::FunctionRef<bool(int tensor)> keeps) {
  for (const TfLiteIntArray* tensors :
       {node.outputs, node.intermediates, node.temporaries}) {
    if (tensors == nullptr) continue;
    for (int i = 0; i < tensors->size; ++i) {
      const int id = tensors->data[i];
      // TFLite takes a file's intermediates as they are.
      if (HasTensor(*context_, id) && !keeps(id)) Lend(id);
    }
  }
}

AsConstants::AsConstants(TfLiteContext* context, const TfLiteNode& node,
                         const TensorValues& values)
    : context_(context), changes_(context) {
  for (int id : ReadInts(node.inputs)) {
    const auto value = values.find(id);
    if (value != values.end()) Keep(id, value->second.bytes().data());
  }
}

void AsConstants::AddSegments(const TfLiteNode& node, int builtin_code) {
  const OpDefinition* op = FindOp(builtin_code, "");
  const std::vector<int> inputs = ReadInts(node.inputs);
  if (op == nullptr || !op->Has(kCountsSegments) || inputs.size() < 2 ||
      *absl::c_min_element(inputs) < 0 ||
      !IsConstant(context_->tensors[inputs.back()])) {
    return;
  }
  const TfLiteTensor& ids = context_->tensors[inputs[1]];
  if (!IsConstant(ids)) {
    const size_t bytes = BytesOf(ids);
    if (bytes > kMaxIdBytes) return;
    zeros_.resize(bytes);
    Keep(inputs[1], zeros_.data());
  }
  Keep(inputs[0], context_->tensors[inputs[0]].data.raw);
}

void AsConstants::Keep(int id, const void* data) {
  changes_.Set(id, &TfLiteTensor::allocation_type, kTfLiteMmapRo);
  changes_.SetData(id, data);
}

ResizeLimit::ResizeLimit(TfLiteContext* context, size_t bytes)
    : context_(context), before_(context->ResizeTensor), limit_before_(limit) {
  limit = std::min(limit, bytes);
  if (before_ == ResizeWithin) return;
  runtimes_resize = before_;
  context_->ResizeTensor = ResizeWithin;
}

ResizeLimit::~ResizeLimit() {
  context_->ResizeTensor = before_;
  limit = limit_before_;
}

absl::Status TensorRoom::Ensure() {
  constexpr size_t kRoom = 16;
  while (context_->tensors_size + kRoom > capacity_) {
    const TfLiteTensor* before = context_->tensors;
    const size_t size = context_->tensors_size;
    // One more than is known to fit: tensors that nothing uses.
    const int more =
        size < capacity_ ? static_cast<int>(capacity_ - size) + 1 : 1;
    if (context_->AddTensors(context_, more, nullptr) != kTfLiteOk) {
      return absl::InternalError("the runtime adds no tensors");
    }
    // Without a type and a shape an app that reads every tensor (in Python,
    // get_tensor()) would crash.
    for (size_t i = size; i < context_->tensors_size; ++i) {
      TfLiteTensor& tensor = context_->tensors[i];
      tensor.dims = NewIntArray({0});
      if (tensor.dims == nullptr) throw std::bad_alloc();
      tensor.type = kTfLiteInt8;
    }
    capacity_ = context_->tensors == before
                    ? context_->tensors_size
                    : std::max(context_->tensors_size, 2 * size);
  }
  return absl::OkStatus();
}

KeptMessages::KeptMessages(TfLiteContext* context)
    : context_(context),
      told_by_(context->ReportError),
      before_(std::exchange(kept_text, "")) {
  context_->ReportError = KeepMessage;
}

KeptMessages::~KeptMessages() {
  context_->ReportError = told_by_;
  kept_text.swap(before_);  // allocates nothing
}

std::string KeptMessages::Take() { return std::exchange(kept_text, ""); }

}  // namespace gles_delegate
