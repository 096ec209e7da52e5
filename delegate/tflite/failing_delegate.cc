#include "delegate/tflite/failing_delegate.h"

#include <utility>

#include "delegate/tflite/report.h"

namespace gles_delegate {
namespace {

std::string ReportOf(const absl::Status& reason) {
  return Json{{"nodes_total", 0},
              {"nodes_delegated", 0},
              {"partitions", 0},
              {"error", reason.message()}}
      .Text();
}

}  // namespace

FailingDelegate::FailingDelegate(absl::Status reason)
    : reason_(std::move(reason)), report_(ReportOf(reason_)) {}

}  // namespace gles_delegate
