// The flags that the tools share, with the names that TFLite's own tools give
// them. A program has the flags of the functions that it calls.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_

#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/runner/backend.h"

ABSL_DECLARE_FLAG(std::string, graph);
ABSL_DECLARE_FLAG(int, num_threads);
ABSL_DECLARE_FLAG(bool, use_gles);
ABSL_DECLARE_FLAG(std::string, gles_options);

namespace gles_delegate {

// When the GLES delegate compiles where --gles_options does not say.
enum class Compilation {
  // Before the first inference, so that all that a tool tells is of one plan.
  kAtOnce,
  // As in an app: startup has its default.
  kAsInApps,
};

// A backend with --num_threads; the GLES delegate with --gles_options, too.
// kInvalidArgument: that flag's value is bad; the message says why.
BackendSpec SpecFromFlags(BackendSpec::Kind kind);
absl::StatusOr<BackendSpec> GlesFromFlags(
    Compilation compilation = Compilation::kAtOnce);

// The backends that the flags ask for: cpu, xnnpack, external, gles, in this
// order: memory that a GL driver keeps would count for the backends after it.
// kInvalidArgument: a flag's value is bad; the message says why.
absl::StatusOr<std::vector<BackendSpec>> BackendsFromFlags(
    Compilation compilation = Compilation::kAtOnce);
// The same, but the GLES delegate where the flags ask for no backend.
absl::StatusOr<std::vector<BackendSpec>> BackendsOrGles();

// The error of a flag that speaks to the GLES delegate, if that does not run.
absl::Status OnlyForGles(absl::string_view flag);

// Makes --num_threads 4, or the number of cores if there are fewer, unless the
// command line says otherwise: what an app would give XNNPACK.
void ThreadsOfACpu();

// The model of --graph, loaded. kInvalidArgument: the flag is missing.
absl::StatusOr<std::unique_ptr<Model>> ModelFromFlags();

// Prints the EGL displays of this machine, as the option `device` chooses among
// them; returns TfLiteGlesDelegateDevices().
nlohmann::ordered_json PrintDevices();

// The main() of a tool: reads the flags (--help gives `usage`), serves
// --list_devices, or opens TensorFlow Lite (OpenTfliteFromFlag) and calls
// `run`; prints the error of `run` to stderr, and gives the exit status. The
// arguments that are not flags go to `rest`; if it is null, they are an error.
int RunTool(int argc, char** argv, const char* name, const std::string& usage,
            absl::FunctionRef<absl::Status()> run,
            std::vector<std::string>* rest = nullptr);

// Prints what TFLite and the delegate logged, each message once, to stderr.
void PrintLog(Interpreter& interpreter, const std::string& backend);

// "key:value;key:value" to pairs; a value may hold colons. kInvalidArgument,
// naming `flag`, if an item has no colon or no key.
absl::StatusOr<DelegateOptions> ParseDelegateOptions(const std::string& text,
                                                     const std::string& flag);
// The options of --gles_options. kInvalidArgument: as above.
absl::StatusOr<DelegateOptions> GlesOptionsFromFlag();

// The shape of each of the model's inputs as --input_layer and
// --input_layer_shape resize them, in the model's order (ParseInputShapes());
// empty where they resize none.
absl::StatusOr<std::vector<std::vector<int>>> ShapesFromFlags(
    const Model& model);

// Writes `report` to the file that --report_json names, if it names any; to
// stdout if it names "-", and from that flag on the text for people goes to
// stderr. Call it once. kUnavailable: the file cannot be written.
absl::Status WriteReport(const nlohmann::ordered_json& report);
// With TensorFlow Lite's version and the delegate's revision.
nlohmann::ordered_json ToJson(const BackendFacts& facts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_BACKEND_FLAGS_H_
