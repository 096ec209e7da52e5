#include "tools/runner/backend.h"

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
  facts.partitions = report.value("partitions", 0);
  facts.renderer = report.value("renderer", "");
  facts.driver = report.value("driver", "");
  return facts;
}

// Null for TFLite's built-in kernels.
absl::StatusOr<DelegatePtr> DelegateOf(const BackendSpec& spec,
                                       XnnpackQuantized quantized) {
  switch (spec.kind) {
    case BackendSpec::Kind::kXnnpack:
      return CreateXnnpackDelegate(spec.num_threads, quantized);
    case BackendSpec::Kind::kGles:
      // By the external-delegate interface: its keys are the names of the
      // option struct's fields, so that no tool has to know these.
      return MakePluginDelegate(tflite_plugin_create_delegate,
                                tflite_plugin_destroy_delegate, spec.options,
                                "The GLES delegate was not made: ");
    case BackendSpec::Kind::kExternal:
      return LoadExternalDelegate(spec.library_path, spec.options);
    default:
      return DelegatePtr();
  }
}

}  // namespace

std::string BackendSpec::name() const {
  constexpr const char* kNames[] = {"cpu", "xnnpack", "gles", "external"};
  return kNames[static_cast<int>(kind)];
}

TfLiteStatus Backend::Prepare(TfLiteContext* context,
                              TfLiteDelegate* counting) {
  auto* backend = static_cast<Backend*>(counting->data_);
  TfLiteDelegate* delegate = backend->delegate_.get();
  TfLiteIntArray* plan = nullptr;
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  const int nodes = plan->size;
  const TfLiteStatus status = delegate->Prepare(context, delegate);
  TF_LITE_ENSURE_STATUS(context->GetExecutionPlan(context, &plan));
  int left = 0, partitions = 0;
  for (int i = 0; i < plan->size; ++i) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    TF_LITE_ENSURE_STATUS(context->GetNodeAndRegistration(
        context, plan->data[i], &node, &registration));
    ++(node->delegate == delegate ? partitions : left);
  }
  backend->counted_.nodes_delegated = nodes - left;
  backend->counted_.partitions = partitions;
  return status;
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::Create(
    const Model& model, const BackendSpec& spec,
    const std::vector<std::vector<int>>& input_shapes) {
  // Drivers compile for up to a minute.
  const Elapsed elapsed("preparing " + spec.name());
  if (spec.kind == BackendSpec::Kind::kXnnpack) {
    auto both = CreateWith(model, spec, input_shapes, kXnnpackInt8AndUint8);
    if (both.ok()) return both;
  }
  return CreateWith(model, spec, input_shapes, kXnnpackInt8);
}

absl::StatusOr<std::unique_ptr<Backend>> Backend::CreateWith(
    const Model& model, const BackendSpec& spec,
    const std::vector<std::vector<int>>& input_shapes,
    XnnpackQuantized quantized) {
  const double start = NowMs();
  std::unique_ptr<Backend> backend(new Backend);
  backend->spec_ = spec;
  backend->quantized_ = quantized;
  backend->counted_.nodes_total = NodesInModel(model);
  ASSIGN_OR_RETURN(backend->delegate_, DelegateOf(spec, quantized));

  TfLiteDelegate* delegate = backend->delegate_.get();
  if (delegate != nullptr && spec.kind != BackendSpec::Kind::kGles) {
    // The buffer callbacks stay unset: the tensors name the inner delegate, so
    // that TFLite calls the callbacks of that one.
    backend->counting_.base.data_ = backend.get();
    backend->counting_.base.Prepare = &Backend::Prepare;
    backend->counting_.base.flags = delegate->flags;
    delegate = &backend->counting_.base;
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
  BackendFacts facts = counted_;
  facts.renderer =
      spec_.kind == BackendSpec::Kind::kExternal ? spec_.library_path : "CPU";
  facts.driver = absl::StrCat("TensorFlow Lite ", TfLiteVersion());
  if (spec_.kind == BackendSpec::Kind::kXnnpack) {
    absl::StrAppend(&facts.driver, ", XNNPACK with ",
                    quantized_ == kXnnpackInt8AndUint8
                        ? "QS8 and QU8"
                        : "QS8, for QU8 does not apply");
  }
  return facts;
}

}  // namespace gles_delegate
