// Attention networks as graphs, for tests of passes.
#ifndef GLES_DELEGATE_TESTS_TESTING_ATTENTION_GRAPH_H_
#define GLES_DELEGATE_TESTS_TESTING_ATTENTION_GRAPH_H_

#include <vector>

#include "delegate/ops/all_ops.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/reduction/softmax.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {

using Dims = std::vector<int>;

// A device with room for operands, whose programs share tiles.
inline DeviceProfile RoomyH200Profile() {
  DeviceProfile profile = H200Profile();
  profile.limits.max_buffers = profile.limits.max_images =
      profile.limits.max_textures = profile.limits.max_outputs = 16;
  return profile;
}

// Attention on graphs: rows of H * C channels.
class Attention : public GraphBuilder {
 public:
  TensorId Transpose(TensorId x, const Dims& by) {
    Dims dims;
    for (int axis : by) dims.push_back(graph.tensor(x).dims[axis]);
    const TensorId permutation = Ints(by);
    const TensorId out = Node("TRANSPOSE", {x, permutation}, dims);
    NodeView view;
    view.inputs = {&graph.tensor(x), &graph.tensor(permutation)};
    view.outputs = {&graph.tensor(out)};
    graph.nodes.back().attributes = ParseTranspose(view)->attributes;
    return out;
  }
  TensorId Slice(TensorId x, const Dims& begin, const Dims& size) {
    const TensorId b = Ints(begin), s = Ints(size);
    const TensorId out = Node("SLICE", {x, b, s}, size);
    NodeView view;
    view.inputs = {&graph.tensor(x), &graph.tensor(b), &graph.tensor(s)};
    view.outputs = {&graph.tensor(out)};
    graph.nodes.back().attributes = ParseSlice(view)->attributes;
    return out;
  }
  TensorId Reshape(TensorId x, const Dims& dims) {
    return Node("RESHAPE", {x}, dims);
  }
  TensorId Rows(TensorId x, const Dims& dims) {
    return Node("FULLY_CONNECTED",
                {x, Constant({dims.back(), graph.tensor(x).dims.back()})}, dims,
                FullyConnectedAttributes());
  }
  TensorId Product(TensorId x, TensorId y, const Dims& dims,
                   bool adj_y = false) {
    return Node("BATCH_MATMUL", {x, y}, dims,
                BatchMatMulAttributes{false, adj_y, graph.tensor(x).dims,
                                      graph.tensor(y).dims, dims});
  }
  TensorId Softmax(TensorId x) {
    return Node("SOFTMAX", {x}, graph.tensor(x).dims, SoftmaxAttributes());
  }
  // [B,S,H*C] to [B,H,S,C].
  TensorId Heads(TensorId x, int heads) {
    const Dims d = graph.tensor(x).dims;
    x = Reshape(x, {d[0], d[1], heads, d[2] / heads});
    return Transpose(x, {0, 2, 1, 3});
  }
  const BatchMatMulAttributes& Attributes(int node) const {
    return std::any_cast<const BatchMatMulAttributes&>(
        graph.nodes[node].attributes);
  }
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_ATTENTION_GRAPH_H_
