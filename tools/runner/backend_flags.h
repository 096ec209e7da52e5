// The flags that choose backends, the same in every tool and with the names
// that TFLite's own tools give them.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_

#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/runner/backend.h"

ABSL_DECLARE_FLAG(std::string, graph);
ABSL_DECLARE_FLAG(int, num_threads);
ABSL_DECLARE_FLAG(bool, use_gles);
ABSL_DECLARE_FLAG(bool, use_xnnpack);
ABSL_DECLARE_FLAG(bool, use_cpu);
ABSL_DECLARE_FLAG(std::string, external_delegate_path);
ABSL_DECLARE_FLAG(std::string, external_delegate_options);
ABSL_DECLARE_FLAG(bool, list_devices);

namespace gles_delegate {

// The backends that the flags ask for: cpu, xnnpack, external, gles, in this
// order, since what a GL driver leaves resident would count for the others.
// kInvalidArgument: a flag's value is bad, and in which way.
absl::StatusOr<std::vector<BackendSpec>> BackendsFromFlags();
// Likewise; the GLES delegate where the flags ask for none.
absl::StatusOr<std::vector<BackendSpec>> BackendsOrGles();

// Parses the command line (--help gives `usage`) and refuses what is left over.
// kInvalidArgument: something is.
absl::Status ParseFlags(int argc, char** argv, const std::string& usage);

// The model of --graph, loaded. kInvalidArgument: the flag is missing.
absl::StatusOr<std::unique_ptr<Model>> ModelFromFlags();

// The EGL displays of this machine, as the option `device` chooses among them.
void PrintDevices();

// The main() of a tool: flags, --list_devices, `run`; its error on stderr, and
// the exit status.
int RunTool(int argc, char** argv, const char* name, const std::string& usage,
            absl::FunctionRef<absl::Status()> run);

// Prints what TFLite and the delegate logged, each message once, to stderr.
void PrintLog(Interpreter& interpreter, const std::string& backend);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_
