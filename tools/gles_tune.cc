// Finds the tuning parameters with which a model is fastest on this device, and
// writes them to a file for the option tuning_file.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "tools/common/progress.h"
#include "tools/common/text_file.h"
#include "tools/gles_tune/search.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(std::string, output_file, "",
          "the tuning file to write; default: MODEL.tuning beside the model");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Finds the fastest tuning parameters for a model on this device.\n\n"
    "  gles_tune --graph=MODEL.tflite [--gles_options=key:value;...]\n\n"
    "Tries dozens of settings: seconds on a GPU, minutes on a software\n"
    "renderer. Settings that change results are dropped. The file is for the\n"
    "option tuning_file, on the same device and driver.";

// Maximum number of measurements: two rounds over all candidates, and the
// preset's and the winner's.
int MaxMeasurements() {
  int count = 0;
  for (const TuningParameter& parameter : TuningParameters()) {
    count += static_cast<int>(parameter.candidates.size());
  }
  return 2 * count + 8;
}

std::string FileText(const std::string& graph, const std::string& renderer,
                     const TuningResult& result) {
  std::string text = absl::StrFormat(
      "# gles_tune, %s on %s: %.3f ms; %.3f ms with the device preset\n", graph,
      renderer, result.after_ms, result.before_ms);
  for (const auto& [name, value] : result.tuning) {
    absl::StrAppend(&text, name, "=", value, "\n");
  }
  return text;
}

absl::Status Tune() {
  if (std::getenv("GLES_DELEGATE_TUNING") != nullptr) {
    return absl::FailedPreconditionError(
        "GLES_DELEGATE_TUNING is set, which gles_tune sets itself; unset it");
  }
  ASSIGN_OR_RETURN(auto model, ModelFromFlags());
  ASSIGN_OR_RETURN(auto options, GlesOptionsFromFlag());
  const std::string graph = absl::GetFlag(FLAGS_graph);
  std::string file = absl::GetFlag(FLAGS_output_file);
  if (file.empty()) file = absl::StrCat(graph, ".tuning");
  RETURN_IF_ERROR(CheckWritable(file));

  // A storage that the user chose stays.
  std::set<std::string> fixed;
  for (const auto& [key, value] : options) {
    if (key == "storage" && value != "auto") fixed.insert(key);
  }
  TuningTrials trials(*model, std::move(options));
  CatchInterrupts();
  Progress progress("settings", MaxMeasurements());
  int tried = 0;
  double best = 0;
  auto result = SearchTuning(fixed, [&](const Tuning& tuning) {
    absl::StatusOr<double> ms = absl::CancelledError("interrupted");
    if (Interrupted()) return ms;
    ms = trials.Measure(tuning);
    if (ms.ok() && (best == 0 || *ms < best)) best = *ms;
    progress.Show(++tried, absl::StrFormat("best %.3f ms", best));
    return ms;
  });
  progress.Clear();
  if (Interrupted()) return absl::CancelledError("interrupted; wrote no file");
  if (!result.ok()) return result.status();
  std::printf("%s\n", Wrap(SummaryOf(*result), 2).c_str());
  RETURN_IF_ERROR(WriteText(file, FileText(graph, trials.renderer(), *result)));
  const std::string wrote = absl::StrFormat(
      "wrote %s, for --gles_options=\"tuning_file:%s\"", file, file);
  std::printf("%s\n", Wrap(wrote, 2).c_str());
  return WriteReport({{"model", graph},
                      {"renderer", trials.renderer()},
                      {"tflite", TfliteName()},
                      {"revision", GitRevision()},
                      {"preset_ms", result->before_ms},
                      {"tuned_ms", result->after_ms},
                      {"measured", result->measured},
                      {"tuning", result->tuning},
                      {"tuning_file", file}});
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) {
  return gles_delegate::RunTool(argc, argv, "gles_tune", gles_delegate::kUsage,
                                gles_delegate::Tune);
}
