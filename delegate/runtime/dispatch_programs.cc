#include "delegate/runtime/dispatch_programs.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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

// How many threads compile, by GLES_DELEGATE_COMPILE_THREADS. One where the
// variable is not set: no driver is known yet that gains by more.
int CompileThreads() {
  const char* text = std::getenv("GLES_DELEGATE_COMPILE_THREADS");
  int threads = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &threads)) return 1;
  return std::clamp(threads, 1, 64);
}

}  // namespace

absl::StatusOr<std::vector<DispatchProgram>> CompileDispatches(
    const egl::Context& context, const Graph& graph,
    absl::Span<const Dispatch> dispatches, const DeviceProfile& profile,
    ProgramCache* programs, PartitionCache* cache) {
  std::vector<DispatchProgram> result;
  result.reserve(dispatches.size());  // `sources` points into it
  std::vector<ProgramCache::Source> sources;
  for (const Dispatch& d : dispatches) {
    DispatchProgram program;
    program.spec = SpecOf(graph, d, profile);
    FillLiterals(d, &program.spec);
    auto text = gl_shaders::AssembleShader(program.spec);
    if (!text.ok()) return Labelled(text.status(), d.label);
    program.params = ParamsOf(graph, d);
    if (cache != nullptr) program.text = HashText(*text);
    result.push_back(std::move(program));
    sources.push_back({*std::move(text),
                       absl::StrCat(d.label, " (", d.shader, ".comp)"),
                       &result.back().params});
  }
  ProgramCache::Parallel parallel;
  parallel.by_driver = context.device().Has("GL_KHR_parallel_shader_compile");
  // An app's context is shared with nobody: that is the app's to say.
  if (context.owned()) parallel.context = &context;
  parallel.threads = CompileThreads();
  auto compiled = programs->Get(sources, cache, parallel);
  if (!compiled.ok()) return compiled.status();
  for (size_t i = 0; i < result.size(); ++i) result[i].program = (*compiled)[i];
  return result;
}

void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache) {
  std::vector<std::pair<Hash128, const egl::Program*>> saved;
  absl::flat_hash_set<const egl::Program*> seen;
  for (const DispatchProgram& p : programs) {
    if (seen.insert(p.program).second) saved.emplace_back(p.text, p.program);
  }
  cache->Save(saved);
}

}  // namespace gles_delegate
