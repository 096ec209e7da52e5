// The ops of the self-check's reference that need more than one value at a
// time: recurrent ones, whose old states are given and new ones are results,
// and the choice of detections.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/recurrent/recurrent.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {
namespace {

// --- LSTMs -------------------------------------------------------------------

// Of an LSTM, in one batch.
struct States {
  Rows outputs, cells;
};

// Each error times the other value; of both errors, a part that halves allow.
ReferenceValue Times(const ReferenceValue& a, const ReferenceValue& b) {
  return {a.value * b.value, std::abs(a.value) * b.magnitude +
                                 std::abs(b.value) * a.magnitude +
                                 1e-2 * a.magnitude * b.magnitude};
}
Value Times(const Value& a, const Value& b) {
  return a && b ? Value(Times(*a, *b)) : std::nullopt;
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

// Sums of a gate for cells [first, end): of its input's and its outputs'
// products, and of its peephole. nullopt: one is unknown.
std::optional<Rows> GateSums(NodeReference& n, const LstmAttributes& a,
                             int gate, int64_t data, const States& old,
                             int first, int end) {
  constexpr int kPeepholeOf[] = {0, 1, -1, 2};
  const int inputs = n.ShapeOf(lstm::kData).c;
  const auto outputs = static_cast<int64_t>(old.outputs.size());
  Rows sums;
  for (int64_t cell = first; cell < end; ++cell) {
    Value sum = SumOf(inputs, [&](int64_t i) {
      return n.In(lstm::kData, data + i) *
             n.In(lstm::kInputWeights + gate, cell * inputs + i);
    });
    sum = sum + SumOf(outputs, [&](int64_t i) {
            return Times(old.outputs[i], n.In(lstm::kRecurrentWeights + gate,
                                              cell * outputs + i));
          });
    if (a.peephole && kPeepholeOf[gate] >= 0) {
      sum = sum + Times(old.cells[cell],
                        n.In(lstm::kPeepholes + kPeepholeOf[gate], cell));
    }
    if (!sum) return std::nullopt;
    sums.push_back(*sum);
  }
  if (a.layer_norm) Normalize(&sums);
  for (int cell = first; cell < end; ++cell) {
    Value sum = sums[cell - first];
    if (a.layer_norm) {
      sum = Times(sum, n.In(lstm::kNormCoefficients + gate, cell));
    }
    sum = sum + n.In(lstm::kBiases + gate, cell);
    if (!sum) return std::nullopt;
    sums[cell - first] = *sum;
  }
  return sums;
}

// One step of cells [first, end), and of the outputs that are made of these.
// False: a value is unknown.
bool TakeStep(NodeReference& n, const LstmAttributes& a, int64_t data,
              int first, int end, States* states) {
  CarryOver(&states->cells);
  CarryOver(&states->outputs);
  enum { kEnter, kForget, kValue, kLeave };
  std::optional<Rows> gates[lstm::kGates];
  const auto sum = [&](int gate) {
    gates[gate] = GateSums(n, a, gate, data, *states, first, end);
    return gates[gate].has_value();
  };
  if ((!a.cifg && !sum(kEnter)) || !sum(kForget) || !sum(kValue)) return false;
  Rows cells = states->cells;
  for (int i = 0; i < end - first; ++i) {
    const ReferenceValue forget = Function("logistic", (*gates[kForget])[i]);
    const ReferenceValue enter =
        a.cifg ? ReferenceValue{1 - forget.value, 1 + forget.magnitude}
               : Function("logistic", (*gates[kEnter])[i]);
    const Value value =
        ApplyFunction(a.activation, (*gates[kValue])[i], nullptr);
    if (!value) return false;
    cells[first + i] =
        Clipped(Times(forget, states->cells[first + i]) + Times(enter, *value),
                a.cell_clip);
  }
  // The last gate looks through its peephole at the new cells.
  states->cells = std::move(cells);
  if (!sum(kLeave)) return false;
  Rows hidden;
  for (int i = 0; i < end - first; ++i) {
    const Value cell =
        ApplyFunction(a.activation, states->cells[first + i], nullptr);
    if (!cell) return false;
    hidden.push_back(Times(Function("logistic", (*gates[kLeave])[i]), *cell));
  }
  if (!a.projection) {
    absl::c_copy(hidden, states->outputs.begin() + first);
    return true;
  }
  const auto depth = static_cast<int64_t>(hidden.size());
  for (size_t o = 0; o < states->outputs.size(); ++o) {
    const Value projected = n.WithBias(
        SumOf(depth,
              [&](int64_t i) {
                return Times(hidden[i],
                             n.In(lstm::kProjectionWeights,
                                  static_cast<int64_t>(o) * depth + i));
              }),
        lstm::kProjectionBias, static_cast<int>(o));
    if (!projected) return false;
    states->outputs[o] = Clipped(*projected, a.proj_clip);
  }
  return true;
}

Value Lstm(NodeReference& n, const LstmAttributes& a, int64_t element) {
  const Place p = n.Where(element);
  const Shape& data = n.ShapeOf(lstm::kData);
  const Shape& recurrent =
      n.ShapeOf(lstm::kRecurrentWeights + lstm::kGates - 1);
  const int cells = recurrent.b, outputs = recurrent.c;
  const bool is_state = n.output() < 0;
  const int batch = a.time_major && !is_state ? p.w : p.b;
  const int step = is_state       ? (a.time_major ? data.b : data.w) - 1
                   : a.time_major ? p.b
                                  : p.w;
  // The states after each step so far; first, the given ones.
  auto& known = n.Kept<std::vector<States>>(batch);
  const int64_t terms_of_step =
      int64_t{lstm::kGates} * cells * (data.c + outputs) +
      (a.projection ? int64_t{outputs} * cells : 0);
  const bool whole = a.layer_norm || a.projection;
  const int64_t missing = std::max<int64_t>(
      0, step + (whole ? 1 : 0) -
             std::max<int64_t>(0, static_cast<int64_t>(known.size()) - 1));
  if (missing > 0 && terms_of_step > n.terms_left() / missing) {
    return std::nullopt;
  }
  if (known.empty()) {
    const auto given_outputs =
        RowOf(n, lstm::kOutputState, int64_t{batch} * outputs, outputs);
    const auto given_cells =
        RowOf(n, lstm::kCellState, int64_t{batch} * cells, cells);
    if (!given_outputs || !given_cells) return std::nullopt;
    known.push_back({*given_outputs, *given_cells});
  }
  const auto data_at = [&](int s) {
    return (a.time_major ? int64_t{s} * data.w + batch
                         : int64_t{batch} * data.w + s) *
           data.c;
  };
  while (static_cast<int>(known.size()) < step + (whole ? 2 : 1)) {
    States next = known.back();
    const int s = static_cast<int>(known.size()) - 1;
    if (!TakeStep(n, a, data_at(s), 0, cells, &next)) return std::nullopt;
    known.push_back(std::move(next));
  }
  const auto value = [&](const States& after) {
    return n.IsState(lstm::kCellState) ? after.cells[p.c] : after.outputs[p.c];
  };
  if (static_cast<int>(known.size()) > step + 1) return value(known[step + 1]);
  States after = known[step];
  if (!TakeStep(n, a, data_at(step), p.c, p.c + 1, &after)) return std::nullopt;
  return value(after);
}

Value BasicLstm(NodeReference& n, const BasicLstmAttributes&, int64_t element) {
  namespace places = lstm::basic;
  const Place p = n.Where(element);
  const int inputs = n.ShapeOf(places::kData).c;
  const int depth = n.ShapeOf(places::kPrevActivation).c;
  const auto joined = [&](int64_t i) {
    return i < inputs ? n.In(places::kData, int64_t{p.b} * inputs + i)
                      : n.In(places::kPrevActivation,
                             int64_t{p.b} * depth + i - inputs);
  };
  const auto sum_of = [&](int row) {
    const Value sum = SumOf(inputs + depth, [&](int64_t i) {
      return Times(joined(i),
                   n.In(places::kWeights, int64_t{row} * (inputs + depth) + i));
    });
    return n.WithBias(sum, places::kBiases, row);
  };
  if (n.output() == places::kConcatenation) return joined(p.c);
  if (n.output() == places::kGateSums) return sum_of(p.c);
  Value gates[lstm::kGates];  // input, value, forget, output
  for (int gate = 0; gate < lstm::kGates; ++gate) {
    gates[gate] = sum_of(gate * depth + p.c);
    if (!gates[gate]) return std::nullopt;
    gates[gate] = Function(gate == 1 ? "tanh" : "logistic", *gates[gate]);
  }
  const Value cell =
      Times(gates[0], gates[1]) +
      Times(gates[2], n.In(places::kPrevState, int64_t{p.b} * depth + p.c));
  if (n.output() == places::kState || n.IsState(places::kPrevState)) {
    return cell;
  }
  return cell ? Times(gates[3], Function("tanh", *cell)) : cell;
}

Value Svdf(NodeReference& n, const SvdfParams& a, int64_t element) {
  enum Input { kData, kFeature, kTime, kBias, kState };
  const Place p = n.Where(element);
  const int inputs = n.ShapeOf(kData).c, memory = n.ShapeOf(kTime).c;
  const auto shifted = [&](int64_t at) {
    if (at % memory < memory - 1) {
      return n.In(kState, int64_t{p.b} * n.ShapeOf(kState).c + at + 1);
    }
    return SumOf(inputs, [&](int64_t i) {
      return n.In(kData, int64_t{p.b} * inputs + i) *
             n.In(kFeature, at / memory * inputs + i);
    });
  };
  if (n.output() < 0) return shifted(p.c);
  const int64_t taps = int64_t{a.rank} * memory;
  const Value sum = SumOf(taps, [&](int64_t i) {
    return Times(shifted(p.c * taps + i), n.In(kTime, p.c * taps + i));
  });
  return n.WithBias(sum, kBias, p.c);
}

// --- Detections --------------------------------------------------------------

constexpr double kLeast = -std::numeric_limits<double>::infinity();

// In the order of their rows. Those of scores up to `sure_above` may be
// others.
struct Detections {
  struct Detection {
    int anchor, of_class;
    float score;
    std::array<double, 4> box = {};
    double reach = 0;  // the magnitude of its coordinates
  };
  std::vector<Detection> kept;
  double sure_above = kLeast;
};

struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
  double rim() const { return std::abs(bottom - top) + std::abs(right - left); }
  double reach() const {
    return std::max(
        {std::abs(top), std::abs(left), std::abs(bottom), std::abs(right)});
  }
};

// By how far `a` and `b` overlap more than `part` of what they cover; 0: that
// is less than the rounding of their coordinates.
double Overlap(const Box& a, const Box& b, double part, double rounding) {
  const double unsure =
      2 * rounding * std::max(a.reach(), b.reach()) * (a.rim() + b.rim());
  double over = -1;
  if (a.area() > 0 && b.area() > 0) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double common = std::max(height, 0.0) * std::max(width, 0.0);
    over = common - part * (a.area() + b.area() - common);
    // Far from each other, however they are rounded.
    if (common == 0 && std::min(height, width) < -unsure) return -1;
  }
  const bool flat = std::min(std::abs(a.area()), std::abs(b.area())) < unsure;
  return flat || std::abs(over) < unsure ? 0 : over;
}

// Finds the detections, and above which score they are sure.
// nullopt: they are unknown.
std::optional<Detections> Detect(NodeReference& n, const DetectionParams& p) {
  constexpr int kEncodings = 0, kScores = 1, kAnchors = 2;
  const ValueAt* const given = n.Given(kScores);
  const int anchors = n.ShapeOf(kScores).w, channels = n.ShapeOf(kScores).c;
  if (given == nullptr) return std::nullopt;
  // Halves hold the floats that are given, not all quantized values.
  const bool exact = !n.Input(kEncodings).is_float_view() &&
                     !n.Input(kAnchors).is_float_view();
  const double rounding = exact ? 1e-5 : 2e-3;
  using Detection = Detections::Detection;
  Detections result;
  std::vector<Box> boxes;
  for (int i = 0; i < anchors; ++i) {
    double e[4], at[4];
    for (int c = 0; c < 4; ++c) {
      const Value x =
          n.In(kEncodings, int64_t{i} * n.ShapeOf(kEncodings).c + c);
      const Value anchor = n.In(kAnchors, int64_t{i} * 4 + c);
      if (!x || !anchor) return std::nullopt;
      e[c] = x->value / p.scales[c];
      at[c] = anchor->value;
    }
    const double y = e[0] * at[2] + at[0], x = e[1] * at[3] + at[1];
    const double h = 0.5 * std::exp(e[2]) * at[2];
    const double w = 0.5 * std::exp(e[3]) * at[3];
    boxes.push_back({y - h, x - w, y + h, x + w});
  }
  const auto score_of = [&](int anchor, int of_class) {
    return (*given)(int64_t{anchor} * channels + channels - p.classes +
                    of_class);
  };
  // Of equal scores the first comes first.
  const auto select = [&](std::vector<Detection> candidates, size_t most) {
    absl::c_stable_sort(candidates,
                        [](auto& a, auto& b) { return a.score > b.score; });
    std::vector<Detection> kept;
    for (const Detection& d : candidates) {
      if (kept.size() == most) break;
      double over = -1;
      for (size_t k = 0; k < kept.size() && over < 0 && p.iou_threshold < 1;
           ++k) {
        over = Overlap(boxes[d.anchor], boxes[kept[k].anchor], p.iou_threshold,
                       rounding);
      }
      if (over == 0) {
        result.sure_above = std::max<double>(result.sure_above, d.score);
        break;
      }
      if (over < 0) kept.push_back(d);
    }
    return kept;
  };
  std::vector<Detection> candidates;
  for (int i = 0; i < anchors && !p.regular; ++i) {
    Detection best = {i, 0, score_of(i, 0)};
    for (int c = 1; c < p.classes; ++c) {
      if (score_of(i, c) > best.score) best = {i, c, score_of(i, c)};
    }
    if (best.score >= p.score_threshold) candidates.push_back(best);
  }
  if (!p.regular) result.kept = select(std::move(candidates), p.max);
  for (int i = 0; i < p.classes && p.regular; ++i) {
    const int c = p.last_class_first ? p.classes - 1 - i : i;
    candidates.clear();
    for (int anchor = 0; anchor < anchors; ++anchor) {
      if (score_of(anchor, c) >= p.score_threshold) {
        candidates.push_back({anchor, c, score_of(anchor, c)});
      }
    }
    const std::vector<Detection> of_class =
        select(candidates, std::min(p.max, p.max_of_class));
    result.kept.insert(result.kept.end(), of_class.begin(), of_class.end());
  }
  absl::c_stable_sort(result.kept,
                      [](auto& a, auto& b) { return a.score > b.score; });
  if (result.kept.size() > static_cast<size_t>(p.max)) {
    result.kept.resize(p.max);
  }
  for (Detection& d : result.kept) {
    const Box& box = boxes[d.anchor];
    d.box = {box.top, box.left, box.bottom, box.right};
    d.reach = box.reach() + box.rim();
  }
  return result;
}

Value DetectionRow(NodeReference& n, const DetectionParams& p,
                   int64_t element) {
  enum { kBoxes, kClasses, kScoresOut, kCount };
  auto& known = n.Kept<std::optional<Detections>>(0, /*for_long=*/true);
  if (!known) known = Detect(n, p);
  if (!known) return std::nullopt;
  const auto& kept = known->kept;
  const bool all_sure = known->sure_above == kLeast;
  if (n.output() == kCount) {
    const auto count = static_cast<double>(kept.size());
    return all_sure ? Value({count, count}) : std::nullopt;
  }
  const int each = p.regular ? 1 : p.classes_of_each;
  const size_t row = n.output() == kBoxes ? element / 4 : element;
  const size_t at = row / each;
  if (at >= kept.size()) {
    return all_sure ? Value(ReferenceValue()) : std::nullopt;
  }
  // The later classes of a detection have their own order.
  if (kept[at].score <= known->sure_above || row % each != 0) {
    return std::nullopt;
  }
  const double v = n.output() == kBoxes     ? kept[at].box[element % 4]
                   : n.output() == kClasses ? kept[at].of_class
                                            : kept[at].score;
  return ReferenceValue{v, n.output() == kBoxes ? kept[at].reach : std::abs(v)};
}

}  // namespace

bool ComputeStates(NodeReference& n, int64_t element, Value* value) {
  return n.ByAttributes(element, value, Lstm, BasicLstm, Svdf, DetectionRow);
}

}  // namespace gles_delegate
