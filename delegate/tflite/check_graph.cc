#include "delegate/tflite/check_graph.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/printable.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/as_constants.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

// The ops that may lack inputs beside those that run here, and how many of the
// first they need. Kernels of others do not look before they follow a null
// pointer, nor whether an output is absent. Custom ops, and ops that are
// younger than these, may lack all.
constexpr struct {
  int builtin_code;
  int needed;
} kMayLackInputs[] = {
    {BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM, 1},
    {BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN, 1},
    {BuiltinOperator_CALL, 0},
    {BuiltinOperator_CALL_ONCE, 0},
    {BuiltinOperator_CUSTOM, 0},
    {BuiltinOperator_DELEGATE, 0},
    {BuiltinOperator_IF, 1},
    {BuiltinOperator_LSTM, 1},
    {BuiltinOperator_PAD, 2},  // its kernel takes PADV2's value, too
    {BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, 1},
    {BuiltinOperator_WHILE, 0},
};
constexpr int kYoungest = BuiltinOperator_STABLEHLO_LOGISTIC;

int InputsNeeded(const TfLiteRegistration& registration, int count) {
  for (const auto& op : kMayLackInputs) {
    if (op.builtin_code == registration.builtin_code) return op.needed;
  }
  if (registration.builtin_code >= kYoungest) return 0;
  const OpDefinition* op = FindOp(registration.builtin_code, "");
  const int needed = op == nullptr ? -1 : InputsBeforeOptional(*op);
  return needed < 0 ? count : needed;
}

class GraphChecker {
 public:
  GraphChecker(TfLiteContext* context, const NodeFinder& find)
      : context_(context),
        find_(find),
        writers_(context->tensors_size, kNone),
        is_written_(context->tensors_size, false) {}

  absl::Status Check(absl::Span<const int> plan) {
    for (int index : plan) {
      RETURN_IF_ERROR(NoteWriter(index));
    }
    for (int index : plan) {
      RETURN_IF_ERROR(CheckReads(index));
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int kNone = -1;

  absl::Status NoteWriter(int index) {
    ASSIGN_OR_RETURN(auto node, Get(index));
    for (int id : ReadInts(node->outputs)) {
      if (id < 0) continue;
      const TfLiteTensor& tensor = context_->tensors[id];
      if (writers_[id] != kNone) {
        return Refuse(NameOf(writers_[id]), " and ", NameOf(index),
                      " both write ", Quoted(id));
      }
      if (tensor.is_variable || IsConstant(tensor)) {
        return Refuse(NameOf(index), " writes ", Quoted(id), ", a ",
                      tensor.is_variable ? "variable" : "constant");
      }
      writers_[id] = index;
    }
    return absl::OkStatus();
  }

  absl::Status CheckReads(int index) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(find_.Get(context_, index, &node, &registration));
    const std::vector<int> inputs = ReadInts(node->inputs);
    const int count = static_cast<int>(inputs.size());
    const int needed = std::min(count, InputsNeeded(*registration, count));
    for (int i = 0; i < needed; ++i) {
      if (inputs[i] < 0) {
        return Refuse(NameOf(index), " has no input ", i);
      }
    }
    const std::vector<int> outputs = ReadInts(node->outputs);
    if (needed == count &&
        std::find(outputs.begin(), outputs.end(), -1) != outputs.end()) {
      return Refuse(NameOf(index), " lacks an output");
    }
    for (int id : inputs) {
      if (id < 0 || writers_[id] == kNone || is_written_[id]) continue;
      if (writers_[id] == index) {
        return Refuse(NameOf(index), " reads its own output ", Quoted(id));
      }
      return Refuse(NameOf(index), " reads ", Quoted(id), ", which ",
                    NameOf(writers_[id]), " writes later");
    }
    for (int id : outputs) {
      if (id >= 0) is_written_[id] = true;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const TfLiteNode*> Get(int index) const {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(find_.Get(context_, index, &node, &registration));
    return node;
  }

  std::string NameOf(int index) const {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    const bool found = find_.Get(context_, index, &node, &registration).ok();
    return absl::StrCat(found ? OpName(*registration) : "", " (node ", index,
                        ")");
  }

  std::string Quoted(int id) const {
    const char* name = context_->tensors[id].name;
    return absl::StrCat("'", PrintableName(name == nullptr ? "" : name),
                        "' (tensor ", id, ")");
  }

  template <typename... Words>
  static absl::Status Refuse(const Words&... words) {
    return absl::FailedPreconditionError(
        absl::StrCat(words..., ": a graph with this fault stays on the CPU"));
  }

  TfLiteContext* context_;
  const NodeFinder& find_;
  std::vector<int> writers_;  // by tensor: the node's index
  std::vector<bool> is_written_;
};

}  // namespace

absl::Status CheckGraph(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> plan) {
  return GraphChecker(context, find).Check(plan);
}

}  // namespace gles_delegate
