#include "delegate/runtime/program_cache.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/validator.h"
#include "egl/debug.h"
#include "egl/uniform_block.h"

namespace gles_delegate {

// --- Whether a program's uniforms are those of the plan ----------------------

namespace {

constexpr char kBlock[] = "Params";

GLenum GlType(UniformBlock::Type type) {
  switch (type) {
    case UniformBlock::Type::kInt:
      return GL_INT;
    case UniformBlock::Type::kInt2:
      return GL_INT_VEC2;
    case UniformBlock::Type::kInt4:
      return GL_INT_VEC4;
    case UniformBlock::Type::kFloat:
      return GL_FLOAT;
    case UniformBlock::Type::kFloat4:
      return GL_FLOAT_VEC4;
  }
  return 0;
}

std::string TypeName(GLenum type) {
  switch (type) {
    case GL_INT:
      return "int";
    case GL_INT_VEC2:
      return "ivec2";
    case GL_INT_VEC3:
      return "ivec3";
    case GL_INT_VEC4:
      return "ivec4";
    case GL_UNSIGNED_INT:
      return "uint";
    case GL_FLOAT:
      return "float";
    case GL_FLOAT_VEC2:
      return "vec2";
    case GL_FLOAT_VEC3:
      return "vec3";
    case GL_FLOAT_VEC4:
      return "vec4";
    default:
      return absl::StrCat("type 0x", absl::Hex(type));
  }
}

// "`ivec4 window` at byte 96"; "no member" past the last.
std::string Describe(const std::vector<egl::BlockMember>& members, size_t i) {
  if (i >= members.size()) return "no member";
  return absl::StrCat("`", TypeName(members[i].type), " ", members[i].name,
                      "` at byte ", members[i].offset);
}

}  // namespace

absl::Status CheckParamsSize(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  const auto bytes = egl::BytesOfBlock(program, kBlock);
  if (!bytes.ok()) return absl::InternalError(bytes.status().message());
  if (*bytes == params.block_bytes()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the shader's Params block takes ", *bytes,
                   " bytes, the op laid out ", params.block_bytes(),
                   "; the .comp and its Plan function list different members"));
}

absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  auto shader = egl::MembersOfBlock(program, kBlock);
  if (!shader.ok()) return absl::InternalError(shader.status().message());
  std::vector<egl::BlockMember> host;
  for (const UniformBlock::Member& m : params.members()) {
    host.push_back({m.name, GlType(m.type), static_cast<GLint>(m.offset)});
  }
  const size_t count = std::max(host.size(), shader->size());
  for (size_t i = 0; i < count; ++i) {
    if (i < host.size() && i < shader->size() &&
        host[i].name == (*shader)[i].name &&
        host[i].type == (*shader)[i].type &&
        host[i].offset == (*shader)[i].offset) {
      continue;
    }
    return absl::InternalError(absl::StrCat(
        "validation: member ", i, " of the Params block: the op laid out ",
        Describe(host, i), ", the shader declares ", Describe(*shader, i),
        "; rule: the .comp declares the members that its Plan function lists, "
        "in the same order and with the same names and types"));
  }
  return absl::OkStatus();
}

namespace {

absl::Status CheckSize(const egl::Program& program,
                       const ProgramCache::Source& source) {
  return Labelled(CheckParamsSize(program.id(), *source.params), source.label);
}

constexpr GLint kAllThreads = -1;  // 0xFFFFFFFF: the driver's own limit

// Asks now and then. A thread that waits within the driver for one program, as
// Program::Finish() would, holds up the threads that compile the others.
void AwaitCompiler(const egl::Program& program) {
  constexpr absl::Duration kPause = absl::Microseconds(500);
  while (!program.IsCompiled()) absl::SleepFor(kPause);
}

// Minimum number of programs for which threads pay (see ~CompilerThreads()).
constexpr size_t kManyPrograms = 12;

}  // namespace

CompilerThreads::CompilerThreads() : before_(kAllThreads) {
  egl::gl().GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before_);
  egl::gl().MaxShaderCompilerThreadsKHR(kAllThreads);
}

// Restores the previous number of threads, or none if that was all: drivers
// with DeviceFaults::compiles_in_turn report all without using them, and their
// threads take 0.1 s longer for a few programs.
CompilerThreads::~CompilerThreads() {
  egl::gl().MaxShaderCompilerThreadsKHR(before_ == kAllThreads ? 0 : before_);
}

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
  HashSet<absl::string_view> seen;
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

absl::StatusOr<ProgramCache::Started> ProgramCache::Start(
    absl::Span<const Source> sources, PartitionCache* saved,
    bool wants_threads) {
  Started started;
  const bool in_turn = stop_ != nullptr || egl::ProgramTraceIsOn();
  if (in_turn && sources.size() > 1) {
    RETURN_IF_ERROR(CompileOneByOne(sources, saved));
    return started;
  }
  started.sources = LoadOrMiss(sources, saved);
  if (wants_threads && started.sources.size() >= kManyPrograms &&
      egl::gl().MaxShaderCompilerThreadsKHR != nullptr) {
    started.threads = std::make_unique<CompilerThreads>();
  }
  for (const Source* source : started.sources) {
    ASSIGN_OR_RETURN(
        auto program,
        egl::Program::Start(source->text, /*retrievable=*/saved != nullptr));
    started.programs.push_back(
        std::make_unique<egl::Program>(std::move(program)));
  }
  return started;
}

absl::Status ProgramCache::Await(Started started) {
  for (const auto& program : started.programs) {
    if (started.threads != nullptr) AwaitCompiler(*program);
  }
  for (size_t i = 0; i < started.sources.size(); ++i) {
    const Source& source = *started.sources[i];
    egl::Program& program = *started.programs[i];
    RETURN_IF_ERROR(program.Finish(source.text, source.label));
    RETURN_IF_ERROR(CheckSize(program, source));
    egl::LabelObject(GL_PROGRAM_KHR, program.id(), source.label);
    programs_[source.text] = std::move(started.programs[i]);
  }
  return absl::OkStatus();
}

absl::Status ProgramCache::CompileOneByOne(absl::Span<const Source> sources,
                                           PartitionCache* saved) {
  for (const Source& source : sources) {
    if (stop_ != nullptr && *stop_) {
      return absl::CancelledError("the programs are not wanted any more");
    }
    const bool is_new = !programs_.contains(source.text);
    const egl::ProgramTrace trace(is_new ? source.label : "");
    RETURN_IF_ERROR(Get({&source, 1}, saved).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::Finish(
    absl::Span<const Source> sources, Started started) {
  RETURN_IF_ERROR(Await(std::move(started)));
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

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::Get(
    absl::Span<const Source> sources, PartitionCache* saved,
    bool wants_threads) {
  ASSIGN_OR_RETURN(auto started, Start(sources, saved, wants_threads));
  return Finish(sources, std::move(started));
}

}  // namespace gles_delegate
