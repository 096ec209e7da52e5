// Ops that keep a state. They run twice, so that the second result depends on
// what the first run left.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::BasicCase;
using testing::LstmCase;
using testing::SvdfCase;

void AddLstm(CaseList* list, const std::string& attributes,
             const LstmCase& params) {
  const char* op = params.steps == 0 ? "LSTM" : "UNIDIRECTIONAL_SEQUENCE_LSTM";
  const std::string text =
      absl::StrCat(attributes, "_cells", params.cells, "_steps", params.steps);
  list->Add(op, text, {params.batch, params.inputs}, [=] {
    return testing::Stateful(absl::StrCat(op, " ", text),
                             testing::Lstm(params));
  });
}

void AddLstms(CaseList* list) {
  for (int steps : {0, 3}) {
    for (int n : testing::StandardChannels()) {
      LstmCase params;
      params.steps = steps;
      params.batch = n == 5 ? 3 : 1;
      params.cells = n;
      AddLstm(list, "plain", params);
      params.cells = 7;
      params.inputs = n;
      AddLstm(list, "inputs", params);
    }
    for (int bits = 0; bits < 16; ++bits) {
      LstmCase params = testing::LstmWithParts(bits);
      params.steps = steps;
      AddLstm(list,
              absl::StrCat("parts", params.cifg ? "_cifg" : "",
                           params.peephole ? "_peephole" : "",
                           params.layer_norm ? "_layer_norm" : "",
                           params.outputs > 0 ? "_projection" : ""),
              params);
    }
  }
  LstmCase time_major;
  time_major.steps = 4;
  time_major.batch = 3;
  time_major.time_major = true;
  AddLstm(list, "time_major", time_major);
  for (int n : testing::StandardChannels()) {
    BasicCase params;
    params.depth = n;
    const std::string text = absl::StrCat("basic_depth", n);
    list->Add("LSTM", text, {params.batch, params.inputs}, [=] {
      return testing::Stateful("LSTM " + text, testing::BasicLstm(params));
    });
  }
}

}  // namespace

void AddRecurrentCases(CaseList* list) {
  AddLstms(list);
  for (int n : testing::StandardChannels()) {
    for (int which = 0; which < 3; ++which) {
      SvdfCase params;
      params.batch = n == 5 ? 3 : 1;
      (which == 0   ? params.memory
       : which == 1 ? params.units
                    : params.rank) = n;
      const std::string text =
          absl::StrCat("units", params.units, "_rank", params.rank, "_memory",
                       params.memory, "_case", which);
      list->Add("SVDF", text, {params.batch, params.inputs}, [=] {
        return testing::Stateful("SVDF " + text, testing::Svdf(params));
      });
    }
  }
}

}  // namespace gles_delegate::conformance
