// Move-only handles for GL objects. Every call needs a current context. A
// handle made within Context::Run() must be destroyed within Run() of that
// context, or of one that shares objects with it (queries, framebuffers and
// fences: of the same context); one made outside Run() while the same context
// is current. If destroyed elsewhere, it leaks its object until the contexts
// are destroyed, instead of deleting another object with that name.
//
// Binding points: buffers use GL_COPY_READ_BUFFER and GL_COPY_WRITE_BUFFER as
// scratch; textures use the active unit and restore its binding. Upload() sets
// GL_UNPACK_ALIGNMENT to 1.
#ifndef GLES_DELEGATE_EGL_OBJECTS_H_
#define GLES_DELEGATE_EGL_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// --- How to wait for the GPU -------------------------------------------------

enum class Waiting {
  kPassive,     // asleep in the driver
  kActive,      // polls for at most 2 ms, then sleeps
  kAggressive,  // polls until the GPU has finished
};

// This thread's EGLContext, or EGL_NO_CONTEXT.
EGLContext CurrentContext();

// Identifies the contexts that share objects with the one whose Context::Run()
// is active on this thread; 0: none is. Unique within a process.
uint64_t CurrentShareGroup();

// Owns a GL name of the context that is current at construction. `deleter`: one
// of GL's glDelete* functions, of one name or of several. `is_shared`: sharing
// contexts share such objects (all kinds but queries and framebuffers).
template <auto deleter, bool is_shared = true>
class Handle {
 public:
  Handle() = default;
  explicit Handle(GLuint id)
      : id_(id), context_(CurrentContext()), group_(CurrentShareGroup()) {}
  // A new name; `generate` is one of GL's glGen* functions.
  template <typename Generate>
  static Handle New(Generate generate) {
    GLuint id = 0;
    generate(1, &id);
    return Handle(id);
  }
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        context_(other.context_),
        group_(other.group_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      Reset();
      id_ = std::exchange(other.id_, 0);
      context_ = other.context_;
      group_ = other.group_;
    }
    return *this;
  }
  ~Handle() { Reset(); }

  GLuint id() const { return id_; }
  // Releases the object without deleting it (its context is lost).
  GLuint Release() { return std::exchange(id_, 0); }
  void Reset() {
    if (id_ != 0 && IsReachable()) {
      const auto destroy = gl().*deleter;
      if constexpr (std::is_invocable_v<decltype(destroy), GLuint>) {
        destroy(id_);
      } else {
        destroy(1, &id_);
      }
    }
    id_ = 0;
  }

 private:
  bool IsReachable() const {
    return is_shared && group_ != 0 ? CurrentShareGroup() == group_
                                    : CurrentContext() == context_;
  }

  GLuint id_ = 0;
  EGLContext context_ = EGL_NO_CONTEXT;
  uint64_t group_ = 0;
};

class Buffer {
 public:
  Buffer() = default;
  // `data` may be null (uninitialised). usage: GL_STATIC_DRAW and so on.
  // kResourceExhausted: out of memory; the message gives the size.
  static absl::StatusOr<Buffer> Create(size_t bytes, const void* data,
                                       GLenum usage);
  // Stays mapped coherently while it lives. access: GL_MAP_READ_BIT,
  // GL_MAP_WRITE_BIT or both. GPU writes are visible through mapped() after a
  // barrier (GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT) and a fence.
  // kUnimplemented without GL_EXT_buffer_storage.
  static absl::StatusOr<Buffer> CreateMapped(size_t bytes, GLbitfield access);
  static bool CanBeMapped();  // by CreateMapped()

  GLuint id() const { return handle_.id(); }
  size_t bytes() const { return bytes_; }
  // Null unless made by CreateMapped().
  uint8_t* mapped() const { return mapped_; }

  // Copies from the host to the buffer at `offset` (glBufferSubData, or into
  // the mapping without waiting for the GPU). kOutOfRange beyond the end.
  absl::Status Upload(size_t offset, absl::Span<const uint8_t> data);
  // Copies from the buffer to the host by mapping; waits for the GPU. After
  // shader writes the caller must issue GL_BUFFER_UPDATE_BARRIER_BIT.
  absl::Status Read(size_t offset, absl::Span<uint8_t> data) const;

  // Read() and Upload() for a foreign buffer, by name, from its first byte on.
  // Beyond its end GL raises an error.
  static absl::Status ReadOther(GLuint name, absl::Span<uint8_t> data);
  static absl::Status UploadToOther(GLuint name,
                                    absl::Span<const uint8_t> data);

 private:
  Handle<&GlApi::DeleteBuffers> handle_;
  size_t bytes_ = 0;
  uint8_t* mapped_ = nullptr;  // goes with the buffer
};

// An immutable texture (glTexStorage), one mip level.
class Texture {
 public:
  struct Desc {
    GLenum target = GL_TEXTURE_2D_ARRAY;  // or GL_TEXTURE_2D; of a buffer,
                                          // GL_TEXTURE_BUFFER_EXT
    GLenum format = GL_RGBA32F;           // sized internal format
    int width = 1;
    int height = 1;
    int layers = 1;  // 1 for GL_TEXTURE_2D
  };
  Texture() = default;
  // Nearest filtering, clamped. kResourceExhausted: out of memory.
  static absl::StatusOr<Texture> Create(const Desc& desc);
  // A buffer's texels, for reading as an imageBuffer; the buffer must outlive
  // it. Needs GL_EXT_texture_buffer.
  static absl::StatusOr<Texture> OfBuffer(const Buffer& buffer, GLenum format);
  // The same for a buffer that SetBuffer() gives later.
  static absl::StatusOr<Texture> OfBuffers(GLenum format);
  GLuint id() const { return handle_.id(); }
  const Desc& desc() const { return desc_; }
  size_t bytes() const;

  // Uploads a box of texels; `data` is in the texture's own format and type
  // (RGBA floats for GL_RGBA32F; halves for GL_RGBA16F; bytes for GL_RGBA8I,
  // ...), packed layer by layer, row by row. GL errors, as beyond the edges,
  // are left for the next CheckGl().
  void Upload(int x, int y, int layer, int width, int height, int layers,
              const void* data);

 private:
  Handle<&GlApi::DeleteTextures> handle_;
  Desc desc_;
};

// The texture, made by OfBuffers(), gets the texels of this buffer.
void SetBuffer(GLuint texture, GLenum format, GLuint buffer);

// A sampler object: nearest filtering, clamped to the edges. Makes a texture
// with only its first level complete, whatever its own filters.
using Sampler = Handle<&GlApi::DeleteSamplers>;
absl::StatusOr<Sampler> NearestSampler();

// A framebuffer for copying a texture's texels. Not shared between contexts:
// use and delete it in its own.
using Framebuffer = Handle<&GlApi::DeleteFramebuffers, /*is_shared=*/false>;
// `texture`, a GL_TEXTURE_2D, must outlive it. Changes GL_READ_FRAMEBUFFER.
// kFailedPrecondition: the driver cannot read the texture's format.
absl::StatusOr<Framebuffer> FramebufferOf(const Texture& texture);

class Program {
 public:
  Program() = default;
  // Compiles and links a compute program. kInternal with the driver's log and
  // the source lines that it names. `label` names it in errors.
  static absl::StatusOr<Program> Compile(absl::string_view source,
                                         absl::string_view label);
  // Compile() in two steps, so that drivers with KHR_parallel_shader_compile
  // compile in parallel: Start() all, then Finish() each. `retrievable`:
  // GetBinary() will be called, for which drivers keep more.
  static absl::StatusOr<Program> Start(absl::string_view source,
                                       bool retrievable = true);
  absl::Status Finish(absl::string_view source, absl::string_view label);
  // Between them, with KHR_parallel_shader_compile: whether Finish() would
  // return without waiting for the compiler.
  bool IsCompiled() const;

  GLuint id() const { return handle_.id(); }

  struct Binary {
    GLenum format = 0;
    std::vector<uint8_t> data;
  };
  // kUnimplemented if the driver has no binary formats.
  absl::StatusOr<Binary> GetBinary() const;
  // kFailedPrecondition if the driver refuses it (compile instead).
  static absl::StatusOr<Program> FromBinary(GLenum format,
                                            absl::Span<const uint8_t> data);

 private:
  Handle<&GlApi::DeleteProgram> handle_;
  Handle<&GlApi::DeleteShader> shader_;  // between Start and Finish
};

// A shader compiler's log, then each line of `source` that it refers to as
// "0:12(3): error" (Mesa), "0(12) : error" (NVIDIA) or "0:12: error" (Mali,
// Adreno, PowerVR), once each and in order: "  12 | text". Follows #line
// directives, so that a number within an included file finds that file's text.
std::string DescribeLog(absl::string_view log, absl::string_view source);

// A fence in the command stream (glFenceSync).
class Fence {
 public:
  static absl::StatusOr<Fence> Insert();
  absl::Status Wait(Waiting how = Waiting::kPassive) const;

 private:
  struct Deleter {
    EGLContext context;
    void operator()(GLsync sync) const;
  };
  std::unique_ptr<std::remove_pointer_t<GLsync>, Deleter> sync_;
};

// The time that commands take on the GPU: two timestamps if the driver has
// them, else GL_TIME_ELAPSED_EXT, which does not nest. Create() is
// kUnimplemented without EXT_disjoint_timer_query.
class TimerQuery {
 public:
  struct Times {
    // Of the GPU's clock, as Now() gives it; absent without timestamps.
    std::optional<uint64_t> begin_ns;
    uint64_t ns = 0;
  };
  TimerQuery() = default;
  static absl::StatusOr<TimerQuery> Create();
  // The GPU's clock in nanoseconds, once all earlier commands are submitted.
  // Only of drivers with timestamps.
  static uint64_t Now();
  // Whether Begin() would fail: without timestamps no query may begin between
  // Begin() and End() of another, the app's included.
  bool IsBlocked() const;
  bool has_timestamps() const { return end_.id() != 0; }
  void Begin();
  void End();
  // Waits for the result. kUnavailable if the GPU's clock was disturbed:
  // measure again.
  absl::StatusOr<Times> Read() const;

 private:
  using Query = Handle<&GlApi::DeleteQueries, /*is_shared=*/false>;
  Query begin_;  // or of the whole time
  Query end_;    // of timestamps
};

// OK, or the GL errors since the last check, with `what` and any KHR_debug
// message. Call once per stage, not after each call. kResourceExhausted: out of
// memory. kAborted: the context is lost. Otherwise kInternal.
absl::Status CheckGl(absl::string_view what);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_OBJECTS_H_
