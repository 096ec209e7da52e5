// One case as its line says it, before a model is made of it.
//
//   SPLIT axis=1 x=[4,6,8,10] num_splits=2
//
// docs/conformance.md explains the form.
#ifndef GLES_DELEGATE_TOOLS_CASES_CASE_SPEC_H_
#define GLES_DELEGATE_TOOLS_CASES_CASE_SPEC_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::cases {

// How an op's weights get to it.
enum class Weights {
  kFloat,       // a float32 constant
  kHalf,        // a float16 constant through DEQUANTIZE
  kInt8,        // an int8 constant through DEQUANTIZE
  kSparse,      // a sparse float32 constant through DENSIFY
  kSparseHalf,  // a sparse float16 constant through DENSIFY and DEQUANTIZE
  kRuntime,     // an input of the model
};

// How a tensor's data are drawn.
struct Data {
  enum class Kind { kDefault, kValues, kRanges, kGaussian, kCorners, kFew };
  Kind kind = Kind::kDefault;
  std::vector<double> values;  // kValues
  bool by_rows = false;        // kValues: one for each row
  bool range_ends = false;     // kValues: Accuracy::range_ends
  std::vector<std::pair<double, double>> ranges;  // kRanges: in turn
  bool whole = false;                             // kRanges: whole numbers
  double divisor = 1;                             // kRanges
  double mean = 0, deviation = 1;                 // kGaussian
};

struct TensorSpec {
  std::string name;
  bool absent = false;    // an optional input that is not there
  bool known = false;     // names a tensor that is there already
  bool variable = false;  // a state
  testing::TensorType type = testing::TensorType::FLOAT32;
  ModelQuantization quantization;  // data are quantized values then
  testing::Shape shape;
  Weights weights = Weights::kRuntime;
  Data data;
};

struct OutputSpec {
  std::string name;
  bool has_type = false, has_shape = false;
  testing::TensorType type = testing::TensorType::FLOAT32;
  ModelQuantization quantization;
  testing::Shape shape;
};

struct NodeSpec {
  testing::Op op = testing::Op::ADD;
  std::string custom;          // the name of a CUSTOM op
  TensorSpec parameters;       // its bytes: "custom=i32(1,2,2)"
  nlohmann::ordered_json map;  // or its flexbuffer: "custom=(scale=2.0)"
  int version = 1;
  std::vector<TensorSpec> inputs;
  std::vector<OutputSpec> outputs;
  nlohmann::ordered_json options;  // by the schema's names
};

struct CaseSpec {
  std::string op;  // the first node's, or what stands before a colon
  std::string text;
  std::vector<NodeSpec> nodes;
  std::map<std::string, std::string> flags;  // "all": ""

  bool Has(const std::string& flag) const { return flags.count(flag) > 0; }
};

// The parts of `text` between the separators that are in no brackets. Empty
// parts are left out.
std::vector<absl::string_view> SplitOutside(absl::string_view text,
                                            char separator);

// kInvalidArgument: what in the text is wrong.
absl::StatusOr<CaseSpec> ParseCase(absl::string_view text);

// A node's options as text: the schema's own names and values, for any op.

// A node without tensors, of {"builtin_options_type": "Conv2DOptions",
// "builtin_options": {"padding": "SAME", ...}}. kInvalidArgument: what in the
// text is no option of the schema.
absl::StatusOr<schema::OperatorT> OptionsFromJson(
    const nlohmann::ordered_json& options);

// The table of a builtin op's options, "Conv2DOptions"; "" if it has none.
std::string OptionsTableOf(schema::BuiltinOperator op);
// Whether that table has a field of this name.
bool HasOption(const std::string& table, const std::string& name);

}  // namespace gles_delegate::cases

#endif  // GLES_DELEGATE_TOOLS_CASES_CASE_SPEC_H_
