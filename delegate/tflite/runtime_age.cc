#include "delegate/tflite/runtime_age.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace gles_delegate {
namespace {

// How far from its start a subgraph may hold its context, in bytes. (2.9: 16.)
constexpr uintptr_t kMostOffset = 4096;

// Where the program or library that holds `address` is mapped; nullptr: none.
const void* ModuleOf(const void* address) {
  Dl_info info;
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase
                                                           : nullptr;
}

// The context lies in the object that impl_ points at.
bool IsPartOfSubgraph(const TfLiteContext& context) {
  const auto own = reinterpret_cast<uintptr_t>(&context);
  const auto subgraph = reinterpret_cast<uintptr_t>(context.impl_);
  return subgraph != 0 && subgraph <= own && own - subgraph < kMostOffset;
}

}  // namespace

bool IsRuntimeOf214(const TfLiteContext& context) {
  if (!IsPartOfSubgraph(context)) return false;
  const void* behind;
  std::memcpy(&behind,
              reinterpret_cast<const char*>(&context) + sizeof(context),
              sizeof(behind));
  const void* known;
  static_assert(sizeof(known) == sizeof(context.GetExecutionPlan));
  std::memcpy(&known, &context.GetExecutionPlan, sizeof(known));
  const void* runtime = ModuleOf(known);
  return runtime != nullptr && runtime == ModuleOf(behind);
}

}  // namespace gles_delegate
