#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/objects.h"
#include "egl/program_log.h"

namespace gles_delegate::egl {
namespace {

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
  program.shader_ = Handle<DeleteShader>(gl().CreateShader(GL_COMPUTE_SHADER));
  program.handle_ = Handle<DeleteProgram>(gl().CreateProgram());
  if (program.shader_.id() == 0 || program.handle_.id() == 0) {
    absl::Status status = CheckGl("creating a compute program");
    return status.ok() ? absl::InternalError("the driver makes no program")
                       : status;
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
    return absl::FailedPreconditionError(
        absl::StrCat("program ", label, " was not started, or is finished"));
  }
  const Handle<DeleteShader> shader = std::move(shader_);
  if (!Succeeded(gl().GetShaderiv, shader.id(), GL_COMPILE_STATUS)) {
    return absl::InternalError(absl::StrCat(
        "compute shader ", label, " does not compile on this driver:\n",
        DescribeLog(
            ReadLog(gl().GetShaderiv, gl().GetShaderInfoLog, shader.id()),
            source)));
  }
  if (!Succeeded(gl().GetProgramiv, id(), GL_LINK_STATUS)) {
    return absl::InternalError(absl::StrCat(
        "compute program ", label, " does not link on this driver:\n",
        DescribeLog(ReadLog(gl().GetProgramiv, gl().GetProgramInfoLog, id()),
                    source)));
  }
  gl().DetachShader(id(), shader.id());
  return absl::OkStatus();
}

absl::StatusOr<Program::Binary> Program::GetBinary() const {
  GLint formats = 0;
  gl().GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
  GLint length = 0;
  gl().GetProgramiv(id(), GL_PROGRAM_BINARY_LENGTH, &length);
  if (formats < 1 || length < 1) {
    return absl::UnimplementedError("this driver offers no program binaries");
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
  program.handle_ = Handle<DeleteProgram>(gl().CreateProgram());
  gl().ProgramBinary(program.id(), format, data.data(),
                     static_cast<GLsizei>(data.size()));
  // An unknown format is a GL error, a stale binary only a failed link.
  const absl::Status status = CheckGl("glProgramBinary");
  if (status.code() == absl::StatusCode::kAborted) return status;
  if (!status.ok() ||
      !Succeeded(gl().GetProgramiv, program.id(), GL_LINK_STATUS)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this driver refuses the program binary of ", data.size(),
        " bytes, format 0x", absl::Hex(format), "; compile it again. ",
        status.ok()
            ? ReadLog(gl().GetProgramiv, gl().GetProgramInfoLog, program.id())
            : std::string(status.message())));
  }
  return program;
}

}  // namespace gles_delegate::egl
