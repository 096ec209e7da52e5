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

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PARSE_NODE_H_
