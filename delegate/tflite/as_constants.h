// Known values as a node's constant inputs, for the runtime's kernels.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_AS_CONSTANTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_AS_CONSTANTS_H_

#include <vector>

#include "delegate/tflite/shape_values.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

bool IsConstant(const TfLiteTensor& t);

// While it lives, a node's inputs that have values are constants of the file.
class AsConstants {
 public:
  // Both must outlive this.
  AsConstants(TfLiteContext* context, const TfLiteNode& node,
              const TensorValues& values);
  ~AsConstants();
  AsConstants(const AsConstants&) = delete;
  AsConstants& operator=(const AsConstants&) = delete;

  // Ops with kCountsSegments take the output's shape from their last input, but
  // only if all inputs are constant. Those with a number of segments also look
  // for ids that are too large: those that come at run time are zeros here. No
  // effect on other ops.
  void AddSegments(const TfLiteNode& node, int builtin_code);

 private:
  // Once it is done, the destructor runs if the other constructor throws.
  explicit AsConstants(TfLiteContext* context) : context_(context) {}
  TfLiteTensor& Keep(int id);

  struct Before {
    int id;
    TfLiteAllocationType type;
    char* data;
  };
  TfLiteContext* context_;
  std::vector<Before> before_;
  std::vector<char> zeros_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_AS_CONSTANTS_H_
