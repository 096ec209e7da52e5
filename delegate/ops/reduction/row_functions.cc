#include "delegate/ops/reduction/row_functions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

std::string Out(size_t index) { return absl::StrCat("out", index); }

// The text of row_functions.comp's macros.
class Text {
 public:
  Text(const Node& node, const RowFunctionsAttributes& a, const Graph& graph)
      : node_(node), a_(a), graph_(graph) {}

  // The definitions of the rows that step `last` needs, at slice s.
  std::string Rows(const std::vector<int>& last) const {
    std::vector<bool> needed(a_.steps.size(), false);
    for (int step : last) needed[step] = true;
    std::string text;
    for (int i = static_cast<int>(a_.steps.size()) - 1; i >= 0; --i) {
      const RowStep& step = a_.steps[i];
      if (!needed[i] || !step.is_row) continue;
      for (int from : {step.a, step.b}) {
        if (from >= 0) needed[from] = true;
      }
      text = absl::StrCat(Definition(i), text);
    }
    return text;
  }

  // The definitions of numbers that need reductions before step `end` only, and
  // were not defined before step `begin`.
  std::string Numbers(int begin, int end) const {
    std::string text;
    for (size_t i = 0; i < a_.steps.size(); ++i) {
      const RowStep& step = a_.steps[i];
      if (step.is_row || step.kind == RowStep::Kind::kReduce) continue;
      const int last = LastReduction(static_cast<int>(i));
      if (last >= begin && last < end) {
        absl::StrAppend(&text, Definition(static_cast<int>(i)));
      }
    }
    return text;
  }

 private:
  // The last reduction that a number needs; -1: none.
  int LastReduction(int i) const {
    const RowStep& step = a_.steps[i];
    if (step.kind == RowStep::Kind::kReduce) return i;
    int last = -1;
    for (int from : {step.a, step.b}) {
      if (from >= 0) last = std::max(last, LastReduction(from));
    }
    return last;
  }

  std::string Definition(int i) const {
    const RowStep& step = a_.steps[i];
    if (step.kind != RowStep::Kind::kInput) {
      return DefineValue(i, step.Call(i));
    }
    const Tensor& t = graph_.tensor(node_.inputs[step.index]);
    return DefineValue(i,
                       absl::StrCat("read_", InputName(step.index),
                                    t.is_constant() ? "(0, 0, " : "(p.x, p.y, ",
                                    t.shape.c == 1 ? "0" : "s",
                                    t.is_constant() ? ", 0)" : ", p.z)",
                                    t.shape.c == 1 ? ".xxxx" : ""));
  }

  const Node& node_;
  const RowFunctionsAttributes& a_;
  const Graph& graph_;
};

// The macro REDUCTIONS: for each reduction in turn REDUCE(value, rows before
// it, its row, its kind), then the numbers that it makes known.
std::string Reductions(const RowFunctionsAttributes& a, const Text& text) {
  std::string all;
  const int count = static_cast<int>(a.steps.size());
  for (int i = 0; i < count; ++i) {
    const RowStep& step = a.steps[i];
    if (step.kind != RowStep::Kind::kReduce) continue;
    const char* kind = step.reducer == Reducer::kMax   ? "MAX"
                       : step.reducer == Reducer::kMin ? "MIN"
                       : step.reducer == Reducer::kSum ? "SUM"
                                                       : "MEAN";
    absl::StrAppend(&all, kind, "_OF_ROW(", ValueName(i), ", ",
                    text.Rows({step.a}), ", ", ValueName(step.a), ") ",
                    text.Numbers(i, i + 1));
  }
  return all;
}

}  // namespace

const OpDefinition& RowFunctions() {
  static const OpDefinition& op = *new OpDefinition{
      "ROW_FUNCTIONS", -1, 1, 1, nullptr, PlanRowFunctions, ""};
  return op;
}

absl::Status PlanRowFunctions(const Node& node, Planner* planner) {
  const auto& a = node.Get<RowFunctionsAttributes>();
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  const Text text(node, a, planner->graph());
  Dispatch d("row_functions");
  SpreadRows(shape, planner->profile(), &d);
  std::string params, writes;
  for (size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].kind != RowStep::Kind::kFunction) continue;
    const std::string name = ParamsName(static_cast<int>(i));
    absl::StrAppend(&params, "vec4 ", name, "; ");
    d.uniforms.Float4(name, a.steps[i].params);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    d.Read(InputName(static_cast<int>(i)), node.inputs[i]);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    d.Write(Out(i), node.outputs[i]);
    absl::StrAppend(&writes, "write_", Out(i), "(p.x, p.y, s, p.z, ",
                    ValueName(a.results[i]), "); ");
  }
  d.Define("ROW_PARAMS", params);
  d.Define("REDUCTIONS",
           absl::StrCat(text.Numbers(-1, 0), Reductions(a, text)));
  d.Define("RESULTS", absl::StrCat(text.Rows(a.results), writes));
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
