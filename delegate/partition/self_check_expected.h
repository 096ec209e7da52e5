// The input of a self-check's case and the reference's values of its output.
// Both depend on the case alone, not on the other cases or on the order.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_EXPECTED_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_EXPECTED_H_

#include <cstdint>
#include <vector>

#include "delegate/partition/self_check.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/partition/self_check_units.h"

namespace gles_delegate {

// RandomPattern() of what a case reads from a tensor of the planned graph with
// its own memory.
std::vector<uint8_t> PatternOf(const SelfCheckInput& in, const SelfCheckCase& c,
                               TensorId memory);

struct ExpectedElement {
  int64_t element = 0;
  ReferenceValue value;
};

// Elements of a result, chosen at random among those that the reference knows.
struct ExpectedResult {
  TensorId id = kNoTensor;   // of the planned graph
  bool rounds_once = false;  // its simulator allows for all that it rounds
  std::vector<ExpectedElement> elements;
};

// Those of the compared unit. Threads: any.
std::vector<ExpectedResult> ExpectedOf(const SelfCheckInput& in,
                                       const SelfCheckCase& c);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_EXPECTED_H_
