// A builtin op's options of the .tflite file as TFLite's parameter struct.
#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "flatbuffers/reflection.h"
#include "tests/fuzz/fake_runtime.h"
#include "third_party/tflite_schema_data/schema_bfbs_generated.h"

namespace gles_delegate::fuzz {
namespace {

constexpr size_t kBytes = 256;  // room for any of the structs

// Appends a member as a C compiler places it.
template <typename T>
void Append(T value, size_t* at, std::vector<uint8_t>* bytes) {
  *at = (*at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  if (*at + sizeof(T) > bytes->size()) return;
  std::memcpy(bytes->data() + *at, &value, sizeof(T));
  *at += sizeof(T);
}

// TFLite's structs have the members of the file's tables, in their order, with
// enumerations as int.
void FillIn(const reflection::Schema& all, const reflection::Object& type,
            const flatbuffers::Table& table, std::vector<uint8_t>* bytes) {
  std::vector<const reflection::Field*> fields(type.fields()->begin(),
                                               type.fields()->end());
  std::sort(fields.begin(), fields.end(),
            [](const auto* a, const auto* b) { return a->id() < b->id(); });
  size_t at = 0;
  for (const reflection::Field* field : fields) {
    if (field->deprecated()) continue;
    const reflection::BaseType base = field->type()->base_type();
    if (base == reflection::Bool) {
      Append(static_cast<Flag>(flatbuffers::GetAnyFieldI(table, *field)), &at,
             bytes);
    } else if (base == reflection::Float) {
      Append(static_cast<float>(flatbuffers::GetAnyFieldF(table, *field)), &at,
             bytes);
    } else if (flatbuffers::IsInteger(base)) {
      int value = static_cast<int>(flatbuffers::GetAnyFieldI(table, *field));
      if (const int index = field->type()->index(); index >= 0) {
        const std::string name = all.enums()->Get(index)->name()->str();
        const auto is = [&name](const char* of) {
          return name == absl::StrCat("gles_delegate.schema.", of);
        };
        // TFLite counts these from 1, and types otherwise.
        if (is("Padding") || is("MirrorPadMode")) ++value;
        if (is("TensorType")) value = 0;
      }
      Append(value, &at, bytes);
    }
  }
}

}  // namespace

std::vector<uint8_t> BuiltinParamsOf(const schema::Operator& op,
                                     int builtin_code) {
  std::vector<uint8_t> bytes(kBytes);
  if (builtin_code == BuiltinOperator_STABLEHLO_COMPOSITE) {
    CompositeParams params = {};
    if (const auto* o = op.builtin_options_2_as_StableHLOCompositeOptions()) {
      params.name = o->name() == nullptr ? nullptr : o->name()->c_str();
      params.subgraph = o->decomposition_subgraph_index();
      params.version = o->version();
    }
    std::memcpy(bytes.data(), &params, sizeof(params));
    return bytes;
  }
  const auto* table =
      static_cast<const flatbuffers::Table*>(op.builtin_options());
  const auto type = static_cast<int>(op.builtin_options_type());
  if (table == nullptr || type <= 0 ||
      type > static_cast<int>(schema::BuiltinOptions::MAX)) {
    return bytes;
  }
  const reflection::Schema& all =
      *reflection::GetSchema(schema::ModelBinarySchema::data());
  const std::string name =
      absl::StrCat("gles_delegate.schema.",
                   schema::EnumNameBuiltinOptions(op.builtin_options_type()));
  // Not LookupByKey(), of which GCC warns under AddressSanitizer.
  const auto object =
      std::find_if(all.objects()->begin(), all.objects()->end(),
                   [&name](const auto* o) { return o->name()->str() == name; });
  FillIn(all, **object, *table, &bytes);
  if (const auto* o = op.builtin_options_as_Conv3DOptions()) {
    Conv3dParams params;  // its members have another order
    std::memcpy(&params, bytes.data(), sizeof(params));
    params.stride_width = o->stride_w();
    params.stride_height = o->stride_h();
    params.stride_depth = o->stride_d();
    params.dilation_width_factor = o->dilation_w_factor();
    params.dilation_height_factor = o->dilation_h_factor();
    params.dilation_depth_factor = o->dilation_d_factor();
    params.activation = static_cast<int>(o->fused_activation_function());
    std::memcpy(bytes.data(), &params, sizeof(params));
  }
  return bytes;
}

}  // namespace gles_delegate::fuzz
