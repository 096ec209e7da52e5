#include "delegate/runtime/program_cache.h"

#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "delegate/runtime/check_params.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/validator.h"
#include "egl/debug.h"

namespace gles_delegate {
namespace {

absl::Status CheckSize(const egl::Program& program,
                       const ProgramCache::Source& source) {
  return Labelled(CheckParamsSize(program.id(), *source.params), source.label);
}

// While an object lives, the driver may use as many compiler threads as it
// likes (KHR_parallel_shader_compile). Its destructor sets what was set before.
// NVIDIA's driver says that it may from the beginning, and yet compiles one
// program after the other until it is told.
class CompilerThreads {
 public:
  explicit CompilerThreads(bool supported) {
    if (!supported || egl::gl().MaxShaderCompilerThreadsKHR == nullptr) return;
    egl::gl().GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before_);
    egl::gl().MaxShaderCompilerThreadsKHR(kAll);
  }
  CompilerThreads(const CompilerThreads&) = delete;
  CompilerThreads& operator=(const CompilerThreads&) = delete;
  ~CompilerThreads() {
    if (before_ != kAll) egl::gl().MaxShaderCompilerThreadsKHR(before_);
  }

 private:
  static constexpr GLint kAll = -1;  // 0xFFFFFFFF: the driver's own limit
  GLint before_ = kAll;
};

// Asks now and then. A thread that waits within the driver for one program, as
// Program::Finish() would, holds up the threads that compile the others.
template <typename Programs>
void AwaitCompilers(const Programs& programs) {
  constexpr absl::Duration kPause = absl::Microseconds(500);
  for (const auto& [text, program] : programs) {
    while (!program->IsCompiled()) absl::SleepFor(kPause);
  }
}

}  // namespace

bool ProgramCache::Load(const Source& source, PartitionCache* saved) {
  if (saved == nullptr || !saved->loading()) return false;
  const auto binary = saved->FindProgram(HashText(source.text));
  if (!binary) return false;
  auto program = egl::Program::FromBinary(binary->format, binary->data);
  if (!program.ok() || !CheckSize(*program, source).ok()) return false;
  egl::LabelObject(GL_PROGRAM_KHR, program->id(), source.label);
  programs_[source.text] = std::make_unique<egl::Program>(*std::move(program));
  return true;
}

absl::StatusOr<ProgramCache::Programs> ProgramCache::StartMissing(
    absl::Span<const Source> sources, PartitionCache* saved) {
  Programs started;
  int loaded = 0;
  for (const Source& source : sources) {
    if (programs_.contains(source.text) || started.contains(source.text))
      continue;
    if (Load(source, saved)) {
      ++loaded;
      continue;
    }
    auto program = egl::Program::Start(source.text);
    if (!program.ok()) return program.status();
    started[source.text] = std::make_unique<egl::Program>(*std::move(program));
  }
  if (saved != nullptr)
    saved->CountPrograms(loaded, static_cast<int>(started.size()));
  return started;
}

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::GetOneByOne(
    absl::Span<const Source> sources, PartitionCache* saved) {
  std::vector<const egl::Program*> result;
  for (const Source& source : sources) {
    const bool is_new = !programs_.contains(source.text);
    const egl::ProgramTrace trace(is_new ? source.label : "");
    auto program = Get({&source, 1}, saved);
    if (!program.ok()) return program.status();
    result.push_back(program->front());
  }
  return result;
}

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::Get(
    absl::Span<const Source> sources, PartitionCache* saved, bool parallel) {
  if (egl::ProgramTraceIsOn() && sources.size() > 1) {
    return GetOneByOne(sources, saved);
  }
  const CompilerThreads threads(parallel);
  auto started = StartMissing(sources, saved);
  if (!started.ok()) return started.status();
  if (parallel) AwaitCompilers(*started);
  std::vector<const egl::Program*> result;
  for (const Source& source : sources) {
    if (auto it = started->find(source.text); it != started->end()) {
      if (auto s = it->second->Finish(source.text, source.label); !s.ok())
        return s;
      if (auto s = CheckSize(*it->second, source); !s.ok()) return s;
      egl::LabelObject(GL_PROGRAM_KHR, it->second->id(), source.label);
      programs_[source.text] = std::move(it->second);
      started->erase(it);
    }
    result.push_back(programs_[source.text].get());
    // A program that was there is checked, too: an op that lays out its
    // parameters in another way may have the same text.
    if (!ValidationIsOn()) continue;
    if (auto s = CheckParamsMembers(result.back()->id(), *source.params);
        !s.ok()) {
      return Labelled(s, source.label);
    }
  }
  return result;
}

}  // namespace gles_delegate
