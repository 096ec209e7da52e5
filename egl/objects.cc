#include "egl/objects.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace gles_delegate::egl {

// --- Handles -----------------------------------------------------------------

EGLContext CurrentContext() { return egl().GetCurrentContext(); }

// --- Buffers -----------------------------------------------------------------

// COPY_READ and COPY_WRITE are scratch: nothing but these functions binds them,
// so nothing needs putting back.

namespace {

absl::Status CheckRange(size_t size, size_t offset, size_t count,
                        const char* what) {
  if (offset <= size && count <= size - offset) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(what, " of ", count, " bytes at ",
                                            offset, " in a buffer of ", size));
}

absl::Status CheckSize(size_t bytes) {
  if (bytes > 0 &&
      bytes <= static_cast<size_t>(std::numeric_limits<GLsizeiptr>::max())) {
    return absl::OkStatus();
  }
  return Invalid("a buffer of ", bytes, " bytes");
}

// By mapping, which waits for the GPU.
absl::Status ReadMapping(GLuint name, size_t offset, absl::Span<uint8_t> data) {
  absl::Status status;
  gl().BindBuffer(GL_COPY_READ_BUFFER, name);
  const void* source = gl().MapBufferRange(
      GL_COPY_READ_BUFFER, static_cast<GLintptr>(offset),
      static_cast<GLsizeiptr>(data.size()), GL_MAP_READ_BIT);
  if (source == nullptr) {
    status = CheckGl(absl::StrCat("mapping ", data.size(), " bytes at ", offset,
                                  " of a buffer"));
    return status.ok() ? Internal("the driver mapped a buffer to no address")
                       : status;
  }
  std::memcpy(data.data(), source, data.size());
  if (!gl().UnmapBuffer(GL_COPY_READ_BUFFER)) {
    return absl::DataLossError(
        "the driver lost a buffer's contents while it was mapped "
        "(glUnmapBuffer); run the inference again");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Buffer> Buffer::Create(size_t bytes, const void* data,
                                      GLenum usage) {
  RETURN_IF_ERROR(CheckSize(bytes));
  Buffer buffer;
  buffer.handle_ = decltype(buffer.handle_)::New(gl().GenBuffers);
  buffer.bytes_ = bytes;
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  gl().BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), data,
                  usage);
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("creating a buffer of ", bytes, " bytes")));
  return buffer;
}

bool Buffer::CanBeMapped() { return HasExtension("GL_EXT_buffer_storage"); }

absl::StatusOr<Buffer> Buffer::CreateMapped(size_t bytes, GLbitfield access) {
  RETURN_IF_ERROR(CheckSize(bytes));
  if (!CanBeMapped()) {
    return Unimplemented(
        "this driver has no GL_EXT_buffer_storage (persistently mapped "
        "buffers)");
  }
  Buffer buffer;
  buffer.handle_ = decltype(buffer.handle_)::New(gl().GenBuffers);
  buffer.bytes_ = bytes;
  const GLbitfield flags =
      access | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT;
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  gl().BufferStorageEXT(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes),
                        /*data=*/nullptr, flags);
  buffer.mapped_ = static_cast<uint8_t*>(gl().MapBufferRange(
      GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), flags));
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("mapping a buffer of ", bytes, " bytes for good")));
  if (buffer.mapped_ == nullptr) {
    return Internal("the driver mapped a buffer of ", bytes,
                    " bytes to no address, and raised no error");
  }
  return buffer;
}

absl::Status Buffer::Upload(size_t offset, absl::Span<const uint8_t> data) {
  absl::Status status = CheckRange(bytes_, offset, data.size(), "an upload");
  if (!status.ok() || data.empty()) return status;
  if (mapped_ != nullptr) {
    std::memcpy(mapped_ + offset, data.data(), data.size());
    return absl::OkStatus();
  }
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, id());
  gl().BufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(offset),
                     static_cast<GLsizeiptr>(data.size()), data.data());
  return absl::OkStatus();
}

absl::Status Buffer::Read(size_t offset, absl::Span<uint8_t> data) const {
  absl::Status status = CheckRange(bytes_, offset, data.size(), "a read");
  if (!status.ok() || data.empty()) return status;
  if (mapped_ != nullptr) {
    // A persistent mapping waits for nothing by itself.
    gl().MemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT);
    gl().Finish();
    std::memcpy(data.data(), mapped_ + offset, data.size());
    return CheckGl("waiting for a mapped buffer");
  }
  return ReadMapping(id(), offset, data);
}

absl::Status Buffer::ReadOther(GLuint name, absl::Span<uint8_t> data) {
  return data.empty() ? absl::OkStatus() : ReadMapping(name, 0, data);
}

absl::Status Buffer::UploadToOther(GLuint name,
                                   absl::Span<const uint8_t> data) {
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, name);
  gl().BufferSubData(GL_COPY_WRITE_BUFFER, 0,
                     static_cast<GLsizeiptr>(data.size()), data.data());
  return CheckGl("an upload to a buffer (glBufferSubData)");
}

// --- Textures, samplers and framebuffers -------------------------------------

namespace {

// How texels of a sized internal format look in host memory.
struct Layout {
  GLenum internal;
  GLenum format;
  GLenum type;
  int texel_bytes;
};

constexpr Layout kLayouts[] = {
    {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8},
    {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4},
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, 4},
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
    {GL_R32F, GL_RED, GL_FLOAT, 4},
    {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1},
};

const Layout* FindLayout(GLenum internal) {
  for (const Layout& layout : kLayouts) {
    if (layout.internal == internal) return &layout;
  }
  return nullptr;
}

std::string Name(const Texture::Desc& desc) {
  return absl::StrCat("a texture of ", desc.width, "x", desc.height, "x",
                      desc.layers, ", format 0x", absl::Hex(desc.format));
}

GLenum BindingOf(GLenum target) {
  return target == GL_TEXTURE_2D           ? GL_TEXTURE_BINDING_2D
         : target == GL_TEXTURE_BUFFER_EXT ? GL_TEXTURE_BINDING_BUFFER_EXT
                                           : GL_TEXTURE_BINDING_2D_ARRAY;
}

// Binds a texture to the active unit, until the result goes out of scope, which
// restores the previous binding.
auto ScopedBind(GLenum target, GLuint id) {
  const GLint before = GetInteger(BindingOf(target));
  gl().BindTexture(target, id);
  return absl::MakeCleanup(
      [target, before] { gl().BindTexture(target, before); });
}

}  // namespace

absl::StatusOr<Texture> Texture::Create(const Desc& desc) {
  Texture texture;
  texture.handle_ = decltype(texture.handle_)::New(gl().GenTextures);
  texture.desc_ = desc;

  const auto bind = ScopedBind(desc.target, texture.id());
  if (desc.target == GL_TEXTURE_2D) {
    gl().TexStorage2D(desc.target, /*levels=*/1, desc.format, desc.width,
                      desc.height);
  } else {
    gl().TexStorage3D(desc.target, /*levels=*/1, desc.format, desc.width,
                      desc.height, desc.layers);
  }
  gl().TexParameteri(desc.target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl().TexParameteri(desc.target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl().TexParameteri(desc.target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl().TexParameteri(desc.target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  RETURN_IF_ERROR(CheckGl(absl::StrCat("creating ", Name(desc))));
  return texture;
}

absl::StatusOr<Texture> Texture::OfBuffers(GLenum format) {
  if (FindLayout(format) == nullptr || gl().TexBufferEXT == nullptr) {
    return Unimplemented("texels of format 0x", absl::Hex(format),
                         " in a buffer");
  }
  Texture texture;
  texture.handle_ = decltype(texture.handle_)::New(gl().GenTextures);
  texture.desc_ = {GL_TEXTURE_BUFFER_EXT, format, 0};
  return texture;
}

absl::StatusOr<Texture> Texture::OfBuffer(const Buffer& buffer, GLenum format) {
  auto texture = OfBuffers(format);
  if (!texture.ok()) return texture;
  const size_t texels = buffer.bytes() / FindLayout(format)->texel_bytes;
  texture->desc_.width = static_cast<int>(texels);
  SetBuffer(texture->id(), format, buffer.id());
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("viewing a buffer as ", Name(texture->desc_))));
  return texture;
}

void SetBuffer(GLuint texture, GLenum format, GLuint buffer) {
  const auto bind = ScopedBind(GL_TEXTURE_BUFFER_EXT, texture);
  gl().TexBufferEXT(GL_TEXTURE_BUFFER_EXT, format, buffer);
}

size_t Texture::bytes() const {
  if (id() == 0) return 0;
  return static_cast<size_t>(desc_.width) * desc_.height * desc_.layers *
         FindLayout(desc_.format)->texel_bytes;
}

void Texture::Upload(int x, int y, int layer, int width, int height, int layers,
                     const void* data) {
  const Layout* layout = FindLayout(desc_.format);
  const auto bind = ScopedBind(desc_.target, id());
  // Rows follow each other without padding. Nothing here relies on another
  // alignment, so it stays.
  gl().PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (desc_.target == GL_TEXTURE_2D) {
    gl().TexSubImage2D(desc_.target, /*level=*/0, x, y, width, height,
                       layout->format, layout->type, data);
  } else {
    gl().TexSubImage3D(desc_.target, /*level=*/0, x, y, layer, width, height,
                       layers, layout->format, layout->type, data);
  }
}

absl::StatusOr<Framebuffer> FramebufferOf(const Texture& texture) {
  auto framebuffer = Framebuffer::New(gl().GenFramebuffers);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer.id());
  gl().FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                            GL_TEXTURE_2D, texture.id(), /*level=*/0);
  const GLenum state = gl().CheckFramebufferStatus(GL_READ_FRAMEBUFFER);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  const std::string what =
      absl::StrCat("a framebuffer of ", Name(texture.desc()));
  RETURN_IF_ERROR(CheckGl(absl::StrCat("making ", what)));
  if (state == GL_FRAMEBUFFER_COMPLETE) return framebuffer;
  return FailedPrecondition(what,
                            ": the driver reads no such framebuffer (state 0x",
                            absl::Hex(state), ")");
}

absl::StatusOr<Sampler> NearestSampler() {
  auto sampler = Sampler::New(gl().GenSamplers);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl().SamplerParameteri(sampler.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  RETURN_IF_ERROR(CheckGl("making a sampler"));
  return sampler;
}

// --- Programs ----------------------------------------------------------------

namespace {

// A place as compilers name it: source string and line.
using Place = std::pair<int, int>;

// The first "S:L" or "S(L)" of a line of the log, if any.
std::optional<Place> FindPlace(const std::string& line) {
  for (size_t i = 0; i < line.size(); ++i) {
    Place place;
    char mark = 0;
    if (absl::ascii_isdigit(line[i]) &&
        std::sscanf(&line[i], "%9d%c%9d", &place.first, &mark, &place.second) ==
            3 &&
        (mark == ':' || mark == '(')) {
      return place;
    }
  }
  return std::nullopt;
}

bool Succeeded(decltype(GlApi::GetProgramiv) get, GLuint id, GLenum status) {
  GLint ok = GL_FALSE;
  get(id, status, &ok);
  return ok == GL_TRUE;
}

// A shader's or a program's log: the two pairs of functions look alike.
std::string ReadLog(decltype(GlApi::GetProgramiv) get,
                    decltype(GlApi::GetProgramInfoLog) read, GLuint id) {
  GLint length = 0;
  get(id, GL_INFO_LOG_LENGTH, &length);
  std::string log(std::max(length, 1), '\0');
  GLsizei written = 0;
  read(id, static_cast<GLsizei>(log.size()), &written, log.data());
  log.resize(std::max(written, 0));
  return log.empty() ? "(the driver gave no log)" : log;
}

}  // namespace

std::string DescribeLog(absl::string_view log, absl::string_view source) {
  std::string text(absl::StripTrailingAsciiWhitespace(log));
  std::set<Place> places;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (const auto place = FindPlace(std::string(line))) places.insert(*place);
  }
  Place at = {0, 1};
  for (const absl::string_view line : absl::StrSplit(source, '\n')) {
    if (places.count(at) > 0) {
      absl::StrAppend(&text, "\n  ", at.second, " | ", line);
    }
    // "#line 12" or "#line 12 1": the place of the line after it.
    if (std::sscanf(std::string(line).c_str(), " # line %9d %9d", &at.second,
                    &at.first) < 1) {
      ++at.second;
    }
  }
  return text;
}

absl::StatusOr<Program> Program::Compile(absl::string_view source,
                                         absl::string_view label) {
  absl::StatusOr<Program> program = Start(source);
  if (!program.ok()) return program;
  RETURN_IF_ERROR(program->Finish(source, label));
  return program;
}

absl::StatusOr<Program> Program::Start(absl::string_view source,
                                       bool retrievable) {
  Program program;
  program.shader_ =
      Handle<&GlApi::DeleteShader>(gl().CreateShader(GL_COMPUTE_SHADER));
  program.handle_ = Handle<&GlApi::DeleteProgram>(gl().CreateProgram());
  if (program.shader_.id() == 0 || program.handle_.id() == 0) {
    absl::Status status = CheckGl("creating a compute program");
    return status.ok() ? Internal("the driver makes no program") : status;
  }
  const char* text = source.data();
  const GLint length = static_cast<GLint>(source.size());
  gl().ShaderSource(program.shader_.id(), 1, &text, &length);
  gl().CompileShader(program.shader_.id());
  if (retrievable) {
    gl().ProgramParameteri(program.id(), GL_PROGRAM_BINARY_RETRIEVABLE_HINT,
                           GL_TRUE);
  }
  gl().AttachShader(program.id(), program.shader_.id());
  gl().LinkProgram(program.id());
  // No status is asked here: the question would wait for the compiler.
  return program;
}

bool Program::IsCompiled() const {
  GLint is_complete =
      GL_TRUE;  // stays so where the driver refuses the question
  gl().GetProgramiv(id(), GL_COMPLETION_STATUS_KHR, &is_complete);
  return is_complete != GL_FALSE;
}

absl::Status Program::Finish(absl::string_view source,
                             absl::string_view label) {
  if (shader_.id() == 0) {
    return FailedPrecondition("program ", label,
                              " was not started, or is finished");
  }
  const Handle<& GlApi::DeleteShader> shader = std::move(shader_);
  if (!Succeeded(gl().GetShaderiv, shader.id(), GL_COMPILE_STATUS)) {
    return Internal(
        "compute shader ", label, " does not compile on this driver:\n",
        DescribeLog(
            ReadLog(gl().GetShaderiv, gl().GetShaderInfoLog, shader.id()),
            source));
  }
  if (!Succeeded(gl().GetProgramiv, id(), GL_LINK_STATUS)) {
    return Internal(
        "compute program ", label, " does not link on this driver:\n",
        DescribeLog(ReadLog(gl().GetProgramiv, gl().GetProgramInfoLog, id()),
                    source));
  }
  gl().DetachShader(id(), shader.id());
  return absl::OkStatus();
}

absl::StatusOr<Program::Binary> Program::GetBinary() const {
  GLint length = 0;
  gl().GetProgramiv(id(), GL_PROGRAM_BINARY_LENGTH, &length);
  if (GetInteger(GL_NUM_PROGRAM_BINARY_FORMATS) < 1 || length < 1) {
    return Unimplemented("this driver offers no program binaries");
  }
  Binary binary;
  binary.data.resize(length);
  GLsizei written = 0;
  gl().GetProgramBinary(id(), length, &written, &binary.format,
                        binary.data.data());
  RETURN_IF_ERROR(CheckGl("glGetProgramBinary"));
  binary.data.resize(std::max(written, 0));
  return binary;
}

absl::StatusOr<Program> Program::FromBinary(GLenum format,
                                            absl::Span<const uint8_t> data) {
  Program program;
  program.handle_ = Handle<&GlApi::DeleteProgram>(gl().CreateProgram());
  gl().ProgramBinary(program.id(), format, data.data(),
                     static_cast<GLsizei>(data.size()));
  // An unknown format is a GL error, a stale binary only a failed link.
  const absl::Status status = CheckGl("glProgramBinary");
  if (status.code() == absl::StatusCode::kAborted) return status;
  if (!status.ok() ||
      !Succeeded(gl().GetProgramiv, program.id(), GL_LINK_STATUS)) {
    return FailedPrecondition(
        "this driver refuses the program binary of ", data.size(),
        " bytes, format 0x", absl::Hex(format), "; compile it again. ",
        status.ok()
            ? ReadLog(gl().GetProgramiv, gl().GetProgramInfoLog, program.id())
            : std::string(status.message()));
  }
  return program;
}

// --- Fences and timers -------------------------------------------------------

namespace {

// Of one wait. Waking up once a second, to wait again, costs nothing.
constexpr GLuint64 kSleepNanoseconds = 1000000000;

using Clock = std::chrono::steady_clock;

// Of a wait that begins now.
Clock::time_point EndOfPolling(Waiting how) {
  // Polling saves a few microseconds over sleeping in the driver, which is not
  // worth a busy core for longer inferences.
  if (how == Waiting::kActive) {
    return Clock::now() + std::chrono::milliseconds(2);
  }
  return how == Waiting::kAggressive ? Clock::time_point::max()
                                     : Clock::time_point::min();
}

// Whether timers were disturbed since the last call: reading
// GL_GPU_DISJOINT_EXT resets it.
bool WasDisjoint() { return GetInteger(GL_GPU_DISJOINT_EXT) != 0; }

}  // namespace

void Fence::Deleter::operator()(GLsync sync) const {
  if (CurrentContext() == context) gl().DeleteSync(sync);
}

absl::StatusOr<Fence> Fence::Insert() {
  Fence fence;
  fence.sync_ = {gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0),
                 Deleter{CurrentContext()}};
  if (fence.sync_ != nullptr) return fence;
  absl::Status status = CheckGl("glFenceSync");
  return status.ok() ? Internal("glFenceSync gave no fence") : status;
}

absl::Status Fence::Wait(Waiting how) const {
  if (sync_ == nullptr) return FailedPrecondition("an empty fence");
  GLenum result =
      gl().ClientWaitSync(sync_.get(), GL_SYNC_FLUSH_COMMANDS_BIT, 0);
  const Clock::time_point end = EndOfPolling(how);
  while (result == GL_TIMEOUT_EXPIRED && Clock::now() < end) {
    result = gl().ClientWaitSync(sync_.get(), 0, /*timeout=*/0);
  }
  while (result == GL_TIMEOUT_EXPIRED) {
    result = gl().ClientWaitSync(sync_.get(), 0, kSleepNanoseconds);
  }
  if (result == GL_ALREADY_SIGNALED || result == GL_CONDITION_SATISFIED) {
    return absl::OkStatus();
  }
  absl::Status status = CheckGl("waiting for a fence (glClientWaitSync)");
  return status.ok() ? Internal("glClientWaitSync failed") : status;
}

absl::StatusOr<TimerQuery> TimerQuery::Create() {
  if (!HasExtension("GL_EXT_disjoint_timer_query")) {
    return Unimplemented(
        "this driver has no GL_EXT_disjoint_timer_query (GPU timers)");
  }
  WasDisjoint();
  GLint bits = 0;
  gl().GetQueryiv(GL_TIMESTAMP_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
  TimerQuery query;
  query.begin_ = Query::New(gl().GenQueries);
  if (bits > 0 && gl().QueryCounterEXT != nullptr) {
    query.end_ = Query::New(gl().GenQueries);
  }
  return query;
}

uint64_t TimerQuery::Now() {
  GLint64 now = 0;
  gl().GetInteger64v(GL_TIMESTAMP_EXT, &now);
  return static_cast<uint64_t>(now);
}

bool TimerQuery::IsBlocked() const {
  if (has_timestamps()) return false;
  GLint running = 0;
  gl().GetQueryiv(GL_TIME_ELAPSED_EXT, GL_CURRENT_QUERY, &running);
  return running != 0;
}

void TimerQuery::Begin() {
  if (has_timestamps()) {
    gl().QueryCounterEXT(begin_.id(), GL_TIMESTAMP_EXT);
  } else {
    gl().BeginQuery(GL_TIME_ELAPSED_EXT, begin_.id());
  }
}

void TimerQuery::End() {
  if (has_timestamps()) {
    gl().QueryCounterEXT(end_.id(), GL_TIMESTAMP_EXT);
  } else {
    gl().EndQuery(GL_TIME_ELAPSED_EXT);
  }
}

absl::StatusOr<TimerQuery::Times> TimerQuery::Read() const {
  GLuint64 first = 0, end = 0;
  gl().GetQueryObjectui64vEXT(begin_.id(), GL_QUERY_RESULT, &first);
  if (has_timestamps()) {
    gl().GetQueryObjectui64vEXT(end_.id(), GL_QUERY_RESULT, &end);
  }
  RETURN_IF_ERROR(CheckGl("reading a GPU timer"));
  if (WasDisjoint() || (has_timestamps() && end < first)) {
    return Unavailable(
        "the GPU's clock was disturbed while the timer ran (its frequency "
        "changed, say); measure again");
  }
  if (has_timestamps()) return Times{first, end - first};
  return Times{std::nullopt, first};
}

// --- GL errors since the last check ------------------------------------------

namespace {

// A lost context may raise GL_CONTEXT_LOST for ever: never loop without end.
constexpr int kMaxErrors = 16;
constexpr int kMaxMessages = 8;

std::string ErrorName(GLenum error) {
  constexpr std::pair<GLenum, const char*> kNames[] = {
      {GL_INVALID_ENUM, "GL_INVALID_ENUM"},
      {GL_INVALID_VALUE, "GL_INVALID_VALUE"},
      {GL_INVALID_OPERATION, "GL_INVALID_OPERATION"},
      {GL_INVALID_FRAMEBUFFER_OPERATION, "GL_INVALID_FRAMEBUFFER_OPERATION"},
      {GL_OUT_OF_MEMORY, "GL_OUT_OF_MEMORY"},
      {GL_CONTEXT_LOST_KHR, "GL_CONTEXT_LOST"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == error) return name;
  }
  return absl::StrCat("GL error 0x", absl::Hex(error));
}

bool HasDebugMessages() {
  // Only an enum that KHR_debug knows is answered without an error; the error
  // flag is empty here, so it is ours to drain.
  const GLint count = GetInteger(GL_DEBUG_LOGGED_MESSAGES_KHR);
  return gl().GetError() == GL_NO_ERROR && count > 0 &&
         gl().GetDebugMessageLogKHR != nullptr;
}

std::vector<std::string> DrainDebugMessages() {
  std::vector<std::string> messages = TakeLoggedErrors();
  if (!HasDebugMessages()) return messages;
  std::string text(4096, '\0');
  for (int i = 0; i < kMaxMessages; ++i) {
    GLenum type = 0;
    GLsizei length = 0;
    const GLuint count = gl().GetDebugMessageLogKHR(
        1, static_cast<GLsizei>(text.size()), /*sources=*/nullptr, &type,
        /*ids=*/nullptr, /*severities=*/nullptr, &length, text.data());
    if (count == 0) break;
    if (type != GL_DEBUG_TYPE_ERROR_KHR) continue;
    messages.emplace_back(text.data(), std::max(0, length - 1));
  }
  return messages;
}

}  // namespace

absl::Status CheckGl(absl::string_view what) {
  GLenum error = gl().GetError();
  if (error == GL_NO_ERROR) return absl::OkStatus();

  std::vector<std::string> names;
  absl::StatusCode code = absl::StatusCode::kInternal;
  for (int i = 0; i < kMaxErrors && error != GL_NO_ERROR; ++i) {
    names.push_back(ErrorName(error));
    if (error == GL_OUT_OF_MEMORY) code = absl::StatusCode::kResourceExhausted;
    if (error == GL_CONTEXT_LOST_KHR) {
      code = absl::StatusCode::kAborted;
      break;
    }
    error = gl().GetError();
  }
  std::string message = absl::StrCat(what, ": ", absl::StrJoin(names, ", "));
  if (code != absl::StatusCode::kAborted) {
    for (const std::string& text : DrainDebugMessages()) {
      absl::StrAppend(&message, "\n  driver: ", text);
    }
  }
  return absl::Status(code, message);
}

}  // namespace gles_delegate::egl
