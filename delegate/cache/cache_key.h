// The fingerprint of everything that a start-up cache depends on.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "delegate/cache/cache_file.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Identifies the code that packs and compiles: the version and a hash of every
// source file of the delegate (cmake/BuildId.cmake).
absl::string_view BuildId();

// A partition, its device and its plan. The references must outlive the calls.
struct CacheSubject {
  const egl::DeviceInfo& device;
  const DeviceProfile& profile;  // the options and the tuning are in it
  const Graph& partition;        // as read, before the passes
  absl::string_view plan;        // PlanToString() of what will run
};

// The cache file's name: independent of driver version, delegate version and
// weights, so that a new version replaces the old file.
std::string CacheFileName(absl::string_view token, const CacheSubject& subject);

// Hashes all that determines the contents: GL vendor, renderer, driver version,
// build, device profile, plan, nodes, tensors with shapes and quantization, and
// the bytes of their constants. Of the nodes' parameters only those that show
// in the plan: cached data depends on no others (PackedConstant::cacheable).
CacheIdentity IdentityOf(const CacheSubject& subject);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_
