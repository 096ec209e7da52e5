#include "tools/conformance/quantized_sums.h"

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
        scales_(graph_.tensors.size(), 0) {}

  SingleOpModel Run() {
    for (int input : graph_.inputs) AddOperand(input, /*constant=*/false);
    for (const auto& op : graph_.operators) AddNode(*op);
    std::vector<int> outputs;
    for (int output : graph_.outputs) outputs.push_back(ids_[output]);
    return b_.Finish(outputs);
  }

 private:
  void AddOperand(int id, bool constant) {
    const schema::TensorT& tensor = *graph_.tensors[id];
    const ModelQuantization q = WithZeroPoint(b_, DrawScale(b_));
    scales_[id] = q.scale[0];
    ids_[id] = Operand(b_, tensor.name.c_str(), tensor.shape, q, constant,
                       id == graph_.inputs[0] ? 37 : 91);
  }

  // The output's scale.
  float AddWeights(const cases::Filter& filter, const schema::OperatorT& op) {
    const size_t data = filter.op == Op::TRANSPOSE_CONV ? 2 : 0;
    const int bias =
        op.inputs.size() > data + 1 ? op.inputs.back() : /*none*/ -1;
    const float in_scale = scales_[op.inputs[data]];
    const int weights = op.inputs[filter.input];
    const schema::TensorT& tensor = *graph_.tensors[weights];
    const int outputs = tensor.shape[filter.outputs];
    const int terms =
        static_cast<int>(testing::ElementCount(tensor.shape)) / outputs;
    // FULLY_CONNECTED takes one scale for all channels, but any zero point.
    const bool dense = filter.op == Op::FULLY_CONNECTED;
    const float scale = b_.random().NextUniform(0.001f, 0.05f);
    std::vector<float> scales = {scales_[weights]};
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

  void AddNode(const schema::OperatorT& op) {
    const schema::OperatorCodeT& code = *root_->operator_codes[op.opcode_index];
    float scale = 0;
    if (const cases::Filter* filter = cases::FilterOf(code.builtin_code)) {
      scale = AddWeights(*filter, op);
    } else if (code.builtin_code == Op::BATCH_MATMUL) {
      for (int id : op.inputs) {
        if (ids_[id] < 0) AddOperand(id, /*constant=*/true);
      }
      const bool adj_x = op.builtin_options.AsBatchMatMulOptions()->adj_x;
      const auto& x = graph_.tensors[op.inputs[0]]->shape;
      // Both operands may have 16 bits, where weights have 8.
      scale = ScaleOfSums(scales_[op.inputs[0]] * scales_[op.inputs[1]] *
                              (b_.is_int16() ? 256 : 1),
                          x[x.size() - (adj_x ? 2 : 1)]);
    } else {
      for (int input : op.inputs) scale += scales_[input];
    }
    std::vector<int> inputs, outputs;
    for (int input : op.inputs) {
      if (input >= 0 && ids_[input] < 0) {  // a shape
        const schema::TensorT& tensor = *graph_.tensors[input];
        ids_[input] = b_.builder().AddConstantBytes(
            tensor.name, tensor.shape, tensor.type,
            root_->buffers[tensor.buffer]->data);
      }
      inputs.push_back(input < 0 ? -1 : ids_[input]);
    }
    for (int output : op.outputs) {
      const schema::TensorT& tensor = *graph_.tensors[output];
      // WithZeroPoint() gives 16 bits a finer scale.
      const ModelQuantization q = b_.is_int16()
                                      ? ModelQuantization::PerTensor(scale, 0)
                                      : WithZeroPoint(b_, scale);
      scales_[output] = scale;
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
  std::vector<int> ids_;       // in the model that is built
  std::vector<float> scales_;  // of tensors that are computed
};

}  // namespace

SingleOpModel SummedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                         int number) {
  if (!model.status.ok()) return model;
  return Summer(model, b, number).Run();
}

}  // namespace gles_delegate::conformance
