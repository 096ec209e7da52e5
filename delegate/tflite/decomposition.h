// The subgraphs that STABLEHLO_COMPOSITE and WHILE nodes stand for.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/runtime_nodes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct Subgraph {
  TfLiteContext* context = nullptr;  // lives as long as the interpreter
  std::vector<int> plan;             // its nodes, in execution order
};

// The tensors that a STABLEHLO_COMPOSITE or a WHILE exchanges with its
// decomposition or body, by TFLite's index in the subgraph.
struct SubgraphBorder {
  struct Input {
    int id;
    int position;  // in the composite's inputs
  };
  std::vector<Input> inputs;  // those that are used
  std::vector<int> outputs;   // as many as the composite has
};

// Finds a model's other subgraphs while a delegate is applied to one of them,
// in runtimes from 2.14 on.
class Subgraphs {
 public:
  // `own` as a delegate's Prepare gets it; it must outlive this.
  explicit Subgraphs(TfLiteContext* own);

  // The context of a subgraph, by its place in the file. It lives as long as
  // the interpreter, in the state that kernels see it in. kUnimplemented: the
  // runtime is older. kInvalidArgument: the model has no such subgraph.
  absl::StatusOr<TfLiteContext*> Get(int subgraph) const;

  // The addresses of the file's constants in the model's subgraphs except `own`
  // and `those`. None if the runtime is older.
  HashSet<const void*> ConstantsExcept(
      absl::Span<TfLiteContext* const> those) const;

  // Which subgraphs nodes of the model call: bodies, conditions, branches,
  // decompositions. None if the runtime is older.
  HashSet<const TfLiteContext*> Called() const;

 private:
  using Acquire = TfLiteStatus (*)(TfLiteContext*, int, TfLiteContext**);
  using Release = TfLiteStatus (*)(TfLiteContext*, int);

  TfLiteContext* own_;
  Acquire acquire_ = nullptr;  // nullptr: the runtime is older
  Release release_ = nullptr;
  NodeFinder find_;
};

// The subgraph that a WHILE asks before each step.
struct LoopCondition : Subgraph {
  std::vector<SubgraphBorder::Input> inputs;  // those that it reads
  int output = -1;
};

inline bool IsComposite(const TfLiteRegistration& kernel) {
  return kernel.builtin_code == BuiltinOperator_STABLEHLO_COMPOSITE;
}
inline bool IsLoop(const TfLiteRegistration& kernel) {
  return kernel.builtin_code == BuiltinOperator_WHILE;
}

// "odml.rms_norm". "": it has no name.
std::string CompositeName(const TfLiteNode& node);

// A node of a subgraph, by TFLite's index.
using NodeKey = std::pair<TfLiteContext*, int>;

// The subgraph of one composite, or the body of one WHILE, as it was before any
// delegate.
struct Decomposition : Subgraph {
  // Ok, or why its nodes cannot be read; the members below count only if Ok.
  absl::Status status;
  // It leads back to itself, or too deep to tell, or its graph has a fault:
  // TFLite's own kernel may not return from preparing it.
  bool is_unsafe = false;
  SubgraphBorder border;
  std::optional<LoopCondition> condition;  // of a WHILE

  // "decomposition", "body": for messages.
  const char* noun() const { return condition ? "body" : "decomposition"; }
};

// All composites of a model, those inside decompositions included, and the
// WHILEs of the subgraph that is read.
using Decompositions = HashMap<NodeKey, Decomposition>;

// The composites and loops among the nodes of `plan`. Call it in the delegate's
// Prepare.
Decompositions FindDecompositions(TfLiteContext* context,
                                  const NodeFinder& find,
                                  absl::Span<const int> plan);

// The subgraphs that can be read, each once.
std::vector<TfLiteContext*> SubgraphsOf(const Decompositions& decompositions);

// The subgraph that the composite stands for, and those inside, as often as
// they are called; a loop's body and condition. Empty if it cannot be read, or
// for another node.
std::vector<TfLiteContext*> SubgraphsBelow(const Decompositions& decompositions,
                                           const NodeKey& node);

// The tensors of the subgraph that a node stands for, with their shapes for the
// node's inputs, at TFLite's indices.
struct DecomposedGraph {
  std::vector<Tensor> tensors;
  std::vector<bool> is_dynamic;  // its shape is known only at run time
  std::vector<bool> is_of_file;  // a constant of the model's file
};

// `context`'s tensors as they are now, those in `values` as constants.
// `before`, unless nullptr, is an earlier result, which gives the constants of
// the file.
DecomposedGraph ReadDecomposedGraph(const TfLiteContext& context,
                                    const TensorValues& values,
                                    const DecomposedGraph* before);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_
