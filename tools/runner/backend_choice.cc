// The flags of programs that run the backends that they are asked for.
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/runner/backend_flags.h"

ABSL_FLAG(bool, use_gles, false, "run on OpenGL ES, by libgles_delegate");
ABSL_FLAG(bool, use_xnnpack, false, "run on the CPU, by XNNPACK");
ABSL_FLAG(bool, use_cpu, false, "run on the CPU, by TFLite's built-in kernels");
ABSL_FLAG(std::string, external_delegate_path, "",
          "run by the external delegate in this library");
ABSL_FLAG(std::string, external_delegate_options, "",
          "options of the external delegate, as key:value;key:value");

namespace gles_delegate {

absl::StatusOr<std::vector<BackendSpec>> BackendsFromFlags(
    Compilation compilation) {
  using Kind = BackendSpec::Kind;
  ASSIGN_OR_RETURN(auto gles, GlesFromFlags(compilation));
  BackendSpec external = SpecFromFlags(Kind::kExternal);
  external.library_path = absl::GetFlag(FLAGS_external_delegate_path);
  ASSIGN_OR_RETURN(
      external.options,
      ParseDelegateOptions(absl::GetFlag(FLAGS_external_delegate_options),
                           "external_delegate_options"));
  if (!absl::GetFlag(FLAGS_gles_options).empty() &&
      !absl::GetFlag(FLAGS_use_gles)) {
    return OnlyForGles("gles_options");
  }
  if (!external.options.empty() && external.library_path.empty()) {
    return absl::InvalidArgumentError(
        "--external_delegate_options needs --external_delegate_path");
  }
  std::vector<BackendSpec> specs;
  if (absl::GetFlag(FLAGS_use_cpu)) specs.push_back(SpecFromFlags(Kind::kCpu));
  if (absl::GetFlag(FLAGS_use_xnnpack)) {
    specs.push_back(SpecFromFlags(Kind::kXnnpack));
  }
  if (!external.library_path.empty()) specs.push_back(std::move(external));
  if (absl::GetFlag(FLAGS_use_gles)) specs.push_back(std::move(gles));
  return specs;
}

absl::StatusOr<std::vector<BackendSpec>> BackendsOrGles() {
  if (!absl::GetFlag(FLAGS_use_cpu) && !absl::GetFlag(FLAGS_use_xnnpack) &&
      absl::GetFlag(FLAGS_external_delegate_path).empty()) {
    absl::SetFlag(&FLAGS_use_gles, true);
  }
  return BackendsFromFlags();
}

absl::Status OnlyForGles(absl::string_view flag) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag,
                   " is for the GLES delegate, which does not run: add "
                   "--use_gles"));
}

}  // namespace gles_delegate
