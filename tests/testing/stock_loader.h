// TFLite's stock loader of external delegates, which wraps the plugin's
// delegate and passes the plugin no error callback.
#ifndef GLES_DELEGATE_TESTS_TESTING_STOCK_LOADER_H_
#define GLES_DELEGATE_TESTS_TESTING_STOCK_LOADER_H_

#include <string>

#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {

// As an app does it. The loader does not say whether the plugin made a
// delegate: if it made none, any use of the result crashes in TFLite 2.9.
// Null, with a failure of the test: the loader is missing.
DelegatePtr LoadThroughStockLoader(const std::string& library_path,
                                   const DelegateOptions& options);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_STOCK_LOADER_H_
