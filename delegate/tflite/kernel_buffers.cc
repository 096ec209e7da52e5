// The part of GlesKernel that reads and writes buffers of the app's.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {
namespace {

using egl::gl;

absl::Status CannotBind(const Tensor& tensor, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("tensor ", tensor.tflite_index, " (", tensor.ToString(),
                   ") has a GL buffer bound, and ", why));
}

// Whether a buffer holds the tensor's values as the app sees them.
absl::Status CheckType(const Tensor& tensor) {
  if (tensor.holds_codes || tensor.stored() != DataType::kFloat32) {
    return CannotBind(
        tensor,
        "only float32 tensors can be bound; of a quantized model, "
        "bind the float32 ones before QUANTIZE or after "
        "DEQUANTIZE");
  }
  if (tensor.is_variable) {
    return CannotBind(tensor, "it is a state that stays on the GPU by itself");
  }
  return absl::OkStatus();
}

// The buffer's size, or -1 where the context has no such buffer.
GLint64 SizeOf(GLuint buffer) {
  if (gl().IsBuffer(buffer) == GL_FALSE) return -1;
  GLint64 bytes = 0;
  gl().BindBuffer(GL_COPY_READ_BUFFER, buffer);
  gl().GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &bytes);
  gl().BindBuffer(GL_COPY_READ_BUFFER, 0);
  return bytes;
}

}  // namespace

std::vector<GLuint> GlesKernel::BuffersOf(
    const std::vector<TensorId>& tensors) const {
  std::vector<GLuint> buffers;
  for (TensorId id : tensors) {
    buffers.push_back(setup_.buffers->Of(graph_.tensor(id).tflite_index));
  }
  return buffers;
}

BoundTransfers GlesKernel::BoundOnes() const {
  const auto flags = [this](const std::vector<TensorId>& tensors) {
    const std::vector<GLuint> buffers = BuffersOf(tensors);
    std::vector<bool> bound;
    for (size_t i = 0; i < tensors.size(); ++i) {
      bound.push_back(buffers[i] != 0 &&
                      CheckType(graph_.tensor(tensors[i])).ok());
    }
    return bound;
  };
  return {flags(graph_.inputs), flags(graph_.outputs)};
}

absl::Status GlesKernel::CheckBound(TfLiteContext* context, TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  if (on_cpu_ != nullptr) {
    return CannotBind(tensor, "its partition runs on the CPU now");
  }
  if (setup_.gpu->context->owned()) {
    return CannotBind(tensor,
                      "the delegate has an EGLContext of its own, which has no "
                      "buffers of the app's; apply the delegate with the app's "
                      "context current (thread_mode: caller, "
                      "force_own_context=0)");
  }
  if (auto s = CheckType(tensor); !s.ok()) return s;
  for (int index : setup_.nodes.plan) {
    const auto& own = setup_.partition.nodes;
    if (std::find(own.begin(), own.end(), index) != own.end()) continue;
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = setup_.nodes.find.Get(context, index, &node, &registration);
        !s.ok()) {
      return s;
    }
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

absl::Status GlesKernel::CheckBuffer(TensorId id, GLuint buffer) const {
  const Tensor& tensor = graph_.tensor(id);
  const int64_t needs = tensor.shape.elements() * HostElementBytes(tensor);
  const GLint64 has = SizeOf(buffer);
  if (has >= needs) return absl::OkStatus();
  return CannotBind(
      tensor, has < 0 ? absl::StrCat("the app's context has no buffer ", buffer)
                      : absl::StrCat("buffer ", buffer, " has ", has,
                                     " bytes, the tensor ", needs));
}

absl::Status GlesKernel::UpdateBuffers(TfLiteContext* context) {
  for (const auto* list : {&graph_.inputs, &graph_.outputs}) {
    for (TensorId id : *list) {
      if (setup_.buffers->Of(graph_.tensor(id).tflite_index) == 0) continue;
      if (auto s = CheckBound(context, id); !s.ok()) return s;
    }
  }
  if (on_cpu_ != nullptr) return absl::OkStatus();
  const BoundTransfers bound = BoundOnes();
  if (bound.inputs != bound_.inputs || bound.outputs != bound_.outputs) {
    built_ = false;
    if (auto s = Prepare(context); !s.ok()) return s;
  }
  const std::vector<GLuint> inputs = BuffersOf(graph_.inputs);
  const std::vector<GLuint> outputs = BuffersOf(graph_.outputs);
  return setup_.gpu->context->Run([&]() -> absl::Status {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == 0) continue;
      if (auto s = CheckBuffer(graph_.inputs[i], inputs[i]); !s.ok()) return s;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == 0) continue;
      if (auto s = CheckBuffer(graph_.outputs[i], outputs[i]); !s.ok()) {
        return s;
      }
    }
    executor_->UseBuffers(inputs, outputs);
    buffers_version_ = setup_.buffers->version();
    return absl::OkStatus();
  });
}

}  // namespace gles_delegate
