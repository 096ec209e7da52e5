#include "tools/runner/op_options.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/idl.h"
#include "third_party/tflite_schema_data/schema_bfbs_generated.h"

namespace gles_delegate {
namespace {

constexpr char kTable[] = "gles_delegate.schema.Operator";
constexpr const char* kKeys[] = {"builtin_options_type", "builtin_options",
                                 "custom_options"};

// Reads the schema once a process, as that takes longer than a node does. Null
// where the build's flatbuffers are of two versions.
flatbuffers::Parser* SchemaParser() {
  static flatbuffers::Parser* const parser = [] {
    flatbuffers::IDLOptions options;
    options.strict_json = true;
    options.output_default_scalars_in_json = true;
    options.indent_step = -1;
    auto made = std::make_unique<flatbuffers::Parser>(options);
    const bool read = made->Deserialize(schema::ModelBinarySchema::data(),
                                        schema::ModelBinarySchema::size()) &&
                      made->SetRootType(kTable);
    return read ? made.release() : nullptr;
  }();
  return parser;
}

absl::Status NoSchema() {
  return absl::InternalError(
      "flatbuffers does not read its own .tflite schema");
}

}  // namespace

absl::StatusOr<nlohmann::ordered_json> OptionsToJson(
    const schema::OperatorT& node) {
  flatbuffers::Parser* parser = SchemaParser();
  if (parser == nullptr) return NoSchema();
  // FlatBuffers would pack options that the file names and does not have.
  if (node.builtin_options.type != schema::BuiltinOptions::NONE &&
      node.builtin_options.value == nullptr) {
    return absl::InvalidArgumentError(
        "a node names its options and lacks them");
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Operator::Pack(builder, &node));
  std::string text;
  if (!flatbuffers::GenerateTextFromTable(
          *parser,
          flatbuffers::GetRoot<schema::Operator>(builder.GetBufferPointer()),
          kTable, &text)) {
    return absl::InvalidArgumentError("a node's options are no text");
  }
  const auto whole =
      nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a node's options are no JSON: ", text));
  }
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const char* key : kKeys) {
    if (whole.contains(key) && whole[key] != "NONE") options[key] = whole[key];
  }
  return options;
}

absl::StatusOr<schema::OperatorT> OptionsFromJson(
    const nlohmann::ordered_json& options) {
  flatbuffers::Parser* parser = SchemaParser();
  if (parser == nullptr) return NoSchema();
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

}  // namespace gles_delegate
