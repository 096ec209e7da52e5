// The ops of the self-check's reference that keep a state: its old values are
// given, its new ones a result.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "delegate/ops/recurrent/recurrent.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

namespace {

using Rows = std::vector<ReferenceValue>;

ReferenceValue Plus(const ReferenceValue& a, const ReferenceValue& b) {
  return {a.value + b.value, a.magnitude + b.magnitude};
}
// Each error times the other value; of both errors, a part that halves allow.
ReferenceValue Times(const ReferenceValue& a, const ReferenceValue& b) {
  return {a.value * b.value, std::abs(a.value) * b.magnitude +
                                 std::abs(b.value) * a.magnitude +
                                 1e-2 * a.magnitude * b.magnitude};
}
ReferenceValue Function(const char* name, const ReferenceValue& x) {
  PostOp op;
  op.function = name;
  return *ApplyFunction(op, x, nullptr);
}
// The next step reads it. It errs by far less than is allowed of a result:
// most by weights in 16 bits, by 2^-11, a sixteenth of 8e-3.
void CarryOver(Rows* row) {
  for (ReferenceValue& v : *row) {
    v.magnitude = std::max(std::abs(v.value), v.magnitude / 16);
  }
}
ReferenceValue Clipped(ReferenceValue v, float most) {
  if (most > 0) v.value = std::clamp<double>(v.value, -most, most);
  return v;
}

// (v - mean) / deviation, of each.
void Normalize(Rows* row) {
  double mean = 0, variance = 0, error = 0;
  for (const ReferenceValue& v : *row) {
    mean += v.value / static_cast<double>(row->size());
    error = std::max(error, 2 * v.magnitude);
  }
  for (const ReferenceValue& v : *row) {
    variance += std::pow(v.value - mean, 2) / static_cast<double>(row->size());
  }
  const double deviation = std::sqrt(variance + 1e-8);
  for (ReferenceValue& v : *row) {
    const double y = (v.value - mean) / deviation;
    v = {y, error / deviation * (1 + std::abs(y))};
  }
}

}  // namespace

// Sums of a gate for cells [first, end): of its input's and its outputs'
// products, and of its peephole.
bool ReferenceOps::GateSums(const LstmAttributes& a, int gate, int64_t data,
                            const Reference::States& old, int first, int end,
                            Rows* sums) {
  const int inputs = ShapeOf(lstm::kData).c;
  const int outputs = static_cast<int>(old.outputs.size());
  sums->assign(end - first, {});
  for (int cell = first; cell < end; ++cell) {
    ReferenceValue& sum = (*sums)[cell - first];
    for (int i = 0; i < inputs; ++i) {
      const Value w =
          In(lstm::kInputWeights + gate, int64_t{cell} * inputs + i);
      if (!AddTerm(lstm::kData, data + i, w, &sum)) return false;
    }
    for (int i = 0; i < outputs; ++i) {
      const Value w =
          In(lstm::kRecurrentWeights + gate, int64_t{cell} * outputs + i);
      if (!w) return false;
      sum = Plus(sum, Times(old.outputs[i], *w));
    }
    constexpr int kPeepholeOf[] = {0, 1, -1, 2};
    if (!a.peephole || kPeepholeOf[gate] < 0) continue;
    const Value w = In(lstm::kPeepholes + kPeepholeOf[gate], cell);
    if (!w) return false;
    sum = Plus(sum, Times(old.cells[cell], *w));
  }
  if (a.layer_norm) Normalize(sums);
  for (int cell = first; cell < end; ++cell) {
    ReferenceValue& sum = (*sums)[cell - first];
    if (a.layer_norm) {
      const Value w = In(lstm::kNormCoefficients + gate, cell);
      if (!w) return false;
      sum = Times(sum, *w);
    }
    const Value bias = In(lstm::kBiases + gate, cell);
    if (!bias) return false;
    sum = Plus(sum, *bias);
  }
  return true;
}

// One step of cells [first, end), and of the outputs that are made of these.
bool ReferenceOps::LstmStep(const LstmAttributes& a, int64_t data, int first,
                            int end, Reference::States* states) {
  CarryOver(&states->cells);
  CarryOver(&states->outputs);
  Reference::States next = *states;
  Rows gates[lstm::kGates];
  enum { kEnter, kForget, kValue, kLeave };
  for (int gate : {kEnter, kForget, kValue}) {
    if (gate == kEnter && a.cifg) continue;
    if (!GateSums(a, gate, data, *states, first, end, &gates[gate])) {
      return false;
    }
  }
  for (int i = 0; i < end - first; ++i) {
    const ReferenceValue forget = Function("logistic", gates[kForget][i]);
    const ReferenceValue enter =
        a.cifg ? ReferenceValue{1 - forget.value, 1 + forget.magnitude}
               : Function("logistic", gates[kEnter][i]);
    const Value value = ApplyFunction(a.activation, gates[kValue][i], nullptr);
    if (!value) return false;
    next.cells[first + i] = Clipped(
        Plus(Times(forget, states->cells[first + i]), Times(enter, *value)),
        a.cell_clip);
  }
  // The last gate looks through its peephole at the new cells.
  states->cells = next.cells;
  if (!GateSums(a, kLeave, data, *states, first, end, &gates[kLeave])) {
    return false;
  }
  Rows hidden;
  for (int i = 0; i < end - first; ++i) {
    const Value cell =
        ApplyFunction(a.activation, next.cells[first + i], nullptr);
    if (!cell) return false;
    hidden.push_back(Times(Function("logistic", gates[kLeave][i]), *cell));
  }
  if (!a.projection) {
    std::copy(hidden.begin(), hidden.end(), states->outputs.begin() + first);
    return true;
  }
  const auto cells = static_cast<int64_t>(hidden.size());
  for (size_t o = 0; o < states->outputs.size(); ++o) {
    ReferenceValue sum;
    for (int64_t i = 0; i < cells; ++i) {
      const Value w =
          In(lstm::kProjectionWeights, static_cast<int64_t>(o) * cells + i);
      if (!w) return false;
      sum = Plus(sum, Times(hidden[i], *w));
    }
    const Value biased =
        WithBias(sum, lstm::kProjectionBias, static_cast<int>(o));
    if (!biased) return false;
    states->outputs[o] = Clipped(*biased, a.proj_clip);
  }
  return true;
}

Value ReferenceOps::Lstm(const LstmAttributes& a, const Place& p) {
  const Shape& data = ShapeOf(lstm::kData);
  const Shape& recurrent = ShapeOf(lstm::kRecurrentWeights + lstm::kGates - 1);
  const int cells = recurrent.b, outputs = recurrent.c;
  const int steps = a.time_major ? data.b : data.w;
  const bool is_state = output_ < 0;
  const int batch = a.time_major && !is_state ? p.w : p.b;
  const int step = is_state ? steps - 1 : a.time_major ? p.b : p.w;
  // The states after each step so far; first, the given ones.
  std::vector<Reference::States>& known = ref_.states_[{&node_, batch}];
  const int64_t terms_of_step =
      int64_t{lstm::kGates} * cells * (data.c + outputs) +
      (a.projection ? int64_t{outputs} * cells : 0);
  const bool whole = a.layer_norm || a.projection;
  const int64_t missing = std::max<int64_t>(
      0, step + (whole ? 1 : 0) -
             std::max<int64_t>(0, static_cast<int64_t>(known.size()) - 1));
  if (missing > 0 && terms_of_step > ref_.terms_left_ / missing) {
    return std::nullopt;
  }
  if (known.empty()) {
    Reference::States given;
    for (int i = 0; i < outputs; ++i) {
      const Value v = In(lstm::kOutputState, int64_t{batch} * outputs + i);
      if (!v) return v;
      given.outputs.push_back(*v);
    }
    for (int i = 0; i < cells; ++i) {
      const Value v = In(lstm::kCellState, int64_t{batch} * cells + i);
      if (!v) return v;
      given.cells.push_back(*v);
    }
    known.push_back(std::move(given));
  }
  const auto data_at = [&](int s) {
    return (a.time_major ? int64_t{s} * data.w + batch
                         : int64_t{batch} * data.w + s) *
           data.c;
  };
  while (static_cast<int>(known.size()) < step + (whole ? 2 : 1)) {
    Reference::States next = known.back();
    const int s = static_cast<int>(known.size()) - 1;
    if (!LstmStep(a, data_at(s), 0, cells, &next)) return std::nullopt;
    known.push_back(std::move(next));
  }
  const bool of_cells = is_state && node_.inputs[lstm::kCellState] == result_;
  if (static_cast<int>(known.size()) > step + 1) {
    const Reference::States& after = known[step + 1];
    return of_cells ? after.cells[p.c] : after.outputs[p.c];
  }
  Reference::States last = known[step];
  if (!LstmStep(a, data_at(step), p.c, p.c + 1, &last)) return std::nullopt;
  return of_cells ? last.cells[p.c] : last.outputs[p.c];
}

Value ReferenceOps::BasicLstm(const Place& p) {
  namespace places = lstm::basic;
  const int inputs = ShapeOf(places::kData).c;
  const int depth = ShapeOf(places::kPrevActivation).c;
  const auto joined = [&](int i) {
    return i < inputs
               ? In(places::kData, int64_t{p.b} * inputs + i)
               : In(places::kPrevActivation, int64_t{p.b} * depth + i - inputs);
  };
  const auto sum_of = [&](int row) -> Value {
    ReferenceValue sum;
    for (int i = 0; i < inputs + depth; ++i) {
      const Value x = joined(i);
      const Value w = In(places::kWeights, int64_t{row} * (inputs + depth) + i);
      if (!x || !w) return std::nullopt;
      sum = Plus(sum, Times(*x, *w));
    }
    return WithBias(sum, places::kBiases, row);
  };
  if (output_ == places::kConcatenation) return joined(p.c);
  if (output_ == places::kGateSums) return sum_of(p.c);
  Value gates[lstm::kGates];  // input, value, forget, output
  for (int gate = 0; gate < lstm::kGates; ++gate) {
    gates[gate] = sum_of(gate * depth + p.c);
    if (!gates[gate]) return std::nullopt;
    gates[gate] = Function(gate == 1 ? "tanh" : "logistic", *gates[gate]);
  }
  const Value old = In(places::kPrevState, int64_t{p.b} * depth + p.c);
  if (!old) return old;
  const ReferenceValue cell =
      Plus(Times(*gates[0], *gates[1]), Times(*gates[2], *old));
  const bool is_cell =
      output_ == places::kState ||
      (output_ < 0 && node_.inputs[places::kPrevState] == result_);
  return is_cell ? cell : Times(*gates[3], Function("tanh", cell));
}

Value ReferenceOps::Svdf(const SvdfAttributes& a, const Place& p) {
  enum Input { kData, kFeature, kTime, kBias, kState };
  const int inputs = ShapeOf(kData).c, memory = ShapeOf(kTime).c;
  const int kept = ShapeOf(kState).c;
  const auto shifted = [&](int at) -> Value {
    if (at % memory < memory - 1) {
      return In(kState, int64_t{p.b} * kept + at + 1);
    }
    ReferenceValue sum;
    for (int i = 0; i < inputs; ++i) {
      const Value w = In(kFeature, int64_t{at / memory} * inputs + i);
      if (!AddTerm(kData, int64_t{p.b} * inputs + i, w, &sum)) {
        return std::nullopt;
      }
    }
    return sum;
  };
  if (output_ < 0) return shifted(p.c);
  ReferenceValue sum;
  for (int i = 0; i < a.rank * memory; ++i) {
    const Value x = shifted(p.c * a.rank * memory + i);
    const Value w = In(kTime, int64_t{p.c} * a.rank * memory + i);
    if (!x || !w) return std::nullopt;
    sum = Plus(sum, Times(*x, *w));
  }
  return WithBias(sum, kBias, p.c);
}

}  // namespace gles_delegate
