#include "delegate/ops/fused_activation.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"

namespace gles_delegate {

absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto clamp = [](float low, float high) {
    return std::vector<PostOp>{{"clamp", {low, high, 0, 0}}};
  };
  switch (activation) {
    case kActNone:
      return std::vector<PostOp>{};
    case kActRelu:
      return clamp(0, kInf);
    case kActReluN1To1:
      return clamp(-1, 1);
    case kActRelu6:
      return clamp(0, 6);
    case kActTanh:
    case kActSigmoid:
      return std::vector<PostOp>{};
    default:
      return absl::UnimplementedError(
          absl::StrCat("fused activation ", activation, " is not supported"));
  }
}

absl::StatusOr<std::vector<PostOp>> RecurrentActivation(int activation) {
  switch (activation) {
    case kActTanh:
      return std::vector<PostOp>{{"tanh"}};
    case kActSigmoid:
      return std::vector<PostOp>{{"logistic"}};
    default:
      return FusedActivation(activation);
  }
}

}  // namespace gles_delegate
