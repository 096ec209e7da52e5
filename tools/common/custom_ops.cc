#include "tools/common/custom_ops.h"

#include <array>

namespace gles_delegate {

absl::Span<const CustomOp> CustomOps() {
  static const std::array<CustomOp, 1> ops = {{
      {"Convolution2DTransposeBias", Convolution2DTransposeBiasRegistration(),
       1, 1},
  }};
  return ops;
}

}  // namespace gles_delegate
