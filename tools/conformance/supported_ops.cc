#include "tools/conformance/supported_ops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/ops/op.h"

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
#include "delegate/tflite/builtin_names.inc"
#undef BUILTIN
};

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
      Rows(true), "\n## What stays on the CPU\n\n| op | why |\n|---|---|\n");
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
