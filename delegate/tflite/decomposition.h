// The subgraphs that STABLEHLO_COMPOSITE nodes stand for.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/subgraph_border.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

bool IsComposite(const TfLiteRegistration& registration);

// "odml.rms_norm". "": it has no name.
std::string CompositeName(const TfLiteNode& node);

// A node of a subgraph, by TFLite's index.
using NodeKey = std::pair<TfLiteContext*, int>;

// The subgraph of one composite, as it was before any delegate.
struct Decomposition {
  // Ok, or why its nodes cannot be read; the members below count only if Ok.
  absl::Status status;
  // It leads back to itself, or too deep to tell. TFLite's own kernel does not
  // return from preparing it.
  bool is_endless = false;
  TfLiteContext* context = nullptr;  // lives as long as the interpreter
  std::vector<int> plan;             // in execution order
  SubgraphBorder border;
};

// All composites of a model, those inside decompositions included.
using Decompositions = absl::flat_hash_map<NodeKey, Decomposition>;

// The composites among the nodes of `plan`. Call it in the delegate's Prepare.
Decompositions FindDecompositions(TfLiteContext* context,
                                  const NodeFinder& find,
                                  absl::Span<const int> plan);

// The subgraphs that can be read, each once.
std::vector<TfLiteContext*> SubgraphsOf(const Decompositions& decompositions);

// The subgraph that the composite stands for, and those inside, as often as
// they are called. Empty if it cannot be read, or for another node.
std::vector<TfLiteContext*> SubgraphsBelow(const Decompositions& decompositions,
                                           const NodeKey& node);

// The tensors of the subgraph that a composite stands for, with their shapes
// for the composite's inputs, at TFLite's indices.
struct DecomposedGraph {
  std::vector<Tensor> tensors;
  std::vector<bool> is_dynamic;  // its shape is known only at run time
};
using DecomposedTensors = absl::flat_hash_map<NodeKey, DecomposedGraph>;

// Reads the tensors of a composite that TFLite has prepared, and of those
// inside.
void ReadDecomposed(const Decompositions& decompositions, const NodeKey& node,
                    DecomposedTensors* decomposed);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_DECOMPOSITION_H_
