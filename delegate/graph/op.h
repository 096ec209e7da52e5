// What an op is to the delegate: how its node is read, and how it is planned.
// docs/add_an_op.md walks through one.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_OP_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_OP_H_

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

class Planner;  // delegate/plan/planner.h

// What an op's parser sees of a TFLite node: its tensors as ours, its parameter
// struct (delegate/graph/builtin_params.h) or custom bytes. The pointers live
// as long as the call.
struct NodeView {
  int builtin_code = 0;
  absl::string_view custom_name;
  int version = 1;
  // The runtime's parameter structs hold what 2.14 has in them, whatever the
  // node's version (delegate/tflite/runtime_age.h).
  bool params_of_2_14 = false;
  const void* builtin_params = nullptr;
  absl::Span<const uint8_t> custom_params;
  std::vector<const Tensor*> inputs;  // nullptr: an absent optional input
  std::vector<const Tensor*> outputs;

  // Whether the parameter struct holds a field that runtimes between 2.5 and
  // 2.14 appended with version `since` of the op. A model of that version is
  // only taken by a runtime that has the field; a runtime of 2.14 or newer has
  // it at any version, and its kernels read it at any version.
  bool HasField(int since) const { return version >= since || params_of_2_14; }
  // kInvalidArgument unless the counts are in range and required inputs there.
  // Absent inputs behind the most that the op takes are not counted.
  absl::Status CheckCounts(int min_inputs, int max_inputs,
                           int outputs_wanted) const;
  // The builtin's parameter struct; kInvalidArgument where the model has none.
  // A field that a later runtime appended is read only where HasField() says
  // so.
  template <typename Params>
  absl::StatusOr<const Params*> Get() const {
    if (builtin_params == nullptr) {
      return absl::InvalidArgumentError("the node carries no parameters");
    }
    return static_cast<const Params*>(builtin_params);
  }
};

// What ParseX returns: the op's attributes (its own struct, in a std::any), and
// for elementwise ops the post-ops that are their whole meaning. Tensor ids in
// post-op operands are indices into the node's inputs until the reader maps
// them.
struct ParsedNode {
  std::any attributes;
  std::vector<PostOp> post_ops;
};

struct OpDefinition {
  absl::string_view name;         // "CONV_2D", or a custom op's name
  int builtin_code = -1;          // -1: a custom op
  int max_version = 1;            // of float models
  int max_version_quantized = 1;  // with enable_quantization
  // kInvalidArgument / kUnimplemented: the node stays on the CPU for this
  // reason.
  absl::StatusOr<ParsedNode> (*parse)(const NodeView& node) = nullptr;
  // Adds the node's dispatches. Runs at partition time too, on a graph of this
  // node alone: whatever it accepts must work.
  absl::Status (*plan)(const Node& node, Planner* planner) = nullptr;
  absl::string_view notes;  // for docs/supported_ops.md
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_OP_H_
