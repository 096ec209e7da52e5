#include "tools/conformance/suite.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tensorflow/lite/c/c_api.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/conformance/quantized.h"
#include "tools/op_models/random.h"

namespace gles_delegate::conformance {
namespace {

using cases::CaseSpec;

bool MatchesOne(const std::vector<std::string>& patterns,
                const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&name](const std::string& pattern) {
                       return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
                     });
}

// `model` with every input made of `values`, over and over, and the bounds of
// Accuracy::range_ends. The first input starts at the first value, the second
// at the second, so that pairs differ.
SingleOpModel WithValues(SingleOpModel model,
                         const std::vector<float>& values) {
  size_t start = 0;
  for (std::vector<float>& input : model.inputs) {
    for (size_t i = 0; i < input.size(); ++i) {
      input[i] = values[(start + i) % values.size()];
    }
    ++start;
  }
  model.accuracy.range_ends = true;
  return model;
}

struct SpecialValue {
  const char* name;
  float value;
};

// Those on which a CPU kernel of the op is an oracle.
std::vector<SpecialValue> SpecialValuesFor(const std::string& op) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr SpecialValue kNan = {"nan",
                                 std::numeric_limits<float>::quiet_NaN()};
  // By the order in which a kernel compares them, a NaN is lost, or what was
  // before it. Those of CONV_3D clamp it to the largest number.
  static const auto& no_nan = *new std::set<std::string>(absl::StrSplit(
      "ARG_MAX ARG_MIN CONV_3D REDUCE_MAX REDUCE_MIN SIGN TOPK_V2", ' '));
  // The kernels' sums have more terms than the op: running ones, and those of a
  // fast Fourier transform. XNNPACK writes past the tensor of MaxUnpooling2D.
  // The box of an infinite landmark is infinite or NaN by the order of its
  // terms.
  static const auto& none = *new std::set<std::string>(absl::StrSplit(
      "COMPLEX_ABS IMAG Landmarks2TransformMatrix LOCAL_RESPONSE_NORMALIZATION "
      "MaxUnpooling2D REAL RFFT2D",
      ' '));
  if (none.count(op) > 0) return {};
  std::vector<SpecialValue> values = {{"infinity", kInf},
                                      {"minus_infinity", -kInf}};
  if (no_nan.count(op) == 0) values.push_back(kNan);
  return values;
}

// `model` with `value` in one place of every input of floats. TFLite's built-in
// kernels and XNNPACK do not agree on all: either is right.
SingleOpModel WithOne(SingleOpModel model, float value) {
  const std::vector<bool> integers = testing::IntegerInputs(model);
  for (size_t i = 0; i < integers.size(); ++i) {
    std::vector<float>& input = model.inputs[i];
    if (!integers[i] && !input.empty()) input[input.size() / 3] = value;
  }
  model.accuracy.range_ends = model.accuracy.either_kernel = true;
  return model;
}

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
    if (tensor.weights == cases::Weights::kRuntime) return tensor.shape;
  }
  return {};
}

std::string NameOf(TensorType type) {
  return absl::AsciiStrToLower(schema::EnumNameTensorType(type));
}

// "% quantized": 8-bit tensors, with each kind of zero point.
void AddQuantizedVariants(CaseList* list, const CaseSpec& spec) {
  for (const auto& [type, width] :
       {std::pair(TensorType::INT8, kInt8), {TensorType::UINT8, kUint8}}) {
    if ((WidthsOf(spec.nodes[0].op) & width) == 0) continue;
    for (const auto& [codes, of] :
         {std::pair(Codes::kRandom, "_random_"),
          {Codes::kLowest, "_lowest_zero_point_"},
          {Codes::kHighest, "_highest_zero_point_"}}) {
      const std::string name =
          absl::StrCat(NameOf(type), of, AttributesOf(spec));
      const Quantizing how = {absl::StrCat(spec.op, " ", name), type, codes};
      list->AddQuantized(spec.op, name, ShapeOf(spec),
                         [spec, how] {
                           return QuantizedFrom(spec, how,
                                                static_cast<int>(how.codes),
                                                /*same=*/true);
                         })
          .text = spec.text;
    }
  }
}

// Adds `count` models of a series on tensors of a type; `integer_path` as
// Family has it.
void AddSeries(CaseList* list, const CaseSpec& spec, TensorType type,
               const std::string& what, int count, bool integer_path,
               const std::function<bool(int number)>& same) {
  for (int i = 0; i < count; ++i) {
    const std::string attributes =
        absl::StrCat(NameOf(type), "_", what, AttributesOf(spec), "_", i);
    list->AddQuantized(spec.op, attributes, ShapeOf(spec),
                       [=] {
                         return QuantizedFrom(
                             spec,
                             {absl::StrCat(spec.op, " ", attributes), type}, i,
                             same(i));
                       })
        .integer_path = integer_path;
  }
}

// "% series": models with each its own scales. `one`: TFLite, or the delegate,
// refuses another scale of what is moved.
void AddRowSeries(CaseList* list, const CaseSpec& spec) {
  const cases::NodeSpec& node = spec.nodes[0];
  const std::string of = spec.flags.at("series");
  const bool one = spec.Has("one"), moves = MovesQuantized(node.op);
  int families = 34;  // an op and type: with three storages, 204 cases an op
  if (spec.Has("families")) {
    (void)absl::SimpleAtoi(spec.flags.at("families"), &families);
  }
  if (node.op == Op::QUANTIZE || node.op == Op::DEQUANTIZE) {
    const TensorType from = node.inputs[0].type, to = node.outputs[0].type;
    AddSeries(list, spec, from == TensorType::FLOAT32 ? to : from, "quantized_",
              families,
              from != TensorType::FLOAT32 && to != TensorType::FLOAT32 &&
                  to != TensorType::INT32,
              [](int) { return false; });
    return;
  }
  const int taken = of == "8"    ? kInt8 | kUint8
                    : of == "16" ? kInt16
                    : of == "u8" ? kUint8 | kInt16
                                 : kInt8 | kUint8 | kInt16;
  const int widths = WidthsOf(node.op) & taken;
  const bool both = (widths & kInt8) != 0 && (widths & kUint8) != 0;
  for (const auto& [type, width] :
       {std::pair(TensorType::INT8, kInt8), {TensorType::UINT8, kUint8}}) {
    if ((widths & width) == 0) continue;
    AddSeries(list, spec, type, "quantized_", both ? families : 2 * families,
              /*integer_path=*/true,
              [one](int number) { return one || number % 3 == 0; });
  }
  if ((widths & kInt16) == 0) return;
  if (!moves || !one) {
    AddSeries(list, spec, TensorType::INT16, "quantized_", 2 * families,
              /*integer_path=*/true, [one](int) { return one; });
  }
  if (!moves) return;
  // Moved to a tensor of the same scale they travel as real values.
  AddSeries(list, spec, TensorType::INT16, "same_scale_",
            one ? 2 * families : 4, /*integer_path=*/false,
            [](int) { return true; });
}

// Whether the row itself quantizes tensors.
bool IsQuantized(const CaseSpec& spec) {
  const auto is_quantized = [](const auto& tensor) {
    return !tensor.quantization.scale.empty();
  };
  return std::any_of(spec.nodes.begin(), spec.nodes.end(),
                     [&](const cases::NodeSpec& node) {
                       return std::any_of(node.inputs.begin(),
                                          node.inputs.end(), is_quantized) ||
                              std::any_of(node.outputs.begin(),
                                          node.outputs.end(), is_quantized);
                     });
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
              [build] { return WithValues(build(), testing::SpecialValues()); })
        .text = spec.text;
  }
  if (spec.Has("quantized")) AddQuantizedVariants(list, spec);
  const bool is_old = absl::StartsWith(TfLiteVersion(), "2.9.");
  if (!spec.Has("series") || (spec.Has("oldest") && !is_old)) return;
  AddRowSeries(list, spec);
}

// Tensors as large as the device's limits allow, and one larger, which another
// storage has to hold.

// {w} is the device's texture size, {a} its layers; {W}, {A} one more, {f} and
// {F} four times the layers and one more.
struct LimitShape {
  const char* name;
  const char* shape;
};
constexpr LimitShape kShapes[] = {
    {"1x1xWIDTHx3", "1,1,{w},3"},     {"1x1xWIDTH+1x3", "1,1,{W},3"},
    {"1xHEIGHT+1x1x5", "1,{W},1,5"},  {"1x1x2x4LAYERS", "1,1,2,{f}"},
    {"1x1x2x4LAYERS+1", "1,1,2,{F}"}, {"LAYERS+1x2x1x3", "{A},2,1,3"},
};

// {x} is the shape, {c} its channels and {l} one less.
struct LimitOp {
  const char* op;
  const char* text;
};
constexpr LimitOp kLimitOps[] = {
    {"NEG", "NEG x=[{x}]"},
    {"ADD", "ADD a=[{x}] b=[{x}]"},
    {"MUL", "MUL a=[{x}] b=const:[{c}]"},
    {"SLICE", "SLICE x=[{x}] begin=(0,0,0,0) size=(-1,1,-1,{l})"},
    {"CONCATENATION", "CONCATENATION x=[{x}]+[{p},2] axis=3"},
    {"SOFTMAX", "SOFTMAX x=[{x}] beta=1"},
    {"MAX_POOL_2D", "MAX_POOL_2D x=[{x}] filter=2 stride=2"},
    {"SUM", "SUM x=[{x}]~n(0.5,2) axes=(1,2)"},
    {"DEPTHWISE_CONV_2D",
     "DEPTHWISE_CONV_2D x=[{x}] w=const:[1,3,3,{c}] b=const:[{c}] "
     "depth_multiplier=1"},
    // Its output stays small.
    {"CONV_2D", "CONV_2D x=[{x}] w=const:[3,1,1,{c}] b=const:[3]"},
};

SingleOpModel ModelOfShape(const char* text, const char* shape,
                           const Limits& limits) {
  const int layers = limits.texture_layers;
  const std::string x = absl::StrReplaceAll(
      shape, {{"{w}", absl::StrCat(limits.texture_size)},
              {"{W}", absl::StrCat(limits.texture_size + 1)},
              {"{A}", absl::StrCat(layers + 1)},
              {"{f}", absl::StrCat(4 * layers)},
              {"{F}", absl::StrCat(4 * layers + 1)}});
  const size_t comma = x.rfind(',');
  int channels = 0;
  (void)absl::SimpleAtoi(x.substr(comma + 1), &channels);
  return cases::ModelOf(
      absl::StrReplaceAll(text, {{"{x}", x},
                                 {"{p}", x.substr(0, comma)},
                                 {"{c}", absl::StrCat(channels)},
                                 {"{l}", absl::StrCat(channels - 1)}}));
}

void AddLimitCases(CaseList* list) {
  for (const LimitOp& op : kLimitOps) {
    for (const LimitShape& shape : kShapes) {
      // TFLite 2.9's depthwise kernel never returns from more channels than its
      // accumulators hold (4,832 floats).
      if (absl::string_view(op.op) == "DEPTHWISE_CONV_2D" &&
          absl::StrContains(shape.name, "4LAYERS")) {
        continue;
      }
      list->AddAtLimit(op.op, "size_limit", shape.name,
                       [op, shape](const Limits& limits) {
                         return ModelOfShape(op.text, shape.shape, limits);
                       });
    }
  }
}

}  // namespace

std::string Family::name() const {
  return absl::StrCat(op, "/", attributes, "/", shape);
}

std::vector<Variant> VariantsOf(const Family& family) {
  std::vector<Variant> variants;
  // Only these ops multiply in 16 bits.
  const bool multiplies = family.op == "CONV_2D" ||
                          family.op == "FULLY_CONNECTED" ||
                          family.op == "BATCH_MATMUL";
  for (Precision precision : {Precision::kFloat32, Precision::kFloat16,
                              Precision::kFloat16Arithmetic}) {
    if (family.float32_only && precision != Precision::kFloat32) continue;
    if (!multiplies && precision == Precision::kFloat16Arithmetic) continue;
    for (TfLiteGlesStorage storage :
         {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
          kTfLiteGlesStorageBuffer}) {
      variants.push_back({storage, precision});
    }
  }
  return variants;
}

std::string CaseName(const Family& family, const Variant& variant) {
  const bool arithmetic = variant.precision == Precision::kFloat16Arithmetic;
  const auto storage = variant.storage;
  return absl::StrCat(family.name(),
                      storage == kTfLiteGlesStorageTextureArray
                          ? "/texture_array/"
                      : storage == kTfLiteGlesStorageTexture2d ? "/texture_2d/"
                                                               : "/buffer/",
                      arithmetic                  ? "float16_arithmetic"
                      : IsHalf(variant.precision) ? "float16"
                                                  : "float32");
}

Family& CaseList::Add(std::string op, std::string attributes,
                      const Shape& shape, Build build) {
  return AddAtLimit(
      std::move(op), std::move(attributes), ShapeString(shape),
      [build = std::move(build)](const Limits&) { return build(); });
}

Family& CaseList::AddQuantized(std::string op, std::string attributes,
                               const Shape& shape, Build build) {
  Family& family =
      Add(std::move(op), std::move(attributes), shape, std::move(build));
  family.quantized = family.float32_only = true;
  family.small = small_.insert(absl::StrCat(family.op, " quantized")).second;
  return family;
}

Family& CaseList::AddAtLimit(
    std::string op, std::string attributes, std::string shape,
    std::function<SingleOpModel(const Limits&)> build) {
  Family family;
  family.op = std::move(op);
  family.attributes = std::move(attributes);
  family.shape = std::move(shape);
  family.build = std::move(build);
  family.small = small_.insert(family.op).second;
  families_.push_back(std::move(family));
  return families_.back();
}

void CaseList::AddSpecialValues() {
  std::vector<Family> added;
  absl::flat_hash_set<std::string> ops;
  for (const Family& family : families_) {
    // In one element nothing spreads, and in a model of several nodes the CPU's
    // kernels clamp what spreads.
    if (family.quantized || family.shape == "1x1x1x1" ||
        absl::StrContains(family.attributes, "_then_") ||
        !ops.insert(family.op).second) {
      continue;
    }
    for (const SpecialValue& special : SpecialValuesFor(family.op)) {
      Family of_value = family;
      of_value.small = false;
      of_value.text.clear();
      absl::StrAppend(&of_value.attributes, "_special_values_", special.name);
      of_value.build = [build = family.build,
                        value = special.value](const Limits& limits) {
        return WithOne(build(limits), value);
      };
      added.push_back(std::move(of_value));
    }
  }
  families_.insert(families_.end(), added.begin(), added.end());
}

absl::StatusOr<std::vector<Family>> CaseList::Take() {
  std::stable_sort(
      families_.begin(), families_.end(),
      [](const Family& a, const Family& b) { return a.op < b.op; });
  absl::flat_hash_set<std::string> names;
  for (const Family& family : families_) {
    if (!names.insert(family.name()).second) {
      return absl::AlreadyExistsError(
          absl::StrCat("two families are named ", family.name()));
    }
  }
  return std::move(families_);
}

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

absl::StatusOr<std::vector<Family>> AllFamilies() {
  CaseList list;
  AddRowCases(&list, cases::AllRows());
  list.AddSpecialValues();
  AddLimitCases(&list);
  return list.Take();
}

std::vector<std::string> OpsWithoutCases(const std::vector<Family>& families) {
  absl::flat_hash_set<std::string> covered;
  for (const Family& family : families) covered.insert(family.op);
  std::vector<std::string> missing;
  for (const OpDefinition& op : AllOps()) {
    if (!covered.contains(op.name)) missing.emplace_back(op.name);
  }
  return missing;
}

Filter::Filter(absl::string_view patterns) {
  for (absl::string_view pattern :
       absl::StrSplit(patterns, ',', absl::SkipWhitespace())) {
    const bool exclude = absl::ConsumePrefix(&pattern, "-");
    std::vector<std::string>& list = exclude ? excluded_ : wanted_;
    list.push_back(absl::StrContains(pattern, '*')
                       ? std::string(pattern)
                       : absl::StrCat("*", pattern, "*"));
  }
}

bool Filter::Accepts(absl::string_view name) const {
  const std::string text(name);
  if (MatchesOne(excluded_, text)) return false;
  return wanted_.empty() || MatchesOne(wanted_, text);
}

absl::StatusOr<Shard> ParseShard(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  Shard shard;
  if (!absl::SimpleAtoi(parts.first, &shard.index) ||
      !absl::SimpleAtoi(parts.second, &shard.count) || shard.index < 0 ||
      shard.count < 1 || shard.index >= shard.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("--shard=", text, " is none of 0/N, 1/N, ..., (N-1)/N"));
  }
  return shard;
}

}  // namespace gles_delegate::conformance
