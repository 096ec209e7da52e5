#include "tools/runner/inputs.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tools/common/model_builder.h"
#include "tools/common/text_file.h"

namespace gles_delegate {
namespace {

float DrawFloat(FloatInputs floats, std::mt19937& random) {
  if (floats == FloatInputs::kUniform) {
    return std::uniform_real_distribution<float>(-0.5f, 0.5f)(random);
  }
  const float value = std::normal_distribution<float>(0.5f, 1.0f / 3)(random);
  return std::clamp(value, -1.0f, 1.0f);
}

template <typename T, typename Draw>
InputBytes Fill(size_t elements, Draw draw) {
  InputBytes bytes(elements * sizeof(T));
  for (size_t i = 0; i < elements; ++i) {
    const T value = static_cast<T>(draw());
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

absl::StatusOr<InputBytes> RandomBytes(const TensorView& tensor,
                                       FloatInputs floats,
                                       std::mt19937& random) {
  const size_t n = tensor.elements();
  const auto integer = [&random](int low, int high) {
    return [&random, low, high] {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
  };
  switch (tensor.type()) {
    case kTfLiteFloat32:
      return Fill<float>(n, [&] { return DrawFloat(floats, random); });
    case kTfLiteFloat16:
      return Fill<uint16_t>(
          n, [&] { return FloatToHalf(DrawFloat(floats, random)); });
    case kTfLiteInt8:
      return Fill<int8_t>(n, integer(-128, 127));
    case kTfLiteUInt8:
      return Fill<uint8_t>(n, integer(0, 255));
    case kTfLiteInt16:
      return Fill<int16_t>(n, integer(-32768, 32767));
    case kTfLiteInt32:
      return Fill<int32_t>(n, integer(0, 99));
    case kTfLiteInt64:
      return Fill<int64_t>(n, integer(0, 99));
    case kTfLiteBool:
      return Fill<uint8_t>(n, integer(0, 1));
    default:
      return absl::UnimplementedError(
          absl::StrCat("Input ", tensor.name(), " has type ",
                       TfLiteTypeGetName(tensor.type()),
                       "; give its bytes by --input_layer_value_files"));
  }
}

absl::StatusOr<InputBytes> BytesOfFile(const TensorView& tensor,
                                       const std::string& path) {
  ASSIGN_OR_RETURN(InputBytes bytes, ReadFile(path));
  if (bytes.size() != tensor.bytes().size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " holds ", bytes.size(), " bytes; input ", tensor.name(), " [",
        absl::StrJoin(tensor.dims(), ","), "] of type ",
        TfLiteTypeGetName(tensor.type()), " takes ", tensor.bytes().size()));
  }
  return bytes;
}

// The index of the input called `name`. kInvalidArgument, with the inputs'
// names, if there is none.
absl::StatusOr<int> FindInput(const Interpreter& interpreter,
                              absl::string_view name) {
  std::vector<std::string> names;
  for (int i = 0; i < interpreter.inputs(); ++i) {
    names.push_back(interpreter.input(i).name());
    if (names.back() == name) return i;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("The model has no input \"", name,
                   "\"; it has: ", absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<std::vector<InputBytes>> MakeInputs(
    const Interpreter& interpreter, FloatInputs floats, std::mt19937& random,
    const std::map<std::string, std::string>& files) {
  for (const auto& [name, path] : files) {
    RETURN_IF_ERROR(FindInput(interpreter, name).status());
  }
  std::vector<InputBytes> inputs;
  for (int i = 0; i < interpreter.inputs(); ++i) {
    const TensorView tensor = interpreter.input(i);
    const auto file = files.find(tensor.name());
    ASSIGN_OR_RETURN(InputBytes bytes, file == files.end()
                                           ? RandomBytes(tensor, floats, random)
                                           : BytesOfFile(tensor, file->second));
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

absl::Status WriteInputs(Interpreter& interpreter,
                         const std::vector<InputBytes>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    RETURN_IF_ERROR(
        interpreter.input(static_cast<int>(i)).WriteBytes(inputs[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::string>> ParseValueFiles(
    const std::string& text) {
  std::map<std::string, std::string> files;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    // The last colon splits, as names of tensors hold colons ("input:0") and
    // paths hardly do.
    const size_t colon = item.rfind(':');
    if (colon == absl::string_view::npos || colon == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--input_layer_value_files: \"", item, "\" is not name:file"));
    }
    files[std::string(item.substr(0, colon))] =
        std::string(item.substr(colon + 1));
  }
  return files;
}

absl::StatusOr<std::vector<std::vector<int>>> ParseInputShapes(
    const Interpreter& interpreter, const std::string& names,
    const std::string& shapes) {
  if (shapes.empty()) return std::vector<std::vector<int>>();
  const std::vector<std::string> name_list = absl::StrSplit(names, ',');
  const std::vector<std::string> shape_list = absl::StrSplit(shapes, ':');
  if (name_list.size() != shape_list.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input_layer names ", name_list.size(),
        " inputs, --input_layer_shape gives ", shape_list.size(),
        " shapes (as in --input_layer=a,b --input_layer_shape=1,8,8,3:1,20)"));
  }
  std::vector<std::vector<int>> result(interpreter.inputs());
  for (size_t i = 0; i < name_list.size(); ++i) {
    ASSIGN_OR_RETURN(int index, FindInput(interpreter, name_list[i]));
    for (absl::string_view part : absl::StrSplit(shape_list[i], ',')) {
      int size = 0;
      if (!absl::SimpleAtoi(part, &size) || size < 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("--input_layer_shape: \"", part, "\" of \"",
                         shape_list[i], "\" is no size"));
      }
      result[index].push_back(size);
    }
  }
  return result;
}

}  // namespace gles_delegate
