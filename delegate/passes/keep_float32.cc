// With 16-bit storage, keeps in 32 bits what 16 bits cannot hold, and notes why
// in Graph::float32_reasons.
//
// - Squares that only sums read: those of values above 255 overflow, and so do
//   their means, so that a normalization written as SQUARE, MEAN, ADD, RSQRT,
//   MUL would divide by 65504. With later values until they meet the
//   normalized tensor.
// - Integers: halves have no odd number past 2,048. Positions and time steps
//   come from CASTs, indices go to them.
// - What a function of large or tiny numbers reads (kExact in the .cc): an
//   error of 2^-11 of an angle of 8,000 is four radians.
//
// Not graph outputs, whose type the runtime determines, and not the integer
// path. Constants and model inputs that nodes in 32 bits read are in 32 bits,
// too.
#include <iterator>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// An op whose inputs are kept. Back from there, functions, movements and sums
// are kept, too, and up to this number of products; a network before them stays
// in 16 bits.
struct Exact {
  absl::string_view op;
  int products;
  const char* reason;
};
constexpr Exact kExact[] = {
    // Of frequencies by positions.
    {"SIN", 1, "angles of many turns"},
    {"COS", 1, "angles of many turns"},
    // Of a signal by waves, and of its spectrum by filters.
    {"LOG", 2, "a logarithm near zero"},
    // Of positions by a matrix.
    {"FLOOR", 1, "positions"},
    {"CEIL", 1, "positions"},
    {"ROUND", 1, "positions"},
    {"FLOOR_DIV", 1, "positions"},
    {"FLOOR_MOD", 1, "positions"},
};

// LOG(x + c) needs x as exactly as c is small: a softplus, log(1 + e^x), gets
// nothing from 32 bits.
constexpr float kLargeOffset = 0.5f;

bool IsSquare(const Node& node) {
  const absl::string_view op = node.op->name;
  return op == "SQUARE" || op == "SQUARED_DIFFERENCE" ||
         (op == "MUL" && node.inputs[0] == node.inputs[1]);
}

bool IsSum(const Node& node) {
  const absl::string_view op = node.op->name;
  return op == "SUM" || op == "MEAN" || op == "CUMSUM";
}

bool IsProduct(const Node& node) {
  const absl::string_view op = node.op->name;
  return op == "FULLY_CONNECTED" || op == "BATCH_MATMUL" || op == "CONV_2D" ||
         op == "RFFT2D";
}

// A broadcast is one, too.
bool IsElementwise(const Node& node) {
  return node.As<ElementwiseAttributes>() != nullptr;
}

// Of 16 bits or more: halves hold integers up to 2,048.
bool CastsIntegers(const Node& node, const Graph& graph) {
  if (node.op->name != "CAST") return false;
  const Tensor& from = graph.tensor(node.inputs[0]);
  return from.type == DataType::kInt32 && DataTypeSize(from.stored()) >= 2;
}

// A function whose inputs, except constants, are all in 32 bits: ADD of an
// epsilon, SQRT, RSQRT, a change of shape.
bool GoesOn(const Node& node, const Graph& graph) {
  const bool is_function =
      IsPlainElementwise(graph, node) || node.op->name == "RESHAPE";
  return (is_function || IsSum(node)) &&
         absl::c_all_of(node.inputs, [&](TensorId id) {
           return id == kNoTensor || graph.tensor(id).is_constant() ||
                  graph.tensor(id).always_float32;
         });
}

class Float32Keeper {
 public:
  explicit Float32Keeper(Rewriter& r) : r_(r), graph_(&r.graph()) {}

  void Run() {
    NoteReasons();
    FindSumsOfSquares();
    KeepSquares();
    KeepInputs();
    for (const Node& node : graph_->nodes) {
      if (!node.always_float32) continue;
      for (TensorId id : node.inputs) {
        // What no node writes: constants, and the graph's inputs.
        if (id == kNoTensor || r_.MakerOf(id) >= 0) continue;
        Tensor& t = graph_->tensor(id);
        t.always_float32 |= t.is_constant() || IsFloat(t);
      }
    }
  }

 private:
  // Of nodes that the reader keeps.
  void NoteReasons() {
    for (const Node& node : graph_->nodes) {
      if (!node.always_float32) continue;
      const bool quantized = absl::c_any_of(node.outputs, [this](TensorId id) {
        return id != kNoTensor && graph_->tensor(id).is_float_view();
      });
      Note(node, quantized ? "quantized values" : "listed in float32_nodes");
    }
  }

  void Note(const Node& node, const char* reason) {
    graph_->float32_reasons.emplace(node.tflite_index, reason);
  }

  // Nodes are in order, so that their inputs are known.
  void KeepSquares() {
    std::vector<bool> follows(graph_->nodes.size(), false);
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      Node& node = graph_->nodes[n];
      const bool keep = follows[n] ? GoesOn(node, *graph_)
                                   : IsSquare(node) && OnlySumsRead(node);
      if (!keep || !Keep(&node, "squares")) continue;
      for (int reader : r_.ReadersOf(node.outputs[0])) {
        follows[reader] = true;
      }
    }
  }

  // How exactly the readers of a tensor need it.
  struct Need {
    int products = kNone;
    const char* reason = nullptr;
    static constexpr int kNone = -1;
  };

  // Backwards: readers say what they need.
  void KeepInputs() {
    needs_.resize(graph_->tensors.size());
    for (auto node = graph_->nodes.rbegin(); node != graph_->nodes.rend();
         ++node) {
      if (const Need own = NeedOf(*node); own.products != Need::kNone) {
        AskInputs(*node, own);
      }
      Need need;
      if (CastsIntegers(*node, *graph_)) need = {0, "integers"};
      for (TensorId id : node->outputs) {
        if (id != kNoTensor && needs_[id].products > need.products) {
          need = needs_[id];
        }
      }
      if (need.products == Need::kNone || !Keep(&*node, need.reason)) continue;
      if (IsProduct(*node)) {
        if (need.products > 0) {
          AskInputs(*node, {need.products - 1, need.reason});
        }
      } else if (IsElementwise(*node) || IsSum(*node) ||
                 node->op->Has(kMovesValues)) {
        AskInputs(*node, need);
      }
    }
  }

  Need NeedOf(const Node& node) const {
    const absl::string_view op = node.op->name;
    if (op == "CAST" &&
        graph_->tensor(node.outputs[0]).type == DataType::kInt32) {
      return {0, "numbers that become integers"};
    }
    const auto* exact =
        absl::c_find_if(kExact, [op](const Exact& e) { return e.op == op; });
    if (exact == std::end(kExact) || (op == "LOG" && IsOffset(node))) return {};
    return {exact->products, exact->reason};
  }

  // Whether the node's input is a sum with a large constant.
  bool IsOffset(const Node& log) const {
    const int producer = r_.MakerOf(log.inputs[0]);
    if (producer < 0 || graph_->nodes[producer].op->name != "ADD") return false;
    for (TensorId id : graph_->nodes[producer].inputs) {
      if (!graph_->tensor(id).is_constant()) continue;
      const auto values = ConstantFloats(graph_->tensor(id));
      return values.ok() &&
             absl::c_all_of(*values, [](float v) { return v >= kLargeOffset; });
    }
    return false;
  }

  void AskInputs(const Node& node, Need need) {
    for (TensorId id : node.inputs) {
      if (id == kNoTensor || !IsFloat(graph_->tensor(id))) continue;
      if (need.products > needs_[id].products) needs_[id] = need;
      graph_->tensor(id).always_float32 |= r_.MakerOf(id) < 0;
    }
  }

  // False: it may not be kept.
  bool Keep(Node* node, const char* reason) {
    if (node->integer_path) return false;
    for (TensorId id : node->outputs) {
      const Tensor& out = graph_->tensor(id);
      if (!IsFloat(out) || out.is_variable || r_.IsOutput(id)) return false;
    }
    node->always_float32 = true;
    Note(*node, reason);
    for (TensorId id : node->outputs) graph_->tensor(id).always_float32 = true;
    return true;
  }

  // Sums of a row, or of the squares of a vector's parts.
  bool OnlySumsRead(const Node& node) const {
    const auto& readers = r_.ReadersOf(node.outputs[0]);
    return !readers.empty() && absl::c_all_of(readers, [this](int n) {
      return IsSum(graph_->nodes[n]) || adds_squares_[n];
    });
  }

  // ADDs of squares, or of such sums. Nodes are in order.
  void FindSumsOfSquares() {
    adds_squares_.resize(graph_->nodes.size());
    const auto is_square = [this](TensorId id) {
      const int n = r_.MakerOf(id);
      return n >= 0 && (adds_squares_[n] || IsSquare(graph_->nodes[n]));
    };
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      const Node& node = graph_->nodes[n];
      adds_squares_[n] =
          node.op->name == "ADD" && absl::c_all_of(node.inputs, is_square);
    }
  }

  const Rewriter& r_;
  Graph* graph_;
  std::vector<bool> adds_squares_;  // by node
  std::vector<Need> needs_;         // by tensor
};

}  // namespace

void KeepFloat32(Rewriter& r) { Float32Keeper(r).Run(); }

}  // namespace gles_delegate
