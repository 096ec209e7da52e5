// The operands of each op of a model: shapes, types and options, without
// weights. The benches build their nodes from such lists (benches/shapes), so
// that they need no model.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPES_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"

namespace gles_delegate {

struct TensorShape {
  bool absent = false;  // an optional input that is not there
  std::string type;     // the schema's name: "FLOAT32"
  std::vector<int> dims;
  bool quantized = false;   // its quantized values represent real numbers
  bool constant = false;    // in the file, or made of constants
  bool variable = false;    // keeps its value from one Invoke to the next
  std::vector<int> values;  // of a short constant of integers: shapes, axes
  int64_t elements() const;
};

struct OpShape {
  std::string op;  // "CONV_2D", or a custom op's name
  int version = 1;
  int node = 0;   // the first node like this
  int count = 1;  // how many nodes are like this
  std::vector<TensorShape> inputs;
  std::vector<TensorShape> outputs;
  nlohmann::ordered_json options;  // as in op_options.h
  // Whether it is folded before the model runs.
  bool on_constants() const;
};

// Every op of the model's first subgraph in the model's order; ops that are
// alike stand there once. kInvalidArgument: no model, or an index in it leads
// nowhere.
absl::StatusOr<std::vector<OpShape>> OpShapesOf(
    absl::Span<const uint8_t> model);

// The list as a file holds it, an op a line, and the list of such a text.
// kInvalidArgument: the text is no such list.
std::string OpShapesToText(const std::string& model,
                           const std::vector<OpShape>& shapes);
absl::StatusOr<std::vector<OpShape>> OpShapesFromText(const std::string& text);

// A model of one op, from its shapes alone.

// The .tflite file of that one op in float32: quantized and 16-bit tensors are
// float32 there, constants of floats hold small numbers. kInvalidArgument: a
// builtin op, type or option that the schema does not have.
absl::StatusOr<std::vector<uint8_t>> OneOpModel(const OpShape& shape);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPES_H_
