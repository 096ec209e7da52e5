#include "delegate/ops/op_list.h"

#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/signature.h"

namespace gles_delegate {
namespace {

const OpDefinition kOps[] = {
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, recipe, notes)                                  \
  {name, code, v, vq, parse, plan, notes, traits, signature, types, function},
#include "delegate/ops/op_list.inc"
};

}  // namespace

absl::Span<const OpDefinition> AllOps() { return kOps; }

const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name) {
  static const auto& by_code = *new HashMap<int, const OpDefinition*>([] {
    HashMap<int, const OpDefinition*> map;
    for (const OpDefinition& op : kOps) {
      if (op.builtin_code >= 0) map[op.builtin_code] = &op;
    }
    return map;
  }());
  if (builtin_code != BuiltinOperator_CUSTOM) {
    const auto it = by_code.find(builtin_code);
    return it == by_code.end() ? nullptr : it->second;
  }
  const OpDefinition* op = FindOpNamed(custom_name);
  return op != nullptr && op->builtin_code < 0 ? op : nullptr;
}

const OpDefinition* FindOpNamed(absl::string_view name) {
  for (const OpDefinition& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

absl::StatusOr<ParsedNode> ParseOp(const OpDefinition& op,
                                   const NodeView& node) {
  RETURN_IF_ERROR(CheckSignature(op, node));
  return op.parse(node);
}

}  // namespace gles_delegate
