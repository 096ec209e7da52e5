// An app in plain C, compiled three times: against the header as it is, against
// one whose option struct is shorter, and against one whose struct is longer
// (tests/abi/CMakeLists.txt makes both from the header). CALLER_PREFIX names
// the functions of each, which tests/tflite/struct_size_test.cc calls.
#include <stddef.h>
#include <string.h>

#include "gles_delegate/gles_delegate.h"

#define CALLER_PASTE(prefix, name) prefix##name
#define CALLER_EXPAND(prefix, name) CALLER_PASTE(prefix, name)
#define CALLER(name) CALLER_EXPAND(CALLER_PREFIX, name)

size_t CALLER(Size)(void) { return sizeof(TfLiteGlesDelegateOptions); }

// The default options, as an app's function has them on its stack, copied to
// `place` (Size() bytes).
void CALLER(Default)(void* place) {
  const TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  memcpy(place, &options, sizeof(options));
}

struct TfLiteDelegate* CALLER(Create)(const void* place) {
  return TfLiteGlesDelegateCreate((const TfLiteGlesDelegateOptions*)place);
}

#ifdef CALLER_HAS_LATER_FIELDS
size_t CALLER(FirstLaterField)(void) {
  return offsetof(TfLiteGlesDelegateOptions, later_number);
}
#endif
