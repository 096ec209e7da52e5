#include "delegate/runtime/batch_parts.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/plan/storage.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {
namespace {

// Four parts hide more of the upload but need more dispatches: on an H200 they
// gain the same from 64 images on, and less below.
constexpr int kParts = 2;
// Dispatches of one part of MobileNet v1 that take about as long as the upload
// of the other on an H200.
constexpr size_t kDispatches = 6;

// Whether the tensor is in a buffer with contiguous batches, and each part
// begins at an offset that can be bound.
bool LiesInParts(const Tensor& tensor, const DeviceProfile& profile) {
  const Shape& s = tensor.shape;
  const auto storage = StorageFor(tensor, profile);
  if (tensor.view.of != kNoTensor || tensor.is_variable || !storage.ok() ||
      *storage != gl_shaders::Storage::kBuffer || s.b % kParts != 0) {
    return false;
  }
  const int64_t bytes =
      SlotFor(s, *storage, FormatFor(tensor, profile.options)).bytes();
  return bytes / kParts % profile.limits.buffer_offset_alignment == 0;
}

// Whether the dispatch treats each of `batches` batches of tensors `in_parts`
// independently, and can be dispatched in parts.
bool RunsInParts(const Graph& graph, const Dispatch& d, int batches,
                 const absl::flat_hash_set<TensorId>& in_parts,
                 const DeviceProfile& profile) {
  if (d.partial_write || GroupsOfPart(d, batches, kParts) == 0) return false;
  const std::vector<TensorId> bound = BoundTensors(d);
  return std::all_of(bound.begin(), bound.end(), [&](TensorId id) {
    const Tensor& tensor = graph.tensor(id);
    // A constant operand is the same for each batch.
    if (tensor.is_constant()) return tensor.shape.b == 1;
    const bool is_written =
        std::any_of(d.writes.begin(), d.writes.end(),
                    [id](const auto& write) { return write.second == id; });
    return (is_written || in_parts.contains(id)) && tensor.shape.b == batches &&
           LiesInParts(tensor, profile);
  });
}

// How many dispatches can run in parts, from the first on.
size_t DispatchesInParts(const Graph& graph, absl::Span<const Dispatch> plan,
                         TensorId input, const DeviceProfile& profile) {
  const int batches = graph.tensor(input).shape.b;
  absl::flat_hash_set<TensorId> in_parts = {input};
  size_t n = 0;
  for (; n < std::min(kDispatches, plan.size()); ++n) {
    if (!RunsInParts(graph, plan[n], batches, in_parts, profile)) break;
    for (const auto& [name, id] : plan[n].writes) in_parts.insert(id);
  }
  return n;
}

// Whether parts are large enough, and are images whose uploads can begin at the
// part: an invocation takes four pixels (upload.comp).
bool IsUploadedInParts(const Tensor& input, const DeviceProfile& profile) {
  const int64_t elements = input.shape.elements();
  return input.shape.c == 3 && elements % (int64_t{12} * kParts) == 0 &&
         elements * HostElementBytes(input) / kParts >=
             profile.bus.batch_part_bytes &&
         LiesInParts(input, profile);
}

}  // namespace

int GroupsOfPart(const Dispatch& d, int batches, int count) {
  if (!d.batch.IsThere() || batches % count != 0) return 0;
  const int64_t units = batches / count * d.batch.units;
  const int64_t group =
      int64_t{d.work_group[d.batch.axis]} * d.batch.units_each;
  return units % group == 0 ? static_cast<int>(units / group) : 0;
}

BatchParts ChooseBatchParts(const Graph& graph, absl::Span<const Dispatch> plan,
                            const DeviceProfile& profile,
                            absl::Span<const bool> is_bound) {
  if (profile.bus.batch_part_bytes == 0 ||
      profile.choices.host_transfers != 0 || SharesAll(profile.choices) ||
      profile.options.self_check != SelfCheckRun::kNone) {
    return {};
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const TensorId id = graph.inputs[i];
    if ((i < is_bound.size() && is_bound[i]) ||
        !IsUploadedInParts(graph.tensor(id), profile)) {
      continue;
    }
    const size_t n = DispatchesInParts(graph, plan, id, profile);
    if (n > 0) return {static_cast<int>(i), kParts, n};
  }
  return {};
}

}  // namespace gles_delegate
