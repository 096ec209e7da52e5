#include "delegate/ops/op_list.h"

#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/all_ops.h"

namespace gles_delegate {
namespace {

const OpDefinition kOps[] = {
#define OP(name, code, max_version, max_version_quantized, parse, plan, \
           traits, notes)                                               \
  {name, code, max_version, max_version_quantized, parse, plan, notes, traits},
#define CUSTOM_OP(name, max_version, parse, plan, traits, notes) \
  {name, -1, max_version, max_version, parse, plan, notes, traits},
#include "base/hash_tables.h"
#include "delegate/ops/op_list.inc"
#undef OP
#undef CUSTOM_OP
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

}  // namespace gles_delegate
