// The TensorFlow Lite C library that a program runs. It is opened at run time
// rather than linked, so that one build runs any version: tflite_functions.cc
// defines the C functions, which call the library's.
//
// Threads: OpenTfliteLibrary before any other thread uses TensorFlow Lite; the
// rest from any thread.
#ifndef GLES_DELEGATE_TOOLS_COMMON_TFLITE_LIBRARY_H_
#define GLES_DELEGATE_TOOLS_COMMON_TFLITE_LIBRARY_H_

#include <cstring>
#include <string>

#include "absl/status/status.h"

namespace gles_delegate {

// Opens the library at `path`, a file or a name that the dynamic linker finds.
// "": that of the environment variable GLES_DELEGATE_TFLITE_LIBRARY, else the
// one that the program was built with. It stays open.
// kNotFound: it cannot be opened, with the dynamic linker's reason.
// kInvalidArgument: it does not export TensorFlow Lite's C functions.
// kFailedPrecondition: another one is open already.
absl::Status OpenTfliteLibrary(const std::string& path);

// The file of the open library. The first call of this function, of the next or
// of a TensorFlow Lite function opens the default one; if that fails, it prints
// the reason and ends the program.
std::string TfliteLibraryPath();

// The address of a function of the library, nullptr if it has none of that
// name.
void* TfliteSymbol(const char* name);

// The same, but ends the program with a message if the library lacks it.
void* RequiredTfliteSymbol(const char* name);

// An address as that function.
template <typename Function>
Function* AsFunction(void* address) {
  Function* function = nullptr;
  static_assert(sizeof(function) == sizeof(address));
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_TFLITE_LIBRARY_H_
