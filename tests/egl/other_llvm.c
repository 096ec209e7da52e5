// A library that exports a function of LLVM's, as libtensorflow_framework does;
// if it is preloaded, malloc is its own, too.
#include <stddef.h>

void _ZN4llvm11LLVMContextC1Ev(void);  // llvm::LLVMContext's constructor
void _ZN4llvm11LLVMContextC1Ev(void) {}

extern void* __libc_malloc(size_t size);
void* malloc(size_t size) { return __libc_malloc(size); }
