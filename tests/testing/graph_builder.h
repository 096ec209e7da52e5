// Graphs for tests of passes.
#ifndef GLES_DELEGATE_TESTS_TESTING_GRAPH_BUILDER_H_
#define GLES_DELEGATE_TESTS_TESTING_GRAPH_BUILDER_H_

#include <any>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/run_pass.h"

namespace gles_delegate::testing {

// Of a tensor where any will do: one slice of 2x2 pixels.
inline const std::vector<int> kDims = {1, 2, 2, 4};

// Builds graphs as the reader does.
class GraphBuilder {
 public:
  TensorId Tensor(const std::vector<int>& dims) {
    gles_delegate::Tensor t;
    t.name = "t" + std::to_string(graph.tensors.size());
    t.dims = dims;
    t.shape = gles_delegate::Shape::FromDims(dims);
    return graph.AddTensor(std::move(t));
  }
  TensorId Input(const std::vector<int>& dims) {
    graph.inputs.push_back(Tensor(dims));
    return graph.inputs.back();
  }
  TensorId Constant(const std::vector<int>& dims) {
    const TensorId id = Tensor(dims);
    auto& t = graph.tensor(id);
    t.constant = ConstantData::Own(
        std::vector<uint8_t>(4 * static_cast<size_t>(t.shape.elements())));
    return id;
  }
  TensorId Ints(const std::vector<int>& values) {
    const TensorId id = Tensor({static_cast<int>(values.size())});
    std::vector<uint8_t> bytes(values.size() * 4);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    graph.tensor(id).type = DataType::kInt32;
    graph.tensor(id).constant = ConstantData::Own(std::move(bytes));
    return id;
  }
  TensorId Node(absl::string_view op, std::vector<TensorId> inputs,
                const std::vector<int>& dims, std::any attributes = {},
                std::vector<PostOp> post_ops = {}) {
    const TensorId out = Tensor(dims);
    gles_delegate::Node node;
    node.op = FindOpNamed(op);
    node.inputs = std::move(inputs);
    node.outputs = {out};
    node.attributes = std::move(attributes);
    node.post_ops = std::move(post_ops);
    graph.nodes.push_back(std::move(node));
    return out;
  }
  TensorId Relu(TensorId x) {
    return Node("RELU", {x}, graph.tensor(x).dims, Plain(x, 0),
                {{"clamp", {0, 6, 0, 0}}});
  }
  // a + b and a * b, a the source.
  TensorId Add(TensorId a, TensorId b) { return Binary("ADD", "add", a, b); }
  TensorId Mul(TensorId a, TensorId b) { return Binary("MUL", "mul", a, b); }
  TensorId Binary(absl::string_view op, const std::string& function, TensorId a,
                  TensorId b) {
    PostOp f{function};
    f.operand = b;
    return Node(op, {a, b}, graph.tensor(a).dims, Plain(a, 0), {f});
  }
  TensorId Conv(TensorId x) {
    return Node("CONV_2D", {x, Constant({4, 1, 1, 4})}, graph.tensor(x).dims,
                Conv2dAttributes());
  }
  ElementwiseAttributes Plain(TensorId x, int source) {
    ElementwiseAttributes a;
    a.source = source;
    a.source_shape = graph.tensor(x).shape;
    return a;
  }
  // The nodes' names, in order.
  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    for (const auto& node : graph.nodes) names.push_back(NameOf(node));
    return names;
  }

  Graph graph;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_GRAPH_BUILDER_H_
