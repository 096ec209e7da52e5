// Tensors as large as the device's limits allow, and one larger, which another
// storage has to hold.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tools/cases/model.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {
namespace {

struct LimitShape {
  const char* name;
  Shape (*shape)(const Limits&);
};
constexpr LimitShape kShapes[] = {
    {"1x1xWIDTHx3",
     [](const Limits& l) {
       return Shape{1, 1, l.texture_size, 3};
     }},
    {"1x1xWIDTH+1x3",
     [](const Limits& l) {
       return Shape{1, 1, l.texture_size + 1, 3};
     }},
    {"1xHEIGHT+1x1x5",
     [](const Limits& l) {
       return Shape{1, l.texture_size + 1, 1, 5};
     }},
    {"1x1x2x4LAYERS",
     [](const Limits& l) {
       return Shape{1, 1, 2, 4 * l.texture_layers};
     }},
    {"1x1x2x4LAYERS+1",
     [](const Limits& l) {
       return Shape{1, 1, 2, 4 * l.texture_layers + 1};
     }},
    {"LAYERS+1x2x1x3",
     [](const Limits& l) {
       return Shape{l.texture_layers + 1, 2, 1, 3};
     }},
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

SingleOpModel ModelOfShape(const char* text, const Shape& s) {
  return cases::ModelOf(absl::StrReplaceAll(
      text, {{"{x}", absl::StrJoin(s, ",")},
             {"{p}", absl::StrJoin(s.begin(), s.end() - 1, ",")},
             {"{c}", absl::StrCat(s[3])},
             {"{l}", absl::StrCat(s[3] - 1)}}));
}

}  // namespace

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
                         return ModelOfShape(op.text, shape.shape(limits));
                       });
    }
  }
}

}  // namespace gles_delegate::conformance
