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

constexpr const char* kBuiltins[] = {
#define BUILTIN(name, value) #name,
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

// What holds for all ops alike.
constexpr char kEdges[] =
    "## Types at the edge of a partition\n"
    "\n"
    "Tensors that are computed at run time hold float32, int32 or bool, or "
    "codes with quantization\n"
    "parameters. Others are converted where they enter and leave a partition:\n"
    "\n"
    "| type | ops that take it |\n"
    "|---|---|\n"
    "| int64 | CAST; the output of ARG_MAX and ARG_MIN |\n"
    "| int8, uint8, int16 without quantization parameters | CAST, and the ops "
    "that move values |\n"
    "| float16 | CAST, DEQUANTIZE, RESHAPE, SQUEEZE, EXPAND_DIMS |\n"
    "\n"
    "Weights of 8 bits beside float32 activations (hybrid nodes) are read as "
    "TFLite's kernels read\n"
    "them: as int8, whatever the type says, without zero point. Activations "
    "stay float32, where those\n"
    "kernels round them to 8 bits. Constants of int4 are unpacked.\n"
    "\n"
    "## Dynamic tensors, resized inputs, control flow\n"
    "\n"
    "- What follows from shapes (SHAPE, RANK, and integer arithmetic on them) "
    "is "
    "a constant of the partition\n"
    "  and is evaluated when tensors are allocated.\n"
    "- A tensor whose shape depends on the values of others (WHERE, or RANGE "
    "up "
    "to a computed number) stays\n"
    "  on the CPU with the nodes that read or write it; the rest of the model "
    "is delegated.\n"
    "- Where inputs are resized after the delegate was applied, "
    "AllocateTensors plans and compiles the\n"
    "  partitions anew. Which nodes they hold does not change: a partition "
    "with a node that cannot run on\n"
    "  the GPU at the new shapes runs on the CPU as a whole, with a warning, "
    "until they change again.\n"
    "- IF, WHILE and CALL_ONCE run on the CPU; each of their subgraphs is "
    "delegated as a model of its own,\n"
    "  and the report counts the nodes of all.\n"
    "- A custom op of this page runs whether the app has registered it or "
    "not.\n"
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
      "not "
      "edit: run ./dev docs. -->\n\n",
      AllOps().size() - custom, " builtin and ", custom,
      " custom ops run on the GPU, in float32 and, where precision loss is "
      "allowed, in\nfloat16 storage; on 8-bit tensors through a float view. "
      "The columns are the highest version of\nthe op, in float models and in "
      "8-bit ones. Each node is checked by planning it for the device:\nwhat "
      "does not fit stays on the CPU, and the report says why.\n\n"
      "| op | float | 8 bits | notes |\n|---|---|---|---|\n",
      Rows(false),
      "\n## Custom ops\n\n| op | float | 8 bits | notes |\n|---|---|---|---|\n",
      Rows(true), "\n", kEdges,
      "## What stays on the CPU\n\n| op | why |\n|---|---|\n");
  for (const CpuOp& op : kCpuOps) {
    absl::StrAppend(&text, "| ", op.name, " | ", op.why, " |\n");
  }
  return text;
}

std::vector<std::string> OpsNotInOneListAlone() {
  std::vector<std::string> wrong;
  for (const std::string name : kBuiltins) {
    const auto here = std::count_if(
        AllOps().begin(), AllOps().end(), [&](const OpDefinition& op) {
          return op.builtin_code >= 0 && op.name == name;
        });
    const auto on_cpu =
        std::count_if(std::begin(kCpuOps), std::end(kCpuOps),
                      [&](const CpuOp& op) { return op.name == name; });
    if (here + on_cpu != 1) wrong.push_back(name);
  }
  return wrong;
}

}  // namespace gles_delegate::conformance
