#include "benches/op_bench/op_work.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

double Elements(const TensorShape& tensor) {
  return tensor.absent ? 0 : static_cast<double>(tensor.elements());
}

// Of rank 4: [O, H, W, I], or [1, H, W, O].
const std::vector<int>* FilterOf(const OpShape& shape) {
  const bool convolution =
      shape.op == "CONV_2D" || shape.op == "DEPTHWISE_CONV_2D" ||
      shape.op == "TRANSPOSE_CONV" || shape.op == "Convolution2DTransposeBias";
  if (!convolution || shape.inputs.size() < 2) return nullptr;
  const std::vector<int>& dims = shape.inputs[1].dims;
  return dims.size() == 4 ? &dims : nullptr;
}

double ConvolutionFlops(const OpShape& shape, const std::vector<int>& filter) {
  const double window = 2.0 * filter[1] * filter[2];
  if (shape.op == "CONV_2D") {
    return window * Elements(shape.outputs[0]) * filter[3];
  }
  if (shape.op == "DEPTHWISE_CONV_2D") {
    return window * Elements(shape.outputs[0]);
  }
  // Each input value is multiplied into a window of each output channel.
  const size_t input = shape.op == "TRANSPOSE_CONV" ? 2 : 0;
  return window * Elements(shape.inputs[input]) * filter[0];
}

// Every matrix times a vector for each step of each sequence.
double LstmFlops(const OpShape& shape) {
  const std::vector<int>& x = shape.inputs[0].dims;
  double weights = 0;
  for (const TensorShape& t : shape.inputs) {
    if (t.constant && t.dims.size() == 2) weights += Elements(t);
  }
  double vectors = 1;
  for (size_t i = 0; i + 1 < x.size(); ++i) vectors *= x[i];
  return 2 * weights * vectors;
}

// An option as the name has it; "" where the op has none such.
std::string Option(const OpShape& shape, const char* key) {
  const auto options = shape.options.find("builtin_options");
  if (options == shape.options.end() || !options->contains(key)) return "";
  const nlohmann::ordered_json& value = (*options)[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string Window(const OpShape& shape) {
  if (const std::vector<int>* filter = FilterOf(shape)) {
    return absl::StrCat("/k", (*filter)[1], "x", (*filter)[2]);
  }
  const std::string height = Option(shape, "filter_height");
  if (height.empty()) return "";
  return absl::StrCat("/k", height, "x", Option(shape, "filter_width"));
}

// Ops that differ from most others.
std::string Attributes(const OpShape& shape) {
  std::string text;
  if (const std::string stride = Option(shape, "stride_h"); !stride.empty()) {
    absl::StrAppend(&text, "/stride:", stride);
  }
  const std::string dilation = Option(shape, "dilation_h_factor");
  if (!dilation.empty() && dilation != "1") {
    absl::StrAppend(&text, "/dilation:", dilation);
  }
  const std::string activation = Option(shape, "fused_activation_function");
  if (!activation.empty() && activation != "NONE") {
    absl::StrAppend(&text, "/", activation);
  }
  return text;
}

}  // namespace

double Flops(const OpShape& shape) {
  if (shape.inputs.empty() || shape.outputs.empty()) return 0;
  if (const std::vector<int>* filter = FilterOf(shape)) {
    return ConvolutionFlops(shape, *filter);
  }
  if (shape.op == "FULLY_CONNECTED" && shape.inputs[1].dims.size() == 2) {
    return 2 * Elements(shape.outputs[0]) * shape.inputs[1].dims[1];
  }
  if (shape.op == "BATCH_MATMUL" && !shape.inputs[0].dims.empty()) {
    const bool transposed = Option(shape, "adj_x") == "true";
    const std::vector<int>& x = shape.inputs[0].dims;
    return 2 * Elements(shape.outputs[0]) *
           x[x.size() - (transposed && x.size() > 1 ? 2 : 1)];
  }
  return absl::StrContains(shape.op, "LSTM") ? LstmFlops(shape) : 0;
}

double Bytes(const OpShape& shape, int bytes_each) {
  double elements = 0;
  for (const TensorShape& t : shape.inputs) {
    // A shape or an axis is not data.
    if (t.values.empty()) elements += Elements(t);
  }
  for (const TensorShape& t : shape.outputs) elements += Elements(t);
  return elements * bytes_each;
}

std::string BenchName(const std::string& model, const OpShape& shape) {
  const auto dims = [](const TensorShape& t) {
    return absl::StrJoin(t.dims, "x");
  };
  std::string name =
      absl::StrCat(shape.op, "/", model, "/n", shape.node, Window(shape));
  const auto data = std::find_if(
      shape.inputs.begin(), shape.inputs.end(),
      [](const TensorShape& t) { return !t.absent && !t.constant; });
  if (data != shape.inputs.end()) absl::StrAppend(&name, "/", dims(*data));
  if (!shape.outputs.empty()) {
    absl::StrAppend(&name, "/to:", dims(shape.outputs[0]));
  }
  return absl::StrCat(name, Attributes(shape));
}

}  // namespace gles_delegate
