#include "delegate/partition/self_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/cache/cache_key.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/plan/program.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 48;  // elements of a node's output
// Values that are read for one node: what bounds the host's time, to a few
// milliseconds.
constexpr int64_t kTermsOfNode = int64_t{1} << 16;
// Values of all tensors of one check; a node that would pass it is skipped.
constexpr int64_t kMostElements = int64_t{1} << 25;

// The programs that were found right in this process, by driver and text.
class Trusted {
 public:
  bool Holds(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    return keys_.contains(key);
  }
  void Add(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    keys_.insert(key);
  }
  void Clear() {
    absl::MutexLock lock(&mutex_);
    keys_.clear();
  }
  static Trusted& Get() {
    static auto* const trusted = new Trusted;
    return *trusted;
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_set<std::string> keys_;
};

// The dispatches of one node.
struct Unit {
  size_t first = 0;
  size_t end = 0;
  const Node* node = nullptr;  // of the planned graph; null: not found
  std::vector<std::string> programs;
  int64_t elements = 0;  // read and written
};

class Check {
 public:
  Check(const SelfCheckInput& input, ProgramCache* programs)
      : in_(input),
        programs_(programs),
        reference_(input.original),
        random_(20111) {}

  absl::StatusOr<SelfCheckResult> Run();

 private:
  absl::Status FindUnits();
  void ChooseUnits();
  bool IsFit(const Unit& unit);
  bool HasReference(const Unit& unit);
  void LayOut();
  absl::Status Execute();
  void Compare(const Unit& unit);
  TensorId MemoryOf(TensorId id) const {
    const TensorId of = in_.planned.tensor(id).view.of;
    return of == kNoTensor ? id : of;
  }
  bool IsOriginal(TensorId id) const {
    return id >= 0 && id < static_cast<TensorId>(in_.original.tensors.size());
  }
  std::vector<uint8_t> RandomBytes(const Tensor& tensor);
  std::vector<float> Floats(const Tensor& tensor,
                            absl::Span<const uint8_t> bytes) const;
  double Tolerance(const Tensor& tensor, const ReferenceValue& v) const;

  const SelfCheckInput& in_;
  ProgramCache* programs_;
  Reference reference_;
  std::mt19937 random_;
  std::vector<Unit> units_;
  std::vector<const Unit*> chosen_;
  Graph graph_;  // the planned one, with the check's inputs and outputs
  absl::flat_hash_map<TensorId, std::vector<float>> values_;
  SelfCheckResult result_;
};

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

absl::Status Check::FindUnits() {
  absl::flat_hash_map<TensorId, const Node*> makers;
  for (const Node& node : in_.planned.nodes) {
    for (TensorId id : node.outputs) makers[id] = &node;
  }
  const auto& all = in_.dispatches;
  for (size_t i = 0; i < all.size(); ++i) {
    if (units_.empty() || all[i].node < 0 ||
        all[units_.back().first].node != all[i].node ||
        all[units_.back().first].label != all[i].label) {
      units_.emplace_back();
      units_.back().first = i;
    }
    Unit& unit = units_.back();
    unit.end = i + 1;
    auto key = KeyOf(in_, all[i]);
    if (!key.ok()) return key.status();
    unit.programs.push_back(*std::move(key));
    for (const auto& [name, id] : all[i].writes) {
      if (auto it = makers.find(id); it != makers.end()) unit.node = it->second;
    }
    for (TensorId id : BoundTensors(all[i])) {
      unit.elements += in_.planned.tensor(MemoryOf(id)).shape.elements();
    }
  }
  return absl::OkStatus();
}

// The node's answer can be computed on the host from what the unit reads.
bool Check::HasReference(const Unit& unit) {
  Reference reference(in_.original);
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in_.dispatches[i])) {
      const Tensor& tensor = in_.planned.tensor(id);
      if (tensor.is_constant() || !IsOriginal(id)) continue;
      reference.Know(id, std::vector<float>(tensor.shape.elements(), 0.5f));
    }
  }
  const TensorId output = unit.node->outputs[0];
  reference.SetTermsLeft(kTermsOfNode);
  return IsOriginal(output) &&
         in_.planned.tensor(output).dims == in_.original.tensor(output).dims &&
         reference.Expect(output, 0).has_value();
}

bool Check::IsFit(const Unit& unit) {
  if (unit.node == nullptr || unit.node->outputs.size() != 1 ||
      unit.elements > kMostElements / 4) {
    return false;
  }
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in_.dispatches[i])) {
      const Tensor& tensor = in_.planned.tensor(id);
      if (tensor.is_variable ||
          (!tensor.is_constant() && tensor.type != DataType::kFloat32)) {
        return false;
      }
    }
  }
  return HasReference(unit);
}

void Check::ChooseUnits() {
  std::vector<Unit*> by_size;
  absl::flat_hash_set<std::string> all;
  for (Unit& unit : units_) {
    by_size.push_back(&unit);
    all.insert(unit.programs.begin(), unit.programs.end());
  }
  result_.programs = static_cast<int>(all.size());
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](auto* a, auto* b) { return a->elements < b->elements; });
  absl::flat_hash_set<std::string> covered;
  for (const std::string& key : all) {
    if (Trusted::Get().Holds(key)) covered.insert(key);
  }
  int64_t elements = 0;
  // How many units with a program were found unfit: of thousands that are alike
  // a few are looked at.
  constexpr int kTries = 4;
  absl::flat_hash_map<std::string, int> tries;
  for (const Unit* unit : by_size) {
    const bool news = std::any_of(
        unit->programs.begin(), unit->programs.end(), [&](const auto& key) {
          return !covered.contains(key) && tries[key] < kTries;
        });
    if (!news || elements + unit->elements > kMostElements) continue;
    if (!IsFit(*unit)) {
      for (const std::string& key : unit->programs) ++tries[key];
      continue;
    }
    elements += unit->elements;
    chosen_.push_back(unit);
    covered.insert(unit->programs.begin(), unit->programs.end());
  }
  std::sort(chosen_.begin(), chosen_.end(),
            [](auto* a, auto* b) { return a->first < b->first; });
  result_.checked = static_cast<int>(covered.size());
  result_.skipped = result_.programs - result_.checked;
}

// Inputs: what is read and not written before; outputs: what nodes write.
void Check::LayOut() {
  graph_ = in_.planned;
  graph_.inputs.clear();
  graph_.outputs.clear();
  absl::flat_hash_set<TensorId> written, given;
  for (const Unit* unit : chosen_) {
    for (size_t i = unit->first; i < unit->end; ++i) {
      const Dispatch& d = in_.dispatches[i];
      absl::flat_hash_set<TensorId> writes;
      for (const auto& [name, id] : d.writes) writes.insert(MemoryOf(id));
      for (TensorId bound : BoundTensors(d)) {
        const TensorId id = MemoryOf(bound);
        if (graph_.tensor(id).is_constant() || writes.contains(id) ||
            written.contains(id) || !given.insert(id).second) {
          continue;
        }
        graph_.inputs.push_back(id);
      }
      written.insert(writes.begin(), writes.end());
    }
    const TensorId output = MemoryOf(unit->node->outputs[0]);
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), output) ==
        graph_.outputs.end()) {
      graph_.outputs.push_back(output);
    }
  }
}

std::vector<uint8_t> Check::RandomBytes(const Tensor& tensor) {
  const int64_t elements = tensor.shape.elements();
  if (tensor.holds_codes) {
    std::vector<uint8_t> codes(elements);
    for (uint8_t& code : codes) code = static_cast<uint8_t>(random_());
    return codes;
  }
  std::vector<float> floats(elements);
  // Of either sign, away from zero: quotients and roots stay in range.
  for (float& v : floats) {
    const auto bits = static_cast<uint32_t>(random_());
    const float size = 0.25f + static_cast<float>(bits >> 8) / (1 << 24);
    v = (bits & 1) != 0 ? size : -size;
  }
  std::vector<uint8_t> bytes(elements * sizeof(float));
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

std::vector<float> Check::Floats(const Tensor& tensor,
                                 absl::Span<const uint8_t> bytes) const {
  std::vector<float> values(tensor.shape.elements());
  if (!tensor.holds_codes) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const float scale = tensor.quantization.scale[0];
  const auto zero = static_cast<int>(tensor.quantization.zero_point[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = tensor.codes == DataType::kUint8
                         ? bytes[i]
                         : static_cast<int8_t>(bytes[i]);
    values[i] = scale * static_cast<float>(code - zero);
  }
  return values;
}

absl::Status Check::Execute() {
  LayOut();
  std::vector<Dispatch> dispatches;
  for (const Unit* unit : chosen_) {
    for (size_t i = unit->first; i < unit->end; ++i) {
      dispatches.push_back(in_.dispatches[i]);
    }
  }
  auto executor = Executor::Create(in_.context, programs_, graph_,
                                   std::move(dispatches), in_.profile);
  if (!executor.ok()) return executor.status();
  std::vector<std::vector<uint8_t>> in, out;
  for (TensorId id : graph_.inputs)
    in.push_back(RandomBytes(graph_.tensor(id)));
  for (TensorId id : graph_.outputs) {
    const Tensor& tensor = graph_.tensor(id);
    out.emplace_back(tensor.shape.elements() *
                     (tensor.holds_codes ? 1 : sizeof(float)));
  }
  const std::vector<absl::Span<const uint8_t>> inputs(in.begin(), in.end());
  std::vector<absl::Span<uint8_t>> outputs;
  for (auto& bytes : out) outputs.push_back(absl::MakeSpan(bytes));
  if (auto s = (*executor)->Invoke(inputs, outputs); !s.ok()) return s;
  for (size_t i = 0; i < in.size(); ++i) {
    values_[graph_.inputs[i]] = Floats(graph_.tensor(graph_.inputs[i]), in[i]);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    values_[graph_.outputs[i]] =
        Floats(graph_.tensor(graph_.outputs[i]), out[i]);
  }
  return absl::OkStatus();
}

// The box that a view is, out of the whole.
std::vector<float> ViewOf(const std::vector<float>& whole, const Shape& of,
                          const Tensor& view) {
  std::vector<float> values;
  const Shape& s = view.shape;
  const auto& at = view.view.at;
  for (int b = 0; b < s.b; ++b) {
    for (int h = 0; h < s.h; ++h) {
      for (int w = 0; w < s.w; ++w) {
        const int64_t first =
            ((int64_t{b + at[kBatchAxis]} * of.h + h + at[kHeightAxis]) * of.w +
             w + at[kWidthAxis]) *
                of.c +
            at[kChannelAxis];
        values.insert(values.end(), whole.begin() + first,
                      whole.begin() + first + s.c);
      }
    }
  }
  return values;
}

double Check::Tolerance(const Tensor& tensor, const ReferenceValue& v) const {
  // A wrong program is wrong by more; a right one may sum in another order, by
  // Winograd's products, or from halves.
  const double relative = in_.profile.options.half ? 8e-3 : 1e-3;
  double tolerance =
      relative * v.magnitude + (in_.profile.options.half ? 1e-4 : 1e-6);
  if (tensor.is_float_view() && !tensor.quantization.empty()) {
    // Its own rounding, and that of the integer kernels' tables and of the
    // functions before.
    tolerance += 4.01 * tensor.quantization.scale[0];
  }
  return tolerance;
}

void Check::Compare(const Unit& unit) {
  const TensorId output = unit.node->outputs[0];
  const auto value_of = [&](TensorId id) {
    const Tensor& tensor = graph_.tensor(id);
    const TensorId memory = MemoryOf(id);
    const auto it = values_.find(memory);
    if (it == values_.end()) return std::vector<float>();
    return memory == id
               ? it->second
               : ViewOf(it->second, graph_.tensor(memory).shape, tensor);
  };
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in_.dispatches[i])) {
      if (graph_.tensor(id).is_constant() || !IsOriginal(id)) continue;
      if (auto values = value_of(id); !values.empty()) {
        reference_.Know(id, std::move(values));
      }
    }
  }
  const std::vector<float> got = value_of(output);
  const Tensor& tensor = in_.planned.tensor(output);
  const auto elements = static_cast<int64_t>(got.size());
  reference_.SetTermsLeft(kTermsOfNode);
  for (int i = 0; i < kSamples && elements > 0; ++i) {
    // The corners, then anywhere.
    const int64_t at = i == 0   ? 0
                       : i == 1 ? elements - 1
                                : static_cast<int64_t>(random_() % elements);
    const auto expected = reference_.Expect(output, at);
    if (!expected) continue;
    if (in_.profile.options.half && std::abs(expected->value) > 6e4) continue;
    double want = expected->value;
    if (tensor.holds_codes && !tensor.quantization.empty()) {
      // What the codes can hold of it. A float view ends there by its
      // simulator, or nowhere.
      const bool is_unsigned = tensor.codes == DataType::kUint8;
      const bool wide = tensor.codes == DataType::kInt16;
      const double low = wide ? -32768 : is_unsigned ? 0 : -128;
      const double high = wide ? 32767 : is_unsigned ? 255 : 127;
      const double scale = tensor.quantization.scale[0];
      const auto zero = static_cast<double>(tensor.quantization.zero_point[0]);
      want = std::clamp(want, (low - zero) * scale, (high - zero) * scale);
    }
    const double tolerance = Tolerance(tensor, *expected);
    if (std::abs(got[at] - want) <= tolerance) continue;
    std::vector<std::string> shaders;
    for (size_t d = unit.first; d < unit.end; ++d) {
      shaders.push_back(absl::StrCat(in_.dispatches[d].shader, ".comp"));
    }
    result_.faults.push_back(absl::StrCat(
        in_.dispatches[unit.first].label, " (", absl::StrJoin(shaders, ", "),
        "): element ", at, " of ", tensor.ToString(), " is ", got[at], ", not ",
        want, " +- ", tolerance));
    return;
  }
}

absl::StatusOr<SelfCheckResult> Check::Run() {
  const auto start = Clock::now();
  if (auto s = FindUnits(); !s.ok()) return s;
  ChooseUnits();
  if (!chosen_.empty()) {
    if (auto s = Execute(); !s.ok()) return s;
    for (const Unit* unit : chosen_) {
      const size_t before = result_.faults.size();
      Compare(*unit);
      if (result_.faults.size() > before) continue;
      for (const std::string& key : unit->programs) Trusted::Get().Add(key);
    }
  }
  result_.ms =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return result_;
}

}  // namespace

absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          ProgramCache* programs) {
  return Check(input, programs).Run();
}

DeviceProfile PlainProfile(DeviceProfile profile, bool keep_storage) {
  DeviceChoices plain;  // Fuses nothing, splits nothing, spells nothing out.
  plain.conv_tile_pixels = 1;
  plain.depthwise_tile_pixels = 1;
  plain.reduction_lanes = 1;
  if (keep_storage) plain.storage = profile.choices.storage;
  profile.choices = plain;
  return profile;
}

void ForgetSelfChecks() { Trusted::Get().Clear(); }

}  // namespace gles_delegate
