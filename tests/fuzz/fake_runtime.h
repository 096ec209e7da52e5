// A TfLiteContext made from a .tflite file by our own reader of the file, so
// that fuzzing the delegate's reader runs none of TFLite's code: its parser has
// its own bugs. It is looser than TFLite's: a constant may have too few
// bytes, a quantization may not fit its tensor, an attribute may be anything.
#ifndef GLES_DELEGATE_TESTS_FUZZ_FAKE_RUNTIME_H_
#define GLES_DELEGATE_TESTS_FUZZ_FAKE_RUNTIME_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "tensorflow/lite/c/common.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::fuzz {

class FakeRuntime {
 public:
  // The model's first subgraph; the constants are lent from `bytes`, which must
  // be aligned to 16 bytes and outlive the result. nullptr: no .tflite file, or
  // one that is refused by TFLite, too, when it loads a model: for its indices,
  // but where `fault` changes one.
  struct IndexFault {
    uint8_t kind = 0;   // see Break(); 0: none
    uint8_t node = 0;   // by its place, from the beginning again past the end
    uint8_t place = 0;  // among all indices of the node
  };
  static std::unique_ptr<FakeRuntime> Create(absl::Span<const uint8_t> bytes,
                                             IndexFault fault);
  static std::unique_ptr<FakeRuntime> Create(absl::Span<const uint8_t> bytes) {
    return Create(bytes, {});
  }
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  TfLiteContext* context() { return &context_; }
  const std::vector<int>& inputs() const { return inputs_; }
  const std::vector<int>& outputs() const { return outputs_; }

 private:
  FakeRuntime() = default;
  bool Load(const schema::Model& model, IndexFault fault);
  void Break(IndexFault fault);
  bool AddTensor(const schema::Model& model, const schema::Tensor& tensor);
  bool AddNode(const schema::Model& model, const schema::Operator& op);
  // Whether each node comes after those that make its inputs: TFLite delegates
  // no others.
  bool IsInOrder() const;
  TfLiteIntArray* Ints(std::vector<int> values);
  TfLiteFloatArray* Floats(const std::vector<float>& values);
  void ReadQuantization(const schema::QuantizationParameters& from,
                        TfLiteTensor* to);
  bool ReadSparsity(const schema::SparsityParameters& from, TfLiteTensor* to);

  TfLiteContext context_ = {};
  std::vector<TfLiteTensor> tensors_;
  std::deque<TfLiteNode> nodes_;
  std::deque<TfLiteRegistration> registrations_;
  TfLiteIntArray* plan_ = nullptr;
  std::vector<int> inputs_, outputs_;
  // The arrays that the C structs point at.
  std::deque<std::vector<int>> ints_;
  std::deque<std::vector<uint8_t>> bytes_;
  std::deque<TfLiteAffineQuantization> quantizations_;
  std::deque<TfLiteSparsity> sparsities_;
  std::deque<std::vector<TfLiteDimensionMetadata>> dimensions_;
};

// TFLite's enumerator of the file's type; kTfLiteNoType: not among
// those that its C header of 2.9 names, but for int4 (18) and int2 (20), which
// later ones do.
TfLiteType TypeOf(schema::TensorType type);

// The op's parameter struct (delegate/graph/builtin_params.h), with zeros
// after it, as TFLite's own parser fills it in; all zeros where the op has no
// options. Numbers are taken as they are.
std::vector<uint8_t> BuiltinParamsOf(const schema::Operator& op);

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_FAKE_RUNTIME_H_
