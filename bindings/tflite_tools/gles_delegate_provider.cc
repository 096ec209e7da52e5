// Registers the delegate with TensorFlow Lite's own tools (benchmark_model,
// inference_diff, the evaluation of tasks): compiled into one of them it adds
//
//   --use_gles_delegate=true
//   --gles_delegate_options="is_precision_loss_allowed:1;device:nvidia"
//
// and heeds the tools' --max_delegated_partitions, --delegate_serialize_dir and
// --delegate_serialize_token, which --gles_delegate_options overrides.
// docs/tflite_tools.md says how.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/tools/delegates/delegate_provider.h"

namespace tflite {
namespace tools {
namespace {

constexpr char kUse[] = "use_gles_delegate";
constexpr char kOptions[] = "gles_delegate_options";

// Keys and values of the delegate's options, in the order in which they are
// given; of two with one key the later one counts.
using Options = std::vector<std::pair<std::string, std::string>>;

// Adds "key:value;key:value"; false, with the reason in *error: an item has no
// colon.
bool AddText(const std::string& text, Options* options, std::string* error) {
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ';');) {
    if (item.empty()) continue;
    const size_t colon = item.find(':');
    if (colon == std::string::npos) {
      *error =
          std::string("--") + kOptions + ": \"" + item + "\" is not key:value";
      return false;
    }
    options->emplace_back(item.substr(0, colon), item.substr(colon + 1));
  }
  return true;
}

// The delegate with these options. Of bad ones it is a delegate that cannot be
// applied: a null one would have the tool measure the CPU.
TfLiteDelegate* Create(Options options) {
  std::vector<char*> keys, values;
  for (auto& [key, value] : options) {
    keys.push_back(key.data());
    values.push_back(value.data());
  }
  return tflite_plugin_create_delegate(keys.data(), values.data(), keys.size(),
                                       /*report_error=*/nullptr);
}

}  // namespace

class GlesDelegateProvider : public DelegateProvider {
 public:
  GlesDelegateProvider() {
    default_params_.AddParam(kUse, ToolParam::Create<bool>(false));
    default_params_.AddParam(kOptions, ToolParam::Create<std::string>(""));
  }

  std::vector<Flag> CreateFlags(ToolParams* params) const final {
    return {CreateFlag<bool>(kUse, params, "run on the GPU by OpenGL ES 3.1"),
            CreateFlag<std::string>(
                kOptions, params,
                "the GLES delegate's options, as key:value;key:value")};
  }

  void LogParams(const ToolParams& params, bool verbose) const final {
    LOG_TOOL_PARAM(params, bool, kUse, "Use the GLES delegate", verbose);
    LOG_TOOL_PARAM(params, std::string, kOptions, "GLES delegate options",
                   verbose);
  }

  TfLiteDelegatePtr CreateTfLiteDelegate(const ToolParams& params) const final {
    if (!params.Get<bool>(kUse)) return CreateNullDelegate();
    Options options;
    AddCommon(params, &options);
    std::string error;
    if (!AddText(params.Get<std::string>(kOptions), &options, &error)) {
      return TfLiteDelegatePtr(TfLiteGlesDelegateCreateRefusal(error.c_str()),
                               TfLiteGlesDelegateDelete);
    }
    return TfLiteDelegatePtr(Create(std::move(options)),
                             tflite_plugin_destroy_delegate);
  }

  std::pair<TfLiteDelegatePtr, int> CreateRankedTfLiteDelegate(
      const ToolParams& params) const final {
    return {CreateTfLiteDelegate(params), params.GetPosition<bool>(kUse)};
  }

  std::string GetName() const final { return "GLES"; }

 private:
  // Options that the tools have their own flags for; one that is not given
  // keeps the delegate's default.
  static void AddCommon(const ToolParams& params, Options* options) {
    constexpr char kPartitions[] = "max_delegated_partitions";
    if (params.HasParam(kPartitions)) {
      const int32_t value = params.Get<int32_t>(kPartitions);
      if (value > 0) options->emplace_back(kPartitions, std::to_string(value));
    }
    for (const auto& [flag, key] :
         {std::pair<const char*, const char*>("delegate_serialize_dir",
                                              "serialization_dir"),
          {"delegate_serialize_token", "model_token"}}) {
      if (!params.HasParam(flag)) continue;
      const std::string value = params.Get<std::string>(flag);
      if (!value.empty()) options->emplace_back(key, value);
    }
  }
};

REGISTER_DELEGATE_PROVIDER(GlesDelegateProvider);

}  // namespace tools
}  // namespace tflite
