// Makes a delegate and prints the library's version.
#include <gles_delegate/gles_delegate.h>
#include <stdio.h>

int main(void) {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  struct TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
  if (delegate == NULL) return 1;
  TfLiteGlesDelegateDelete(delegate);
  printf("gles_delegate %s\n", TfLiteGlesDelegateVersion());
  return 0;
}
