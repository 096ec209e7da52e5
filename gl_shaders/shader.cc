#include "gl_shaders/shader.h"

#include <algorithm>
#include <fstream>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/format.h"
#include "base/status_macros.h"
#include "egl/environment.h"
#include "gl_shaders/accessors.h"
#include "gl_shaders/embedded.h"
#include "gl_shaders/library.h"
#include "gl_shaders/prelude.h"

namespace gles_delegate::gl_shaders {

// --- Bindings ----------------------------------------------------------------

// Which binding point each tensor and constant of a shader has.

namespace {

Bindings::Kind KindOf(const TensorBinding& tensor, ReadBy read_by) {
  if (tensor.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  if (tensor.storage == Storage::kTexelBuffer) {
    return tensor.write ? Bindings::Kind::kBuffer : Bindings::Kind::kImage;
  }
  return tensor.write || read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                                   : Bindings::Kind::kSampler;
}

Bindings::Kind KindOf(const ConstantBinding& constant, ReadBy read_by) {
  if (constant.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  return read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                   : Bindings::Kind::kSampler;
}

Bindings::Point Take(Bindings::Kind kind, Bindings* bindings) {
  switch (kind) {
    case Bindings::Kind::kSampler:
      return {kind, bindings->samplers++};
    case Bindings::Kind::kImage:
      return {kind, bindings->images++};
    case Bindings::Kind::kBuffer:
      return {kind, bindings->buffers++};
  }
  return {kind, 0};
}

}  // namespace

Bindings AssignBindings(const ShaderSpec& spec) {
  Bindings bindings;
  for (const TensorBinding& t : spec.tensors) {
    bindings.tensors.push_back(Take(KindOf(t, spec.read_by), &bindings));
  }
  for (const ConstantBinding& c : spec.constants) {
    bindings.constants.push_back(
        c.literal_width > 0 ? Bindings::Point{Bindings::Kind::kBuffer, -1}
                            : Take(KindOf(c, spec.read_by), &bindings));
  }
  return bindings;
}

namespace {

// The names in `text` that begin with op_.
void FindOps(absl::string_view text, std::vector<std::string>* names) {
  const auto in_name = [](char c) {
    return absl::ascii_isalnum(c) || c == '_';
  };
  for (size_t at = text.find("op_"); at != text.npos;
       at = text.find("op_", at)) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (at == 0 || !in_name(text[at - 1]))
      names->emplace_back(text.substr(at, end - at));
    at = end;
  }
}

// Library functions that the shader needs: its post-ops and stages, and those
// that the .comp and its defines call.
std::vector<std::string> LibraryFunctions(const ShaderSpec& spec,
                                          absl::string_view body) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<PostOpCall>& calls) {
    for (const PostOpCall& op : calls) {
      names.push_back(absl::StrCat("op_", op.function));
      if (op.operand_lookup_packed) names.push_back("op_component");
    }
  };
  add(spec.post_ops);
  for (const StageCalls& stage : spec.stages) add(stage.ops);
  FindOps(body, &names);
  for (const auto& [name, value] : spec.defines) FindOps(value, &names);
  for (const TensorBinding& t : spec.tensors) {
    FindOps(FunctionOfView(t.view), &names);
  }
  for (const ConstantBinding& c : spec.constants) {
    for (std::string& name : FunctionsOf(c)) names.push_back(std::move(name));
  }
  return names;
}

void DumpIfAsked(absl::string_view name, const std::string& text) {
  const auto folder = egl::DebugValue("shaders");
  if (!folder || folder->empty()) return;
  const std::string path = Formatted("%s/%s-%016x.comp", *folder, name,
                                     std::hash<std::string>()(text));
  std::ofstream(path) << text;  // best effort: a debugging aid
}

}  // namespace

int BytesPerTexel(Format format) {
  switch (format) {
    case Format::kRgba32f:
    case Format::kRgba32i:
      return 16;
    case Format::kRgba16f:
      return 8;
    case Format::kRgba8i:
      return 4;
  }
  return 0;
}

absl::StatusOr<absl::string_view> ShaderFile(absl::string_view name) {
  for (size_t i = 0; i < kEmbeddedFileCount; ++i) {
    if (name == kEmbeddedFiles[i].name) {
      return absl::string_view(kEmbeddedFiles[i].text);
    }
  }
  return absl::NotFoundError(absl::StrCat("no shader file named ", name));
}

namespace {

// The .comp with constants in place of its block, and as many lines.
std::string WithFixedParams(absl::string_view body,
                            absl::string_view constants) {
  const size_t begin = body.find("layout(std140, binding = 0) uniform Params");
  const size_t end = body.find("};", begin) + 2;
  const absl::string_view block = body.substr(begin, end - begin);
  return absl::StrCat(
      body.substr(0, begin), absl::StrReplaceAll(constants, {{"\n", " "}}),
      std::string(std::count(block.begin(), block.end(), '\n'), '\n'),
      body.substr(end));
}

}  // namespace

absl::StatusOr<std::string> AssembleShader(const ShaderSpec& spec) {
  ASSIGN_OR_RETURN(auto file, ShaderFile(absl::StrCat(spec.shader, ".comp")));
  const std::string body = spec.fixed_params.empty()
                               ? std::string(file)
                               : WithFixedParams(file, spec.fixed_params);
  const Bindings bindings = AssignBindings(spec);
  std::string text = Prelude(spec, bindings);
  if (std::vector<std::string> functions = LibraryFunctions(spec, body);
      !functions.empty()) {
    absl::StrAppend(&text, Library().Select(functions));
  }
  absl::StrAppend(&text, "#line 1\n", body, "\n", Definitions(spec, bindings));
  DumpIfAsked(spec.shader, text);
  return text;
}

}  // namespace gles_delegate::gl_shaders
