#include "delegate/plan/program.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

using gl_shaders::ShaderSpec;
using gl_shaders::Storage;

namespace {

// What T_aux tells of a tensor that holds codes: zeros of others.
struct StoredCodes {
  int zero_point = 0;
  int scale_bits = 0;  // of a float
};

StoredCodes StoredCodesOf(const Tensor& tensor) {
  if (!tensor.holds_codes) return {};
  StoredCodes codes;
  // uint8 codes are stored less 128.
  codes.zero_point = static_cast<int>(tensor.quantization.zero_point[0]) -
                     (tensor.codes == DataType::kUint8 ? 128 : 0);
  std::memcpy(&codes.scale_bits, tensor.quantization.scale.data(),
              sizeof(float));
  return codes;
}

}  // namespace

std::string PostOperandName(int index) { return absl::StrCat("post", index); }

std::vector<TensorId> BoundTensors(const Dispatch& dispatch) {
  std::vector<TensorId> ids;
  for (const auto& [name, id] : dispatch.reads) ids.push_back(id);
  for (const PostOp& op : dispatch.post_ops) {
    if (op.operand != kNoTensor) ids.push_back(op.operand);
  }
  for (const auto& [name, id] : dispatch.writes) ids.push_back(id);
  return ids;
}

ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                  const DeviceProfile& profile) {
  ShaderSpec spec;
  spec.shader = dispatch.shader;
  spec.defines = dispatch.defines;
  spec.read_by = profile.choices.read_by;
  spec.saturate_halves = profile.options.saturate_halves;
  spec.work_group = dispatch.work_group;
  const auto add = [&](std::string name, TensorId id, bool write) {
    const Tensor& tensor = graph.tensor(id);
    const bool view = tensor.view.of != kNoTensor;
    const Tensor& memory = view ? graph.tensor(tensor.view.of) : tensor;
    const auto storage = StorageFor(memory, profile);
    spec.tensors.push_back({std::move(name), storage.value_or(Storage::kBuffer),
                            FormatFor(tensor, profile), write,
                            write && tensor.shape.c % 4 != 0,
                            /*scaled=*/!dispatch.on_codes, view});
  };
  for (const auto& [name, id] : dispatch.reads) add(name, id, false);
  const TensorId output =
      dispatch.writes.empty() ? kNoTensor : dispatch.writes[0].second;
  for (size_t i = 0; i < dispatch.post_ops.size(); ++i) {
    const PostOp& op = dispatch.post_ops[i];
    gl_shaders::PostOpCall call{op.function,
                                "",
                                op.operand_first,
                                false,
                                op.operand_zero_extend,
                                op.operand_table,
                                op.operand_lookup};
    if (op.operand != kNoTensor) {
      call.operand = PostOperandName(static_cast<int>(i));
      call.operand_splat = !op.operand_zero_extend && !op.operand_table &&
                           !op.operand_lookup &&
                           graph.tensor(op.operand).shape.c == 1 &&
                           graph.tensor(output).shape.c > 1;
      add(call.operand, op.operand, false);
    }
    spec.post_ops.push_back(std::move(call));
  }
  for (const auto& [name, id] : dispatch.writes) add(name, id, true);
  for (const PackedConstant& c : dispatch.constants) {
    const auto storage = ConstantStorageFor(c, profile);
    spec.constants.push_back({c.name,
                              storage.value_or(Storage::kBuffer),
                              ConstantIsHalf(c, profile),
                              c.literal ? c.width : 0,
                              {}});
  }
  return spec;
}

std::vector<uint8_t> ParamsOf(const Graph& graph, const Dispatch& dispatch) {
  std::vector<uint8_t> bytes;
  const auto append = [&bytes](const void* data, size_t size) {
    const auto* p = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), p, p + size);
  };
  const auto append_ints = [&append](int a, int b, int c, int d) {
    const int32_t v[4] = {a, b, c, d};
    append(v, sizeof(v));
  };
  append_ints(dispatch.grid[0], dispatch.grid[1], dispatch.grid[2], 0);
  for (TensorId id : BoundTensors(dispatch)) {
    const Tensor& tensor = graph.tensor(id);
    const Shape& s = tensor.shape;
    append_ints(s.w, s.h, s.slices(), s.b);
    const StoredCodes codes = StoredCodesOf(tensor);
    append_ints(s.c, codes.zero_point, codes.scale_bits, 0);
    if (tensor.view.of == kNoTensor) continue;
    const Shape& of = graph.tensor(tensor.view.of).shape;
    const auto& at = tensor.view.at;
    append_ints(at[kWidthAxis], at[kHeightAxis],
                at[kBatchAxis] * of.slices() + at[kChannelAxis] / 4,
                of.slices());
    append_ints(of.w, of.h, 0, 0);
  }
  for (const PostOp& op : dispatch.post_ops) {
    append(op.params.data(), sizeof(float) * 4);
  }
  for (const PackedConstant& c : dispatch.constants) {
    append_ints(c.width, c.height, 0, 0);
  }
  const auto own = dispatch.uniforms.bytes();
  append(own.data(), own.size());
  bytes.resize((bytes.size() + 15) / 16 * 16);
  return bytes;
}

}  // namespace gles_delegate
