#include "delegate/runtime/program_cache.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
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

// While an object lives, the driver compiles on as many threads as it likes
// (KHR_parallel_shader_compile).
class CompilerThreads {
 public:
  CompilerThreads() {
    egl::gl().GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before_);
    egl::gl().MaxShaderCompilerThreadsKHR(kAll);
  }
  CompilerThreads(const CompilerThreads&) = delete;
  CompilerThreads& operator=(const CompilerThreads&) = delete;
  // Back to what was set before; none where that was all, which the driver did
  // not mean (DeviceFaults::compiles_in_turn): its threads take 0.1 s longer
  // for a few programs.
  ~CompilerThreads() {
    egl::gl().MaxShaderCompilerThreadsKHR(before_ == kAll ? 0 : before_);
  }

 private:
  static constexpr GLint kAll = -1;  // 0xFFFFFFFF: the driver's own limit
  GLint before_ = kAll;
};

// Asks now and then. A thread that waits within the driver for one program, as
// Program::Finish() would, holds up the threads that compile the others.
void AwaitCompiler(const egl::Program& program) {
  constexpr absl::Duration kPause = absl::Microseconds(500);
  while (!program.IsCompiled()) absl::SleepFor(kPause);
}

// So many programs are worth threads (~CompilerThreads() says why).
constexpr size_t kManyPrograms = 8;

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

std::vector<const ProgramCache::Source*> ProgramCache::LoadOrMiss(
    absl::Span<const Source> sources, PartitionCache* saved) {
  std::vector<const Source*> missing;
  absl::flat_hash_set<absl::string_view> seen;
  int loaded = 0;
  for (const Source& source : sources) {
    if (programs_.contains(source.text)) continue;
    if (!seen.insert(source.text).second) continue;
    if (Load(source, saved)) {
      ++loaded;
    } else {
      missing.push_back(&source);
    }
  }
  if (saved != nullptr)
    saved->CountPrograms(loaded, static_cast<int>(missing.size()));
  return missing;
}

absl::Status ProgramCache::Compile(absl::Span<const Source* const> sources,
                                   bool retrievable, bool wants_threads) {
  std::optional<CompilerThreads> threads;
  if (wants_threads && sources.size() >= kManyPrograms &&
      egl::gl().MaxShaderCompilerThreadsKHR != nullptr) {
    threads.emplace();
  }
  std::vector<std::unique_ptr<egl::Program>> started;
  for (const Source* source : sources) {
    auto program = egl::Program::Start(source->text, retrievable);
    if (!program.ok()) return program.status();
    started.push_back(std::make_unique<egl::Program>(*std::move(program)));
  }
  for (const auto& program : started) {
    if (threads) AwaitCompiler(*program);
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& source = *sources[i];
    if (auto s = started[i]->Finish(source.text, source.label); !s.ok())
      return s;
    if (auto s = CheckSize(*started[i], source); !s.ok()) return s;
    egl::LabelObject(GL_PROGRAM_KHR, started[i]->id(), source.label);
    programs_[source.text] = std::move(started[i]);
  }
  return absl::OkStatus();
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
    absl::Span<const Source> sources, PartitionCache* saved,
    bool wants_threads) {
  if (egl::ProgramTraceIsOn() && sources.size() > 1) {
    return GetOneByOne(sources, saved);
  }
  const auto missing = LoadOrMiss(sources, saved);
  if (auto s =
          Compile(missing, /*retrievable=*/saved != nullptr, wants_threads);
      !s.ok()) {
    return s;
  }
  std::vector<const egl::Program*> result;
  for (const Source& source : sources) {
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
