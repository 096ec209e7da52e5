#include "tools/op_models/op_model.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Fills the inputs, runs `invokes` times, collects the outputs.
absl::Status InvokeAndCollect(const SingleOpModel& model, int invokes,
                              Interpreter* interpreter, RunResult* result) {
  if (interpreter->inputs() != static_cast<int>(model.inputs.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.description, " has ", interpreter->inputs(),
                     " inputs and data for ", model.inputs.size()));
  }
  for (int run = 0; run < invokes; ++run) {
    for (int i = 0; i < interpreter->inputs(); ++i) {
      RETURN_IF_ERROR(interpreter->input(i).WriteFloats(model.inputs[i]));
    }
    RETURN_IF_ERROR(interpreter->Invoke());
  }
  for (int i = 0; i < interpreter->outputs(); ++i) {
    const TensorView output = interpreter->output(i);
    const std::vector<int> dims = output.dims();
    result->outputs.push_back({output.name(), Shape(dims.begin(), dims.end()),
                               output.AsFloats(), output.quantization().scale});
    if (output.type() == kTfLiteInt32) {
      const auto ints = output.data<int32_t>();
      result->outputs.back().ints.assign(ints.begin(), ints.end());
    }
  }
  return absl::OkStatus();
}

absl::Status Run(const SingleOpModel& model, int invokes,
                 TfLiteDelegate* delegate, RunResult* result) {
  RETURN_IF_ERROR(model.status);
  ASSIGN_OR_RETURN(auto loaded,
                   Model::FromBuffer(model.bytes, model.description));
  InterpreterOptions options;
  options.delegate = delegate;
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(*loaded, options));
  const absl::Status ran =
      InvokeAndCollect(model, invokes, interpreter.get(), result);
  result->log = interpreter->log();
  return ran;
}

}  // namespace

std::string PrecisionName(Precision precision) {
  constexpr const char* kNames[] = {"Float32", "Float16", "Float16Arithmetic"};
  return kNames[static_cast<int>(precision)];
}

std::ostream& operator<<(std::ostream& out, const RunResult& result) {
  out << "a run with status " << result.status;
  for (const TensorValue& output : result.outputs) {
    out << ", output " << output.name << " " << ShapeString(output.shape);
  }
  return out;
}

void RoundConstantsToHalf(std::vector<uint8_t>* model) {
  const schema::Model* root = schema::GetModel(model->data());
  for (const schema::SubGraph* graph : *root->subgraphs()) {
    for (const schema::Tensor* tensor : *graph->tensors()) {
      if (tensor->type() != TensorType::FLOAT32) continue;
      const auto* data = root->buffers()->Get(tensor->buffer())->data();
      if (data == nullptr) continue;
      uint8_t* bytes = model->data() + (data->data() - model->data());
      for (size_t i = 0; i + sizeof(float) <= data->size();
           i += sizeof(float)) {
        float value;
        std::memcpy(&value, bytes + i, sizeof(value));
        value = RoundToHalf(value);
        std::memcpy(bytes + i, &value, sizeof(value));
      }
    }
  }
}

std::vector<bool> IntegerInputs(const SingleOpModel& model) {
  std::vector<bool> integers;
  if (model.bytes.empty()) return integers;
  const auto* graph = schema::GetModel(model.bytes.data())->subgraphs()->Get(0);
  if (graph->inputs() == nullptr) return integers;  // constants alone
  for (int32_t index : *graph->inputs()) {
    const TensorType type = graph->tensors()->Get(index)->type();
    integers.push_back(type == TensorType::INT32 || type == TensorType::INT64 ||
                       type == TensorType::BOOL);
  }
  return integers;
}

SingleOpModel AtPrecision(const SingleOpModel& model, Precision precision) {
  SingleOpModel rounded = model;
  if (precision == Precision::kFloat32) return rounded;
  if (!rounded.bytes.empty()) RoundConstantsToHalf(&rounded.bytes);
  if (!rounded.magnitude_bytes.empty()) {
    RoundConstantsToHalf(&rounded.magnitude_bytes);
  }
  const std::vector<bool> integers = IntegerInputs(rounded);
  for (size_t i = 0; i < rounded.inputs.size(); ++i) {
    std::vector<float>& input = rounded.inputs[i];
    if (i < integers.size() && integers[i]) continue;
    std::transform(input.begin(), input.end(), input.begin(), RoundToHalf);
  }
  return rounded;
}

RunResult RunModel(const SingleOpModel& model, int invokes,
                   TfLiteDelegate* delegate) {
  RunResult result;
  result.status = Run(model, invokes, delegate, &result);
  return result;
}

RunResult RunOnCpu(const SingleOpModel& model, Precision precision) {
  return RunModel(AtPrecision(model, precision), /*invokes=*/1, nullptr);
}

}  // namespace gles_delegate::testing
