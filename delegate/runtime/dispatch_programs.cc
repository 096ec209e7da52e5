#include "delegate/runtime/dispatch_programs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/gpu_memory.h"

namespace gles_delegate {
namespace {

// The values of constants that the shader's text holds.
void FillLiterals(const Dispatch& d, gl_shaders::ShaderSpec* spec) {
  for (size_t i = 0; i < d.constants.size(); ++i) {
    const PackedConstant& c = d.constants[i];
    if (!c.literal) continue;
    std::vector<float>& values = spec->constants[i].literals;
    values.resize(int64_t{c.width} * c.height * 4);
    c.fill(absl::MakeSpan(values));
  }
}

}  // namespace

absl::StatusOr<StartedPrograms> StartPrograms(
    const egl::Context& context, const Graph& graph,
    absl::Span<const Dispatch> dispatches, const DeviceProfile& profile,
    ProgramCache* programs, PartitionCache* cache) {
  StartedPrograms result;
  result.programs.reserve(dispatches.size());  // the sources point into it
  for (const Dispatch& d : dispatches) {
    DispatchProgram program;
    program.spec = SpecOf(graph, d, profile);
    FillLiterals(d, &program.spec);
    auto text = gl_shaders::AssembleShader(program.spec);
    if (!text.ok()) return Labelled(text.status(), d.label);
    if (!d.fixed_params) program.params = ParamsOf(graph, d);
    if (cache != nullptr) program.text = HashText(*text);
    result.programs.push_back(std::move(program));
    result.sources.push_back({*std::move(text),
                              absl::StrCat(d.label, " (", d.shader, ".comp)"),
                              &result.programs.back().params});
  }
  // An app's context keeps its number of compiler threads.
  const bool wants_threads =
      context.owned() && profile.faults.compiles_in_turn &&
      context.device().Has("GL_KHR_parallel_shader_compile");
  ASSIGN_OR_RETURN(result.started,
                   programs->Start(result.sources, cache, wants_threads));
  return result;
}

absl::StatusOr<std::vector<DispatchProgram>> FinishPrograms(
    StartedPrograms started, ProgramCache* programs) {
  ASSIGN_OR_RETURN(auto compiled, programs->Finish(started.sources,
                                                   std::move(started.started)));
  std::vector<DispatchProgram> result = std::move(started.programs);
  for (size_t i = 0; i < result.size(); ++i) result[i].program = compiled[i];
  return result;
}

void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache) {
  std::vector<std::pair<Hash128, const egl::Program*>> saved;
  HashSet<const egl::Program*> seen;
  for (const DispatchProgram& p : programs) {
    if (seen.insert(p.program).second) saved.emplace_back(p.text, p.program);
  }
  cache->Save(saved);
}

}  // namespace gles_delegate
