#include "delegate/partition/self_check_units.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/plan/dispatch_shader.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {
namespace {

// Values of all tensors of one check; a node that would pass it is skipped.
constexpr int64_t kMostElements = int64_t{1} << 25;

// Everything that tells one program from another: the driver and the text.
absl::StatusOr<std::string> KeyOf(const SelfCheckInput& in, const Dispatch& d) {
  gl_shaders::ShaderSpec spec = SpecOf(in.planned, d, in.profile);
  for (size_t i = 0; i < d.constants.size(); ++i) {
    const PackedConstant& c = d.constants[i];
    if (!c.literal) continue;
    spec.constants[i].literals.resize(int64_t{c.width} * c.height * 4);
    c.fill(absl::MakeSpan(spec.constants[i].literals));
  }
  auto text = gl_shaders::AssembleShader(spec);
  if (!text.ok()) return text.status();
  const egl::DeviceInfo& device = in.context.device();
  Hasher hasher;
  hasher.Text(device.vendor).Text(device.renderer).Text(device.version);
  hasher.Text(*text);
  return hasher.Finish().ToHex();
}

absl::StatusOr<std::vector<SelfCheckUnit>> FindUnits(const SelfCheckInput& in) {
  std::vector<SelfCheckUnit> units;
  absl::flat_hash_map<TensorId, const Node*> makers;
  for (const Node& node : in.planned.nodes) {
    for (TensorId id : node.outputs) makers[id] = &node;
  }
  const auto& all = in.dispatches;
  for (size_t i = 0; i < all.size(); ++i) {
    if (units.empty() || all[i].node < 0 ||
        all[units.back().first].node != all[i].node ||
        all[units.back().first].label != all[i].label) {
      units.emplace_back();
      units.back().first = i;
    }
    SelfCheckUnit& unit = units.back();
    unit.end = i + 1;
    auto key = KeyOf(in, all[i]);
    if (!key.ok()) return key.status();
    unit.programs.push_back(*std::move(key));
    for (uint32_t left = all[i].skipped_post_ops; left != 0; left &= left - 1) {
      ++unit.skipped_post_ops;
    }
    for (const auto& [name, id] : all[i].writes) {
      if (auto it = makers.find(id); it != makers.end()) unit.node = it->second;
    }
    for (TensorId id : BoundTensors(all[i])) {
      unit.elements += in.planned.tensor(MemoryOf(in, id)).shape.elements();
    }
  }
  return units;
}

// The node's answer can be computed on the host from what the unit reads.
bool HasReference(const SelfCheckInput& in, const SelfCheckUnit& unit) {
  Reference reference(in.original);
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in.dispatches[i])) {
      const Tensor& tensor = in.planned.tensor(id);
      if (tensor.is_constant() || !IsOriginal(in, id)) continue;
      reference.Know(id, std::vector<float>(tensor.shape.elements(), 0.5f));
    }
  }
  const TensorId output = unit.node->outputs[0];
  reference.SetTermsLeft(kSelfCheckTermsOfNode);
  return IsOriginal(in, output) &&
         in.planned.tensor(output).dims == in.original.tensor(output).dims &&
         reference.Expect(output, 0).has_value();
}

bool IsFit(const SelfCheckInput& in, const SelfCheckUnit& unit) {
  if (unit.node == nullptr || unit.node->outputs.size() != 1 ||
      unit.elements > kMostElements / 4) {
    return false;
  }
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in.dispatches[i])) {
      const Tensor& tensor = in.planned.tensor(id);
      if (tensor.is_variable ||
          (!tensor.is_constant() && tensor.type != DataType::kFloat32)) {
        return false;
      }
    }
  }
  return HasReference(in, unit);
}

}  // namespace

TensorId MemoryOf(const SelfCheckInput& input, TensorId id) {
  const TensorId of = input.planned.tensor(id).view.of;
  return of == kNoTensor ? id : of;
}

bool IsOriginal(const SelfCheckInput& input, TensorId id) {
  return id >= 0 && id < static_cast<TensorId>(input.original.tensors.size());
}

absl::StatusOr<SelfCheckUnits> ChooseSelfCheckUnits(
    const SelfCheckInput& input) {
  auto units = FindUnits(input);
  if (!units.ok()) return units.status();
  SelfCheckUnits result;
  std::vector<SelfCheckUnit*> in_turn;
  absl::flat_hash_set<std::string> all;
  for (SelfCheckUnit& unit : *units) {
    in_turn.push_back(&unit);
    all.insert(unit.programs.begin(), unit.programs.end());
  }
  result.programs = static_cast<int>(all.size());
  std::stable_sort(in_turn.begin(), in_turn.end(), [](auto* a, auto* b) {
    return std::tie(a->skipped_post_ops, a->elements) <
           std::tie(b->skipped_post_ops, b->elements);
  });
  absl::flat_hash_set<std::string> covered;
  for (const std::string& key : all) {
    if (TrustedPrograms::Get().Holds(key)) covered.insert(key);
  }
  int64_t elements = 0;
  // How many units with a program were found unfit: of thousands that are alike
  // a few are looked at.
  constexpr int kTries = 4;
  absl::flat_hash_map<std::string, int> tries;
  for (const SelfCheckUnit* unit : in_turn) {
    const bool news = std::any_of(
        unit->programs.begin(), unit->programs.end(), [&](const auto& key) {
          return !covered.contains(key) && tries[key] < kTries;
        });
    if (!news || elements + unit->elements > kMostElements) continue;
    if (!IsFit(input, *unit)) {
      for (const std::string& key : unit->programs) ++tries[key];
      continue;
    }
    elements += unit->elements;
    result.chosen.push_back(*unit);
    covered.insert(unit->programs.begin(), unit->programs.end());
  }
  std::sort(result.chosen.begin(), result.chosen.end(),
            [](auto& a, auto& b) { return a.first < b.first; });
  result.covered = static_cast<int>(covered.size());
  return result;
}

}  // namespace gles_delegate
