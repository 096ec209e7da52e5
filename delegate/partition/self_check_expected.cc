#include "delegate/partition/self_check_expected.h"

#include <algorithm>
#include <any>
#include <random>
#include <utility>

#include "delegate/ops/reduction/softmax.h"
#include "delegate/partition/self_check_values.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {
namespace {

constexpr int kSamples = 48;  // elements of a node's output
// Elements to look at for these, as some may be unknown: those that an update
// in place does not write.
constexpr int kTriedElements = 4096;

// No two cases have the same.
uint32_t SeedOf(const SelfCheckCase& c, TensorId tensor) {
  return static_cast<uint32_t>(c.compared().first) * 1000003 +
         static_cast<uint32_t>(tensor);
}

ValueAt GivenValues(const SelfCheckInput& in, const SelfCheckCase& c,
                    TensorId id) {
  const TensorId of = MemoryOf(in.planned, id);
  const Tensor& memory = in.planned.tensor(of);
  std::vector<uint8_t> pattern = PatternOf(in, c, of);
  const auto distinct =
      static_cast<int64_t>(pattern.size()) / HostElementBytes(memory);
  ValueAt values = [&memory, distinct,
                    pattern = std::move(pattern)](int64_t element) {
    return ValueIn(memory, pattern, element % distinct);
  };
  if (of == id) return values;
  return ViewOf(std::move(values), memory.shape, in.planned.tensor(id));
}

// TFLite's kernels compute a softmax of 8-bit quantized values to less than
// half a step, and round it, which its simulator allows for.
bool RoundsOnce(const SelfCheckInput& in, const SelfCheckCase& c,
                const Reference& reference, TensorId id) {
  const Node* const node = reference.MakerOf(id);
  if (node == nullptr || in.planned.tensor(id).quantized == DataType::kInt16) {
    return false;
  }
  const auto* softmax = std::any_cast<SoftmaxAttributes>(&node->attributes);
  return softmax != nullptr && !softmax->log &&
         std::count(c.given.begin(), c.given.end(), node->inputs[0]) > 0;
}

std::vector<ExpectedElement> ElementsOf(TensorId id, int64_t elements,
                                        Reference* reference,
                                        std::mt19937* random) {
  std::vector<ExpectedElement> result;
  constexpr int64_t kTerms = kSelfCheckTermsOfValue;
  reference->SetTermsLeft(kTerms);
  for (int i = 0; i < kTriedElements && result.size() < kSamples; ++i) {
    if (elements == 0 ||
        kTerms - reference->terms_left() > kSelfCheckTermsOfNode) {
      break;
    }
    // The corners, then anywhere.
    const int64_t at = i == 0   ? 0
                       : i == 1 ? elements - 1
                                : static_cast<int64_t>((*random)() % elements);
    const auto expected = reference->Expect(id, at);
    if (expected) result.push_back({at, *expected});
  }
  return result;
}

}  // namespace

std::vector<uint8_t> PatternOf(const SelfCheckInput& in, const SelfCheckCase& c,
                               TensorId memory) {
  return RandomPattern(in.planned.tensor(memory), SeedOf(c, memory), c.far);
}

std::vector<ExpectedResult> ExpectedOf(const SelfCheckInput& in,
                                       const SelfCheckCase& c) {
  Reference reference = ReferenceOf(in);
  for (TensorId id : c.given) reference.Know(id, GivenValues(in, c, id));
  std::mt19937 random(SeedOf(c, kNoTensor));
  std::vector<ExpectedResult> results;
  for (TensorId id : c.compared().results) {
    const int64_t elements = in.planned.tensor(id).shape.elements();
    results.push_back({id, RoundsOnce(in, c, reference, id),
                       ElementsOf(id, elements, &reference, &random)});
  }
  return results;
}

}  // namespace gles_delegate
