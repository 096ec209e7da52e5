#include "delegate/passes/keep_float32.h"

#include <algorithm>
#include <any>
#include <iterator>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {
namespace {

// The ops whose inputs are kept.
constexpr absl::string_view kExact[] = {
    "SIN",   "COS",                     // angles of many turns
    "LOG",                              // sums near zero: a quiet spectrum
    "FLOOR", "FLOOR_DIV", "FLOOR_MOD",  // of positions
};

// Back from there, functions, movements and sums are kept, too, and up to this
// number of products: of frequencies by positions, or of a spectrum by filters.
// A network before them stays in 16 bits.
constexpr int kProducts = 1;

bool IsSquare(const Node& node) {
  const absl::string_view op = node.op->name;
  return op == "SQUARE" || op == "SQUARED_DIFFERENCE" ||
         (op == "MUL" && node.inputs[0] == node.inputs[1]);
}

bool IsSum(const Node& node) {
  return node.op->name == "SUM" || node.op->name == "MEAN";
}

bool IsProduct(const Node& node) {
  return node.op->name == "FULLY_CONNECTED" || node.op->name == "BATCH_MATMUL";
}

// A broadcast is one, too.
bool IsElementwise(const Node& node) {
  return std::any_cast<ElementwiseAttributes>(&node.attributes) != nullptr;
}

bool HoldsFloats(const Tensor& t) {
  return t.type == DataType::kFloat32 && !t.is_float_view();
}

// Of int32 or int64, whose values may be past 2,048.
bool CastsIntegers(const Node& node, const Graph& graph) {
  if (node.op->name != "CAST") return false;
  const Tensor& from = graph.tensor(node.inputs[0]);
  return from.type == DataType::kInt32 && DataTypeSize(from.stored()) >= 4;
}

// A function whose inputs, except constants, are all in 32 bits: ADD of an
// epsilon, SQRT, RSQRT, a change of shape.
bool GoesOn(const Node& node, const Graph& graph) {
  const bool is_function =
      IsPlainElementwise(graph, node) || node.op->name == "RESHAPE";
  return (is_function || IsSum(node)) &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
           return id == kNoTensor || graph.tensor(id).is_constant() ||
                  graph.tensor(id).always_float32;
         });
}

class Float32Keeper {
 public:
  explicit Float32Keeper(Graph* graph) : graph_(graph), uses_(*graph) {}

  void Run() {
    KeepSquares();
    KeepInputs();
    for (const Node& node : graph_->nodes) {
      if (!node.always_float32) continue;
      for (TensorId id : node.inputs) {
        if (id == kNoTensor || !graph_->tensor(id).is_constant()) continue;
        graph_->tensor(id).always_float32 = true;
      }
    }
  }

 private:
  // Nodes are in order, so that their inputs are known.
  void KeepSquares() {
    std::vector<bool> follows(graph_->nodes.size(), false);
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      Node& node = graph_->nodes[n];
      const bool keep = follows[n] ? GoesOn(node, *graph_)
                                   : IsSquare(node) && OnlySumsRead(node);
      if (!keep || !Keep(&node)) continue;
      for (int reader : uses_.consumers[node.outputs[0]]) {
        follows[reader] = true;
      }
    }
  }

  // Backwards: readers say what they need.
  void KeepInputs() {
    constexpr int kNotNeeded = -1;
    std::vector<int> products(graph_->tensors.size(), kNotNeeded);
    const auto need = [&](const Node& node, int left) {
      for (TensorId id : node.inputs) {
        if (id == kNoTensor || !HoldsFloats(graph_->tensor(id))) continue;
        products[id] = std::max(products[id], left);
        // Of the graph's inputs, which no node writes.
        graph_->tensor(id).always_float32 |= uses_.producer[id] < 0;
      }
    };
    for (auto node = graph_->nodes.rbegin(); node != graph_->nodes.rend();
         ++node) {
      if (std::find(std::begin(kExact), std::end(kExact), node->op->name) !=
          std::end(kExact)) {
        need(*node, kProducts);
      }
      int left = CastsIntegers(*node, *graph_) ? 0 : kNotNeeded;
      for (TensorId id : node->outputs) {
        if (id != kNoTensor) left = std::max(left, products[id]);
      }
      if (left == kNotNeeded || !Keep(&*node)) continue;
      if (IsProduct(*node)) {
        if (left > 0) need(*node, left - 1);
      } else if (IsElementwise(*node) || IsSum(*node) ||
                 node->op->Has(kMovesValues)) {
        need(*node, left);
      }
    }
  }

  // False: it may not be kept.
  bool Keep(Node* node) {
    if (node->integer_path) return false;
    for (TensorId id : node->outputs) {
      const Tensor& out = graph_->tensor(id);
      if (!HoldsFloats(out) || out.is_variable || uses_.is_output[id])
        return false;
    }
    node->always_float32 = true;
    for (TensorId id : node->outputs) graph_->tensor(id).always_float32 = true;
    return true;
  }

  bool OnlySumsRead(const Node& node) const {
    const auto& readers = uses_.consumers[node.outputs[0]];
    return !readers.empty() &&
           std::all_of(readers.begin(), readers.end(),
                       [this](int n) { return IsSum(graph_->nodes[n]); });
  }

  Graph* graph_;
  Uses uses_;
};

}  // namespace

void KeepFloat32(Graph* graph, const DeviceProfile& profile) {
  if (profile.options.half) Float32Keeper(graph).Run();
}

}  // namespace gles_delegate
