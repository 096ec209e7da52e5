// The cases of the conformance suite. A family is one op with its attributes on
// one shape; a case is a family in one storage and one precision, and has a
// name that never changes: "OP/attributes/shape/storage/precision".
//
// Most are rows of tools/cases. An op of op_list.inc without a case fails
// tests/tools/conformance_test.cc.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SUITE_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SUITE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"
#include "tools/cases/rows.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::conformance {

using testing::Act;
using testing::Op;
using testing::Precision;
using testing::Shape;
using testing::ShapeString;
using testing::SingleOpModel;
using testing::TensorType;

// The limits for cases at the device's size limits.
struct Limits {
  int texture_size = 0;    // texels
  int texture_layers = 0;  // of a 2-D texture array
};

struct Family {
  std::string op;          // as op_list.inc has it
  std::string attributes;  // "3x3_stride2_SAME"; no '/' and no space
  std::string shape;       // "1x8x8x3"
  // Deterministic: the same model for the same seed and limits.
  std::function<SingleOpModel(const Limits&)> build;
  // Among those that slow drivers run too.
  bool small = false;
  bool quantized = false;  // 8-bit tensors
  bool integer_path =
      false;  // every node computes on the integer path, or the case fails
  bool float32_only = false;  // where 16-bit storage cannot hold the values

  std::string text;  // of tools/cases: the line that is its case

  std::string name() const;  // "OP/attributes/shape"
};

struct Variant {
  TfLiteGlesStorage storage;
  Precision precision;
};
std::vector<Variant> VariantsOf(const Family& family);
std::string CaseName(const Family& family, const Variant& variant);

// Collects families and marks the first of each op and kind as small.
class CaseList {
 public:
  using Build = std::function<SingleOpModel()>;

  Family& Add(std::string op, std::string attributes, const Shape& shape,
              Build build);
  // On 8-bit tensors.
  Family& AddQuantized(std::string op, std::string attributes,
                       const Shape& shape, Build build);
  // For a model whose size follows from the device's limits; `shape` says how:
  // "1x1xLIMITx3".
  Family& AddAtLimit(std::string op, std::string attributes, std::string shape,
                     std::function<SingleOpModel(const Limits&)> build);

  // A family of each op on floats again, with NaN, infinity and minus infinity
  // among its inputs.
  void AddSpecialValues();

  // kAlreadyExists: two families of one name.
  absl::StatusOr<std::vector<Family>> Take();

 private:
  std::vector<Family> families_;
  absl::flat_hash_set<std::string> small_;
};

// The whole suite, by op.
absl::StatusOr<std::vector<Family>> AllFamilies();

// Ops of op_list.inc that no family names.
std::vector<std::string> OpsWithoutCases(const std::vector<Family>& families);

// Which cases run: --filter and --shard.

// Patterns separated by commas. '*' stands for anything; a pattern without one
// is looked for anywhere in the name. "-PATTERN" excludes. Nothing but
// exclusions, or no pattern: everything else.
class Filter {
 public:
  explicit Filter(absl::string_view patterns);
  bool Accepts(absl::string_view name) const;

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> excluded_;
};

// Every `count`-th family, from `index` on.
struct Shard {
  int index = 0;
  int count = 1;
};
// "0/4" to "3/4". kInvalidArgument: anything else.
absl::StatusOr<Shard> ParseShard(absl::string_view text);

// Adds the cases of rows of tools/cases, and their variants.
void AddRowCases(CaseList* list, const std::vector<cases::Row>& rows);

// The page docs/supported_ops.md with its tables written again, each from a
// comment with its name to "<!-- end -->"; "" if it lacks such comments.
std::string SupportedOpsPage(std::string page);

// The names in cpu_ops.inc that are not builtins, or are in op_list.inc.
std::vector<std::string> ReasonsForNoOp();

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SUITE_H_
