// Lists the ops of models, with their shapes, types and options, as
// benches/shapes has them:
//
//   model_shapes --output_dir=benches/shapes MODEL.tflite...   writes them
//   model_shapes --check --output_dir=benches/shapes MODEL...  exit status 1
//                                            where a list is not what it writes
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "tools/common/text_file.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/command_line.h"
#include "tools/runner/op_shapes.h"

ABSL_FLAG(std::string, output_dir, "benches/shapes",
          "folder of the lists, <model>.json each");
ABSL_FLAG(bool, check, false, "write nothing; fail where a list is another");

namespace gles_delegate {
namespace {

absl::Status HandleModel(const std::string& path) {
  ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
  ASSIGN_OR_RETURN(auto shapes, OpShapesOf(model->bytes()));
  const std::string name(
      absl::StripSuffix(path.substr(path.rfind('/') + 1), ".tflite"));
  const std::string list =
      absl::StrCat(absl::GetFlag(FLAGS_output_dir), "/", name, ".json");
  const std::string text = OpShapesToText(name, shapes);
  if (absl::GetFlag(FLAGS_check)) {
    auto bytes = ReadFile(list);
    if (!bytes.ok() && std::filesystem::exists(list)) return bytes.status();
    if (bytes.ok() && std::string(bytes->begin(), bytes->end()) == text) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(
        absl::StrCat(list, " is not what ", path,
                     " has; write it again: "
                     "model_shapes --output_dir=",
                     absl::GetFlag(FLAGS_output_dir), " ", path));
  }
  RETURN_IF_ERROR(WriteText(list, text));
  std::printf("%s: %zu ops\n", list.c_str(), shapes.size());
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const std::vector<char*> models = ParseCommandLine(
      argc, argv,
      "Lists the ops of models with their shapes, for benches/shapes.\n\n"
      "  model_shapes [--check] --output_dir=benches/shapes MODEL.tflite...");
  if (models.empty()) {
    std::fprintf(stderr, "model_shapes: give it models (--help)\n");
    return 1;
  }
  bool good = true;
  for (const char* model : models) {
    const absl::Status status = HandleModel(model);
    if (status.ok()) continue;
    std::fprintf(stderr, "model_shapes: %s\n", status.ToString().c_str());
    good = false;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
