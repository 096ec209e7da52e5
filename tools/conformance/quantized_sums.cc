#include "tools/conformance/quantized_sums.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tools/cases/model.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

class Summer {
 public:
  Summer(const SingleOpModel& model, QuantizedBuilder& b, int number)
      : b_(b),
        number_(number),
        root_(schema::UnPackModel(model.bytes.data())),
        graph_(*root_->subgraphs[0]),
        ids_(graph_.tensors.size(), -1),
        qs_(graph_.tensors.size()) {}

  SingleOpModel Run() {
    for (int input : graph_.inputs) {
      const float scale = keeps_spread() ? 0.005f : DrawScale(b_);
      AddOperand(input, /*constant=*/false, WithZeroPoint(b_, scale));
    }
    for (const auto& op : graph_.operators) AddNode(*op);
    std::vector<int> outputs;
    for (int output : graph_.outputs) outputs.push_back(ids_[output]);
    return b_.Finish(outputs);
  }

 private:
  // In chains, whose real values must stay of one size.
  bool keeps_spread() const { return b_.codes() == Codes::kMiddle; }
  // 0 of what has none.
  float ScaleOf(int id) const {
    return qs_[id].scale.empty() ? 0 : qs_[id].scale[0];
  }
  const schema::TensorT& TensorOf(int id) const { return *graph_.tensors[id]; }

  void AddOperand(int id, bool constant, const ModelQuantization& q) {
    const schema::TensorT& tensor = TensorOf(id);
    qs_[id] = q;
    ids_[id] = Operand(b_, tensor.name.c_str(), tensor.shape, q, constant,
                       id == graph_.inputs[0] ? 37 : 91);
  }

  // The output's scale.
  float AddWeights(const cases::Filter& filter, const schema::OperatorT& op) {
    const size_t data = filter.op == Op::TRANSPOSE_CONV ? 2 : 0;
    const int bias =
        op.inputs.size() > data + 1 ? op.inputs.back() : /*none*/ -1;
    const float in_scale = ScaleOf(op.inputs[data]);
    const int weights = op.inputs[filter.input];
    const schema::TensorT& tensor = TensorOf(weights);
    const int outputs = tensor.shape[filter.outputs];
    const int terms =
        static_cast<int>(testing::ElementCount(tensor.shape)) / outputs;
    // FULLY_CONNECTED takes one scale for all channels, but any zero point.
    const bool dense = filter.op == Op::FULLY_CONNECTED;
    const float scale = keeps_spread() ? 1.5f / ScaleOfSums(1, terms)
                                       : b_.random().NextUniform(0.001f, 0.05f);
    std::vector<float> scales = {ScaleOf(weights)};
    if (ids_[weights] < 0 && dense && !b_.is_int16() && number_ % 2 == 1) {
      const ModelQuantization q = WithZeroPoint(b_, scale);
      scales = q.scale;
      ids_[weights] =
          b_.Constant(tensor.name, tensor.shape, q, AllQuantized(b_, 91));
    } else if (ids_[weights] < 0) {
      ids_[weights] = b_.Weights(tensor.name, tensor.shape,
                                 static_cast<int>(filter.outputs), scale,
                                 dense || number_ % 3 == 1, &scales);
    }
    // Sums of 16-bit tensors that exceed 32 bits by their biases.
    // FULLY_CONNECTED of newer TFLites does not take these.
    const bool large = b_.is_int16() && !dense && number_ % 4 == 2;
    const float product = in_scale * scales[0];
    const float out = large ? product * 0x1p18f : ScaleOfSums(product, terms);
    if (bias >= 0 && bias != weights) {
      const float steps = large ? 16384 : b_.is_int16() ? 3000 : 30;
      ids_[bias] = b_.Bias(outputs, in_scale, scales, steps * out);
    }
    return out;
  }

  float ScaleOfSums(float product, int terms) const {
    return product * 70 * std::sqrt(static_cast<float>(terms)) *
           (number_ % 3 == 0 ? 0.3f : 1.5f);
  }

  // Of BATCH_MATMUL.
  float ScaleOfMatrices(const schema::OperatorT& op) {
    for (int id : op.inputs) {
      if (ids_[id] >= 0) continue;
      AddOperand(id, /*constant=*/true, WithZeroPoint(b_, DrawScale(b_)));
    }
    const bool adj_x = op.builtin_options.AsBatchMatMulOptions()->adj_x;
    const std::vector<int>& x = TensorOf(op.inputs[0]).shape;
    // Both operands may have 16 bits, where weights have 8.
    return ScaleOfSums(ScaleOf(op.inputs[0]) * ScaleOf(op.inputs[1]) *
                           (b_.is_int16() ? 256 : 1),
                       x.size() < 2 ? 8 : x[x.size() - (adj_x ? 2 : 1)]);
  }

  // WithZeroPoint() gives 16 bits a finer scale.
  ModelQuantization Scaled(float scale) {
    return b_.is_int16() ? ModelQuantization::PerTensor(scale, 0)
                         : WithZeroPoint(b_, scale);
  }

  // Of ops that sum no products: values stay as spread as they are.
  ModelQuantization OutputOfOther(Op code, const schema::OperatorT& op) {
    const auto is_computed = [this](int id) {
      return id >= 0 && ids_[id] >= 0;
    };
    const ModelQuantization first =
        qs_[*std::find_if(op.inputs.begin(), op.inputs.end(), is_computed)];
    // TFLite rescales what uint8 tensors join.
    const ModelQuantization joined =
        code == Op::CONCATENATION && !b_.is_signed() && !b_.is_int16()
            ? Scaled(first.scale[0])
            : first;
    const bool scales = code == Op::MUL || code == Op::PRELU;
    const bool adds = code == Op::ADD || code == Op::SUB;
    for (int id : op.inputs) {
      if (is_computed(id) || TensorOf(id).type != TensorType::FLOAT32) continue;
      AddOperand(id, /*constant=*/true,
                 scales ? WithZeroPoint(b_, 0.01f)
                 : adds ? Scaled(first.scale[0] / 2)
                        : joined);
    }
    float sum = 0, product = 1;
    for (int id : op.inputs) {
      sum += ScaleOf(id);
      product *= ScaleOf(id);
    }
    const Kernel* kernel = KernelOf(code);
    switch (kernel == nullptr ? OutputRule::kSame : kernel->rule) {
      case OutputRule::kLogistic:
      case OutputRule::kSymmetric:
      case OutputRule::kLogSoftmax:
        return OutputOf(*kernel, b_, first);
      default:
        break;
    }
    switch (code) {
      case Op::ADD:
      case Op::SUB:
        return Scaled(0.9f * sum);
      case Op::MUL:
        return Scaled(product * (b_.is_int16() ? 25600 : 100));
      case Op::SUM:
        return Scaled(3.5f * sum);
      case Op::MEAN:
        return b_.random().NextInt(0, 2) == 0 ? first : Scaled(0.4f * sum);
      case Op::AVERAGE_POOL_2D:
      case Op::MAX_POOL_2D:
      case Op::RESIZE_BILINEAR:
      case Op::MAXIMUM:
      case Op::REDUCE_MAX:
      case Op::REDUCE_MIN:
      case Op::CONCATENATION:
        return joined;
      default:
        return Scaled(first.scale[0] * b_.random().NextUniform(0.9f, 1.1f));
    }
  }

  ModelQuantization Output(Op code, const schema::OperatorT& op) {
    if (const cases::Filter* filter = cases::FilterOf(code)) {
      return Scaled(AddWeights(*filter, op));
    }
    return code == Op::BATCH_MATMUL ? Scaled(ScaleOfMatrices(op))
                                    : OutputOfOther(code, op);
  }

  void AddNode(const schema::OperatorT& op) {
    const schema::OperatorCodeT& code = *root_->operator_codes[op.opcode_index];
    const ModelQuantization q = Output(code.builtin_code, op);
    std::vector<int> inputs, outputs;
    for (int input : op.inputs) {
      if (input >= 0 && ids_[input] < 0) {  // a shape
        const schema::TensorT& tensor = TensorOf(input);
        ids_[input] = b_.builder().AddConstantBytes(
            tensor.name, tensor.shape, tensor.type,
            root_->buffers[tensor.buffer]->data);
      }
      inputs.push_back(input < 0 ? -1 : ids_[input]);
    }
    for (int output : op.outputs) {
      const schema::TensorT& tensor = TensorOf(output);
      qs_[output] = q;
      ids_[output] = b_.Output(tensor.name, tensor.shape, q);
      outputs.push_back(ids_[output]);
    }
    b_.builder().AddOp(code.builtin_code, code.version, inputs, outputs,
                       op.builtin_options);
  }

  QuantizedBuilder& b_;
  const int number_;
  const std::unique_ptr<schema::ModelT> root_;
  schema::SubGraphT& graph_;
  std::vector<int> ids_;               // in the model that is built
  std::vector<ModelQuantization> qs_;  // of tensors that have one scale
};

}  // namespace

SingleOpModel SummedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                         int number) {
  if (!model.status.ok()) return model;
  return Summer(model, b, number).Run();
}

}  // namespace gles_delegate::conformance
