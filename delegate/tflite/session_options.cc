#include "delegate/tflite/session_options.h"

namespace gles_delegate {

GpuOptions GpuOptionsOf(const Options& options) {
  GpuOptions gpu;
  gpu.device = options.device;
  gpu.display = options.display;
  gpu.place = options.PlaceOfOwnContext();
  gpu.allow_software = options.allow_software;
  gpu.force_own_context = options.force_own_context;
  gpu.share_key = options.share_key;
  gpu.has_worker = options.has_worker;
  gpu.worker_shares = options.worker_shares;
  return gpu;
}

SessionOptions SessionOptionsOf(const Options& options) {
  SessionOptions session;
  BuildOptions& build = session.build;
  build.cache = options.cache;
  build.checks_itself = options.self_check;
  build.may_change_storage = options.storage == kTfLiteGlesStorageAuto;
  build.tells_passes_dropped = options.verbosity >= 1;
  session.waiting = options.waiting;
  session.does_not_wait = options.does_not_wait;
  session.is_verbose = options.verbosity >= 1;
  session.profiles = options.enable_op_profiling;
  session.memory_limit_bytes = options.memory_limit_bytes;
  return session;
}

}  // namespace gles_delegate
