#include "tests/testing/stock_loader.h"

#include <dlfcn.h>

#include "gtest/gtest.h"
#include "tools/common/tflite_library.h"

namespace gles_delegate::testing {
namespace {

// Mirrors TFLite's external_delegate.h, whose function declarations have C
// linkage but whose struct only compiles as C++.
struct StockOptions {
  const char* lib_path;
  int count;
  const char* keys[256];
  const char* values[256];
  TfLiteStatus (*insert)(StockOptions* options, const char* key,
                         const char* value);
};

// Newer C libraries hold the loader themselves; 2.9 comes with it in a file
// beside the library.
template <typename Function>
Function* Find(const char* name) {
  void* found = TfliteSymbol(name);
  if (found == nullptr) {
    const std::string path = TfliteLibraryPath();
    const std::string loader =
        path.substr(0, path.rfind('/') + 1) + "libexternal_delegate_obj.so";
    void* const library = dlopen(loader.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) found = dlsym(library, name);
  }
  return AsFunction<Function>(found);
}

}  // namespace

DelegatePtr LoadThroughStockLoader(const std::string& library_path,
                                   const DelegateOptions& options) {
  auto* defaults =
      Find<StockOptions(const char*)>("TfLiteExternalDelegateOptionsDefault");
  auto* create = Find<TfLiteDelegate*(const StockOptions*)>(
      "TfLiteExternalDelegateCreate");
  auto* destroy = Find<void(TfLiteDelegate*)>("TfLiteExternalDelegateDelete");
  if (defaults == nullptr || create == nullptr || destroy == nullptr) {
    ADD_FAILURE() << "TensorFlow Lite has no loader of external delegates";
    return nullptr;
  }
  StockOptions stock = defaults(library_path.c_str());
  for (const auto& [key, value] : options) {
    EXPECT_EQ(stock.insert(&stock, key.c_str(), value.c_str()), kTfLiteOk);
  }
  return {create(&stock), destroy};
}

}  // namespace gles_delegate::testing
