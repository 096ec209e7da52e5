#include "delegate/ops/op_list.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"

namespace gles_delegate {
namespace {

const OpDefinition kOps[] = {
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, recipe, notes)                                  \
  {name, code, v, vq, parse, plan, notes, traits, signature, types, function},
#include "delegate/ops/op_list.inc"
};

}  // namespace

absl::Span<const OpDefinition> AllOps() { return kOps; }

const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name) {
  const bool is_custom = builtin_code == BuiltinOperator_CUSTOM;
  const auto it = absl::c_find_if(kOps, [&](const OpDefinition& op) {
    return op.builtin_code < 0 ? is_custom && op.name == custom_name
                               : op.builtin_code == builtin_code;
  });
  return it == std::end(kOps) ? nullptr : it;
}

const OpDefinition* FindOpNamed(absl::string_view name) {
  const auto it = absl::c_find_if(
      kOps, [name](const OpDefinition& op) { return op.name == name; });
  return it == std::end(kOps) ? nullptr : it;
}

// Of ops that have none, or whose row says all of it.
absl::StatusOr<ParsedNode> ParseNoAttributes(const NodeView&) {
  return ParsedNode{};
}

absl::StatusOr<ParsedNode> ParseOp(const OpDefinition& op,
                                   const NodeView& node) {
  RETURN_IF_ERROR(CheckSignature(op, node));
  return op.parse(node);
}

// --- Signatures --------------------------------------------------------------

namespace {

constexpr absl::string_view kDigits = "0123456789";

// One word of a signature.
struct Word {
  explicit Word(absl::string_view word) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits(':', 1));
    types = parts.second;
    name = parts.first.substr(0, parts.first.find_first_of("0123456789<?*.!#"));
    marks = parts.first.substr(name.size());
    const size_t digit = marks.find_first_of(kDigits);
    if (digit == marks.npos) return;
    const size_t end = marks.find_first_not_of(kDigits, digit);
    (void)absl::SimpleAtoi(marks.substr(digit, end - digit), &number);
  }
  bool Is(absl::string_view mark) const {
    return absl::StrContains(marks, mark);
  }
  bool repeats() const { return Is("*") || Is(".."); }
  bool is_parameter() const { return Is("!") || Is("#"); }
  // The elements that a parameter has beside an x of `rank` axes; -1: any.
  int64_t elements(size_t rank) const {
    if (!Is("x")) return number;
    return (number < 0 ? 1 : number) * static_cast<int64_t>(rank);
  }
  bool has_types_of_op() const { return types.empty() && !is_parameter(); }

  absl::string_view name, marks, types;
  int number = -1;
};

// A tensor of the node, and what it must be.
struct Place {
  const Word* word;
  const Tensor* tensor;
  std::string what;  // in messages: "input 0", "the axis"
};

std::vector<Word> WordsIn(absl::string_view side) {
  std::vector<Word> words;
  for (absl::string_view word : absl::StrSplit(side, ' ', absl::SkipEmpty())) {
    words.emplace_back(word);
  }
  return words;
}

// Inputs and outputs.
std::pair<std::vector<Word>, std::vector<Word>> SidesOf(
    const OpDefinition& op) {
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(op.signature, absl::MaxSplits("->", 1));
  return {WordsIn(sides.first), WordsIn(sides.second)};
}

// The first input of this kind; -1: none.
template <typename IsOne>
int InputThat(const OpDefinition& op, IsOne is_one) {
  const std::vector<Word> inputs = SidesOf(op).first;
  const auto it = absl::c_find_if(inputs, is_one);
  return it == inputs.end() ? -1 : static_cast<int>(it - inputs.begin());
}

// Adds the places of one side of the node, "input" or "output".
absl::Status AddPlaces(const std::vector<Word>& words,
                       const std::vector<const Tensor*>& tensors,
                       absl::string_view side, std::vector<Place>* places) {
  const size_t most = words.empty() || !words.back().repeats()
                          ? words.size()
                          : std::numeric_limits<size_t>::max();
  // Up to the last one that is required.
  const size_t least =
      words.rend() - std::find_if(words.rbegin(), words.rend(),
                                  [](const Word& s) { return !s.Is("?"); });
  // An absent tensor past the last one that the op knows is none.
  size_t count = tensors.size();
  while (count > most && tensors[count - 1] == nullptr) --count;
  if (count < least || count > most) {
    return Invalid("has ", count, " ", side, "s, wants ", least,
                   most == least            ? ""
                   : words.back().repeats() ? " or more"
                                            : absl::StrCat(" to ", most));
  }
  for (size_t i = 0; i < count; ++i) {
    const Word& word = words[std::min(i, words.size() - 1)];
    const std::string index = absl::StrCat(side, " ", i);
    if (tensors[i] == nullptr) {
      if (word.Is("?")) continue;
      return Invalid(index, " is absent, and it is required");
    }
    const bool named =
        word.is_parameter() || absl::StrContains(word.types, 'w');
    places->push_back(
        {&word, tensors[i],
         named ? absl::StrCat("the ",
                              absl::StrReplaceAll(word.name, {{"_", " "}}))
               : index});
  }
  return absl::OkStatus();
}

absl::Status CheckParameter(const Place& place) {
  const Tensor& tensor = *place.tensor;
  const std::string& what = place.what;
  if (tensor.type != DataType::kInt32 && tensor.type != DataType::kInt64) {
    return Invalid(what, " is ", tensor.TypeText(), ", wants int32 or int64");
  }
  const int64_t elements = tensor.shape.elements();
  if (elements > 0 && !tensor.is_constant()) {
    return Unimplemented(
        what, ": known only at run time, must be a constant of the model");
  }
  return absl::OkStatus();
}

absl::Status CheckCount(const Place& place, absl::Span<const Place> places) {
  const auto x = absl::c_find_if(
      places, [](const Place& p) { return p.word->name == "x"; });
  const size_t rank = x == places.end() ? 0 : x->tensor->dims.size();
  const int64_t elements = place.tensor->shape.elements();
  const int64_t wanted = place.word->elements(rank);
  if (wanted < 0 || elements == wanted) return absl::OkStatus();
  return Invalid(place.what, ": ", elements, " elements, wants ", wanted);
}

absl::Status CheckIndices(const Place& place) {
  const Tensor& indices = *place.tensor;
  const bool runs = indices.type == DataType::kInt32 ||
                    (indices.type == DataType::kInt64 && indices.is_constant());
  if (runs) return CheckElements(indices, place.what);
  return Unimplemented("the indices are ", indices.TypeText(),
                       "; int32 runs here, and int64 if it is constant");
}

absl::Status CheckPlace(const Place& place, absl::string_view types_of_op) {
  const Word& word = *place.word;
  const Tensor& tensor = *place.tensor;
  if (word.Is("#")) RETURN_IF_ERROR(CheckIndices(place));
  if (word.Is("!")) return CheckParameter(place);  // also of segments'_ids#!
  if (word.Is("#")) return absl::OkStatus();
  const absl::string_view types = word.types.empty() ? types_of_op : word.types;
  if (absl::StrContains(types, 'w')) {
    RETURN_IF_ERROR(CheckWeights(tensor, place.what));
  } else if (!absl::StrContains(types, '-')) {
    RETURN_IF_ERROR(CheckElementType(tensor, place.what, types));
  }
  if (absl::StrContains(types, 'c') && !tensor.is_constant()) {
    return Unimplemented(tensor.ToString(), " must be a constant of the model");
  }
  const int rank = static_cast<int>(tensor.dims.size());
  if (word.Is("<=") && rank > word.number) {
    return Unimplemented(place.what, " is ", DimsString(tensor.dims),
                         ", more than the ", word.number, " axes supported");
  }
  if (word.number < 0 || word.Is("<=") || rank == word.number) {
    return absl::OkStatus();
  }
  return Invalid(place.what, " is ", DimsString(tensor.dims), ", wants rank ",
                 word.number);
}

// Of two tensors that must be alike.
absl::Status CheckAlike(const Place& place, const Place& first) {
  const auto type = [](const Tensor& tensor) {
    const bool is_half =
        tensor.type == DataType::kFloat16 && tensor.is_constant();
    return is_half ? DataType::kFloat32 : tensor.type;
  };
  const Tensor& a = *place.tensor;
  const Tensor& b = *first.tensor;
  if (place.word->has_types_of_op() && first.word->has_types_of_op() &&
      type(a) != type(b)) {
    return Invalid(place.what, " is ", a.TypeText(), ", ", first.what, " is ",
                   b.TypeText(), "; they must be of one type");
  }
  if (place.word->name != first.word->name || place.word->Is("..") ||
      a.dims == b.dims) {
    return absl::OkStatus();
  }
  if (absl::StartsWith(place.what, "output")) return CheckOutputDims(a, b.dims);
  return Invalid(place.what, " is ", DimsString(a.dims), ", ", first.what,
                 " is ", DimsString(b.dims), "; they must be equal");
}

}  // namespace

int InputNamed(const OpDefinition& op, absl::string_view name) {
  return InputThat(op, [&](const Word& word) { return word.name == name; });
}

int InputOfType(const OpDefinition& op, char type) {
  return InputThat(op, [&](const Word& word) {
    return absl::StrContains(word.types, type);
  });
}

int InputsBeforeOptional(const OpDefinition& op) {
  // RESHAPE's kernel looks at a shape whose index is -1.
  return InputThat(op, [](const Word& word) {
    return word.Is("?") && !word.is_parameter();
  });
}

absl::Status CheckSignature(const OpDefinition& op, const NodeView& node) {
  const auto [inputs, outputs] = SidesOf(op);
  if (inputs.empty()) return absl::OkStatus();
  std::vector<Place> places;
  RETURN_IF_ERROR(AddPlaces(inputs, node.inputs, "input", &places));
  RETURN_IF_ERROR(AddPlaces(outputs, node.outputs, "output", &places));
  for (const Place& place : places) {
    RETURN_IF_ERROR(CheckPlace(place, op.types));
    if (place.word->is_parameter()) RETURN_IF_ERROR(CheckCount(place, places));
  }
  const auto of_op = [](const Place& p) { return p.word->has_types_of_op(); };
  for (const Place& place : places) {
    const auto same_name = [&](const Place& p) {
      return p.word->name == place.word->name;
    };
    RETURN_IF_ERROR(CheckAlike(place, *absl::c_find_if(places, same_name)));
    if (!of_op(place)) continue;
    RETURN_IF_ERROR(CheckAlike(place, *absl::c_find_if(places, of_op)));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
