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

}  // namespace gles_delegate
