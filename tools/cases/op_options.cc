#include <algorithm>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/idl.h"
#include "third_party/tflite_schema_data/schema_bfbs_generated.h"
#include "tools/cases/case_spec.h"

namespace gles_delegate::cases {
namespace {

constexpr char kTable[] = "gles_delegate.schema.Operator";

// Reads the schema once a process, as that takes longer than a node does. Null
// where the build's flatbuffers are of two versions.
flatbuffers::Parser* SchemaParser() {
  static flatbuffers::Parser* const parser = [] {
    auto made = std::make_unique<flatbuffers::Parser>();
    const bool read = made->Deserialize(schema::ModelBinarySchema::data(),
                                        schema::ModelBinarySchema::size()) &&
                      made->SetRootType(kTable);
    return read ? made.release() : nullptr;
  }();
  return parser;
}

}  // namespace

absl::StatusOr<schema::OperatorT> OptionsFromJson(
    const nlohmann::ordered_json& options) {
  flatbuffers::Parser* parser = SchemaParser();
  if (parser == nullptr) {
    return absl::InternalError(
        "flatbuffers does not read its own .tflite schema");
  }
  if (!parser->ParseJson(options.dump().c_str())) {
    return absl::InvalidArgumentError(parser->error_);
  }
  schema::OperatorT node;
  flatbuffers::GetRoot<schema::Operator>(parser->builder_.GetBufferPointer())
      ->UnPackTo(&node);
  return node;
}

std::string OptionsTableOf(schema::BuiltinOperator op) {
  const std::string name = schema::EnumNameBuiltinOperator(op);
  if (absl::EndsWith(name, "_POOL_2D")) return "Pool2DOptions";
  if (absl::StartsWith(name, "CONV_3D")) return "Conv3DOptions";
  if (absl::StartsWith(name, "REDUCE_") || name == "MEAN" || name == "SUM") {
    return "ReducerOptions";
  }
  if (name == "MAXIMUM" || name == "MINIMUM") return "MaximumMinimumOptions";
  if (name == "L2_NORMALIZATION") return "L2NormOptions";
  std::string wanted = absl::AsciiStrToLower(name) + "options";
  wanted.erase(std::remove(wanted.begin(), wanted.end(), '_'), wanted.end());
  for (schema::BuiltinOptions options : schema::EnumValuesBuiltinOptions()) {
    std::string table = schema::EnumNameBuiltinOptions(options);
    if (absl::AsciiStrToLower(table) == wanted) return table;
  }
  return "";
}

bool HasOption(const std::string& table, const std::string& name) {
  flatbuffers::Parser* parser = SchemaParser();
  if (parser == nullptr) return false;
  const auto* definition =
      parser->structs_.Lookup("gles_delegate.schema." + table);
  return definition != nullptr && definition->fields.Lookup(name) != nullptr;
}

}  // namespace gles_delegate::cases
