#include "delegate/graph/op.h"

#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "delegate/ops/all_ops.h"
#include "delegate/graph/builtin_params.h"

namespace gles_delegate {
namespace {

constexpr int kCustomCode = 32;  // BuiltinOperator CUSTOM

const OpDefinition kOps[] = {
#define OP(name, code, max_version, max_version_quantized, parse, plan, notes) \
  {name, code, max_version, max_version_quantized, parse, plan, notes},
#define CUSTOM_OP(name, max_version, parse, plan, notes) \
  {name, -1, max_version, max_version, parse, plan, notes},
#include "delegate/ops/op_list.inc"
#undef OP
#undef CUSTOM_OP
};

}  // namespace

absl::Span<const OpDefinition> AllOps() { return kOps; }

const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name) {
  static const auto& by_code =
      *new absl::flat_hash_map<int, const OpDefinition*>([] {
        absl::flat_hash_map<int, const OpDefinition*> map;
        for (const OpDefinition& op : kOps) {
          if (op.builtin_code >= 0) map[op.builtin_code] = &op;
        }
        return map;
      }());
  if (builtin_code != kCustomCode) {
    const auto it = by_code.find(builtin_code);
    return it == by_code.end() ? nullptr : it->second;
  }
  for (const OpDefinition& op : kOps) {
    if (op.builtin_code < 0 && op.name == custom_name) return &op;
  }
  return nullptr;
}

absl::Status NodeView::CheckCounts(int min_inputs, int max_inputs,
                                   int outputs_wanted) const {
  // An absent input past the last one that the op knows is none.
  int n = static_cast<int>(inputs.size());
  while (n > max_inputs && inputs[n - 1] == nullptr) --n;
  if (n < min_inputs || n > max_inputs) {
    return absl::InvalidArgumentError(
        min_inputs == max_inputs
            ? absl::StrCat("has ", n, " inputs, wants ", min_inputs)
            : absl::StrCat("has ", n, " inputs, wants ", min_inputs, " to ",
                           max_inputs));
  }
  for (int i = 0; i < min_inputs; ++i) {
    if (inputs[i] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i, " is absent, and it is required"));
    }
  }
  if (static_cast<int>(outputs.size()) != outputs_wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", outputs.size(), " outputs, wants ", outputs_wanted));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto clamp = [](float low, float high) {
    return std::vector<PostOp>{{"clamp", {low, high, 0, 0}}};
  };
  switch (activation) {
    case kActNone:
      return std::vector<PostOp>{};
    case kActRelu:
      return clamp(0, kInf);
    case kActReluN1To1:
      return clamp(-1, 1);
    case kActRelu6:
      return clamp(0, 6);
    case kActTanh:
      return std::vector<PostOp>{{"tanh"}};
    case kActSigmoid:
      return std::vector<PostOp>{{"logistic"}};
    default:
      return absl::UnimplementedError(
          absl::StrCat("fused activation ", activation, " is not supported"));
  }
}

}  // namespace gles_delegate
