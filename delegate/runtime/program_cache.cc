#include "delegate/runtime/program_cache.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// std140 rounds a block's size up to 16 bytes, and so does ParamsOf.
absl::Status CheckParams(const egl::Program& program,
                         const ProgramCache::Source& source) {
  const GLuint index = egl::gl().GetUniformBlockIndex(program.id(), "Params");
  if (index == GL_INVALID_INDEX) {
    return absl::InternalError(
        absl::StrCat(source.label, ": the shader has no Params block"));
  }
  GLint bytes = 0;
  egl::gl().GetActiveUniformBlockiv(program.id(), index,
                                    GL_UNIFORM_BLOCK_DATA_SIZE, &bytes);
  const size_t rounded = (static_cast<size_t>(bytes) + 15) / 16 * 16;
  if (rounded != source.params_bytes) {
    return absl::InternalError(absl::StrCat(
        source.label, ": the shader's Params block takes ", rounded,
        " bytes, the op laid out ", source.params_bytes,
        "; the .comp and its Plan function list different members"));
  }
  return absl::OkStatus();
}

// While it lives, the driver may use as many compiler threads as it likes
// (KHR_parallel_shader_compile); then what was set before holds again.
class CompilerThreads {
 public:
  explicit CompilerThreads(bool supported) {
    if (!supported || egl::gl().MaxShaderCompilerThreadsKHR == nullptr) return;
    egl::gl().GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before_);
    if (before_ != kAll) egl::gl().MaxShaderCompilerThreadsKHR(kAll);
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

}  // namespace

bool ProgramCache::Load(const Source& source, PartitionCache* saved) {
  if (saved == nullptr || !saved->loading()) return false;
  const auto binary = saved->FindProgram(HashText(source.text));
  if (!binary) return false;
  auto program = egl::Program::FromBinary(binary->format, binary->data);
  if (!program.ok() || !CheckParams(*program, source).ok()) return false;
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

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::Get(
    absl::Span<const Source> sources, PartitionCache* saved, bool parallel) {
  const CompilerThreads threads(parallel);
  auto started = StartMissing(sources, saved);
  if (!started.ok()) return started.status();
  std::vector<const egl::Program*> result;
  for (const Source& source : sources) {
    if (auto it = started->find(source.text); it != started->end()) {
      if (auto s = it->second->Finish(source.text, source.label); !s.ok())
        return s;
      if (auto s = CheckParams(*it->second, source); !s.ok()) return s;
      programs_[source.text] = std::move(it->second);
      started->erase(it);
    }
    result.push_back(programs_[source.text].get());
  }
  return result;
}

}  // namespace gles_delegate
