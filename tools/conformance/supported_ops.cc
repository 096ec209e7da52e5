// The tables of docs/supported_ops.md, made from the registry.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {
namespace {

// Names of ops, and why they stay on the CPU.
constexpr std::pair<absl::string_view, const char*> kCpuOps[] = {
#define CPU_OP(name, why) {name, why},
#include "tools/conformance/cpu_ops.inc"
#undef CPU_OP
};

constexpr absl::string_view kBuiltins[] = {
#define BUILTIN(name, value) #name,
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

std::string OpTable(bool custom) {
  std::string rows;
  int count = 0;
  for (const OpDefinition& op : AllOps()) {
    if ((op.builtin_code < 0) != custom) continue;
    ++count;
    absl::StrAppend(&rows, "| ", op.name, " | ", op.max_version, " | ",
                    op.max_version_quantized, " | ", op.notes, " |\n");
  }
  return absl::StrCat(count, custom ? " custom" : " builtin",
                      " ops run on the GPU:\n\n"
                      "| op | float | 8 bits | notes |\n|---|---|---|---|\n",
                      rows);
}

std::string CpuTable() {
  std::vector<std::string> on_cpu;
  for (const absl::string_view name : kBuiltins) {
    if (FindOpNamed(name) == nullptr) on_cpu.emplace_back(name);
  }
  std::sort(on_cpu.begin(), on_cpu.end());
  std::string text = "| op | why |\n|---|---|\n";
  for (const std::string& name : on_cpu) {
    const auto* op =
        std::find_if(std::begin(kCpuOps), std::end(kCpuOps),
                     [&](const auto& cpu_op) { return cpu_op.first == name; });
    absl::StrAppend(&text, "| ", name, " | ",
                    op == std::end(kCpuOps) ? "not implemented" : op->second,
                    " |\n");
  }
  return text;
}

}  // namespace

std::string SupportedOpsPage(std::string page) {
  const std::pair<const char*, std::string> tables[] = {
      {"builtin ops", OpTable(/*custom=*/false)},
      {"custom ops", OpTable(/*custom=*/true)},
      {"ops on the CPU", CpuTable()}};
  for (const auto& [name, table] : tables) {
    const std::string begin = absl::StrCat("<!-- ", name, " -->\n");
    const size_t start = page.find(begin);
    const size_t end = page.find("<!-- end -->", start);
    if (start == page.npos || end == page.npos) return "";
    page.replace(start, end - start, absl::StrCat(begin, "\n", table, "\n"));
  }
  return page;
}

std::vector<std::string> ReasonsForNoOp() {
  std::vector<std::string> wrong;
  for (const auto& [name, why] : kCpuOps) {
    const bool is_builtin =
        std::count(std::begin(kBuiltins), std::end(kBuiltins), name) > 0;
    if (!is_builtin || FindOpNamed(name) != nullptr) wrong.emplace_back(name);
  }
  return wrong;
}

}  // namespace gles_delegate::conformance
