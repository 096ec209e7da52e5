#include "delegate/ops/conv/inline_function.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

constexpr size_t kMaxInlineOps = 2;

std::string ParamsName(absl::string_view name, size_t op) {
  return absl::StrCat(name, op, "_params");
}

}  // namespace

TensorId InlineFunction::table() const {
  for (const PostOp& op : ops) {
    if (op.operand_table) return op.operand;
  }
  return kNoTensor;
}

std::optional<InlineFunction> InlineFunctionOf(
    const std::vector<PostOp>& post_ops) {
  if (post_ops.size() > kMaxInlineOps) return std::nullopt;
  int tables = 0;
  for (const PostOp& op : post_ops) {
    if (op.operand == kNoTensor) continue;
    if (!op.operand_table || ++tables > 1) return std::nullopt;
  }
  return InlineFunction{post_ops};
}

void BindInlineFunction(const InlineFunction& function,
                        absl::string_view define, absl::string_view name,
                        Dispatch* d) {
  const TensorId table = function.table();
  if (table != kNoTensor) d->Read(absl::StrCat(name, "_table"), table);
  std::string text = "v";
  for (size_t i = 0; i < function.ops.size(); ++i) {
    const PostOp& op = function.ops[i];
    const std::string entries =
        op.operand_table
            ? absl::StrCat("read_", name, "_table(0, 0, slice, 0), read_", name,
                           "_table(1, 0, slice, 0), ")
            : "";
    text = absl::StrCat("op_", op.function, "(", text, ", ", entries,
                        ParamsName(name, i), ")");
  }
  d->Define(absl::StrCat(define, "(v, slice)"), text);
}

void BindInlineParams(const InlineFunction& function, absl::string_view name,
                      Dispatch* d) {
  for (size_t i = 0; i < kMaxInlineOps; ++i) {
    d->uniforms.Float4(ParamsName(name, i), i < function.ops.size()
                                                ? function.ops[i].params
                                                : std::array<float, 4>{});
  }
}

}  // namespace gles_delegate
