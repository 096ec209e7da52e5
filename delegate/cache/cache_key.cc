#include "delegate/cache/cache_key.h"

#include "absl/strings/str_cat.h"
#include "delegate/cache/build_id.h"
#include "delegate/device/tuning_parameters.h"
#include "delegate/graph/op.h"

namespace gles_delegate {
namespace {

// Hashes every choice, the options, and the limits that affect storage. The
// other limits show in the plan.
void AddProfile(const DeviceProfile& p, Hasher* hasher) {
  hasher->Text(TuningText(p.choices));
  hasher->Value(p.choices.zero_copy);
  hasher->Value(p.options.half).Value(p.options.saturate_halves);
  hasher->Value(p.limits.max_texture_size).Value(p.limits.max_texture_layers);
  hasher->Value(p.limits.max_buffer_bytes)
      .Value(p.limits.max_texel_buffer_texels);
}

void AddTensor(const Tensor& tensor, Hasher* hasher) {
  hasher->Value(tensor.type).Values(tensor.dims).Value(tensor.is_variable);
  const Quantization& q = tensor.quantization;
  hasher->Values(q.scale).Values(q.zero_point).Value(q.dimension);
  hasher->Value(q.block).Value(q.half_scales).Value(q.bits);
  const Sparsity& sparsity = tensor.sparsity;
  hasher->Values(sparsity.traversal_order).Values(sparsity.block_map);
  hasher->Value(static_cast<uint64_t>(sparsity.dimensions.size()));
  for (const Sparsity::Dimension& d : sparsity.dimensions) {
    hasher->Value(d.csr)
        .Value(d.dense_size)
        .Values(d.segments)
        .Values(d.indices);
  }
  hasher->Bytes(tensor.constant.bytes());
}

void AddNode(const Node& node, Hasher* hasher) {
  hasher->Text(node.op->name).Values(node.inputs).Values(node.outputs);
}

}  // namespace

absl::string_view BuildId() {
  return GLES_DELEGATE_VERSION "-" GLES_DELEGATE_SOURCE_HASH;
}

std::string CacheFileName(absl::string_view token,
                          const CacheSubject& subject) {
  Hasher hasher;
  hasher.Text(token).Text(subject.device.vendor).Text(subject.device.renderer);
  AddProfile(subject.profile, &hasher);
  hasher.Text(subject.plan);
  return CacheDirectory::FileName(token, hasher.Finish().ToHex());
}

CacheIdentity IdentityOf(const CacheSubject& subject) {
  CacheIdentity identity;
  const egl::DeviceInfo& device = subject.device;
  identity.driver =
      absl::StrCat(device.vendor, ", ", device.renderer, ", ", device.version);
  identity.build = std::string(BuildId());
  Hasher hasher;
  hasher.Value(kCacheFormatVersion).Text(identity.build);
  hasher.Text(device.vendor).Text(device.renderer).Text(device.version);
  hasher.Text(device.shading_language_version);
  AddProfile(subject.profile, &hasher);
  hasher.Text(subject.plan);
  const Graph& graph = subject.partition;
  hasher.Values(graph.inputs).Values(graph.outputs);
  hasher.Value(static_cast<uint64_t>(graph.nodes.size()));
  for (const Node& node : graph.nodes) AddNode(node, &hasher);
  hasher.Value(static_cast<uint64_t>(graph.tensors.size()));
  for (const Tensor& tensor : graph.tensors) AddTensor(tensor, &hasher);
  identity.key = hasher.Finish();
  return identity;
}

}  // namespace gles_delegate
