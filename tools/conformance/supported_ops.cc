#include "tools/conformance/supported_ops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate::conformance {
namespace {

struct CpuOp {
  const char* name;
  const char* why;
};
constexpr CpuOp kCpuOps[] = {
#define CPU_OP(name, why) {name, why},
#include "tools/conformance/cpu_ops.inc"
#undef CPU_OP
};

// Null: none is told.
const CpuOp* FindCpuOp(absl::string_view name) {
  const auto it =
      std::find_if(std::begin(kCpuOps), std::end(kCpuOps),
                   [&](const CpuOp& op) { return op.name == name; });
  return it == std::end(kCpuOps) ? nullptr : it;
}

constexpr absl::string_view kBuiltins[] = {
#define BUILTIN(name, value) #name,
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

// Text that applies to all ops.
constexpr char kEdges[] =
    "## Types at the edge of a partition\n"
    "\n"
    "Tensors that are computed at run time hold float32, int32, bool or "
    "quantized values. Other types are\n"
    "converted where they enter and leave a partition:\n"
    "\n"
    "| type | ops that take it |\n"
    "|---|---|\n"
    "| int64 | CAST; the output of ARG_MAX and ARG_MIN; the ops that move "
    "values; ADD, SUB, MUL, MAXIMUM, MINIMUM, FLOOR_MOD, NEG, comparisons, "
    "SUM, MEAN, REDUCE_MAX, REDUCE_MIN, CUMSUM, SCATTER_ND, ONE_HOT, "
    "ZEROS_LIKE; STABLEHLO_ADD, _MULTIPLY, _MAXIMUM, _MINIMUM |\n"
    "| int8, uint8, int16 without quantization parameters | CAST, and the ops "
    "that move values |\n"
    "| float16 | CAST, DEQUANTIZE, and the ops that move values |\n"
    "| complex64 | RFFT2D, COMPLEX_ABS, REAL, IMAG, RESHAPE, SQUEEZE, "
    "EXPAND_DIMS |\n"
    "\n"
    "Int64 is computed in 32 bits. Constants past int32 and factors past 32768 "
    "stay on the CPU. An input\n"
    "that holds a value past int32 fails Invoke, unless CAST alone reads it: "
    "leave such models to the CPU\n"
    "by the option `exclude_nodes`. Sums, products and CASTs must fit, too: "
    "past "
    "int32 they are wrong\n"
    "without an error.\n"
    "\n"
    "If 8-bit weights meet float32 activations (hybrid nodes), the weights "
    "are read as in TFLite's\n"
    "kernels: as int8 without a zero point, whatever their type. The "
    "activations stay in float32, while\n"
    "TFLite's kernels round them to 8 bits. int4 and int2 constants are "
    "unpacked. FULLY_CONNECTED also\n"
    "takes constant weights with a float16 or float32 scale for each block of "
    "a row.\n"
    "\n"
    "## Dynamic tensors, resized inputs, control flow\n"
    "\n"
    "- Values that follow from shapes (SHAPE, RANK, and integer arithmetic on "
    "them) are constants of the\n"
    "  partition. They are evaluated when tensors are allocated.\n"
    "- A tensor whose shape depends on the values of others (WHERE, or RANGE "
    "up to a computed number)\n"
    "  stays on the CPU with the nodes that read or write it. The rest of the "
    "model is delegated.\n"
    "- If inputs are resized after the delegate was applied, AllocateTensors "
    "plans and compiles the\n"
    "  partitions again. Their nodes stay the same: a partition with a node "
    "that cannot run on the GPU at\n"
    "  the new shapes runs on the CPU, with a warning, until the shapes "
    "change again.\n"
    "- A WHILE whose number of steps is known when tensors are allocated (what "
    "Keras writes for LSTM, GRU,\n"
    "  SimpleRNN and ConvLSTM2D) is replaced by the nodes of its body, once "
    "for "
    "each step, if all of them\n"
    "  can run and they are at most 8,192. By default a loop of more than 256 "
    "steps must also pay: the CPU\n"
    "  takes more than 5 us for each step, by an estimate. The lists of "
    "results that the body writes row\n"
    "  by row are not copied. It needs TFLite 2.14 or newer. The report counts "
    "a loop as one node.\n"
    "- Any other WHILE, IF and CALL_ONCE run on the CPU. Each of their "
    "subgraphs is delegated like a\n"
    "  separate model, by default only if that gains more than its transfers "
    "cost at each call. The\n"
    "  report counts the nodes of all subgraphs.\n"
    "- A STABLEHLO_COMPOSITE, of any name, is replaced by the nodes of its "
    "decomposition if all of them\n"
    "  can run; so are composites inside decompositions. Otherwise it stays on "
    "the CPU, and the reason\n"
    "  names the node. The report counts a composite as one node.\n"
    "- A custom op of this page runs whether or not the app has registered "
    "it.\n"
    "\n";

std::string Rows(bool custom) {
  std::string text;
  for (const OpDefinition& op : AllOps()) {
    if ((op.builtin_code < 0) != custom) continue;
    absl::StrAppend(&text, "| ", op.name, " | ", op.max_version, " | ",
                    op.max_version_quantized, " | ", op.notes, " |\n");
  }
  return text;
}

}  // namespace

std::string SupportedOpsPage() {
  const auto custom =
      std::count_if(AllOps().begin(), AllOps().end(),
                    [](const OpDefinition& op) { return op.builtin_code < 0; });
  std::string text = absl::StrCat(
      "# Supported ops\n\n"
      "<!-- Made by gles_conformance --print_supported_ops from "
      "delegate/ops/op_list.inc and\n     tools/conformance/cpu_ops.inc. Do "
      "not edit: run ./dev docs. -->\n\n",
      AllOps().size() - custom, " builtin and ", custom,
      " custom ops run on the GPU: in float32, in float16 storage if precision "
      "loss is allowed,\nand on quantized tensors "
      "([quantization.md](quantization.md)). The columns give the highest\n"
      "supported version of each op, in float models and in 8-bit models. Each "
      "node is checked by planning\nit for the device: unsupported nodes stay "
      "on the CPU, and the report gives the reason.\n\n"
      "| op | float | 8 bits | notes |\n|---|---|---|---|\n",
      Rows(false),
      "\n## Custom ops\n\n| op | float | 8 bits | notes |\n|---|---|---|---|\n",
      Rows(true), "\n", kEdges,
      "## What stays on the CPU\n\n| op | why |\n|---|---|\n");
  std::vector<std::string> on_cpu;
  for (const absl::string_view name : kBuiltins) {
    if (FindOpNamed(name) == nullptr) on_cpu.emplace_back(name);
  }
  std::sort(on_cpu.begin(), on_cpu.end());
  for (const std::string& name : on_cpu) {
    const CpuOp* op = FindCpuOp(name);
    absl::StrAppend(&text, "| ", name, " | ",
                    op == nullptr ? "not implemented" : op->why, " |\n");
  }
  return text;
}

std::vector<std::string> ReasonsForNoOp() {
  std::vector<std::string> wrong;
  for (const CpuOp& op : kCpuOps) {
    const bool is_builtin =
        std::find(std::begin(kBuiltins), std::end(kBuiltins),
                  absl::string_view(op.name)) != std::end(kBuiltins);
    if (!is_builtin || FindOpNamed(op.name) != nullptr) {
      wrong.push_back(op.name);
    }
  }
  return wrong;
}

}  // namespace gles_delegate::conformance
