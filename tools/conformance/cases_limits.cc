// Tensors as large as the device's limits allow, and one larger, which another
// storage has to hold.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tools/cases/model.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

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

std::string Text(const Shape& s) {
  return absl::StrCat("[", absl::StrJoin(s, ","), "]");
}

struct LimitOp {
  const char* op;
  SingleOpModel (*build)(const Shape& shape);
};
const LimitOp kLimitOps[] = {
    {"NEG",
     [](const Shape& s) {
       return cases::ModelOf(
           absl::StrCat("NEG x=[", absl::StrJoin(s, ","), "]"));
     }},
    {"ADD",
     [](const Shape& s) {
       const std::string shape = absl::StrJoin(s, ",");
       return cases::ModelOf(
           absl::StrCat("ADD a=[", shape, "] b=[", shape, "]"));
     }},
    {"MUL",
     [](const Shape& s) {
       return cases::ModelOf(absl::StrCat("MUL a=[", absl::StrJoin(s, ","),
                                          "] b=const:[", s.back(), "]"));
     }},
    {"SLICE",
     [](const Shape& s) {
       return cases::ModelOf(absl::StrCat("SLICE x=", Text(s),
                                          " begin=(0,0,0,0) size=(-1,1,-1,",
                                          s[3] - 1, ")"));
     }},
    {"CONCATENATION",
     [](const Shape& s) {
       return cases::ModelOf(absl::StrCat("CONCATENATION x=", Text(s), "+[",
                                          s[0], ",", s[1], ",", s[2],
                                          ",2] axis=3"));
     }},
    {"SOFTMAX", [](const Shape& s) { return testing::Softmax(s); }},
    {"MAX_POOL_2D",
     [](const Shape& s) {
       return cases::ModelOf(
           absl::StrCat("MAX_POOL_2D x=", Text(s), " filter=2 stride=2"));
     }},
    {"SUM",
     [](const Shape& s) {
       return testing::Reduce(Op::SUM, s, {1, 2}, false);
     }},
    {"DEPTHWISE_CONV_2D",
     [](const Shape& s) {
       return cases::ModelOf(
           absl::StrCat("DEPTHWISE_CONV_2D x=", Text(s), " w=const:[1,3,3,",
                        s[3], "] b=const:[", s[3], "] depth_multiplier=1"));
     }},
};

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
                         return op.build(shape.shape(limits));
                       });
    }
  }
  // A convolution reads and writes them; its other side stays small.
  for (const LimitShape& shape : kShapes) {
    list->AddAtLimit(
        "CONV_2D", "size_limit", shape.name, [shape](const Limits& limits) {
          const Shape s = shape.shape(limits);
          return cases::ModelOf(absl::StrCat("CONV_2D x=", Text(s),
                                             " w=const:[3,1,1,", s[3],
                                             "] b=const:[3]"));
        });
  }
}

}  // namespace gles_delegate::conformance
