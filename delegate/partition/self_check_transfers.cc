#include "delegate/partition/self_check_transfers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/cache/cache_file.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/schedule.h"
#include "egl/objects.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

absl::StatusOr<std::string> ProgramKey(const egl::Context& context,
                                       const Graph& graph, const Dispatch& d,
                                       const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto text,
                   gl_shaders::AssembleShader(WholeSpecOf(graph, d, profile)));
  const egl::DeviceInfo& device = context.device();
  Hasher hasher;
  hasher.Text(device.vendor).Text(device.renderer).Text(device.version);
  hasher.Text(text);
  return hasher.Finish().ToHex();
}

namespace {

using Direction = HostTransfer::Direction;

// Elements of a tensor: a program with larger ones only is skipped.
constexpr int64_t kMaxTransferElements = int64_t{1} << 22;
// Elements of a view that are compared: interpolating takes long.
constexpr int64_t kViewElements = int64_t{1} << 14;

// Tensors by the program that uploads them or reads them back.
using Subjects = std::map<std::string, TensorId>;

// The smallest tensor of each program. Prefers those of whose channels some
// are padding: a plan with such outputs may read back others as those.
absl::StatusOr<Subjects> SubjectsOf(const SelfCheckInput& in,
                                    const Graph& graph,
                                    const TransferPlan& plan,
                                    const DeviceProfile& profile,
                                    Direction direction) {
  const Schedule& schedule = plan.schedule;
  const bool is_upload = direction == Direction::kUpload;
  const size_t count = schedule.dispatches.size();
  const size_t first = is_upload ? 0 : count - schedule.readbacks;
  const size_t end = is_upload ? schedule.uploads : count;
  const auto order = [&graph](TensorId id) {
    const Shape& s = graph.tensor(id).shape;
    return std::tuple(s.c % 4 == 0, s.elements());
  };
  Subjects result;
  for (size_t i = first; i < end; ++i) {
    const auto& transfers = is_upload ? plan.inputs : plan.outputs;
    const HostTransfer& transfer = transfers[schedule.pieces[i].index];
    if (transfer.is_bound()) continue;
    ASSIGN_OR_RETURN(auto key, ProgramKey(in.context, graph,
                                          schedule.dispatches[i], profile));
    const auto [it, is_new] = result.emplace(key, transfer.tensor());
    if (!is_new && order(transfer.tensor()) < order(it->second)) {
      it->second = transfer.tensor();
    }
  }
  return result;
}

// Values that reveal where each one went.
std::vector<uint8_t> TransferValues(const Tensor& tensor, uint32_t seed) {
  Tensor like = tensor;
  // Any floats will do, so take those that 16 bits hold.
  if (!like.holds_quantized) like.quantized = DataType::kOther;
  std::vector<uint8_t> bytes(tensor.shape.elements() *
                             HostElementBytes(tensor));
  Repeat(RandomPattern(like, seed), absl::MakeSpan(bytes));
  return bytes;
}

// The transfers of one direction: tensors that are inputs and outputs at once.
class TransferRun {
 public:
  TransferRun(const SelfCheckInput& in, Direction direction)
      : in_(in), is_upload_(direction == Direction::kUpload) {
    profile_ = in.profile;
    profile_.options.self_check =
        is_upload_ ? SelfCheckRun::kUploads : SelfCheckRun::kReadbacks;
  }

  void Add(TensorId id) {
    Tensor copy = in_.planned.tensor(id);
    copy.is_variable = false;
    TensorId memory = kNoTensor;
    if (copy.view.of != kNoTensor) {
      Tensor whole = in_.planned.tensor(copy.view.of);
      whole.is_variable = false;
      copy.view.of = memory = graph_.AddTensor(std::move(whole));
    }
    const TensorId own = graph_.AddTensor(std::move(copy));
    graph_.inputs.push_back(memory == kNoTensor ? own : memory);
    graph_.outputs.push_back(own);
  }

  absl::Status Execute(SharedObjects* objects) {
    ASSIGN_OR_RETURN(
        executor_, Executor::Create(in_.context, &objects->programs, graph_, {},
                                    profile_));
    for (TensorId id : graph_.inputs) {
      const int seed = 2 * id + (is_upload_ ? 1 : 0);
      in_bytes_.push_back(TransferValues(graph_.tensor(id), seed));
    }
    for (TensorId id : graph_.outputs) {
      const Tensor& tensor = graph_.tensor(id);
      out_bytes_.emplace_back(tensor.shape.elements() *
                              HostElementBytes(tensor));
    }
    const std::vector<absl::Span<const uint8_t>> inputs(in_bytes_.begin(),
                                                        in_bytes_.end());
    std::vector<absl::Span<uint8_t>> outputs;
    for (auto& bytes : out_bytes_) outputs.push_back(absl::MakeSpan(bytes));
    return executor_->Invoke(inputs, outputs);
  }

  // Programs that have run.
  absl::StatusOr<Subjects> Programs() const {
    const TransferPlan plan =
        PlanTransfers(graph_, {}, profile_, egl::Buffer::CanBeMapped());
    return SubjectsOf(in_, graph_, plan, profile_,
                      is_upload_ ? Direction::kUpload : Direction::kReadback);
  }

  // The fault of a tensor of Programs(); empty: none.
  std::string FaultOf(TensorId own) const {
    const size_t index =
        absl::c_find(graph_.outputs, own) - graph_.outputs.begin();
    const Tensor& tensor = graph_.tensor(own);
    std::string wrong = WrongElement(index);
    const HostTransfer& out = executor_->outputs()[index];
    if (wrong.empty() && out.is_packed_by_host() && !out.PaddingIsZero()) {
      wrong = absl::StrCat("channels past the last of ", tensor.ToString(),
                           " are not zero");
    }
    if (wrong.empty()) return "";
    const bool both = !executor_->inputs()[index].is_packed_by_host() &&
                      !out.is_packed_by_host();
    return absl::StrCat(is_upload_ ? "upload " : "readback ", tensor.name,
                        both         ? " (upload.comp, readback.comp): "
                        : is_upload_ ? " (upload.comp): "
                                     : " (readback.comp): ",
                        wrong);
  }

 private:
  // "element 17 is 3.5, not 1.25"; empty: all are right.
  std::string WrongElement(size_t index) const {
    const TensorId from = graph_.inputs[index], to = graph_.outputs[index];
    if (from == to && in_bytes_[index] == out_bytes_[index]) return "";
    const Tensor& tensor = graph_.tensor(to);
    const Tensor& source = graph_.tensor(from);
    const ValueAt sent = [&](int64_t element) {
      return ValueIn(source, in_bytes_[index], element);
    };
    ValueAt expected = sent;
    Tensor top = tensor;  // the first rows
    double tolerance = 0;
    if (from != to) {
      const int64_t row = int64_t{tensor.shape.w} * tensor.shape.c;
      top.shape.h = static_cast<int>(
          std::clamp(kViewElements / row, int64_t{1}, int64_t{tensor.shape.h}));
      if (top.shape.h < tensor.shape.h) top.shape.b = 1;
      expected = ViewOf(sent, source.shape, top);
      // Interpolated, of values up to 1.25.
      tolerance = in_.profile.options.half ? 1e-2 : 2 * kRelativeError;
    }
    for (int64_t i = 0; i < top.shape.elements(); ++i) {
      const float got = ValueIn(tensor, out_bytes_[index], i);
      const float want = expected(i);
      if (std::abs(got - want) <= tolerance) continue;
      return absl::StrCat("element ", i, " of ", tensor.ToString(), " is ", got,
                          ", not ", want);
    }
    return "";
  }

  const SelfCheckInput& in_;
  const bool is_upload_;
  DeviceProfile profile_;
  Graph graph_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::vector<uint8_t>> in_bytes_, out_bytes_;
};

// Those of one direction.
absl::Status CheckDirection(const SelfCheckInput& in, const TransferPlan& plan,
                            Direction direction, SharedObjects* objects,
                            SelfCheckResult* result) {
  ASSIGN_OR_RETURN(auto wanted,
                   SubjectsOf(in, in.planned, plan, in.profile, direction));
  result->programs += static_cast<int>(wanted.size());
  TransferRun run(in, direction);
  HashSet<TensorId> added;
  for (const auto& [key, id] : wanted) {
    const Shape& shape = in.planned.tensor(MemoryOf(in.planned, id)).shape;
    if (TrustedPrograms::Get().Holds(key)) {
      ++result->checked;
    } else if (shape.elements() <= kMaxTransferElements &&
               added.insert(id).second) {
      run.Add(id);
    }
  }
  if (added.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(run.Execute(objects));
  ASSIGN_OR_RETURN(const auto ran, run.Programs());
  for (const auto& [key, own] : ran) {
    if (wanted.count(key) == 0 || TrustedPrograms::Get().Holds(key)) continue;
    ++result->checked;
    std::string fault = run.FaultOf(own);
    if (fault.empty()) {
      TrustedPrograms::Get().Add(key);
    } else {
      result->faults.push_back(std::move(fault));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTransfers(const SelfCheckInput& input, SharedObjects* objects,
                            SelfCheckResult* result) {
  const std::vector<Dispatch> dispatches(input.dispatches.begin(),
                                         input.dispatches.end());
  const TransferPlan plan =
      PlanTransfers(input.planned, dispatches, input.profile,
                    egl::Buffer::CanBeMapped(), input.bound);
  for (Direction direction : {Direction::kUpload, Direction::kReadback}) {
    RETURN_IF_ERROR(CheckDirection(input, plan, direction, objects, result));
  }
  return absl::OkStatus();
}

bool IsTransferFault(absl::string_view fault) {
  return absl::StartsWith(fault, "upload ") ||
         absl::StartsWith(fault, "readback ");
}

}  // namespace gles_delegate
