#include "delegate/ops/conv/inner_function.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace gles_delegate {

std::optional<InnerFunction> InnerFunctionOf(const Graph& graph,
                                             const Node& node, TensorId dst) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  InnerFunction inner = {std::nullopt, -kInf, kInf};
  absl::Span<const PostOp> ops = node.post_ops;
  if (node.integer_path) {
    // The post-ops of passes/integer_path/products.cc: requantization and
    // range.
    if (!graph.tensor(dst).holds_quantized || ops.size() != 2 ||
        ops[0].operand_lookup ||
        ops[0].operand_table != (ops[0].operand != kNoTensor)) {
      return std::nullopt;
    }
    inner.scaling = ops[0];
    ops.remove_prefix(1);
  }
  if (ops.empty()) return inner;
  if (ops.size() > 1 || ops[0].function != "clamp") return std::nullopt;
  inner.low = ops[0].params[0];
  inner.high = ops[0].params[1];
  return inner;
}

void BindInnerScaling(const InnerFunction& inner, Dispatch* d) {
  if (!inner.scaling) return;
  const bool has_table = inner.scaling->operand_table;
  if (has_table) d->Read("inner_table", inner.scaling->operand);
  d->Define("INNER_SCALED(v, slice)",
            absl::StrCat("op_", inner.scaling->function, "(v, ",
                         has_table ? "read_inner_table(0, 0, slice, 0), "
                                     "read_inner_table(1, 0, slice, 0), "
                                   : "",
                         "inner_scaling)"));
}

void BindInnerParams(const InnerFunction& inner, Dispatch* d) {
  d->uniforms.Float4("inner_clamp", {inner.low, inner.high, 0, 0});
  if (inner.scaling) {
    d->uniforms.Float4("inner_scaling", inner.scaling->params);
  }
}

}  // namespace gles_delegate
