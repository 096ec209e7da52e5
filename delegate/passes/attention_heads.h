// How the heads of an attention are split from rows of channels, and merged, by
// chains of reshapes, transposes, slices and factors.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_ATTENTION_HEADS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_ATTENTION_HEADS_H_

#include <optional>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/element_map.h"

namespace gles_delegate {

// The matrices of a factor or product: `count` times rows x columns.
struct Matrices {
  int count = 1;
  int rows = 1;
  int columns = 1;

  // Of a tensor with these dims, at least two.
  static Matrices Of(const std::vector<int>& dims);
  std::vector<int> dims() const { return {count, rows, columns}; }
};

// A factor of a product as the heads of rows.
struct SplitHeads {
  TensorId source = kNoTensor;  // the rows
  int first = 0;                // slice of the source
  bool transposed = false;      // the factor is a matrix of columns
  std::vector<PostOp> scales;   // on the way
};

// A product as the heads of rows that a model merges.
struct MergedHeads {
  TensorId rows = kNoTensor;
  int node = -1;  // that makes the rows
  int batch = 1;
  std::vector<PostOp> scales;  // on the way
};

class HeadFinder {
 public:
  // `removed`: nodes that make nothing any more. All must outlive this.
  HeadFinder(const Graph& graph, const Uses& uses,
             const std::vector<Node>& nodes, const std::vector<bool>& removed)
      : graph_(graph), uses_(uses), nodes_(nodes), removed_(removed) {}

  // nullopt: the factor is not made of heads whose channels are whole texels.
  std::optional<SplitHeads> SplitOf(TensorId factor, const Matrices& m) const;
  std::optional<MergedHeads> MergedOf(TensorId product,
                                      const Matrices& m) const;

 private:
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  TensorId MovedBy(const Node& node) const;
  bool Follow(const Node& node, TensorId output, ElementMap* map) const;
  std::optional<SplitHeads> Place(const ElementMap& map, const Matrices& m,
                                  SplitHeads heads) const;

  const Graph& graph_;
  const Uses& uses_;
  const std::vector<Node>& nodes_;
  const std::vector<bool>& removed_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_ATTENTION_HEADS_H_
