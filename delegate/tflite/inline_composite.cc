#include "delegate/tflite/inline_composite.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

std::string Quoted(const Tensor& tensor) {
  return absl::StrCat("'", PrintableName(tensor.name), "'");
}

absl::Status Refused(absl::string_view what, const Tensor& tensor) {
  return absl::UnimplementedError(
      absl::StrCat("its decomposition ", what, " ", Quoted(tensor)));
}

// A composite copies bytes to its decomposition and back, whatever they mean.
absl::Status CheckSame(const Tensor& outside, const Tensor& inside) {
  const Quantization& a = outside.quantization;
  const Quantization& b = inside.quantization;
  if (outside.stored() == inside.stored() && outside.dims == inside.dims &&
      outside.is_complex == inside.is_complex && a.scale == b.scale &&
      a.zero_point == b.zero_point) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "its decomposition has another type, shape or quantization: ",
      outside.ToString(), " outside and ", inside.ToString(), " inside"));
}

}  // namespace

// The tensors of one decomposition as they are in the graph.
class CompositeInliner::Level {
 public:
  Level(CompositeInliner* inliner, const Decomposition& decomposition,
        const DecomposedGraph& own)
      : inliner_(*inliner),
        decomposition_(decomposition),
        own_(own),
        ids_(own.tensors.size(), kNoTensor),
        is_ready_(own.tensors.size(), false) {}

  // Lets the composite's tensors be those of the decomposition.
  absl::Status Bind(const std::vector<int>& inputs,
                    const std::vector<int>& outputs) {
    for (const auto& [id, position] : decomposition_.border.inputs) {
      const int outside = inputs[position];
      if (auto s = BindOne(outside, id); !s.ok()) return s;
      if (inliner_.graph_.tensor(outside).is_variable) {
        return Refused("gets the state", own_.tensors[id]);
      }
      is_ready_[id] = true;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int id = decomposition_.border.outputs[i];
      if (auto s = BindOne(outputs[i], id); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // The ids of what a node reads, which must have been written.
  absl::StatusOr<std::vector<int>> Read(const TfLiteIntArray* tensors) {
    std::vector<int> ids = ReadInts(tensors);
    for (int& id : ids) {
      if (id < 0) continue;
      const Tensor& tensor = own_.tensors[id];
      if (!tensor.is_constant() && !is_ready_[id]) {
        return Refused(tensor.is_variable ? "has the state"
                                          : "reads, before any node writes it,",
                       tensor);
      }
      id = IdOf(id);
    }
    return ids;
  }

  // The ids of what a node writes, from now on.
  absl::StatusOr<std::vector<int>> Write(const TfLiteIntArray* tensors) {
    std::vector<int> ids = ReadInts(tensors);
    for (int& id : ids) {
      if (id < 0) continue;
      const Tensor& tensor = own_.tensors[id];
      if (tensor.is_constant() || tensor.is_variable || is_ready_[id]) {
        return Refused("writes again", tensor);
      }
      if (own_.is_dynamic[id]) {
        return absl::UnimplementedError(
            absl::StrCat("its decomposition has ", tensor.ToString(),
                         ", whose shape is known only at run time"));
      }
      is_ready_[id] = true;
      id = IdOf(id);
    }
    return ids;
  }

  absl::Status CheckWritten() const {
    for (int id : decomposition_.border.outputs) {
      if (!is_ready_[id]) return Refused("never writes", own_.tensors[id]);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status BindOne(int outside, int id) {
    const Tensor& inside = own_.tensors[id];
    if (outside < 0) return Refused("is given nothing for", inside);
    if (ids_[id] != kNoTensor || inside.is_constant()) {
      return Refused("passes on", inside);
    }
    ids_[id] = outside;
    return CheckSame(inliner_.graph_.tensor(outside), inside);
  }

  TensorId IdOf(int id) {
    if (ids_[id] != kNoTensor) return ids_[id];
    const Tensor& tensor = own_.tensors[id];
    if (!tensor.is_constant()) {
      ids_[id] = inliner_.add_(tensor);
    } else {
      const auto [it, is_new] = inliner_.constants_.try_emplace(
          NodeKey(decomposition_.context, id), kNoTensor);
      if (is_new) it->second = inliner_.add_(tensor);
      ids_[id] = it->second;
    }
    return ids_[id];
  }

  CompositeInliner& inliner_;
  const Decomposition& decomposition_;
  const DecomposedGraph& own_;
  std::vector<TensorId> ids_;
  std::vector<bool> is_ready_;
};

absl::StatusOr<std::vector<NodeTensors>> CompositeInliner::Expand(
    TfLiteContext* context, absl::Span<const int> plan) {
  std::vector<NodeTensors> all;
  const auto add = [&all](const TfLiteNode& node,
                          const TfLiteRegistration& registration) {
    all.push_back({registration.builtin_code, ReadInts(node.inputs),
                   ReadInts(node.outputs), registration.version});
  };
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find_.Get(context, index, &node, &registration); !s.ok()) {
      return s;
    }
    if (!IsComposite(*registration)) {
      add(*node, *registration);
      continue;
    }
    InlinedComposite& inlined = inlined_[index];
    inlined.status = InlineInto({context, index}, ReadInts(node->inputs),
                                ReadInts(node->outputs), &inlined.nodes);
    if (!inlined.status.ok()) {
      inlined.nodes.clear();
      add(*node, *registration);
    }
    for (const InlinedNode& inner : inlined.nodes) {
      add(inner.node(), inner.registration());
    }
  }
  return all;
}

absl::Status CompositeInliner::InlineInto(const NodeKey& key,
                                          const std::vector<int>& inputs,
                                          const std::vector<int>& outputs,
                                          std::vector<InlinedNode>* nodes) {
  const auto found = decompositions_.find(key);
  if (found == decompositions_.end()) {
    return absl::InternalError("its decomposition was not looked for");
  }
  const Decomposition& decomposition = found->second;
  if (!decomposition.status.ok()) return decomposition.status;
  const auto tensors = tensors_.find(key);
  if (tensors == tensors_.end()) {
    return absl::UnimplementedError(
        "TFLite's own kernel has not prepared its decomposition");
  }
  Level level(this, decomposition, tensors->second);
  if (auto s = level.Bind(inputs, outputs); !s.ok()) return s;
  for (int index : decomposition.plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find_.Get(decomposition.context, index, &node, &registration);
        !s.ok()) {
      return s;
    }
    auto reads = level.Read(node->inputs);
    if (!reads.ok()) return reads.status();
    auto writes = level.Write(node->outputs);
    if (!writes.ok()) return writes.status();
    if (!IsComposite(*registration)) {
      nodes->emplace_back(*node, *registration, *reads, *writes);
      continue;
    }
    absl::Status inlined =
        InlineInto({decomposition.context, index}, *reads, *writes, nodes);
    if (!inlined.ok()) {
      return absl::Status(
          inlined.code(),
          absl::StrCat("STABLEHLO_COMPOSITE ", CompositeName(*node), ": ",
                       inlined.message()));
    }
  }
  return level.CheckWritten();
}

}  // namespace gles_delegate
