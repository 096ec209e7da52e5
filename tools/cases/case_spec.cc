#include "tools/cases/case_spec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tools/op_models/random.h"

namespace gles_delegate::cases {
namespace {

using absl::string_view;
using testing::TensorType;

absl::Status Wrong(string_view what, string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' ", what));
}

constexpr std::pair<string_view, TensorType> kTypes[] = {
    {"f32", TensorType::FLOAT32}, {"f16", TensorType::FLOAT16},
    {"f64", TensorType::FLOAT64}, {"i8", TensorType::INT8},
    {"u8", TensorType::UINT8},    {"i16", TensorType::INT16},
    {"u16", TensorType::UINT16},  {"i32", TensorType::INT32},
    {"i64", TensorType::INT64},   {"bool", TensorType::BOOL},
    {"u32", TensorType::UINT32},  {"c64", TensorType::COMPLEX64}};

constexpr std::pair<string_view, Weights> kWeights[] = {
    {"const:", Weights::kFloat},   {"input:", Weights::kRuntime},
    {"half:", Weights::kHalf},     {"int8:", Weights::kInt8},
    {"sparse:", Weights::kSparse}, {"sparse_half:", Weights::kSparseHalf}};

// The text between two brackets at the beginning, which is then consumed.
bool ConsumeBrackets(string_view* text, char open, char close,
                     string_view* inner) {
  if (text->empty() || text->front() != open) return false;
  const size_t end = text->find(close);
  if (end == string_view::npos) return false;
  *inner = text->substr(1, end - 1);
  text->remove_prefix(end + 1);
  return true;
}

bool ToNumbers(string_view text, std::vector<double>* numbers) {
  for (string_view one : SplitOutside(text, ',')) {
    double number = one == "true" ? 1 : 0;
    if (one != "true" && one != "false" && !absl::SimpleAtod(one, &number)) {
      return false;
    }
    numbers->push_back(number);
  }
  return true;
}

// A type's name at the beginning of `text`, which is then consumed, with the
// scale and the zero point in "i8@(0.5,-3)".
template <typename Spec>
bool ConsumeType(string_view* text, Spec* spec) {
  const size_t end = std::min(text->find_first_of("@[(~"), text->size());
  for (const auto& [name, value] : kTypes) {
    if (text->substr(0, end) != name) continue;
    text->remove_prefix(end);
    spec->type = value;
    string_view inner;
    std::vector<double> numbers;
    if (!absl::ConsumePrefix(text, "@")) return true;
    if (!ConsumeBrackets(text, '(', ')', &inner) ||
        !ToNumbers(inner, &numbers) || numbers.size() != 2) {
      return false;
    }
    spec->quantization = ModelQuantization::PerTensor(
        static_cast<float>(numbers[0]), static_cast<int64_t>(numbers[1]));
    return true;
  }
  return false;
}

bool ConsumeShape(string_view* text, testing::Shape* shape) {
  string_view inner;
  std::vector<double> numbers;
  if (!ConsumeBrackets(text, '[', ']', &inner) || !ToNumbers(inner, &numbers)) {
    return false;
  }
  shape->assign(numbers.begin(), numbers.end());
  return true;
}

// What stands after '~'.
bool ParseData(string_view text, Data* data) {
  if (text == "corners" || text == "few") {
    data->kind = text == "few" ? Data::Kind::kFew : Data::Kind::kCorners;
    return true;
  }
  if (text == "special" || absl::StartsWith(text, "ends")) {
    data->kind = Data::Kind::kValues;
    data->range_ends = text != "special";
    const std::vector<float>& values =
        data->range_ends ? testing::FunctionValues() : testing::SpecialValues();
    data->values.assign(values.begin(), values.end());
    data->by_rows = text == "ends_of_rows";
    return data->by_rows || text == "special" || text == "ends";
  }
  string_view inner = text;
  if (absl::ConsumePrefix(&inner, "n(") && absl::ConsumeSuffix(&inner, ")")) {
    std::vector<double> numbers;
    if (!ToNumbers(inner, &numbers) || numbers.size() != 2) return false;
    data->kind = Data::Kind::kGaussian;
    data->mean = numbers[0];
    data->deviation = numbers[1];
    return true;
  }
  data->whole = absl::ConsumePrefix(&text, "i");
  const size_t slash = text.find('/');
  if (slash != string_view::npos) {
    if (!absl::SimpleAtod(text.substr(slash + 1), &data->divisor)) return false;
    text = text.substr(0, slash);
  }
  if (absl::ConsumePrefix(&text, "(")) absl::ConsumeSuffix(&text, ")");
  data->kind = Data::Kind::kRanges;
  for (string_view range : absl::StrSplit(text, ',')) {
    const std::pair<string_view, string_view> ends =
        absl::StrSplit(range, absl::MaxSplits("..", 1));
    double low = 0, high = 0;
    if (!absl::SimpleAtod(ends.first, &low) ||
        !absl::SimpleAtod(ends.second, &high)) {
      return false;
    }
    data->ranges.emplace_back(low, high);
  }
  return true;
}

// "3", "(1,2.5)", "[4,2](1,0)": a constant of floats if it has a point.
TensorType LiteralType(string_view text) {
  if (absl::StrContains(text, "true") || absl::StrContains(text, "false")) {
    return TensorType::BOOL;
  }
  return absl::StrContains(text, '.') || absl::StrContains(text, "nan") ||
                 absl::StrContains(text, "inf")
             ? TensorType::FLOAT32
             : TensorType::INT32;
}

absl::StatusOr<TensorSpec> ParseTensor(string_view text) {
  TensorSpec tensor;
  const string_view whole = text;
  // "-[2,3]": what has a shape in another case of the row.
  if (text == "-" || absl::StartsWith(text, "-[")) {
    tensor.absent = true;
    return tensor;
  }
  tensor.variable = absl::ConsumePrefix(&text, "state:");
  bool is_constant = false;
  for (const auto& [prefix, weights] : kWeights) {
    if (!absl::ConsumePrefix(&text, prefix)) continue;
    tensor.weights = weights;
    is_constant = true;
  }
  const bool typed = ConsumeType(&text, &tensor);
  const bool shaped = ConsumeShape(&text, &tensor.shape);
  string_view inner;
  if (ConsumeBrackets(&text, '(', ')', &inner)) {
    tensor.data.kind = Data::Kind::kValues;
    if (!ToNumbers(inner, &tensor.data.values)) {
      return Wrong("is not a tensor", whole);
    }
    if (!shaped) {
      tensor.shape = {static_cast<int>(tensor.data.values.size())};
    }
  } else if (!shaped && !typed && ToNumbers(text, &tensor.data.values) &&
             tensor.data.values.size() == 1) {
    tensor.data.kind = Data::Kind::kValues;
    text = "";
  } else if (!shaped) {
    return Wrong("is not a tensor", whole);
  }
  if (tensor.data.kind == Data::Kind::kValues && !typed && !is_constant) {
    tensor.type = LiteralType(whole);
    tensor.weights = Weights::kFloat;
  }
  if (absl::ConsumePrefix(&text, "~") ? !ParseData(text, &tensor.data)
                                      : !text.empty()) {
    return Wrong("is not a tensor", whole);
  }
  return tensor;
}

// How often a part "[2,3]*4" stands there; what is left is the part.
int ConsumeCount(string_view* part) {
  const size_t star = part->rfind('*');
  int count = 1;
  if (star != string_view::npos &&
      absl::SimpleAtoi(part->substr(star + 1), &count)) {
    *part = part->substr(0, star);
  }
  return count;
}

// "x=[2,3]*2+[2,4]": tensors x0, x1 and x2.
absl::Status AddTensors(string_view name, string_view text, NodeSpec* node) {
  std::vector<TensorSpec> added;
  for (string_view part : SplitOutside(text, '+')) {
    const int count = ConsumeCount(&part);
    ASSIGN_OR_RETURN(auto tensor, ParseTensor(part));
    added.insert(added.end(), count, tensor);
  }
  for (size_t i = 0; i < added.size(); ++i) {
    added[i].name =
        added.size() == 1 ? std::string(name) : absl::StrCat(name, i);
    node->inputs.push_back(added[i]);
  }
  return absl::OkStatus();
}

// "t", "[2,3]", "bool", "t:i32[2]*3": outputs.
absl::Status AddOutputs(string_view text, NodeSpec* node) {
  const string_view whole = text;
  const int count = ConsumeCount(&text);
  OutputSpec output;
  output.has_type = ConsumeType(&text, &output);
  if (!output.has_type) {
    const size_t end = std::min(text.find_first_of("[:"), text.size());
    output.name = std::string(text.substr(0, end));
    text.remove_prefix(end);
    if (absl::ConsumePrefix(&text, ":")) {
      output.has_type = ConsumeType(&text, &output);
    }
  }
  output.has_shape = ConsumeShape(&text, &output.shape);
  if (!text.empty()) return Wrong("is not an output", whole);
  node->outputs.insert(node->outputs.end(), count, output);
  return absl::OkStatus();
}

nlohmann::ordered_json OptionValue(string_view text) {
  std::string json(text);
  if (absl::StartsWith(json, "(") && absl::EndsWith(json, ")")) {
    json = absl::StrCat("[", json.substr(1, json.size() - 2), "]");
  }
  auto value = nlohmann::ordered_json::parse(json, nullptr,
                                             /*allow_exceptions=*/false);
  // An enumeration's name.
  return value.is_discarded() ? nlohmann::ordered_json(std::string(text))
                              : value;
}

// "(scale=2.0,subset=[1,2])"
nlohmann::ordered_json MapOf(string_view text) {
  auto map = nlohmann::ordered_json::object();
  absl::ConsumePrefix(&text, "(");
  absl::ConsumeSuffix(&text, ")");
  for (string_view one : SplitOutside(text, ',')) {
    const std::pair<string_view, string_view> parts =
        absl::StrSplit(one, absl::MaxSplits('=', 1));
    map[std::string(parts.first)] = OptionValue(parts.second);
  }
  return map;
}

absl::Status ParseOp(string_view text, NodeSpec* node) {
  const std::pair<string_view, string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('@', 1));
  if (!parts.second.empty() &&
      !absl::SimpleAtoi(parts.second, &node->version)) {
    return Wrong("is not an op and version", text);
  }
  for (testing::Op op : schema::EnumValuesBuiltinOperator()) {
    if (parts.first != schema::EnumNameBuiltinOperator(op)) continue;
    node->op = op;
    return absl::OkStatus();
  }
  // No builtin's name has small letters.
  if (parts.first == absl::AsciiStrToUpper(parts.first)) {
    return Wrong("is not a builtin op", parts.first);
  }
  node->op = testing::Op::CUSTOM;
  node->custom = std::string(parts.first);
  return absl::OkStatus();
}

// "stride=2", "filter=(3,5)": what a row calls the options of a window's axes,
// the depth's first.
struct AxesOption {
  string_view name;
  const char* fields[3];
};
constexpr AxesOption kAxesOptions[] = {
    {"stride", {"stride_d", "stride_h", "stride_w"}},
    {"dilation",
     {"dilation_d_factor", "dilation_h_factor", "dilation_w_factor"}},
    {"filter", {"filter_depth", "filter_height", "filter_width"}}};

// Whether the table has options for each axis of that name, which are then set.
bool AddAxes(const std::string& table, string_view name, string_view text,
             nlohmann::ordered_json* fields) {
  const auto value = OptionValue(text);
  size_t next = 0;
  for (const AxesOption& option : kAxesOptions) {
    if (option.name != name) continue;
    for (const char* field : option.fields) {
      if (!HasOption(table, field)) continue;
      if (!value.is_array()) {
        (*fields)[field] = value;
      } else if (next < value.size()) {
        (*fields)[field] = value[next];
      }
      ++next;
    }
  }
  return next > 0;
}

// How many outputs the node has by its options.
int OutputCount(const NodeSpec& node) {
  const auto& fields =
      node.options.value("builtin_options", nlohmann::ordered_json::object());
  for (const char* count : {"num_splits", "num"}) {
    if (fields.contains(count)) return fields[count].get<int>();
  }
  return node.op == testing::Op::TOPK_V2 ? 2 : 1;
}

absl::Status ParseNode(const std::vector<string_view>& words, NodeSpec* node) {
  if (words.empty()) return absl::InvalidArgumentError("a node is empty");
  RETURN_IF_ERROR(ParseOp(words[0], node));
  const std::string table = OptionsTableOf(node->op);
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  AddAxes(table, "stride", "1", &fields);
  bool outputs = false, has_options = !table.empty();
  for (size_t i = 1; i < words.size(); ++i) {
    const string_view word = words[i];
    absl::Status status;
    const std::pair<string_view, string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (word == "->") {
      outputs = true;
    } else if (outputs) {
      status = AddOutputs(word, node);
    } else if (word == "options=none") {
      has_options = false;
    } else if (parts.second.empty()) {
      TensorSpec tensor;
      tensor.name = std::string(word);
      tensor.known = true;
      node->inputs.push_back(tensor);
    } else if (parts.first == "custom" && !node->custom.empty()) {
      if (absl::StrContains(parts.second, '=')) {
        node->map = MapOf(parts.second);
      } else {
        ASSIGN_OR_RETURN(node->parameters, ParseTensor(parts.second));
      }
    } else if (HasOption(table, std::string(parts.first))) {
      fields[std::string(parts.first)] = OptionValue(parts.second);
    } else if (!AddAxes(table, parts.first, parts.second, &fields)) {
      status = AddTensors(parts.first, parts.second, node);
    }
    if (!status.ok()) return status;
  }
  node->options = nlohmann::ordered_json::object();
  if (has_options) {
    node->options["builtin_options_type"] = table;
    node->options["builtin_options"] = fields;
  }
  if (!outputs) node->outputs.resize(std::max(0, OutputCount(*node)));
  return absl::OkStatus();
}

}  // namespace

std::vector<absl::string_view> SplitOutside(absl::string_view text,
                                            char separator) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : separator;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (i < text.size() && (c != separator || depth > 0)) continue;
    const absl::string_view part =
        absl::StripAsciiWhitespace(text.substr(start, i - start));
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

absl::StatusOr<CaseSpec> ParseCase(string_view text) {
  CaseSpec spec;
  spec.text = std::string(text);
  const std::pair<string_view, string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(" % ", 1));
  for (string_view flag : SplitOutside(parts.second, ' ')) {
    const std::pair<string_view, string_view> pair =
        absl::StrSplit(flag, absl::MaxSplits('=', 1));
    spec.flags[std::string(pair.first)] = std::string(pair.second);
  }
  for (string_view node : absl::StrSplit(parts.first, " ; ")) {
    std::vector<string_view> words = SplitOutside(node, ' ');
    if (!words.empty() && absl::ConsumeSuffix(&words[0], ":")) {
      spec.op = std::string(words[0]);
      words.erase(words.begin());
    }
    RETURN_IF_ERROR(ParseNode(words, &spec.nodes.emplace_back()));
  }
  if (spec.op.empty()) {
    const NodeSpec& first = spec.nodes[0];
    spec.op = first.custom.empty() ? schema::EnumNameBuiltinOperator(first.op)
                                   : first.custom;
  }
  return spec;
}

}  // namespace gles_delegate::cases
