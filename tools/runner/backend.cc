#include "tools/runner/backend.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/progress.h"
#include "tools/runner/latency.h"

namespace gles_delegate {
namespace {

// The probe whose delegate is preparing; Replace gets no user data.
thread_local DelegationProbe* preparing = nullptr;

}  // namespace

DelegationProbe::DelegationProbe(TfLiteDelegate* inner) : inner_(inner) {
  // The buffer callbacks stay unset: the tensors name the inner delegate, so
  // that TFLite calls the callbacks of that one.
  outer_.base.data_ = this;
  outer_.base.Prepare = &DelegationProbe::Prepare;
  outer_.base.flags = inner->flags;
}

TfLiteStatus DelegationProbe::Prepare(TfLiteContext* context,
                                      TfLiteDelegate* outer) {
  auto* probe = static_cast<DelegationProbe*>(outer->data_);
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) == kTfLiteOk) {
    probe->nodes_total_ = plan->size;
  }
  // memcpy, since the two types of function differ in the registration.
  auto& function = context->ReplaceNodeSubsetsWithDelegateKernels;
  const auto theirs = function;
  std::memcpy(&probe->replace_, &theirs, sizeof(theirs));
  const auto ours = &DelegationProbe::Replace;
  std::memcpy(&function, &ours, sizeof(ours));
  preparing = probe;
  const TfLiteStatus status = probe->inner_->Prepare(context, probe->inner_);
  function = theirs;
  preparing = nullptr;
  return status;
}

TfLiteStatus DelegationProbe::Replace(TfLiteContext* context,
                                      NewestRegistration registration,
                                      const TfLiteIntArray* nodes,
                                      TfLiteDelegate* delegate) {
  DelegationProbe* probe = preparing;
  probe->nodes_delegated_ = nodes->size;
  TfLiteDelegateParams* partitions = nullptr;
  int count = 0;
  if (context->PreviewDelegatePartitioning(context, nodes, &partitions,
                                           &count) == kTfLiteOk) {
    probe->partitions_ = count;
  }
  return probe->replace_(context, registration, nodes, delegate);
}

namespace {

int NodesInModel(const Model& model) {
  const schema::Model* root = schema::GetModel(model.bytes().data());
  if (root->subgraphs() == nullptr || root->subgraphs()->size() == 0) return 0;
  const auto* operators = root->subgraphs()->Get(0)->operators();
  return operators == nullptr ? 0 : static_cast<int>(operators->size());
}

absl::StatusOr<BackendFacts> ReadGlesReport(TfLiteDelegate* delegate) {
  const char* text = TfLiteGlesDelegateReport(delegate);
  const nlohmann::json report = nlohmann::json::parse(
      text == nullptr ? "" : text, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object()) {
    return absl::InternalError("The GLES delegate's report is no JSON object");
  }
  BackendFacts facts;
  facts.nodes_total = report.value("nodes_total", 0);
  facts.nodes_delegated = report.value("nodes_delegated", 0);
  // The report of one delegate counts its partitions, that of another lists
  // them.
  const nlohmann::json partitions =
      report.value("partitions", nlohmann::json());
  facts.partitions = partitions.is_number()
                         ? partitions.get<int>()
                         : static_cast<int>(partitions.size());
  facts.renderer = report.value("renderer", "");
  facts.driver = report.value("driver", "");
  return facts;
}

}  // namespace

std::string BackendSpec::name() const {
  switch (kind) {
    case Kind::kXnnpack:
      return "xnnpack";
    case Kind::kGles:
      return "gles";
    case Kind::kExternal:
      return "external";
    case Kind::kCpu:
      break;
  }
  return "cpu";
}

absl::Status Backend::MakeDelegate() {
  absl::StatusOr<DelegatePtr> delegate;
  switch (spec_.kind) {
    case BackendSpec::Kind::kCpu:
      return absl::OkStatus();
    case BackendSpec::Kind::kXnnpack:
      delegate = CreateXnnpackDelegate(spec_.num_threads, quantized_);
      break;
    case BackendSpec::Kind::kGles:
      // By the external-delegate interface: its keys are the names of the
      // option struct's fields, so that no tool has to know these.
      delegate = MakePluginDelegate(
          tflite_plugin_create_delegate, tflite_plugin_destroy_delegate,
          spec_.options, "The GLES delegate was not made: ");
      break;
    case BackendSpec::Kind::kExternal:
      delegate = LoadExternalDelegate(spec_.library_path, spec_.options);
      break;
  }
  if (!delegate.ok()) return delegate.status();
  delegate_ = *std::move(delegate);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::Create(
    const Model& model, const BackendSpec& spec,
    const std::vector<std::vector<int>>& input_shapes) {
  // Drivers compile for up to a minute.
  const Elapsed elapsed("preparing " + spec.name());
  if (spec.kind == BackendSpec::Kind::kXnnpack) {
    auto both =
        CreateWith(model, spec, input_shapes, XnnpackQuantized::kInt8AndUint8);
    if (both.ok()) return both;
  }
  return CreateWith(model, spec, input_shapes, XnnpackQuantized::kInt8);
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::CreateWith(
    const Model& model, const BackendSpec& spec,
    const std::vector<std::vector<int>>& input_shapes,
    XnnpackQuantized quantized) {
  const double start = NowMs();
  std::unique_ptr<Backend> backend(new Backend);
  backend->spec_ = spec;
  backend->quantized_ = quantized;
  backend->nodes_in_model_ = NodesInModel(model);
  RETURN_IF_ERROR(backend->MakeDelegate());

  TfLiteDelegate* delegate = backend->delegate_.get();
  if (delegate != nullptr && spec.kind != BackendSpec::Kind::kGles) {
    backend->probe_ = std::make_unique<DelegationProbe>(delegate);
    delegate = backend->probe_->delegate();
  }
  InterpreterOptions options;
  options.num_threads = spec.num_threads;
  const bool resize = !input_shapes.empty();
  if (!resize) options.delegate = delegate;
  ASSIGN_OR_RETURN(std::unique_ptr<Interpreter> interpreter,
                   Interpreter::Create(model, options));
  backend->interpreter_ = std::move(interpreter);
  if (resize) {
    for (size_t i = 0; i < input_shapes.size(); ++i) {
      if (input_shapes[i].empty()) continue;
      RETURN_IF_ERROR(backend->interpreter_->ResizeInput(static_cast<int>(i),
                                                         input_shapes[i]));
    }
    // Allocated before the delegate is applied, too: TFLite keeps the memory
    // plan of the old sizes otherwise, and the delegate refuses such nodes.
    absl::Status ready = backend->interpreter_->AllocateTensors();
    if (ready.ok() && delegate != nullptr) {
      ready = backend->interpreter_->ApplyDelegate(delegate);
    }
    if (!ready.ok()) return ready;
  }
  backend->init_ms_ = NowMs() - start;
  return backend;
}

std::string Backend::GlesReport() const {
  if (spec_.kind != BackendSpec::Kind::kGles) return "";
  const char* text = TfLiteGlesDelegateReport(delegate_.get());
  return text == nullptr ? "" : text;
}

absl::StatusOr<BackendFacts> Backend::Facts() const {
  if (spec_.kind == BackendSpec::Kind::kGles) {
    return ReadGlesReport(delegate_.get());
  }
  BackendFacts facts;
  facts.nodes_total = nodes_in_model_;
  if (probe_ != nullptr) {
    facts.nodes_delegated = probe_->nodes_delegated();
    facts.partitions = probe_->partitions();
  }
  facts.renderer =
      spec_.kind == BackendSpec::Kind::kExternal ? spec_.library_path : "CPU";
  facts.driver = absl::StrCat("TensorFlow Lite ", TfLiteVersion());
  if (spec_.kind == BackendSpec::Kind::kXnnpack) {
    absl::StrAppend(&facts.driver, ", XNNPACK with ",
                    quantized_ == XnnpackQuantized::kInt8AndUint8
                        ? "QS8 and QU8"
                        : "QS8, for QU8 does not apply");
  }
  return facts;
}

}  // namespace gles_delegate
