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
#include "delegate/graph/graph.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/shape_values.h"
#include "delegate/tflite/subgraph_border.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- The tensors that a WHILE exchanges with its condition and body ----------

// The subgraph that a WHILE asks before each step.
struct LoopCondition {
  TfLiteContext* context = nullptr;
  std::vector<int> plan;                      // in execution order
  std::vector<SubgraphBorder::Input> inputs;  // those that it reads
  int output = -1;
};

// The border of the body; all inputs are in it, and an output that the body
// does not change is the input. Fills in `condition`'s, whose `context` and
// `plan` are known.
//
// Found as BorderOf() finds a composite's, with one difference: the kernel of
// WHILE copies no shapes from the body's outputs. But it compares them with
// those of the inputs, one by one, and makes its own outputs dynamic if any
// differ. So this gives one input and one tensor of the body a shape, all
// others another, and prepares the kernel: if its outputs are not dynamic, that
// tensor is that input's next value, and no other's.
//
// `node`: the WHILE's index. `plan`: the nodes of `body`. The shapes in both
// subgraphs are wrong until the WHILE is prepared again.
absl::StatusOr<SubgraphBorder> LoopBorderOf(TfLiteContext* context, int node,
                                            TfLiteContext* body,
                                            absl::Span<const int> plan,
                                            const NodeFinder& find,
                                            LoopCondition* condition);

bool IsComposite(const TfLiteRegistration& registration);
bool IsLoop(const TfLiteRegistration& registration);  // WHILE

// "odml.rms_norm". "": it has no name.
std::string CompositeName(const TfLiteNode& node);

// A node of a subgraph, by TFLite's index.
using NodeKey = std::pair<TfLiteContext*, int>;

// The subgraph of one composite, or the body of one WHILE, as it was before any
// delegate.
struct Decomposition {
  // Ok, or why its nodes cannot be read; the members below count only if Ok.
  absl::Status status;
  // It leads back to itself, or too deep to tell, or its graph has a fault:
  // TFLite's own kernel may not return from preparing it.
  bool is_unsafe = false;
  TfLiteContext* context = nullptr;  // lives as long as the interpreter
  std::vector<int> plan;             // in execution order
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
// Of a composite.
using DecomposedTensors = HashMap<NodeKey, DecomposedGraph>;

// `context`'s tensors as they are now, those in `values` as constants.
// `before`, unless nullptr, is an earlier result, which gives the constants of
// the file.
DecomposedGraph ReadDecomposedGraph(const TfLiteContext& context,
                                    const TensorValues& values,
                                    const DecomposedGraph* before);

// Reads the tensors of a composite that TFLite has prepared, and of those
// inside.
void ReadDecomposed(const Decompositions& decompositions, const NodeKey& node,
                    DecomposedTensors* decomposed);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_
