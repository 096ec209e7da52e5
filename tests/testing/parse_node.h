// Nodes that an op's parser refuses, and why.
//
//   EXPECT_THAT(Refusal(ParsePool2d, {FakeTensor({1, 4, 4, 3})},
//                       {FakeTensor({1, 3, 3, 3})}, &params),
//               HasSubstr("output"));
#ifndef GLES_DELEGATE_TESTS_TESTING_PARSE_NODE_H_
#define GLES_DELEGATE_TESTS_TESTING_PARSE_NODE_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/fake_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// A constant int32 vector, or of `dims`.
inline Tensor FakeInts(const std::vector<int>& values,
                       std::vector<int> dims = {}) {
  if (dims.empty()) dims = {static_cast<int>(values.size())};
  Tensor tensor = FakeTensor(std::move(dims));
  tensor.type = DataType::kInt32;
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  tensor.constant = ConstantData::Own(
      std::vector<uint8_t>(bytes, bytes + values.size() * sizeof(int)));
  return tensor;
}

using ParseFunction = absl::StatusOr<ParsedNode> (*)(const NodeView&);

// The node as the reader parses it: its tensors are checked by the signature of
// its op, or of the first of the parser's ops.
inline absl::StatusOr<ParsedNode> Parsed(ParseFunction parse,
                                         const NodeView& node) {
  const OpDefinition* op = FindOp(node.builtin_code, node.custom_name);
  if (op == nullptr || op->parse != parse) {
    op = std::find_if(AllOps().begin(), AllOps().end(),
                      [&](const auto& row) { return row.parse == parse; });
  }
  return ParseOp(*op, node);
}

// The message of the refusal of `node`; "" where the parser takes the node.
inline std::string RefusalOf(ParseFunction parse, const NodeView& node) {
  const auto parsed = Parsed(parse, node);
  return parsed.ok() ? "" : std::string(parsed.status().message());
}

// The same for `node` with these tensors.
inline std::string RefusalOf(ParseFunction parse, NodeView node,
                             const std::vector<Tensor>& inputs,
                             const std::vector<Tensor>& outputs) {
  for (const Tensor& t : inputs) node.inputs.push_back(&t);
  for (const Tensor& t : outputs) node.outputs.push_back(&t);
  return RefusalOf(parse, node);
}

// The same for a node with this parameter struct.
inline std::string Refusal(ParseFunction parse,
                           const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& outputs,
                           const void* params = nullptr) {
  NodeView node;
  node.builtin_params = params;
  return RefusalOf(parse, node, inputs, outputs);
}

// The same for an op of two inputs, one of several ops that the parser reads.
template <ParseFunction kParse>
std::string BinaryRefusal(Op op, const Tensor& a, const Tensor& b,
                          const Tensor& output) {
  NodeView node;
  node.builtin_code = static_cast<int>(op);
  return RefusalOf(kParse, node, {a, b}, {output});
}

// The same for a custom op with these parameters.
inline std::string CustomRefusal(ParseFunction parse,
                                 const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& outputs,
                                 const std::vector<uint8_t>& params,
                                 int version = 1) {
  NodeView node;
  node.version = version;
  node.custom_params = params;
  return RefusalOf(parse, node, inputs, outputs);
}

// A node that the parser takes. A test changes it in one place and asks again.
template <typename Params, ParseFunction kParse>
struct FakeNode {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  Params params;

  std::string Refused() const {
    return Refusal(kParse, inputs, outputs, &params);
  }
  // The same with another tensor as input or output `i`. The node stays as it
  // is.
  std::string RefusedWithInput(size_t i, const Tensor& tensor) const {
    FakeNode changed = *this;
    changed.inputs[i] = tensor;
    return changed.Refused();
  }
  std::string RefusedWithOutput(size_t i, const Tensor& tensor) const {
    FakeNode changed = *this;
    changed.outputs[i] = tensor;
    return changed.Refused();
  }
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PARSE_NODE_H_
