// In the place of TensorFlow Lite's header of this name, so that
// bindings/tflite_tools is compiled and run without TensorFlow's sources: the
// declarations that a provider uses, written for this test. The real
// header is tried by hand (docs/tflite_tools.md).
#ifndef GLES_DELEGATE_TESTS_TOOLS_TFLITE_TOOLS_DELEGATE_PROVIDER_H_
#define GLES_DELEGATE_TESTS_TOOLS_TFLITE_TOOLS_DELEGATE_PROVIDER_H_

#include <any>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/lite/c/common.h"

#define LOG_TOOL_PARAM(params, type, name, description, verbose) \
  do {                                                           \
    (void)(description);                                         \
    (void)(verbose);                                             \
    (void)(params).Get<type>(name);                              \
  } while (false)

#define REGISTER_DELEGATE_PROVIDER(name)         \
  static const int registered_##name =           \
      ::tflite::tools::RegisteredProviders::Add( \
          std::make_unique<::tflite::tools::name>())

namespace tflite {
namespace tools {

using TfLiteDelegatePtr =
    std::unique_ptr<TfLiteDelegate, void (*)(TfLiteDelegate*)>;

class ToolParam {
 public:
  template <typename T>
  static std::unique_ptr<ToolParam> Create(const T& value, int position = 0) {
    auto param = std::make_unique<ToolParam>();
    param->value = value;
    param->position = position;
    return param;
  }
  std::any value;
  int position = 0;  // of the flag among the command's arguments
};

class ToolParams {
 public:
  void AddParam(const std::string& name, std::unique_ptr<ToolParam> param) {
    params_[name] = std::move(param);
  }
  bool HasParam(const std::string& name) const {
    return params_.count(name) != 0;
  }
  template <typename T>
  T Get(const std::string& name) const {
    return std::any_cast<T>(params_.at(name)->value);
  }
  template <typename T>
  void Set(const std::string& name, const T& value, int position = 0) {
    params_.at(name)->value = value;
    params_.at(name)->position = position;
  }
  template <typename T>
  int GetPosition(const std::string& name) const {
    return params_.at(name)->position;
  }
  void Merge(const ToolParams& other) {
    for (const auto& [name, param] : other.params_) {
      params_[name] = std::make_unique<ToolParam>(*param);
    }
  }

 private:
  std::map<std::string, std::unique_ptr<ToolParam>> params_;
};

struct Flag {
  std::string name, usage;
};

inline TfLiteDelegatePtr CreateNullDelegate() {
  return TfLiteDelegatePtr(nullptr, [](TfLiteDelegate*) {});
}

class DelegateProvider {
 public:
  virtual ~DelegateProvider() = default;
  virtual std::vector<Flag> CreateFlags(ToolParams* params) const = 0;
  virtual void LogParams(const ToolParams& params, bool verbose) const = 0;
  virtual TfLiteDelegatePtr CreateTfLiteDelegate(
      const ToolParams& params) const = 0;
  virtual std::pair<TfLiteDelegatePtr, int> CreateRankedTfLiteDelegate(
      const ToolParams& params) const = 0;
  virtual std::string GetName() const = 0;
  const ToolParams& DefaultParams() const { return default_params_; }

 protected:
  template <typename T>
  Flag CreateFlag(const char* name, ToolParams*,
                  const std::string& usage) const {
    return {name, usage};
  }
  ToolParams default_params_;
};

// The list of delegates that the tools use.
class RegisteredProviders {
 public:
  static int Add(std::unique_ptr<DelegateProvider> provider) {
    all().push_back(std::move(provider));
    return static_cast<int>(all().size());
  }
  static std::vector<std::unique_ptr<DelegateProvider>>& all() {
    static auto& providers =
        *new std::vector<std::unique_ptr<DelegateProvider>>;
    return providers;
  }
};

}  // namespace tools
}  // namespace tflite

#endif  // GLES_DELEGATE_TESTS_TOOLS_TFLITE_TOOLS_DELEGATE_PROVIDER_H_
