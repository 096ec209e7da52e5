#include "delegate/runtime/program_cache.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "delegate/plan/storage.h"
#include "delegate/runtime/validator.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// --- Whether a program's uniforms are those of the plan ----------------------

namespace {

constexpr char kBlock[] = "Params";

// A member of a Params block, as the op has laid it out or the shader declares
// it.
struct BlockMember {
  std::string name;
  GLenum type = 0;   // GL_INT_VEC4
  GLint offset = 0;  // bytes, from the block's beginning
  bool operator==(const BlockMember& o) const {
    return name == o.name && type == o.type && offset == o.offset;
  }
};

GLenum GlType(UniformBlock::Type type) {
  constexpr GLenum kTypes[] = {GL_INT, GL_INT_VEC2, GL_INT_VEC4, GL_FLOAT,
                               GL_FLOAT_VEC4};
  static_assert(std::size(kTypes) ==
                static_cast<size_t>(UniformBlock::Type::kFloat4) + 1);
  return kTypes[static_cast<int>(type)];
}

std::string TypeName(GLenum type) {
  constexpr std::pair<GLenum, const char*> kNames[] = {
      {GL_INT, "int"},           {GL_INT_VEC2, "ivec2"},
      {GL_INT_VEC3, "ivec3"},    {GL_INT_VEC4, "ivec4"},
      {GL_UNSIGNED_INT, "uint"}, {GL_FLOAT, "float"},
      {GL_FLOAT_VEC2, "vec2"},   {GL_FLOAT_VEC3, "vec3"},
      {GL_FLOAT_VEC4, "vec4"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return absl::StrCat("type 0x", absl::Hex(type));
}

// "`ivec4 window` at byte 96"; "no member" past the last.
std::string Describe(const std::vector<BlockMember>& members, size_t i) {
  if (i >= members.size()) return "no member";
  return absl::StrCat("`", TypeName(members[i].type), " ", members[i].name,
                      "` at byte ", members[i].offset);
}

absl::StatusOr<GLuint> FindBlock(GLuint program) {
  const GLuint index = egl::gl().GetUniformBlockIndex(program, kBlock);
  if (index != GL_INVALID_INDEX) return index;
  return absl::InternalError(
      absl::StrCat("the shader has no ", kBlock, " block"));
}

GLint BlockValue(GLuint program, GLuint block, GLenum name) {
  GLint value = 0;
  egl::gl().GetActiveUniformBlockiv(program, block, name, &value);
  return value;
}

// The members of the program's block, sorted by offset: all of them, since
// std140 keeps unused ones.
absl::StatusOr<std::vector<BlockMember>> MembersOf(GLuint program) {
  ASSIGN_OR_RETURN(const GLuint block, FindBlock(program));
  const GLint count =
      BlockValue(program, block, GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS);
  std::vector<GLint> indices(std::max(count, 0));
  if (count > 0) {
    egl::gl().GetActiveUniformBlockiv(program, block,
                                      GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES,
                                      indices.data());
  }
  const std::vector<GLuint> uniforms(indices.begin(), indices.end());
  std::vector<GLint> offsets(uniforms.size());
  egl::gl().GetActiveUniformsiv(program, count, uniforms.data(),
                                GL_UNIFORM_OFFSET, offsets.data());
  GLint longest = 0;  // name
  egl::gl().GetProgramiv(program, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
  std::vector<BlockMember> members;
  for (size_t i = 0; i < uniforms.size(); ++i) {
    BlockMember member{std::string(std::max(longest, 1), '\0'), 0, offsets[i]};
    GLsizei length = 0;
    GLint array_size = 0;
    egl::gl().GetActiveUniform(program, uniforms[i], longest, &length,
                               &array_size, &member.type, member.name.data());
    member.name.resize(std::max(length, 0));
    members.push_back(std::move(member));
  }
  RETURN_IF_ERROR(egl::CheckGl("reading a uniform block's members"));
  absl::c_sort(members, [](const BlockMember& a, const BlockMember& b) {
    return a.offset < b.offset;
  });
  return members;
}

}  // namespace

absl::Status CheckParamsSize(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GLuint block, FindBlock(program));
  const auto data = static_cast<size_t>(
      BlockValue(program, block, GL_UNIFORM_BLOCK_DATA_SIZE));
  const size_t bytes = (data + 15) / 16 * 16;
  if (bytes == params.block_bytes()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the shader's Params block takes ", bytes,
                   " bytes, the op laid out ", params.block_bytes(),
                   "; the .comp and its Plan function list different members"));
}

absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto shader, MembersOf(program));
  std::vector<BlockMember> host;
  for (const UniformBlock::Member& m : params.members()) {
    host.push_back({m.name, GlType(m.type), static_cast<GLint>(m.offset)});
  }
  if (host == shader) return absl::OkStatus();
  const size_t i = absl::c_mismatch(host, shader).first - host.begin();
  return absl::InternalError(absl::StrCat(
      "validation: member ", i, " of the Params block: the op laid out ",
      Describe(host, i), ", the shader declares ", Describe(shader, i),
      "; rule: the .comp declares the members that its Plan function lists, "
      "in the same order and with the same names and types"));
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

// Minimum number of programs for which threads pay (see CompilerThreads).
constexpr size_t kManyPrograms = 12;

// ProgramCache::Started::threads. Restores the previous number of threads, or
// none if that was all: drivers with DeviceFaults::compiles_in_turn report all
// without using them, and their threads take 0.1 s longer for a few programs.
struct CompilerThreads {
  GLint before = kAllThreads;

  CompilerThreads() {
    egl::gl().GetIntegerv(GL_MAX_SHADER_COMPILER_THREADS_KHR, &before);
    egl::gl().MaxShaderCompilerThreadsKHR(kAllThreads);
  }
  ~CompilerThreads() {
    egl::gl().MaxShaderCompilerThreadsKHR(before == kAllThreads ? 0 : before);
  }
};

void PrintTrace(const char* what, const std::string& label) {
  std::fprintf(stderr, "TfLiteGlesDelegate: program %s: %s\n", what,
               label.c_str());
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
  if (saved != nullptr) {
    saved->CountPrograms(loaded, static_cast<int>(missing.size()));
  }
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
    started.threads = std::make_shared<CompilerThreads>();
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

absl::Status ProgramCache::CompileOneByOne(absl::Span<const Source> sources,
                                           PartitionCache* saved) {
  for (const Source& source : sources) {
    if (stop_ != nullptr && *stop_) {
      return absl::CancelledError("the programs are not wanted any more");
    }
    const bool is_traced =
        egl::ProgramTraceIsOn() && !programs_.contains(source.text);
    if (is_traced) PrintTrace("begins", source.label);
    const absl::Status made = Get({&source, 1}, saved).status();
    if (is_traced) PrintTrace("ends", source.label);
    RETURN_IF_ERROR(made);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<const egl::Program*>> ProgramCache::Finish(
    absl::Span<const Source> sources, Started started) {
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
