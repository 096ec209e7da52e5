// A libEGL with its own GL that says yes to everything, for fuzzing what
// the delegate tells a driver: names are handed out, everything compiles, and
// nothing is computed. Opened by GLES_DELEGATE_EGL_LIBRARY.
//
// Uploads are read, byte for byte, so that a sanitizer sees a step past
// the end; and each mapping is a separate block.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "egl/gl_api.h"

namespace {

// --- What each function does where nothing below says otherwise -------------

template <typename Function>
struct Nothing;
template <typename R, typename... Args>
struct Nothing<R (*)(Args...)> {
  static R Call(Args...) {
    if constexpr (!std::is_void_v<R>) return R();
  }
};

// Calls that read memory must read no more than this of one upload.
constexpr size_t kMaxBytes = size_t{1} << 24;

volatile uint8_t g_sum;
void Touch(const void* data, size_t bytes) {
  if (data == nullptr) return;
  const auto* at = static_cast<const uint8_t*>(data);
  uint8_t sum = 0;
  for (size_t i = 0; i < bytes; ++i) sum = static_cast<uint8_t>(sum + at[i]);
  g_sum = sum;
}

// --- The state --------------------------------------------------------------

bool g_is_large = true;
EGLContext g_current = EGL_NO_CONTEXT;
uintptr_t g_contexts = 0;
GLuint g_names = 0;

std::map<GLenum, GLuint> g_bound;  // buffers
std::map<GLuint, std::vector<uint8_t>> g_mapped;
std::map<GLuint, GLint> g_params_bytes;  // by shader, and by program

// --- The size of a shader's Params block ------------------------------------

using Defines = std::map<std::string, std::string>;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  size_t from = 0;
  while (from < text.size()) {
    size_t end = text.find('\n', from);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(from, end - from);
    line = line.substr(0, line.find("//"));
    lines.push_back(
        line.substr(std::min(line.size(), line.find_first_not_of(" \t"))));
    from = end + 1;
  }
  return lines;
}

// "#ifdef X", "#ifndef X", "#if X", "#if X > 1": all that Params blocks have.
bool Holds(const std::string& line, const Defines& defines) {
  const auto word = [&line](size_t from) {
    from = line.find_first_not_of(' ', from);
    if (from == std::string::npos) return std::string();
    size_t end = from;
    while (end < line.size() && (std::isalnum(line[end]) || line[end] == '_')) {
      ++end;
    }
    return line.substr(from, end - from);
  };
  if (line.rfind("#ifdef", 0) == 0) return defines.count(word(6)) > 0;
  if (line.rfind("#ifndef", 0) == 0) return defines.count(word(7)) == 0;
  const auto found = defines.find(word(3));
  const int64_t value = found == defines.end()
                            ? 0
                            : std::strtol(found->second.c_str(), nullptr, 0);
  const size_t greater = line.find('>');
  if (greater == std::string::npos) return value != 0;
  return value > std::strtol(line.c_str() + greater + 1, nullptr, 0);
}

// By std140, of the scalars and vectors of four-byte members.
void Add(const std::string& type, GLint* bytes) {
  GLint size = 0;
  if (type == "int" || type == "float" || type == "uint") size = 4;
  if (type == "ivec2" || type == "vec2") size = 8;
  if (type == "ivec4" || type == "vec4" || type == "uvec4") size = 16;
  if (size == 0) return;
  *bytes = (*bytes + size - 1) / size * size + size;
}

void AddMembers(std::string line, GLint* bytes) {
  size_t from = 0;
  while (from < line.size()) {
    size_t end = line.find(';', from);
    if (end == std::string::npos) return;
    const size_t type = line.find_first_not_of(' ', from);
    Add(line.substr(type, line.find(' ', type) - type), bytes);
    from = end + 1;
  }
}

GLint ParamsBytes(const std::string& text) {
  Defines defines;
  std::vector<bool> holds = {true};
  GLint bytes = 0;
  bool is_inside = false;
  for (const std::string& line : Lines(text)) {
    if (line.rfind("#if", 0) == 0) {
      holds.push_back(holds.back() && Holds(line, defines));
    } else if (line.rfind("#el", 0) == 0) {
      holds.back() = !holds.back() && holds[holds.size() - 2];
    } else if (line.rfind("#endif", 0) == 0) {
      if (holds.size() > 1) holds.pop_back();
    } else if (!holds.back()) {
      continue;
    } else if (line.rfind("#define ", 0) == 0) {
      const size_t end = line.find(' ', 8);
      defines[line.substr(8, end - 8)] =
          end == std::string::npos ? "" : line.substr(end + 1);
    } else if (const size_t at = line.find("uniform Params {");
               at != std::string::npos) {
      is_inside = true;
      const size_t rest = at + std::strlen("uniform Params {");
      std::string members = line.substr(rest);
      if (members.find("COMMON_PARAMS") != std::string::npos) {
        AddMembers(defines["COMMON_PARAMS"], &bytes);
      }
      if (members.find('}') != std::string::npos) return bytes;
    } else if (is_inside && line.rfind('}', 0) == 0) {
      return bytes;
    } else if (is_inside) {
      AddMembers(
          line.rfind("COMMON_PARAMS", 0) == 0 ? defines["COMMON_PARAMS"] : line,
          &bytes);
    }
  }
  return bytes;
}

// --- GL ---------------------------------------------------------------------

void MakeNames(GLsizei count, GLuint* names) {
  for (GLsizei i = 0; i < count; ++i) names[i] = ++g_names;
}

GLint Limit(GLenum name) {
  switch (name) {
    case GL_MAX_TEXTURE_SIZE:
      return g_is_large ? 16384 : 2048;
    case GL_MAX_ARRAY_TEXTURE_LAYERS:
      return g_is_large ? 2048 : 256;
    case GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS:
      return g_is_large ? 1024 : 128;
    case GL_MAX_COMPUTE_SHARED_MEMORY_SIZE:
    case GL_MAX_UNIFORM_BLOCK_SIZE:
      return g_is_large ? 65536 : 16384;
    case GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS:
      return g_is_large ? 16 : 4;
    case GL_MAX_COMPUTE_IMAGE_UNIFORMS:
    case GL_MAX_IMAGE_UNITS:
      return g_is_large ? 8 : 4;
    case GL_MAX_COMPUTE_TEXTURE_IMAGE_UNITS:
      return 16;
    case GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES:
      return g_is_large ? 24 : 4;
    case GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT:
    case GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT:
      return 256;
    default:
      return 0;
  }
}

// Typed as GL's own functions, each stands for the one of its name.
#define GL_FUNCTION(name) const decltype(&::gl##name) k##name
GL_FUNCTION(GenBuffers) = [](GLsizei n, GLuint* names) { MakeNames(n, names); };
GL_FUNCTION(GenTextures) = kGenBuffers;
GL_FUNCTION(GenSamplers) = kGenBuffers;
GL_FUNCTION(GenFramebuffers) = kGenBuffers;
GL_FUNCTION(GenQueries) = kGenBuffers;
GL_FUNCTION(CreateShader) = [](GLenum) { return ++g_names; };
GL_FUNCTION(CreateProgram) = [] { return ++g_names; };
GL_FUNCTION(GetIntegerv) = [](GLenum name, GLint* value) {
  *value = Limit(name);
};
GL_FUNCTION(GetInteger64v) = [](GLenum, GLint64* value) {
  *value = GLint64{1} << (g_is_large ? 31 : 27);
};
GL_FUNCTION(GetIntegeri_v) = [](GLenum name, GLuint index, GLint* value) {
  const bool is_count = name == GL_MAX_COMPUTE_WORK_GROUP_COUNT;
  *value = is_count ? 65535 : index == 2 ? 64 : g_is_large ? 1024 : 128;
};
GL_FUNCTION(GetString) = [](GLenum name) {
  return reinterpret_cast<const GLubyte*>(
      name == GL_VERSION ? "OpenGL ES 3.2 fake" : "fake");
};
GL_FUNCTION(GetShaderiv) = [](GLuint, GLenum name, GLint* value) {
  *value = name == GL_COMPILE_STATUS ? GL_TRUE : 0;
};
GL_FUNCTION(GetProgramiv) = [](GLuint, GLenum name, GLint* value) {
  *value = name == GL_LINK_STATUS ? GL_TRUE : 0;
};
GL_FUNCTION(ShaderSource) = [](GLuint shader, GLsizei count,
                               const GLchar* const* texts,
                               const GLint* lengths) {
  std::string text;
  for (GLsizei i = 0; i < count; ++i) {
    if (lengths == nullptr || lengths[i] < 0) {
      text += texts[i];
    } else {
      text.append(texts[i], static_cast<size_t>(lengths[i]));
    }
  }
  g_params_bytes[shader] = ParamsBytes(text);
};
GL_FUNCTION(AttachShader) = [](GLuint program, GLuint shader) {
  g_params_bytes[program] = g_params_bytes[shader];
};
GL_FUNCTION(DeleteShader) = [](GLuint shader) { g_params_bytes.erase(shader); };
GL_FUNCTION(DeleteProgram) = kDeleteShader;
GL_FUNCTION(GetActiveUniformBlockiv) = [](GLuint program, GLuint, GLenum,
                                          GLint* value) {
  *value = g_params_bytes[program];
};
GL_FUNCTION(BindBuffer) = [](GLenum target, GLuint buffer) {
  g_bound[target] = buffer;
};
GL_FUNCTION(BindBufferBase) = [](GLenum target, GLuint, GLuint buffer) {
  g_bound[target] = buffer;
};
GL_FUNCTION(BindBufferRange) = [](GLenum target, GLuint, GLuint buffer,
                                  GLintptr,
                                  GLsizeiptr) { g_bound[target] = buffer; };
GL_FUNCTION(BufferData) = [](GLenum, GLsizeiptr bytes, const void* data,
                             GLenum) {
  Touch(data, static_cast<size_t>(bytes));
};
GL_FUNCTION(BufferSubData) = [](GLenum, GLintptr, GLsizeiptr bytes,
                                const void* data) {
  Touch(data, static_cast<size_t>(bytes));
};
GL_FUNCTION(DeleteBuffers) = [](GLsizei count, const GLuint* names) {
  for (GLsizei i = 0; i < count; ++i) {
    g_mapped.erase(names[i]);
  }
};
GL_FUNCTION(MapBufferRange) = [](GLenum target, GLintptr, GLsizeiptr bytes,
                                 GLbitfield) -> void* {
  if (bytes <= 0 || static_cast<size_t>(bytes) > kMaxBytes) return nullptr;
  auto& memory = g_mapped[g_bound[target]];
  memory.assign(static_cast<size_t>(bytes), 0);
  return memory.data();
};
GL_FUNCTION(UnmapBuffer) = [](GLenum target) -> GLboolean {
  g_mapped.erase(g_bound[target]);
  return GL_TRUE;
};
GL_FUNCTION(CheckFramebufferStatus) = [](GLenum) -> GLenum {
  return GL_FRAMEBUFFER_COMPLETE;
};
GL_FUNCTION(FenceSync) = [](GLenum, GLbitfield) {
  return reinterpret_cast<GLsync>(&g_names);
};
GL_FUNCTION(ClientWaitSync) = [](GLsync, GLbitfield, GLuint64) -> GLenum {
  return GL_ALREADY_SIGNALED;
};
#undef GL_FUNCTION

#define FUNCTION(name) \
  { "gl" #name, reinterpret_cast<void*>(k##name) }
const std::map<std::string, void*>& Functions() {
  static const auto& functions = *new std::map<std::string, void*>{
      FUNCTION(GenBuffers),      FUNCTION(GenTextures),
      FUNCTION(GenSamplers),     FUNCTION(GenFramebuffers),
      FUNCTION(GenQueries),      FUNCTION(CreateShader),
      FUNCTION(CreateProgram),   FUNCTION(GetIntegerv),
      FUNCTION(GetInteger64v),   FUNCTION(GetIntegeri_v),
      FUNCTION(GetString),       FUNCTION(GetShaderiv),
      FUNCTION(GetProgramiv),    FUNCTION(ShaderSource),
      FUNCTION(AttachShader),    FUNCTION(DeleteShader),
      FUNCTION(DeleteProgram),   FUNCTION(GetActiveUniformBlockiv),
      FUNCTION(BindBuffer),      FUNCTION(BindBufferBase),
      FUNCTION(BindBufferRange), FUNCTION(BufferData),
      FUNCTION(BufferSubData),   FUNCTION(DeleteBuffers),
      FUNCTION(MapBufferRange),  FUNCTION(UnmapBuffer),
      FUNCTION(FenceSync),       FUNCTION(CheckFramebufferStatus),
      FUNCTION(ClientWaitSync),
#define GL_REQUIRED(name) \
  {"gl" #name, reinterpret_cast<void*>(Nothing<decltype(&::gl##name)>::Call)},
#include "egl/gl_functions.inc"
  };  // a name's first entry holds
  return functions;
}
#undef FUNCTION

}  // namespace

// --- EGL --------------------------------------------------------------------

extern "C" {

// Whether the next context is of a device with more than OpenGL ES 3.1's
// minima.
void fake_driver_is_large(int is_large) { g_is_large = is_large != 0; }

EGLBoolean eglBindAPI(EGLenum) { return EGL_TRUE; }
EGLBoolean eglChooseConfig(EGLDisplay, const EGLint*, EGLConfig* configs,
                           EGLint size, EGLint* count) {
  if (configs != nullptr && size > 0) {
    configs[0] = reinterpret_cast<EGLConfig>(&g_names);
  }
  *count = 1;
  return EGL_TRUE;
}
EGLContext eglCreateContext(EGLDisplay, EGLConfig, EGLContext, const EGLint*) {
  return reinterpret_cast<EGLContext>(++g_contexts);
}
EGLSurface eglCreatePbufferSurface(EGLDisplay, EGLConfig, const EGLint*) {
  return reinterpret_cast<EGLSurface>(&g_names);
}
EGLBoolean eglDestroyContext(EGLDisplay, EGLContext) { return EGL_TRUE; }
EGLBoolean eglDestroySurface(EGLDisplay, EGLSurface) { return EGL_TRUE; }
EGLBoolean eglGetConfigAttrib(EGLDisplay, EGLConfig, EGLint, EGLint* value) {
  *value = EGL_OPENGL_ES3_BIT_KHR | EGL_PBUFFER_BIT;
  return EGL_TRUE;
}
EGLContext eglGetCurrentContext() { return g_current; }
EGLDisplay eglGetCurrentDisplay() {
  return g_current == EGL_NO_CONTEXT ? EGL_NO_DISPLAY
                                     : reinterpret_cast<EGLDisplay>(&g_names);
}
EGLSurface eglGetCurrentSurface(EGLint) { return EGL_NO_SURFACE; }
EGLDisplay eglGetDisplay(EGLNativeDisplayType) {
  return reinterpret_cast<EGLDisplay>(&g_names);
}
EGLint eglGetError() { return EGL_SUCCESS; }
EGLBoolean eglInitialize(EGLDisplay, EGLint* major, EGLint* minor) {
  if (major != nullptr) *major = 1;
  if (minor != nullptr) *minor = 5;
  return EGL_TRUE;
}
EGLBoolean eglMakeCurrent(EGLDisplay, EGLSurface, EGLSurface,
                          EGLContext context) {
  g_current = context;
  return EGL_TRUE;
}
EGLenum eglQueryAPI() { return EGL_OPENGL_ES_API; }
EGLBoolean eglQueryContext(EGLDisplay, EGLContext, EGLint, EGLint* value) {
  *value = 3;
  return EGL_TRUE;
}
const char* eglQueryString(EGLDisplay display, EGLint name) {
  if (name == EGL_VERSION) return "1.5 fake";
  return display == EGL_NO_DISPLAY
             ? ""
             : "EGL_KHR_create_context EGL_KHR_surfaceless_context";
}
EGLBoolean eglTerminate(EGLDisplay) { return EGL_TRUE; }
__eglMustCastToProperFunctionPointerType eglGetProcAddress(const char* name) {
  const auto found = Functions().find(name);
  if (found == Functions().end()) return nullptr;
  return reinterpret_cast<__eglMustCastToProperFunctionPointerType>(
      found->second);
}

}  // extern "C"
