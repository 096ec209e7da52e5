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

// 1: of types that are not listed, too.
size_t ElementBytes(TfLiteType type);

// An array of the kind that a runtime frees by free().
TfLiteIntArray* NewInts(const std::vector<int>& values);

class FakeRuntime {
 public:
  // How the runtime differs from the file.
  struct Changes {
    uint8_t fault = 0;    // an index of a node, see Break(); 0: none
    uint8_t node = 0;     // by its place, in one of the subgraphs
    uint8_t place = 0;    // among all indices of the node
    bool is_old = false;  // it shows a delegate no other subgraph
    // 0: as the file says; else an axis of the first input, from 1 on: all
    // tensors with the same extent there are free there.
    uint8_t free_axis = 0;
    bool has_placeholders = false;  // free extents are 1 until they are resized
    uint8_t steps = 0;              // 0: as the file says; else see SetSteps()
  };
  // The model's first subgraph; the constants are lent from `bytes`, which must
  // be aligned to 16 bytes and outlive the result. nullptr: no .tflite file, or
  // one that is refused by TFLite, too, when it loads a model: for its indices,
  // but where `changes` break one.
  static std::unique_ptr<FakeRuntime> Create(absl::Span<const uint8_t> bytes,
                                             const Changes& changes);
  static std::unique_ptr<FakeRuntime> Create(absl::Span<const uint8_t> bytes) {
    return Create(bytes, {});
  }
  ~FakeRuntime();
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  static FakeRuntime& Of(TfLiteContext* context) {
    return *static_cast<FakeRuntime*>(context->impl_);
  }
  TfLiteContext* context() { return &shown_.context; }
  const std::vector<int>& inputs() const { return inputs_; }
  const std::vector<int>& outputs() const { return outputs_; }
  const std::vector<int>& plan() const { return plan_; }
  // nullptr: the model has no such subgraph.
  FakeRuntime* Subgraph(int place);
  // The axis of a tensor that is free; -1: none.
  int FreeAxis(int tensor) const;

  // Prepares the nodes of the plan in its order. False: a kernel fails.
  bool PrepareNodes();
  // Adds a node that is not in the plan. Returns its index.
  int AddNode(const TfLiteNode& node, const TfLiteRegistration& registration);
  void SetPlan(std::vector<int> plan);

 private:
  // 2.14 appended the two functions.
  struct Shown {
    TfLiteContext context;
    TfLiteStatus (*acquire)(TfLiteContext*, int, TfLiteContext**);
    TfLiteStatus (*release)(TfLiteContext*, int);
  };

  FakeRuntime() = default;
  bool Load(const schema::Model& model, const schema::SubGraph& graph);
  void FillContext(bool is_old);
  void Break(const Changes& changes);
  void Free(int axis, int extent, bool has_placeholders);
  void SetSteps(uint8_t steps);
  bool AddTensor(const schema::Model& model, const schema::Tensor& tensor);
  bool AddNode(const schema::Model& model, const schema::Operator& op);
  // Whether each node comes after those that make its inputs: TFLite delegates
  // no others.
  bool IsInOrder() const;
  TfLiteStatus Resize(TfLiteTensor* tensor, TfLiteIntArray* dims);
  TfLiteStatus AddTensors(int count, int* first);
  TfLiteIntArray* Ints(std::vector<int> values);
  TfLiteFloatArray* Floats(const std::vector<float>& values);
  void ReadQuantization(const schema::QuantizationParameters& from,
                        TfLiteTensor* to);
  bool ReadSparsity(const schema::SparsityParameters& from, TfLiteTensor* to);

  Shown shown_ = {};  // at its beginning, as in a runtime's subgraph
  FakeRuntime* first_ = this;
  std::vector<std::unique_ptr<FakeRuntime>> others_;  // of the first subgraph
  std::vector<TfLiteTensor> tensors_;
  std::vector<int> free_axes_;  // by tensor
  std::deque<TfLiteNode> nodes_;
  std::deque<TfLiteRegistration> registrations_;
  std::vector<int> plan_, inputs_, outputs_;
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
// options. Numbers are taken as they are. A composite's has pointers, which a
// runtime never takes from another op's options.
std::vector<uint8_t> BuiltinParamsOf(const schema::Operator& op,
                                     int builtin_code);

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_FAKE_RUNTIME_H_
