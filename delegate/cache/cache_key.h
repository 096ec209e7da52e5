// What a start-up cache depends on, as one fingerprint.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "delegate/cache/cache_file.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Identifies the code that packs and compiles: the version, and a hash of every
// source file that is built into the delegate (cmake/BuildId.cmake).
absl::string_view BuildId();

// Where and how a partition runs. The references must outlive the calls.
struct CacheSubject {
  const egl::DeviceInfo& device;
  const DeviceProfile& profile;  // the options and the tuning are in it
  const Graph& partition;        // as read, before the passes
  absl::string_view plan;        // PlanToString() of what will run
};

// The file's name for the subject: the same for every version of the driver, of
// the delegate and of the weights, so that a new one takes the old one's place.
std::string CacheFileName(absl::string_view token, const CacheSubject& subject);

// Everything that could make the content wrong: GL vendor, renderer, driver
// version, build, device profile, plan, nodes, tensors with their shapes and
// quantization, and all bytes of their constants. Nodes' parameters are there
// as far as they show in the plan: what is cached depends on no others
// (PackedConstant::cacheable).
CacheIdentity IdentityOf(const CacheSubject& subject);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_KEY_H_
