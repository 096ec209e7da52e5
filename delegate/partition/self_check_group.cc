#include "delegate/partition/self_check_group.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/partition/self_check_expected.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {
namespace {

// Bytes of a tensor in the host's memory, up to a whole number of cache lines.
size_t RoomFor(const Tensor& tensor) {
  const int64_t bytes = tensor.shape.elements() * HostElementBytes(tensor);
  return static_cast<size_t>((bytes + 63) / 64 * 64);
}

// Takes a tensor's bytes from the beginning of `left`.
absl::Span<uint8_t> TakeFrom(absl::Span<uint8_t>* left, const Tensor& tensor) {
  const auto taken = left->first(
      static_cast<size_t>(tensor.shape.elements() * HostElementBytes(tensor)));
  left->remove_prefix(RoomFor(tensor));
  return taken;
}

}  // namespace

// The case's own copy of a tensor of the planned graph.
TensorId CaseGroup::OwnOf(TensorId id, Laid* laid) {
  if (id == kNoTensor) return id;
  const auto found = laid->own.find(id);
  if (found != laid->own.end()) return found->second;
  Tensor copy = in_.planned.tensor(id);
  copy.is_variable = false;  // a state's values are given, too
  copy.view.of = OwnOf(copy.view.of, laid);
  return laid->own[id] = graph_.AddTensor(std::move(copy));
}

Dispatch CaseGroup::WithOwn(const Dispatch& of, Laid* laid) {
  Dispatch d = of;
  for (auto& [name, id] : d.reads) id = OwnOf(id, laid);
  for (auto& [name, id] : d.writes) id = OwnOf(id, laid);
  for (PostOp& op : d.post_ops) op.operand = OwnOf(op.operand, laid);
  for (Stage& stage : d.stages) {
    stage.of = OwnOf(stage.of, laid);
    for (PostOp& op : stage.ops) op.operand = OwnOf(op.operand, laid);
  }
  return d;
}

// Inputs: what is bound and not written before; outputs: what is compared.
void CaseGroup::Add(const SelfCheckCase& c) {
  Laid laid{&c, {}};
  HashSet<TensorId> there;  // written or given
  const auto give = [&](const std::vector<TensorId>& read) {
    for (TensorId bound : read) {
      const TensorId id = MemoryOf(in_.planned, bound);
      if (in_.planned.tensor(id).is_constant() || !there.insert(id).second) {
        continue;
      }
      graph_.inputs.push_back(OwnOf(id, &laid));
      sources_.push_back({laid_.size(), id});
    }
  };
  give(c.given);
  for (const SelfCheckUnit& unit : c.units) {
    elements_ += unit.elements;
    for (size_t i = unit.first; i < unit.end; ++i) {
      const Dispatch& d = in_.dispatches[i];
      dispatches_.push_back(WithOwn(d, &laid));
      for (const auto& [name, id] : d.writes) {
        there.insert(MemoryOf(in_.planned, id));
      }
      give(BoundTensors(d));
    }
  }
  for (TensorId id : c.compared().results) {
    const TensorId memory = OwnOf(MemoryOf(in_.planned, id), &laid);
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), memory) ==
        graph_.outputs.end()) {
      graph_.outputs.push_back(memory);
    }
  }
  laid_.push_back(std::move(laid));
}

size_t CaseGroup::host_bytes() const {
  size_t bytes = 0;
  for (TensorId id : graph_.inputs) bytes += RoomFor(graph_.tensor(id));
  for (TensorId id : graph_.outputs) bytes += RoomFor(graph_.tensor(id));
  return bytes;
}

absl::Status CaseGroup::Run(SharedObjects* objects, absl::Span<uint8_t> host) {
  DeviceProfile profile = in_.profile;
  profile.options.self_check = SelfCheckRun::kNodes;
  ASSIGN_OR_RETURN(auto executor,
                   Executor::Create(in_.context, &objects->programs, graph_,
                                    std::move(dispatches_), profile, nullptr,
                                    {}, {&objects->constants, {}}));
  std::vector<absl::Span<const uint8_t>> inputs;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const auto bytes = TakeFrom(&host, graph_.tensor(graph_.inputs[i]));
    const auto& [laid, id] = sources_[i];
    Repeat(PatternOf(in_, *laid_[laid].of, id), bytes);
    inputs.push_back(bytes);
  }
  // They may hold the values of an earlier group: what the GPU does not write
  // is poison in its memory, which the executor copies here.
  for (TensorId id : graph_.outputs) {
    outputs_.push_back(TakeFrom(&host, graph_.tensor(id)));
  }
  return executor->Invoke(inputs, outputs_);
}

ValueAt CaseGroup::ResultOf(size_t i, TensorId id) const {
  const TensorId own = laid_[i].own.at(id);
  const Tensor& tensor = graph_.tensor(own);
  const TensorId of = MemoryOf(graph_, own);
  const Tensor& memory = graph_.tensor(of);
  const size_t output =
      std::find(graph_.outputs.begin(), graph_.outputs.end(), of) -
      graph_.outputs.begin();
  ValueAt values = [&memory, bytes = outputs_[output]](int64_t element) {
    return ValueIn(memory, bytes, element);
  };
  if (of == own) return values;
  return ViewOf(std::move(values), memory.shape, tensor);
}

}  // namespace gles_delegate
