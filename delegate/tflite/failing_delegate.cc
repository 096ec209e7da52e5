#include "delegate/tflite/failing_delegate.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace gles_delegate {
namespace {

std::string ReportOf(const absl::Status& reason) {
  const nlohmann::json report = {{"nodes_total", 0},
                                 {"nodes_delegated", 0},
                                 {"partitions", 0},
                                 {"error", std::string(reason.message())}};
  // An option's text may be no UTF-8; those bytes are replaced.
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

FailingDelegate::FailingDelegate(absl::Status reason)
    : reason_(std::move(reason)), report_(ReportOf(reason_)) {}

}  // namespace gles_delegate
