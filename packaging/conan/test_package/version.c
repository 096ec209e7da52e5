#include <stdio.h>

#include "gles_delegate/gles_delegate.h"

int main(void) {
  printf("gles_delegate %s\n", TfLiteGlesDelegateVersion());
  return 0;
}
