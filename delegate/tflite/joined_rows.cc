#include "delegate/tflite/joined_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"

namespace gles_delegate {
namespace {

TfLiteRegistration Builtin(int code) {
  TfLiteRegistration registration = {};
  registration.builtin_code = code;
  registration.version = 1;
  return registration;
}

// Of the same type, and of the same rows but for their number.
bool HaveSameRows(const Tensor& a, const Tensor& b) {
  return !a.dims.empty() && a.dims.size() == b.dims.size() &&
         std::equal(a.dims.begin() + 1, a.dims.end(), b.dims.begin() + 1) &&
         a.stored() == b.stored() && a.is_complex == b.is_complex &&
         a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

// The first value of a constant vector of integers.
std::optional<int> FirstOf(const Tensor& tensor) {
  auto values = ConstantInts(tensor);
  if (!values.ok() || values->empty()) return std::nullopt;
  return values->front();
}

}  // namespace

bool JoinedRows::Take(const TfLiteNode& node,
                      const TfLiteRegistration& registration,
                      const std::vector<int>& inputs,
                      const std::vector<int>& outputs) {
  const auto is_absent = [](int id) { return id < 0; };
  if (outputs.size() != 1 || is_absent(outputs[0]) ||
      std::any_of(inputs.begin(), inputs.end(), is_absent)) {
    return false;
  }
  const Tensor& to = graph_.tensor(outputs[0]);
  const auto has_same_rows = [&](int id) {
    return HaveSameRows(graph_.tensor(id), to);
  };
  const auto rows_of = [&](int id) { return graph_.tensor(id).dims[0]; };
  std::vector<Rows> rows;
  const auto add = [&](TensorId id, int begin, int end) {
    for (const Rows& r : RowsOf(id, begin, end)) rows.push_back(r);
  };
  switch (registration.builtin_code) {
    case BuiltinOperator_SLICE: {
      if (inputs.size() != 3 || !has_same_rows(inputs[0])) return false;
      const auto begin = FirstOf(graph_.tensor(inputs[1]));
      if (!begin || *begin < 0 || *begin > rows_of(inputs[0]) - to.dims[0]) {
        return false;
      }
      add(inputs[0], *begin, *begin + to.dims[0]);
      break;
    }
    case BuiltinOperator_CONCATENATION: {
      const auto* params =
          static_cast<const ConcatenationParams*>(node.builtin_data);
      const int rank = static_cast<int>(to.dims.size());
      if (params == nullptr || params->activation != 0 ||
          (params->axis != 0 && params->axis != -rank) ||
          !std::all_of(inputs.begin(), inputs.end(), has_same_rows) ||
          std::none_of(inputs.begin(), inputs.end(),
                       [this](int id) { return noted_.contains(id); })) {
        return false;
      }
      for (int id : inputs) add(id, 0, rows_of(id));
      break;
    }
    case BuiltinOperator_DYNAMIC_UPDATE_SLICE: {
      if (inputs.size() != 3 || !has_same_rows(inputs[0]) ||
          !has_same_rows(inputs[1])) {
        return false;
      }
      const auto start = FirstOf(graph_.tensor(inputs[2]));
      const int last = rows_of(inputs[0]) - rows_of(inputs[1]);
      if (!start || last < 0) return false;
      const int begin = std::clamp(*start, 0, last);
      add(inputs[0], 0, begin);
      add(inputs[1], 0, rows_of(inputs[1]));
      add(inputs[0], begin + rows_of(inputs[1]), rows_of(inputs[0]));
      break;
    }
    default:
      return false;
  }
  noted_[outputs[0]] = std::move(rows);
  return true;
}

bool JoinedRows::TakeRow(const TfLiteNode& node,
                         const TfLiteRegistration& registration,
                         const std::vector<int>& inputs,
                         const std::vector<int>& outputs,
                         std::vector<InlinedNode>* nodes) {
  const auto* params = static_cast<const GatherParams*>(node.builtin_data);
  if (registration.builtin_code != BuiltinOperator_GATHER ||
      params == nullptr || inputs.size() != 2 || outputs.size() != 1 ||
      params->axis != 0 || params->batch_dims != 0) {
    return false;
  }
  Tensor row = graph_.tensor(inputs[0]);
  const auto index = FirstOf(graph_.tensor(inputs[1]));
  if (!index || row.dims.empty() || *index < 0 || *index >= row.dims[0] ||
      !graph_.tensor(inputs[1]).dims.empty() || row.is_constant()) {
    return false;
  }
  row.dims[0] = 1;
  row.shape = Shape::FromDims(row.dims);
  const std::vector<Rows> rows = RowsOf(inputs[0], *index, *index + 1);
  const TensorId id = add_(std::move(row));
  noted_[id] = rows;
  Write(id, nodes);
  Copy(id, outputs[0], nodes);
  return true;
}

std::vector<JoinedRows::Rows> JoinedRows::RowsOf(TensorId id, int begin,
                                                 int end) const {
  if (begin >= end) return {};
  const auto noted = noted_.find(id);
  if (noted == noted_.end()) return {{id, begin, end}};
  std::vector<Rows> rows;
  int at = 0;
  for (const Rows& r : noted->second) {
    const int first = std::max(begin, at);
    const int last = std::min(end, at + r.end - r.begin);
    if (first < last) {
      rows.push_back({r.of, r.begin + first - at, r.begin + last - at});
    }
    at += r.end - r.begin;
  }
  return rows;
}

bool JoinedRows::IsAll(const Rows& rows) const {
  return rows.begin == 0 && rows.end == graph_.tensor(rows.of).dims[0];
}

TensorId JoinedRows::AddInts(const std::vector<int>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  Tensor tensor;
  tensor.name = "rows";
  tensor.type = DataType::kInt32;
  tensor.dims = {static_cast<int>(values.size())};
  tensor.shape = Shape::FromDims(tensor.dims);
  tensor.constant = ConstantData::Own(
      std::vector<uint8_t>(bytes, bytes + values.size() * sizeof(int)));
  return add_(std::move(tensor));
}

void JoinedRows::Slice(const Rows& rows, TensorId to,
                       std::vector<InlinedNode>* nodes) {
  static const TfLiteRegistration kSlice = Builtin(BuiltinOperator_SLICE);
  std::vector<int> size = graph_.tensor(to).dims;
  std::vector<int> begin(size.size(), 0);
  begin[0] = rows.begin;
  nodes->emplace_back(TfLiteNode(), kSlice,
                      std::vector<int>{rows.of, AddInts(begin), AddInts(size)},
                      std::vector<int>{to});
}

void JoinedRows::Copy(TensorId from, TensorId to,
                      std::vector<InlinedNode>* nodes) {
  static const TfLiteRegistration kReshape = Builtin(BuiltinOperator_RESHAPE);
  nodes->emplace_back(TfLiteNode(), kReshape,
                      std::vector<int>{from, AddInts(graph_.tensor(to).dims)},
                      std::vector<int>{to});
}

void JoinedRows::Write(TensorId id, std::vector<InlinedNode>* nodes) {
  static const TfLiteRegistration kConcatenation =
      Builtin(BuiltinOperator_CONCATENATION);
  static ConcatenationParams params = {/*axis=*/0, /*activation=*/0};
  const auto noted = noted_.find(id);
  if (noted == noted_.end()) return;
  const std::vector<Rows> rows = std::move(noted->second);
  noted_.erase(noted);
  if (rows.empty()) return;  // nodes that read it are refused
  if (rows.size() == 1) {
    if (IsAll(rows[0])) {
      Copy(rows[0].of, id, nodes);
    } else {
      Slice(rows[0], id, nodes);
    }
    return;
  }
  std::vector<int> parts;
  for (const Rows& r : rows) {
    if (IsAll(r)) {
      parts.push_back(r.of);
      continue;
    }
    Tensor part = graph_.tensor(id);
    part.dims[0] = r.end - r.begin;
    part.shape = Shape::FromDims(part.dims);
    parts.push_back(add_(std::move(part)));
    Slice(r, parts.back(), nodes);
  }
  TfLiteNode node = {};
  node.builtin_data = &params;
  nodes->emplace_back(node, kConcatenation, parts, std::vector<int>{id});
}

void JoinedRows::KeepOnly(const std::vector<TensorId>& ids) {
  HashMap<TensorId, std::vector<Rows>> kept;
  for (TensorId id : ids) {
    const auto noted = noted_.find(id);
    if (noted != noted_.end()) kept[id] = noted->second;
  }
  noted_ = std::move(kept);
}

}  // namespace gles_delegate
