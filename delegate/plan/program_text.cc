#include "delegate/plan/program_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/plan/dispatch_shader.h"

namespace gles_delegate {

using gl_shaders::ShaderSpec;
using gl_shaders::TensorBinding;

namespace {

bool IsWhole(const std::pair<std::string, std::string>& define) {
  return define.first == "WHOLE_CHUNKS";
}

}  // namespace

std::string TensorText(const TensorBinding& t) {
  return absl::StrCat(static_cast<int>(t.storage), ",",
                      static_cast<int>(t.format), ",", t.write, t.mask_tail,
                      t.scaled, ",", static_cast<int>(t.view));
}

std::string CallText(const gl_shaders::PostOpCall& call) {
  return absl::StrCat(call.function, call.operand_first, call.operand_splat,
                      call.operand_zero_extend, call.operand_table,
                      call.operand_lookup, call.operand_lookup_packed);
}

std::string ProgramText(const ShaderSpec& spec) {
  std::string text = absl::StrCat(
      spec.shader, ";", spec.half_arithmetic, spec.write_in_two, ";",
      spec.work_group[0], "x", spec.work_group[1], "x", spec.work_group[2]);
  absl::StrAppend(&text, ";", spec.fixed_params);
  for (const auto& [name, value] : spec.defines) {
    absl::StrAppend(&text, ";", name, "=", value);
  }
  for (const TensorBinding& t : spec.tensors) {
    absl::StrAppend(&text, ";", t.name, ":", TensorText(t));
  }
  for (const auto& c : spec.constants) {
    absl::StrAppend(&text, ";", c.name, ":", static_cast<int>(c.storage),
                    static_cast<int>(c.format));
  }
  for (const auto& call : spec.post_ops) {
    absl::StrAppend(&text, ";", CallText(call), call.operand, call.optional);
  }
  for (const auto& stage : spec.stages) {
    absl::StrAppend(&text, ";", stage.name);
    for (const auto& call : stage.ops) {
      absl::StrAppend(&text, ";", CallText(call),
                      static_cast<int>(call.operand_at), call.operand);
    }
  }
  return text;
}

bool HasLiterals(const Dispatch& d) {
  return std::any_of(d.constants.begin(), d.constants.end(),
                     [](const PackedConstant& c) { return c.literal; });
}

bool IsWithoutBounds(const Dispatch& dispatch) {
  return std::any_of(dispatch.defines.begin(), dispatch.defines.end(), IsWhole);
}

void AddBounds(Dispatch* dispatch) {
  auto& defines = dispatch->defines;
  defines.erase(std::remove_if(defines.begin(), defines.end(), IsWhole),
                defines.end());
}

std::string CommonProgramText(const Graph& graph, Dispatch dispatch,
                              const DeviceProfile& profile) {
  dispatch.post_ops.clear();
  dispatch.masks_tails = true;
  AddBounds(&dispatch);
  ShaderSpec spec = SpecOf(graph, dispatch, profile);
  for (TensorBinding& t : spec.tensors) {
    if (t.write) t.view = gl_shaders::View::kNone;
  }
  return ProgramText(spec);
}

}  // namespace gles_delegate
