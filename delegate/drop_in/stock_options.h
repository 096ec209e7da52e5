// The stock GPU delegate's options as this delegate's.
#ifndef GLES_DELEGATE_DELEGATE_DROP_IN_STOCK_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_DROP_IN_STOCK_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

namespace gles_delegate::drop_in {

// What becomes of a request.
struct Mapped {
  // Points to the texts of the stock options, which must outlive it.
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  std::string refusal;  // why the request cannot be met; "": it can
  // What is done otherwise than asked, a sentence each.
  std::vector<std::string> warnings;
};

Mapped FromV2(const TfLiteGpuDelegateOptionsV2& stock);
Mapped FromOlder(const TFLGpuDelegateOptions& stock);

// Sets the fields of `*stock` that `keys` names to the numbers, or texts, that
// `values` has for them; a NULL key is passed over. Returns what is wrong; "":
// nothing. Texts are pointed to, not copied.
std::string SetStockKeys(char** keys, char** values, size_t count,
                         TfLiteGpuDelegateOptionsV2* stock);

}  // namespace gles_delegate::drop_in

#endif  // GLES_DELEGATE_DELEGATE_DROP_IN_STOCK_OPTIONS_H_
