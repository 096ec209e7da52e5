#include "delegate/tflite/kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/resolve_object.h"
#include "delegate/tflite/messages.h"

namespace gles_delegate {

class GlesKernel::Host final : public SessionHost {
 public:
  Host(TfLiteContext* context, GlesKernel* kernel)
      : context_(context), kernel_(*kernel) {}

  void Warn(const std::string& text) override {
    gles_delegate::Warn(context_, text);
  }
  bool MayFallBack() const override {
    return kernel_.fallback_to_cpu_ && kernel_.reader_.cpu_takes_shapes();
  }
  absl::Status UseCpu() override;
  absl::Status CheckMayBind(const Tensor& tensor) override;

 private:
  TfLiteContext* const context_;
  GlesKernel& kernel_;
};

absl::Status GlesKernel::Host::UseCpu() {
  PartitionReader& reader = kernel_.reader_;
  auto cpu =
      std::make_unique<CpuPartition>(reader.nodes().find, reader.partition());
  RETURN_IF_ERROR(cpu->Check(context_));
  kernel_.on_cpu_ = std::move(cpu);
  reader.NoteShapes(*context_);
  return absl::OkStatus();
}

absl::Status GlesKernel::Host::CheckMayBind(const Tensor& tensor) {
  const ModelNodes& nodes = kernel_.reader_.nodes();
  const std::vector<int>& own = kernel_.partition().nodes;
  for (int index : nodes.plan) {
    if (std::find(own.begin(), own.end(), index) != own.end()) continue;
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(nodes.find.Get(context_, index, &node, &registration));
    const int* inputs = node->inputs->data;
    if (std::find(inputs, inputs + node->inputs->size, tensor.tflite_index) !=
        inputs + node->inputs->size) {
      return CannotBind(tensor,
                        absl::StrCat("node ", index,
                                     ", which is not of the partition, reads "
                                     "it from the CPU's memory"));
    }
  }
  return absl::OkStatus();
}

GlesKernel::GlesKernel(KernelSetup setup)
    : fallback_to_cpu_(setup.fallback_to_cpu),
      reader_(std::move(setup.read), std::move(setup.nodes),
              std::move(setup.partition)),
      session_(std::move(setup.session)),
      io_(std::move(setup.objects),
          BufferedTensors(setup.runtime_buffers,
                          {session_.setup().gpu, std::move(setup.worker)}),
          &session_) {}

absl::StatusOr<std::unique_ptr<GlesKernel>> GlesKernel::Create(
    const TfLiteContext& context, const CheckedModel& model,
    KernelSetup setup) {
  setup.session.report->nodes = setup.partition.nodes;
  std::unique_ptr<GlesKernel> kernel(new GlesKernel(std::move(setup)));
  auto read = kernel->reader_.Read(context, model, kernel->session_.dump());
  RETURN_IF_ERROR(kernel->TakeGraph(std::move(read), /*host=*/nullptr));
  return kernel;
}

absl::Status GlesKernel::TakeGraph(absl::StatusOr<ReadPartition> read,
                                   SessionHost* host) {
  if (!read.ok()) return read.status();
  if (!read->refused.empty()) return session_.UseCpu(host, read->refused);
  report()->nodes_on_integer_path = read->nodes_on_integer_path;
  session_.SetGraph(std::move(read->graph), std::move(read->original),
                    read->outputs);
  io_.SetConstants(std::move(read->constants));
  io_.ChooseCaches();
  return absl::OkStatus();
}

absl::Status GlesKernel::ReadAgain(TfLiteContext* context, SessionHost* host) {
  session_.Forget();
  on_cpu_.reset();
  auto read = reader_.ReadAgain(context, session_.dump());
  RETURN_IF_ERROR(TakeGraph(std::move(read), host));
  return session_.ReserveAgain(host);
}

absl::Status GlesKernel::PrepareOnGpu(TfLiteContext* context) {
  if (reader_.has_placeholders()) return absl::OkStatus();
  Host host(context, this);
  if (reader_.HasNewShapes(*context)) {
    RETURN_IF_ERROR(ReadAgain(context, &host));
  }
  io_.SetObjects();
  return session_.Prepare(&host);
}

absl::Status GlesKernel::Prepare(TfLiteContext* context) {
  reader_.TakeShapes();
  RETURN_IF_ERROR(reader_.EvaluateInputValues(context));
  Host host(context, this);
  RETURN_IF_ERROR(session_.FallBack(&host, PrepareOnGpu(context)));
  return reader_.HoldValues(context);
}

absl::StatusOr<bool> GlesKernel::Submit(TfLiteContext* context,
                                        bool may_split) {
  Host host(context, this);
  RETURN_IF_ERROR(io_.Collect(context));
  const auto ran = session_.Submit(&host, may_split);
  if (!ran.ok()) {
    io_.Abandon();
    return ran.status();
  }
  switch (*ran) {
    case Session::Ran::kSubmitted:
      return true;
    case Session::Ran::kOnCpu:
      return io_.OnHost(
          context, [&] { return on_cpu_->Run(context, &reader_.values()); });
    case Session::Ran::kDone:
      RETURN_IF_ERROR(io_.Finish(context));
      return false;
  }
  return false;
}

absl::Status GlesKernel::Wait(TfLiteContext* context) {
  Host host(context, this);
  if (auto s = session_.Wait(&host); !s.ok()) {
    io_.Abandon();
    return s;
  }
  return io_.Finish(context);
}

void GlesKernel::SetHandleOwner(const void* owner) {
  io_.SetHandleOwner(owner);
}

void GlesKernel::LendMemory(TfLiteContext* context) {
  io_.LendMemory(context, reader_.nodes(), reader_.partition());
}

void GlesKernel::TakeMemoryBack(TfLiteContext* context) {
  io_.TakeMemoryBack(context);
}

}  // namespace gles_delegate
