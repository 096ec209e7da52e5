// Builders for ops that keep a state from one Invoke to the next.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/common/tflite_host.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class LstmBuilder {
 public:
  explicit LstmBuilder(const LstmCase& c) : c_(c), random_("lstm weights") {}

  std::vector<uint8_t> Build() {
    const int outputs = c_.outputs > 0 ? c_.outputs : c_.cells;
    std::vector<int> inputs = {AddData()};
    for (int gate = 0; gate < 4; ++gate) {
      inputs.push_back(Constant(gate > 0 || !c_.cifg, {c_.cells, c_.inputs}));
    }
    for (int gate = 0; gate < 4; ++gate) {
      inputs.push_back(Constant(gate > 0 || !c_.cifg, {c_.cells, outputs}));
    }
    for (int p = 0; p < 3; ++p) {
      inputs.push_back(
          Constant(c_.peephole && (p > 0 || !c_.cifg), {c_.cells}));
    }
    for (int gate = 0; gate < 4; ++gate) {
      inputs.push_back(Constant(gate > 0 || !c_.cifg, {c_.cells}));
    }
    inputs.push_back(Constant(c_.outputs > 0, {outputs, c_.cells}));
    inputs.push_back(Constant(c_.projection_bias, {outputs}));
    inputs.push_back(builder_.AddVariable("h", {c_.batch, outputs}));
    inputs.push_back(builder_.AddVariable("c", {c_.batch, c_.cells}));
    if (c_.layer_norm) {
      for (int gate = 0; gate < 4; ++gate) {
        inputs.push_back(Constant(gate > 0 || !c_.cifg, {c_.cells}));
      }
    }
    return Finish(std::move(inputs), outputs);
  }

 private:
  int AddData() {
    if (c_.steps == 0) return builder_.AddInput("x", {c_.batch, c_.inputs});
    return builder_.AddInput("x", Sequence(c_.inputs));
  }
  Shape Sequence(int channels) const {
    return c_.time_major ? Shape{c_.steps, c_.batch, channels}
                         : Shape{c_.batch, c_.steps, channels};
  }
  int Constant(bool there, const Shape& shape) {
    if (!there) return -1;
    const float deviation = 1.0f / std::sqrt(static_cast<float>(shape.back()));
    return builder_.AddConstant<float>(
        absl::StrCat("w", count_++), shape,
        random_.Gaussian(ElementCount(shape), 0, deviation));
  }
  template <typename Options>
  Options OptionsOf() const {
    Options options;
    options.fused_activation_function = c_.activation;
    options.cell_clip = c_.cell_clip;
    options.proj_clip = c_.proj_clip;
    return options;
  }
  std::vector<uint8_t> Finish(std::vector<int> inputs, int outputs) {
    if (c_.steps == 0) {
      const int y = builder_.AddTensor("y", {c_.batch, outputs});
      while (inputs.size() < 24) inputs.push_back(-1);
      builder_.AddOp(Op::LSTM, 1, std::move(inputs), {y},
                     OptionsOf<schema::LSTMOptionsT>());
      builder_.SetOutputs({y});
      return builder_.Finish();
    }
    const int y = builder_.AddTensor("y", Sequence(outputs));
    auto options = OptionsOf<schema::UnidirectionalSequenceLSTMOptionsT>();
    options.time_major = c_.time_major;
    while (inputs.size() < 24) inputs.push_back(-1);
    builder_.AddOp(Op::UNIDIRECTIONAL_SEQUENCE_LSTM, 1, std::move(inputs), {y},
                   options);
    builder_.SetOutputs({y});
    return builder_.Finish();
  }

  LstmCase c_;
  ModelBuilder builder_;
  Random random_;
  int count_ = 0;
};

}  // namespace

LstmCase LstmWithParts(int bits) {
  LstmCase c;
  c.batch = 2;
  c.cells = 7;
  c.cifg = (bits & 1) != 0;
  c.peephole = (bits & 2) != 0;
  c.layer_norm = (bits & 4) != 0;
  c.outputs = (bits & 8) != 0 ? 5 : 0;
  return c;
}

std::vector<uint8_t> Lstm(const LstmCase& c) { return LstmBuilder(c).Build(); }

std::vector<uint8_t> BasicLstm(const BasicCase& c) {
  ModelBuilder b;
  Random random("basic lstm");
  const int columns = c.inputs + c.depth;
  const auto state = [&](const char* name) {
    return c.variables ? b.AddVariable(name, {c.batch, c.depth})
                       : b.AddInput(name, {c.batch, c.depth});
  };
  const auto weights = [&](const char* name, const Shape& shape, float spread) {
    if (c.runtime_weights) return b.AddInput(name, shape);
    return b.AddConstant<float>(
        name, shape, random.Gaussian(ElementCount(shape), 0, spread));
  };
  const int x = b.AddInput("x", {c.batch, c.inputs});
  const int h = state("h");
  const int w = weights("w", {4 * c.depth, columns},
                        1.0f / std::sqrt(static_cast<float>(columns)));
  const int bias = weights("bias", {4 * c.depth}, 1.0f);
  const int s = state("c");
  const std::vector<int> outputs = {
      b.AddTensor("activation", {c.batch, c.depth}),
      b.AddTensor("state", {c.batch, c.depth}),
      b.AddTensor("concat", {c.batch, columns}),
      b.AddTensor("sums", {c.batch, 4 * c.depth})};
  schema::LSTMOptionsT options;
  options.kernel_type = schema::LSTMKernelType::BASIC;
  options.fused_activation_function = schema::ActivationFunctionType::TANH;
  b.AddOp(Op::LSTM, 2, {x, h, w, bias, s}, outputs, options);
  b.SetOutputs(outputs);
  return b.Finish();
}

std::vector<uint8_t> Svdf(const SvdfCase& c) {
  ModelBuilder b;
  Random random("svdf");
  const int filters = c.units * c.rank;
  const auto weights = [&](const char* name, const Shape& shape) {
    if (c.runtime_weights) return b.AddInput(name, shape);
    return b.AddConstant<float>(name, shape,
                                random.Gaussian(ElementCount(shape), 0, 0.5f));
  };
  const int x = b.AddInput("x", {c.batch, c.inputs});
  const int feature = weights("feature", {filters, c.inputs});
  const int time = weights("time", {filters, c.memory});
  const int bias = c.bias ? weights("bias", {c.units}) : -1;
  const int state = b.AddVariable("state", {c.batch, filters * c.memory});
  const int y = b.AddTensor("y", {c.batch, c.units});
  schema::SVDFOptionsT options;
  options.rank = c.rank;
  options.fused_activation_function = c.activation;
  b.AddOp(Op::SVDF, 1, {x, feature, time, bias, state}, {y}, options);
  b.SetOutputs({y});
  return b.Finish();
}

SingleOpModel Stateful(const std::string& description,
                       std::vector<uint8_t> bytes) {
  SingleOpModel model;
  model.description = description;
  model.bytes = std::move(bytes);
  model.stateful = true;
  // Sums of some dozen terms and functions whose slope is 1 at most, a few
  // steps long; a state is rounded to half once each invoke, and an old error
  // shrinks.
  model.accuracy.terms = 64;
  model.accuracy.absolute = 0x1p-17f;
  model.accuracy.half_roundings = 4;
  model.accuracy.magnitude_of_inputs = true;
  auto loaded = Model::FromBuffer(model.bytes, description);
  if (!loaded.ok()) {
    model.status = loaded.status();
    return model;
  }
  auto interpreter = Interpreter::Create(**loaded);
  if (!interpreter.ok()) {
    model.status = interpreter.status();
    return model;
  }
  Random random(description);
  for (int i = 0; i < (*interpreter)->inputs(); ++i) {
    std::vector<float> values((*interpreter)->input(i).elements());
    // Halves hold these exactly.
    for (float& v : values) {
      v = static_cast<float>(random.NextInt(-128, 128)) / 64;
    }
    model.inputs.push_back(std::move(values));
  }
  return model;
}

}  // namespace gles_delegate::testing
