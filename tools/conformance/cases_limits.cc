// Tensors as large as the device's limits allow, and one larger, which another
// storage has to hold.

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tools/cases/model.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {
namespace {

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
                         return ModelOfShape(op.text, shape.shape, limits);
                       });
    }
  }
}

}  // namespace gles_delegate::conformance
