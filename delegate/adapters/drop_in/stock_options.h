// Maps the stock GPU delegate's options to this delegate's.
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_DROP_IN_STOCK_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_DROP_IN_STOCK_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

namespace gles_delegate::drop_in {

// The result of mapping a request.
struct Mapped {
  // Points to the stock options' strings, which must outlive it.
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  std::string refusal;  // why the request cannot be met, or ""
  // One sentence for each deviation from the request.
  std::vector<std::string> warnings;
};

Mapped FromV2(const TfLiteGpuDelegateOptionsV2& stock);
Mapped FromOlder(const TFLGpuDelegateOptions& stock);

// Sets the fields of `*stock` named in `keys` to the numbers or texts in
// `values`; NULL keys are skipped. Returns an error message, or "". Texts are
// not copied.
std::string SetStockKeys(char** keys, char** values, size_t count,
                         TfLiteGpuDelegateOptionsV2* stock);

}  // namespace gles_delegate::drop_in

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_DROP_IN_STOCK_OPTIONS_H_
