// The rows of tools/cases as families.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tensorflow/lite/c/c_api.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"
#include "tools/conformance/special_values.h"

namespace gles_delegate::conformance {
namespace {

using cases::CaseSpec;

// What follows the op in the case's line, as a part of a name that needs no
// quotes: "axis=1_x=4x6_num_splits=2".
std::string AttributesOf(const CaseSpec& spec) {
  std::string text = spec.text.substr(0, spec.text.find(" % "));
  const size_t space = text.find(' ');
  text = space == std::string::npos ? "plain" : text.substr(space + 1);
  // A shape in brackets has its sizes between 'x'es, a list of values points.
  bool in_shape = false;
  for (char& c : text) {
    if (c == '[') in_shape = true;
    if (c == ',') c = in_shape ? 'x' : '.';
    if (c == ']') in_shape = false;
  }
  return absl::StrReplaceAll(text, {{"[]", "scalar"},
                                    {"[", ""},
                                    {"]", ""},
                                    {"(", ""},
                                    {")", ""},
                                    {"*", "times"},
                                    {"/", "_by_"},
                                    {" -> ", "_to_"},
                                    {" ; ", "_then_"},
                                    {" ", "_"}});
}

// The shape of the first tensor that is computed.
Shape ShapeOf(const CaseSpec& spec) {
  for (const cases::TensorSpec& tensor : spec.nodes[0].inputs) {
    if (tensor.weights == testing::Weights::kRuntime) return tensor.shape;
  }
  return {};
}

// Model `number` of the row's on the builder's type. `same`: of an op that
// moves values, between tensors of one quantization.
SingleOpModel OnTypeOf(const CaseSpec& spec, QuantizedBuilder& b, int number,
                       bool same) {
  const Kernel* kernel = KernelOf(spec.nodes[0].op);
  const SingleOpModel model = cases::ModelOf(spec);
  const bool moves =
      kernel == nullptr || (same && kernel->rule == OutputRule::kJoined);
  return moves ? MovedFrom(model, b, same)
               : ComputedFrom(model, *kernel, b, number);
}

// "% quantized": 8-bit tensors, with each kind of zero point.
void AddQuantizedVariants(CaseList* list, const CaseSpec& spec) {
  const Kernel* kernel = KernelOf(spec.nodes[0].op);
  for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
    const Width width = type == TensorType::INT8 ? kInt8 : kUint8;
    if (kernel != nullptr && (kernel->widths & width) == 0) continue;
    for (Codes codes : kQuantized) {
      const std::string name =
          absl::StrCat(absl::AsciiStrToLower(schema::EnumNameTensorType(type)),
                       "_", Name(codes), "_", AttributesOf(spec));
      list->AddQuantized(spec.op, name, ShapeOf(spec),
                         [=] {
                           QuantizedBuilder b(absl::StrCat(spec.op, " ", name),
                                              type, codes);
                           return OnTypeOf(spec, b, static_cast<int>(codes),
                                           /*same=*/true);
                         })
          .text = spec.text;
    }
  }
}

// Models of a type in a series: "families=2", or those of an op.
int FamiliesOf(const CaseSpec& spec) {
  int families = kFamilies;
  return spec.Has("families") &&
                 absl::SimpleAtoi(spec.flags.at("families"), &families)
             ? families
             : kFamilies;
}

// "% series": models with each its own scales. `one`: TFLite, or the delegate,
// refuses another scale of what is moved.
void AddRowSeries(CaseList* list, const CaseSpec& spec) {
  const Op op = spec.nodes[0].op;
  const Kernel* kernel = KernelOf(op);
  const int widths =
      kernel == nullptr ? kInt8 | kUint8 | kInt16 : kernel->widths;
  const std::string of = spec.flags.at("series");
  const int families = FamiliesOf(spec);
  const bool one = spec.Has("one");
  const std::string attributes = AttributesOf(spec);
  const std::string name = absl::StrCat("quantized_", attributes);
  const auto build = [spec, one](QuantizedBuilder& b, int number) {
    return OnTypeOf(spec, b, number, one || (!b.is_int16() && number % 3 == 0));
  };
  if ((widths & (kInt8 | kUint8)) != 0 && of != "16") {
    AddSeries(list, op, name, ShapeOf(spec), build,
              (widths & kUint8) == 0                ? SeriesTypes::kInt8
              : (widths & kInt8) == 0 || of == "u8" ? SeriesTypes::kUint8
                                                    : SeriesTypes::kBoth,
              families);
  }
  if ((widths & kInt16) == 0 || of == "8") return;
  if (kernel != nullptr || !one) {
    AddInt16Series(list, op, name, ShapeOf(spec), build, 2 * families);
  }
  if (kernel != nullptr) return;
  // Moved to a tensor of the same scale they travel as real values.
  AddInt16Series(
      list, op, absl::StrCat("same_scale_", attributes), ShapeOf(spec),
      [spec](QuantizedBuilder& b, int number) {
        return OnTypeOf(spec, b, number, /*same=*/true);
      },
      one ? 2 * families : 4, /*integer_path=*/false);
}

// Whether the row itself quantizes tensors.
bool IsQuantized(const CaseSpec& spec) {
  for (const cases::NodeSpec& node : spec.nodes) {
    for (const cases::TensorSpec& tensor : node.inputs) {
      if (!tensor.quantization.scale.empty()) return true;
    }
  }
  return false;
}

// `is_new`: its own model, too.
void AddRowCase(CaseList* list, const CaseSpec& spec, bool is_new) {
  const auto build = [spec] { return cases::ModelOf(spec); };
  const std::string attributes = AttributesOf(spec);
  if (is_new) {
    Family& family =
        IsQuantized(spec)
            ? list->AddQuantized(spec.op, attributes, ShapeOf(spec), build)
            : list->Add(spec.op, attributes, ShapeOf(spec), build);
    family.text = spec.text;
    family.float32_only |= spec.Has("float32");
  }
  if (spec.Has("special")) {
    list->Add(spec.op, attributes + "_special_values", ShapeOf(spec),
              [build] { return WithValues(build(), MovedValues()); })
        .text = spec.text;
  }
  if (spec.Has("quantized")) AddQuantizedVariants(list, spec);
  const bool is_old = absl::StartsWith(TfLiteVersion(), "2.9.");
  if (!spec.Has("series") || (spec.Has("oldest") && !is_old)) return;
  AddRowSeries(list, spec);
}

}  // namespace

void AddRowCases(CaseList* list, const std::vector<cases::Row>& rows) {
  // Two rows may have a model in common, one with flags.
  std::set<std::string> known;
  for (const cases::Row& row : rows) {
    if (!row.refusals.empty()) continue;
    for (const std::string& text : row.cases) {
      const bool is_new = known.insert(text.substr(0, text.find(" %"))).second;
      AddRowCase(list, *cases::ParseCase(text), is_new);
    }
  }
}

}  // namespace gles_delegate::conformance
