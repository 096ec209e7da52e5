#include "delegate/tflite/kernel.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/device/knobs.h"
#include "delegate/graph/texels.h"
#include "delegate/partition/autotuning.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/partition/self_check_mark.h"
#include "delegate/passes/compute_on_codes.h"
#include "delegate/tflite/state_mark.h"
#include "egl/objects.h"

namespace gles_delegate {
namespace {

// What the runtime's tensor holds of a folded constant. DEQUANTIZE's output is
// float32 to the runtime, whatever it was folded from; others are as they are.
absl::StatusOr<std::vector<uint8_t>> ConstantOutputBytes(const Tensor& tensor,
                                                         TfLiteType type) {
  const absl::Span<const uint8_t> own = tensor.constant.bytes();
  const bool same = (type == kTfLiteInt32 && tensor.type == DataType::kInt32) ||
                    (type == kTfLiteBool && tensor.type == DataType::kBool);
  if (same) return std::vector<uint8_t>(own.begin(), own.end());
  if (type != kTfLiteFloat32) {
    return absl::UnimplementedError(
        absl::StrCat("the partition's output ", tensor.ToString(),
                     " is a constant that is not float32, int32 or bool"));
  }
  auto values = ConstantFloats(tensor);
  if (!values.ok()) return values.status();
  const auto bytes = AsBytes<float>(*values);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

std::vector<int> ToVector(const TfLiteIntArray* array) {
  return std::vector<int>(array->data, array->data + array->size);
}

}  // namespace

GlesKernel::GlesKernel(GlesSimpleDelegate& delegate)
    : delegate_(delegate),
      gpu_(delegate.gpu()),
      profile_(delegate.profile()),
      profiling_(delegate.options().enable_op_profiling),
      waits_actively_(delegate.options().wait_actively),
      verbosity_(delegate.options().verbosity),
      cache_options_(delegate.options().cache),
      checks_itself_(delegate.options().self_check),
      tunes_(delegate.options().tuning == kTfLiteGlesTuningExhaustive),
      may_change_storage_(delegate.options().storage == kTfLiteGlesStorageAuto),
      computes_on_codes_(delegate.options().computes_on_codes()),
      cpu_kernels_(delegate.cpu_kernels()),
      read_options_(delegate.read_options()) {}

GlesKernel::~GlesKernel() {
  if (report_ != nullptr) report_->executor = nullptr;
  if (executor_ == nullptr) return;
  // Where the context cannot be made current here (another thread holds it),
  // the objects' names are lost with it when it goes.
  (void)gpu_->context->Run([this] {
    executor_.reset();
    return absl::OkStatus();
  });
}

absl::Status GlesKernel::Init(TfLiteContext* context,
                              const TfLiteDelegateParams* params) {
  const CheckedModel* model = delegate_.model();
  if (model == nullptr) {
    return absl::FailedPreconditionError(
        "a partition was made while the delegate was not being applied");
  }
  report_ = delegate_.AddPartition();
  nodes_ = delegate_.nodes();
  partition_ = ToVector(params->nodes_to_replace);
  borders_ = {ToVector(params->input_tensors),
              ToVector(params->output_tensors)};
  report_->nodes = static_cast<int>(partition_.size());
  return Read(*context, *model);
}

absl::Status GlesKernel::Read(const TfLiteContext& context,
                              const CheckedModel& model) {
  read_shapes_ = BorderShapes(context);
  constant_outputs_.clear();
  input_tensors_.clear();
  output_tensors_.clear();
  inputs_.clear();
  outputs_.clear();
  for (int id : borders_.outputs) {
    const Tensor& tensor = model.graph.tensor(id);
    if (!tensor.is_constant()) {
      output_tensors_.push_back(id);
      continue;
    }
    auto bytes = ConstantOutputBytes(tensor, context.tensors[id].type);
    if (!bytes.ok()) return bytes.status();
    constant_outputs_.push_back({id, *std::move(bytes)});
  }
  graph_ =
      ExtractPartition(model, partition_, borders_.inputs, output_tensors_);
  if (checks_itself_) original_ = graph_;
  if (computes_on_codes_) {
    report_->nodes_on_codes = ComputeOnCodes(&graph_, profile_, cpu_kernels_);
  }
  for (TensorId id : graph_.inputs) {
    input_tensors_.push_back(graph_.tensor(id).tflite_index);
  }
  for (TensorId id : graph_.inputs) inputs_.emplace_back(graph_.tensor(id));
  for (TensorId id : graph_.outputs) outputs_.emplace_back(graph_.tensor(id));
  return absl::OkStatus();
}

std::vector<std::vector<int>> GlesKernel::BorderShapes(
    const TfLiteContext& context) const {
  std::vector<std::vector<int>> shapes;
  for (const auto* list : {&borders_.inputs, &borders_.outputs}) {
    for (int id : *list) {
      const TfLiteIntArray* dims = id < 0 ? nullptr : context.tensors[id].dims;
      shapes.push_back(dims == nullptr ? std::vector<int>() : ToVector(dims));
    }
  }
  return shapes;
}

absl::Status GlesKernel::ReadAgain(TfLiteContext* context) {
  read_shapes_.clear();  // of nothing, where this fails
  on_cpu_.reset();
  built_ = false;
  auto unknown = PropagateShapes(context, nodes_.find, partition_);
  if (!unknown.ok()) return unknown.status();
  nodes_.unknown.insert(unknown->begin(), unknown->end());
  // All of the model: what nodes of other partitions fold to constants is known
  // to be constant here.
  auto model = ReadModel(context, nodes_, profile_, read_options_);
  if (!model.ok()) return model.status();
  for (int index : partition_) {
    const CheckedNode& node = model->nodes[model->position_of.at(index)];
    if (node.support.ok()) continue;
    const std::string why = absl::StrCat(
        "the partition of ", partition_.size(),
        " nodes cannot run on the GPU at the shapes that the inputs were "
        "resized to: ",
        node.op, " (node ", node.index, "): ", node.support.message(), " [",
        node.tensors, "]");
    if (auto s = CpuPartition::Check(context, nodes_.find, partition_);
        !s.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(why, "; ", s.message()));
    }
    if (verbosity_ >= 1) {
      context->ReportError(context, "WARNING: %s; it runs on the CPU",
                           why.c_str());
    }
    on_cpu_ = std::make_unique<CpuPartition>();
    read_shapes_ = BorderShapes(*context);
    return absl::OkStatus();
  }
  return Read(*context, *model);
}

absl::Status GlesKernel::EvalOnCpu(TfLiteContext* context) {
  for (int id : borders_.inputs) {
    TfLiteTensor& t = context->tensors[id];
    // What the GPU held is gone with its shapes.
    if (t.is_variable && IsStateOnGpu(t)) std::memset(t.data.raw, 0, t.bytes);
  }
  return on_cpu_->Run(context, nodes_.find, partition_);
}

absl::Status GlesKernel::Prepare(TfLiteContext* context, TfLiteNode*) {
  if (BorderShapes(*context) != read_shapes_) {
    if (auto s = ReadAgain(context); !s.ok()) return s;
  }
  if (on_cpu_ != nullptr) return absl::OkStatus();
  if (built_ && CheckCaller().ok()) return absl::OkStatus();
  thread_ = std::this_thread::get_id();
  const absl::Status built = gpu_->context->Run([this] { return Build(); });
  built_ = built.ok();
  if (verbosity_ >= 1 && !report_->passes_dropped.empty()) {
    context->ReportError(context,
                         "TfLiteGlesDelegate: WARNING: a partition of %d nodes "
                         "runs node by node, without the passes that fuse "
                         "them, as it could not be planned after them: %s",
                         report_->nodes, report_->passes_dropped.c_str());
  }
  if (!cache_warning_.empty()) {
    context->ReportError(context, "TfLiteGlesDelegate: %s",
                         cache_warning_.c_str());
    cache_warning_.clear();
  }
  if (!self_check_warning_.empty()) {
    context->ReportError(context, "%s", self_check_warning_.c_str());
    self_check_warning_.clear();
  }
  return built;
}

std::unique_ptr<PartitionCache> GlesKernel::OpenCache(
    const Graph& graph, const std::vector<Dispatch>& dispatches) const {
  if (cache_options_.directory.empty()) return nullptr;
  const egl::DeviceInfo& device = gpu_->context->device();
  const std::string plan = PlanToString(graph, dispatches);
  return PartitionCache::Open(cache_options_, {device, profile_, graph_, plan},
                              device.program_binary_formats);
}

absl::StatusOr<std::unique_ptr<Executor>> GlesKernel::MakeExecutor(
    const Graph& graph, const std::vector<Dispatch>& dispatches) {
  StageTimer timer(&report_->stages);
  const std::unique_ptr<PartitionCache> cache = OpenCache(graph, dispatches);
  timer.Lap("cache_open");
  const bool checks = checks_itself_ && (cache == nullptr || !cache->loading());
  if (checks && cache != nullptr) {
    cache->DeferSave();
    if (auto s = CheckMark(graph, dispatches); !s.ok()) return s;
  }
  if (checks_itself_ && !checks && report_->self_check == "off") {
    report_->self_check = "cached";
  }
  const auto create = [&] {
    return Executor::Create(*gpu_->context, &gpu_->programs, graph, dispatches,
                            profile_, cache.get());
  };
  auto executor = create();
  if (cache != nullptr && cache->loading() &&
      absl::IsDataLoss(executor.status())) {
    cache->Reject(executor.status());
    executor = create();
  }
  if (executor.ok() && checks) {
    timer.Lap("executor");
    if (auto s = CheckPrograms(graph, dispatches); !s.ok()) return s;
    timer.Lap("self_check");
  }
  if (cache != nullptr) {
    cache->CommitSave();
    report_->cache = cache->report();
    if (!cache->warning().empty()) cache_warning_ = cache->warning();
  }
  return executor;
}

absl::Status GlesKernel::CheckMark(const Graph& graph,
                                   const std::vector<Dispatch>& dispatches) {
  const egl::DeviceInfo& device = gpu_->context->device();
  const std::string plan = PlanToString(graph, dispatches);
  const SelfCheckMark mark(cache_options_, {device, profile_, graph_, plan});
  if (mark.fault().empty()) return absl::OkStatus();
  wrong_answer_ = absl::StrCat(mark.fault(), " (found by an earlier start)");
  return absl::InternalError(wrong_answer_);
}

absl::Status GlesKernel::CheckPrograms(
    const Graph& graph, const std::vector<Dispatch>& dispatches) {
  const egl::DeviceInfo& device = gpu_->context->device();
  const auto result =
      SelfCheck({*gpu_->context, original_, graph, dispatches, profile_},
                &gpu_->programs);
  if (!result.ok()) {
    egl::CheckGl("the self-check").IgnoreError();
    report_->self_check = absl::StrCat("none: ", result.status().message());
    return absl::OkStatus();
  }
  report_->self_check_result = *result;
  if (result->ok()) {
    if (report_->self_check != "plain") report_->self_check = "right";
    return absl::OkStatus();
  }
  report_->self_check = "wrong";
  wrong_answer_ = result->faults.front();
  if (result->faults.size() > 1) {
    absl::StrAppend(&wrong_answer_, " (and ", result->faults.size() - 1,
                    " nodes more)");
  }
  if (!cache_options_.directory.empty()) {
    const std::string plan = PlanToString(graph, dispatches);
    SelfCheckMark(cache_options_, {device, profile_, graph_, plan})
        .Set(wrong_answer_);
  }
  return absl::InternalError(wrong_answer_);
}

// The profile that is fastest for this partition: found by an earlier start and
// kept beside its start-up cache, or searched now.
absl::Status GlesKernel::Tune() {
  tunes_ = false;  // once for all preparations of this kernel
  std::unique_ptr<PartitionCache> cache;
  if (!cache_options_.directory.empty()) {
    const egl::DeviceInfo& device = gpu_->context->device();
    cache = PartitionCache::Open(
        cache_options_, {device, profile_, graph_, "exhaustive tuning"},
        device.program_binary_formats);
    const auto saved = cache->NextConstant(TuningRecordBytes());
    if (saved.ok() && saved->has_value()) {
      report_->tuning = TextOfTuningRecord(**saved);
      ApplyTuning(report_->tuning, &profile_.choices);
      return absl::OkStatus();
    }
    if (!saved.ok()) cache->Reject(saved.status());
  }
  PartitionTrials trials(*gpu_->context, graph_);
  auto tuned = TuneExhaustively(profile_, may_change_storage_,
                                [&trials](const DeviceProfile& profile) {
                                  return trials.Measure(profile);
                                });
  if (!tuned.ok()) return tuned.status();
  profile_ = tuned->profile;
  report_->tuning = TuningText(profile_.choices);
  report_->tuning_before_ms = tuned->before_ms;
  report_->tuning_after_ms = tuned->after_ms;
  if (cache == nullptr) return absl::OkStatus();
  cache->SaveConstant(TuningRecord(report_->tuning));
  cache->Save({});
  cache_warning_ = cache->warning();
  return absl::OkStatus();
}

absl::Status GlesKernel::BuildByProfile(StageTimer* timer) {
  wrong_answer_.clear();
  auto planned = PlanPartition(graph_, profile_, timer);
  if (!planned.ok()) return planned.status();
  report_->nodes_after_passes = static_cast<int>(planned->graph.nodes.size());
  if (!planned->passes_dropped.ok()) {
    report_->passes_dropped = std::string(planned->passes_dropped.message());
  }
  auto executor = MakeExecutor(planned->graph, planned->dispatches);
  if (!executor.ok()) return executor.status();
  executor_ = *std::move(executor);
  executor_->WaitActively(waits_actively_);
  return absl::OkStatus();
}

absl::Status GlesKernel::Build() {
  report_->executor = nullptr;
  executor_.reset();
  has_state_ = false;
  report_->stages = StageTimes();
  StageTimer timer(&report_->stages);
  if (tunes_) {
    if (auto s = Tune(); !s.ok()) return s;
    timer.Lap("tuning");
  }
  report_->self_check_faults.clear();
  absl::Status built = BuildByProfile(&timer);
  if (!wrong_answer_.empty()) {
    report_->self_check_faults.push_back(wrong_answer_);
    const egl::DeviceInfo& device = gpu_->context->device();
    self_check_warning_ = absl::StrCat(
        "WARNING: TfLiteGlesDelegate: ", device.renderer, " (", device.version,
        ") answers wrongly: ", std::exchange(wrong_answer_, ""),
        "; the partition is planned again with plainer shaders");
    profile_ = PlainProfile(profile_, !may_change_storage_);
    report_->self_check = "plain";
    built = BuildByProfile(&timer);
    if (!wrong_answer_.empty()) {
      report_->self_check_faults.push_back(wrong_answer_);
      return absl::FailedPreconditionError(absl::StrCat(
          device.renderer, " (", device.version,
          ") answers wrongly with the plainest shaders, too: ", wrong_answer_,
          "; the model stays on the CPU (self_check=0 runs it all the same)"));
    }
  }
  if (!built.ok()) return built;
  report_->stats = executor_->stats();
  report_->stages.Add(executor_->stats().stages);
  report_->executor = executor_.get();
  if (profiling_) {
    return executor_->EnableProfiling(!gpu_->context->device().software);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const uint8_t>> GlesKernel::ReadInput(
    TfLiteContext* context, size_t i) {
  TfLiteTensor& tensor = context->tensors[input_tensors_[i]];
  auto values = inputs_[i].Read(tensor);
  if (!values.ok() || !graph_.tensor(graph_.inputs[i]).is_variable ||
      !IsStateOnGpu(tensor)) {
    return values;
  }
  if (has_state_) return absl::Span<const uint8_t>();
  // The GPU that held it is gone with an earlier kernel: begin anew.
  std::memset(tensor.data.raw, 0, tensor.bytes);
  return values;
}

absl::Status GlesKernel::CheckCaller() const {
  const egl::Context& context = *gpu_->context;
  // A borrowed context binds its user to the context, not to a thread; where it
  // is current nowhere, the thread that applied the delegate makes it current.
  const bool right_thread = thread_ == std::this_thread::get_id();
  if (context.owned()
          ? right_thread
          : right_thread || egl::CurrentContext() == context.handle()) {
    return absl::OkStatus();
  }
  const auto text = [](auto id) {
    std::ostringstream out;
    out << id;
    return out.str();
  };
  const std::string threads =
      absl::StrCat("on thread ", text(std::this_thread::get_id()),
                   "; the delegate was applied (ModifyGraphWithDelegate) on "
                   "thread ",
                   text(thread_));
  if (context.owned()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "GpuDelegate must run on the same thread where it was initialized: "
        "Invoke was called ",
        threads,
        ", with an EGLContext of its own. Call it there, or apply the delegate "
        "with the app's EGLContext current"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("Invoke was called with EGLContext ",
                   text(egl::CurrentContext()), " current, ", threads,
                   ", with the app's EGLContext ", text(context.handle()),
                   " current. Make that context current before Invoke"));
}

absl::Status GlesKernel::Eval(TfLiteContext* context, TfLiteNode*) {
  if (on_cpu_ != nullptr) return EvalOnCpu(context);
  if (auto s = CheckCaller(); !s.ok()) return s;
  std::vector<absl::Span<const uint8_t>>& inputs = input_values_;
  inputs.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    auto values = ReadInput(context, i);
    if (!values.ok()) return values.status();
    inputs.push_back(*values);
  }
  std::vector<absl::Span<uint8_t>>& outputs = output_room_;
  outputs.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto room = outputs_[i].Room(context->tensors[output_tensors_[i]]);
    if (!room.ok()) return room.status();
    outputs.push_back(*room);
  }
  for (const ConstantOutput& constant : constant_outputs_) {
    TfLiteTensor& t = context->tensors[constant.tensor];
    if (auto s = CheckBytes(t, constant.bytes.size(), DataType::kUint8);
        !s.ok()) {
      return s;
    }
    std::copy(constant.bytes.begin(), constant.bytes.end(), t.data.uint8);
  }
  const auto invoke = [&]() -> absl::Status {
    if (auto s = executor_->Invoke(inputs, outputs); !s.ok()) return s;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i].Finish(context->tensors[output_tensors_[i]]);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!graph_.tensor(graph_.inputs[i]).is_variable) continue;
      MarkStateOnGpu(context->tensors[input_tensors_[i]]);
    }
    has_state_ = true;
    return absl::OkStatus();
  };
  if (invoked_) return gpu_->context->Run(invoke);
  invoked_ = true;
  StageTimer timer(&report_->stages);
  const absl::Status status = gpu_->context->Run(invoke);
  timer.Lap("first_invoke");
  return status;
}

}  // namespace gles_delegate
