#include "tools/conformance/suite.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"

namespace gles_delegate::conformance {

std::string Family::name() const {
  return absl::StrCat(op, "/", attributes, "/", shape);
}

std::vector<Variant> VariantsOf(const Family& family) {
  std::vector<Variant> variants;
  // Only these ops multiply in 16 bits.
  const bool multiplies = family.op == "CONV_2D" ||
                          family.op == "FULLY_CONNECTED" ||
                          family.op == "BATCH_MATMUL";
  for (Precision precision : {Precision::kFloat32, Precision::kFloat16,
                              Precision::kFloat16Arithmetic}) {
    if (family.float32_only && precision != Precision::kFloat32) continue;
    if (!multiplies && precision == Precision::kFloat16Arithmetic) continue;
    for (TfLiteGlesStorage storage :
         {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
          kTfLiteGlesStorageBuffer}) {
      variants.push_back({storage, precision});
    }
  }
  return variants;
}

std::string StorageName(TfLiteGlesStorage storage) {
  switch (storage) {
    case kTfLiteGlesStorageTextureArray:
      return "texture_array";
    case kTfLiteGlesStorageTexture2d:
      return "texture_2d";
    case kTfLiteGlesStorageBuffer:
      return "buffer";
    default:
      return "auto";
  }
}

std::string CaseName(const Family& family, const Variant& variant) {
  const bool arithmetic = variant.precision == Precision::kFloat16Arithmetic;
  return absl::StrCat(family.name(), "/", StorageName(variant.storage), "/",
                      arithmetic                  ? "float16_arithmetic"
                      : IsHalf(variant.precision) ? "float16"
                                                  : "float32");
}

Family& CaseList::Add(std::string op, std::string attributes,
                      const Shape& shape, Build build) {
  return AddAtLimit(
      std::move(op), std::move(attributes), ShapeString(shape),
      [build = std::move(build)](const Limits&) { return build(); });
}

Family& CaseList::AddQuantized(std::string op, std::string attributes,
                               const Shape& shape, Build build) {
  Family& family =
      Add(std::move(op), std::move(attributes), shape, std::move(build));
  family.quantized = family.float32_only = true;
  family.small = small_.insert(absl::StrCat(family.op, " quantized")).second;
  return family;
}

Family& CaseList::AddAtLimit(
    std::string op, std::string attributes, std::string shape,
    std::function<SingleOpModel(const Limits&)> build) {
  Family family;
  family.op = std::move(op);
  family.attributes = std::move(attributes);
  family.shape = std::move(shape);
  family.build = std::move(build);
  family.small = small_.insert(family.op).second;
  families_.push_back(std::move(family));
  return families_.back();
}

void CaseList::AddSpecialValues() {
  std::vector<Family> added;
  absl::flat_hash_set<std::string> ops;
  for (const Family& family : families_) {
    // In one element nothing spreads.
    if (family.quantized || family.shape == "1x1x1x1" ||
        !ops.insert(family.op).second) {
      continue;
    }
    for (const SpecialValue& special : SpecialValuesFor(family.op)) {
      Family of_value = family;
      of_value.small = false;
      of_value.text.clear();
      absl::StrAppend(&of_value.attributes, "_special_values_", special.name);
      of_value.build = [build = family.build,
                        value = special.value](const Limits& limits) {
        return WithOne(build(limits), value);
      };
      added.push_back(std::move(of_value));
    }
  }
  families_.insert(families_.end(), added.begin(), added.end());
}

absl::StatusOr<std::vector<Family>> CaseList::Take() {
  std::stable_sort(
      families_.begin(), families_.end(),
      [](const Family& a, const Family& b) { return a.op < b.op; });
  absl::flat_hash_set<std::string> names;
  for (const Family& family : families_) {
    if (!names.insert(family.name()).second) {
      return absl::AlreadyExistsError(
          absl::StrCat("two families are named ", family.name()));
    }
  }
  return std::move(families_);
}

absl::StatusOr<std::vector<Family>> AllFamilies() {
  CaseList list;
  AddRowCases(&list, cases::AllRows());
  AddQuantizedCases(&list);
  list.AddSpecialValues();
  AddLimitCases(&list);
  return list.Take();
}

std::vector<std::string> OpsWithoutCases(const std::vector<Family>& families) {
  absl::flat_hash_set<std::string> covered;
  for (const Family& family : families) covered.insert(family.op);
  std::vector<std::string> missing;
  for (const OpDefinition& op : AllOps()) {
    if (!covered.contains(op.name)) missing.emplace_back(op.name);
  }
  return missing;
}

}  // namespace gles_delegate::conformance
