#include "tools/op_models/op_builders_custom.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tools/op_models/op_variant.h"

namespace gles_delegate::testing {
namespace {

// A model of one custom op of `version`, with TFLite's shapes for its outputs.
SingleOpModel CustomModel(const std::string& name, int version,
                          const std::vector<uint8_t>& params,
                          const std::vector<Shape>& inputs,
                          const std::vector<Shape>& outputs,
                          std::vector<std::vector<float>> values,
                          const Accuracy& accuracy) {
  SingleOpModel model;
  model.description = absl::StrCat(name, " v", version);
  for (const Shape& s : inputs)
    absl::StrAppend(&model.description, " ", ShapeString(s));
  ModelBuilder b;
  std::vector<int> in, out;
  for (const Shape& s : inputs) in.push_back(b.AddInput("in", s));
  for (const Shape& s : outputs) out.push_back(b.AddTensor("out", s));
  b.AddCustomOp(name, params, in, out, version);
  b.SetOutputs(out);
  model.bytes = b.Finish();
  model.inputs = std::move(values);
  model.accuracy = accuracy;
  return model;
}

}  // namespace

std::vector<uint8_t> PoolBytes(CustomPoolParams p) {
  std::vector<uint8_t> bytes(sizeof(p));
  std::memcpy(bytes.data(), &p, sizeof(p));
  return bytes;
}

SingleOpModel ArgmaxPool(const Shape& in, const CustomPoolParams& p) {
  const auto out = [&](int extent, int window, int stride) {
    return p.padding == kPaddingSame ? (extent + stride - 1) / stride
                                     : (extent - window + stride) / stride;
  };
  const Shape shape = {in[0], out(in[1], p.filter_height, p.stride_height),
                       out(in[2], p.filter_width, p.stride_width), in[3]};
  Random random(absl::StrCat("argmax ", ShapeString(in)));
  Accuracy accuracy;
  accuracy.ulps = 2;  // of the 0.1 that is added
  return CustomModel("MaxPoolingWithArgmax2D", 1, PoolBytes(p), {in},
                     {shape, shape}, {random.Gaussian(ElementCount(in))},
                     accuracy);
}

SingleOpModel Unpool(const Shape& in, int height, int width) {
  Random random(absl::StrCat("unpool ", ShapeString(in)));
  std::vector<float> indices(ElementCount(in));
  for (float& i : indices) i = random.NextInt(0, height * width - 1) + 0.1f;
  Accuracy accuracy;
  accuracy.terms = 0;
  return CustomModel(
      "MaxUnpooling2D", 1,
      PoolBytes({kPaddingSame, width, height, width, height, kActNone}),
      {in, in}, {{in[0], in[1] * height, in[2] * width, in[3]}},
      {random.Gaussian(ElementCount(in)), indices}, accuracy);
}

SingleOpModel Resample(const Shape& data, const Shape& warp) {
  Random random(absl::StrCat("resampler ", ShapeString(data)));
  std::vector<float> at(ElementCount(warp));
  for (size_t i = 0; i < at.size(); ++i) {
    const int extent = i % 2 == 0 ? data[2] : data[1];
    // Halves hold these; some lie outside.
    at[i] = random.NextInt(-5, 4 * extent + 4) / 4.0f;
  }
  Accuracy accuracy;
  accuracy.terms = 4;
  accuracy.magnitude_of_inputs = true;
  return CustomModel("Resampler", 1, {}, {data, warp},
                     {{data[0], warp[1], warp[2], data[3]}},
                     {random.Gaussian(ElementCount(data)), at}, accuracy);
}

std::vector<uint8_t> TransformTensorBytes(int version, int height, int width) {
  return FlexMap([&](flexbuffers::Builder& b) {
    if (version == 1) {
      b.String("mode", "bilinear");
      b.TypedVector("output_size", [&] {
        b.Int(height);
        b.Int(width);
      });
    } else {
      b.Int("output_height", height);
      b.Int("output_width", width);
    }
  });
}

SingleOpModel TransformTensor(int version, const Shape& data, int height,
                              int width, std::vector<float> matrix) {
  Random random(absl::StrCat("transform ", ShapeString(data)));
  Accuracy accuracy;
  accuracy.terms = 4;
  accuracy.magnitude_of_inputs = true;
  return CustomModel("TransformTensorBilinear", version,
                     TransformTensorBytes(version, height, width),
                     {data, {1, 4, 4}}, {{1, height, width, data[3]}},
                     {random.Gaussian(ElementCount(data)), std::move(matrix)},
                     accuracy);
}

const std::vector<float>& Shear() {
  static const auto& m = *new std::vector<float>{
      0.5f, 0.25f, 9, 0.75f, -0.125f, 0.875f, 9, 1.0625f,
      0,    0,     1, 0,     0,       0,      0, 1};
  return m;
}

std::vector<uint8_t> LandmarksBytes(int dimensions, float scale) {
  return FlexMap([&](flexbuffers::Builder& b) {
    b.Int("dimensions", dimensions);
    b.Float("scale", scale);
  });
}

SingleOpModel TransformPoints(int version, int count, int dimensions,
                              float scale) {
  Random random("points");
  const Shape shape = version == 1 ? Shape{1, 1, 1, count * dimensions}
                                   : Shape{1, count, dimensions};
  Accuracy accuracy;
  accuracy.terms = 3;
  accuracy.absolute = 0x1p-20f;  // terms of up to 4 that cancel: 4 ulps of them
  return CustomModel(
      "TransformLandmarks", version,
      version == 1 ? LandmarksBytes(dimensions, scale) : std::vector<uint8_t>(),
      {shape, {1, 4, 4}}, {shape},
      {random.Gaussian(ElementCount(shape)), Shear()}, accuracy);
}

std::vector<uint8_t> MatrixBytes(const MatrixCase& c) {
  return FlexMap([&](flexbuffers::Builder& b) {
    b.Int("left_rotation_idx", c.left);
    b.Int("right_rotation_idx", c.right);
    const auto ints = [&](const char* key, const std::vector<int>& values) {
      b.TypedVector(key, [&] {
        for (int v : values) b.Int(v);
      });
    };
    if (c.version == 1) {
      ints("input_hw", {64, 48});
      ints("output_hw", {16, 32});
      b.Int("dimensions", 3);
      b.Int("landmarks_range", 64);
      b.Float("bbox_size_multiplier", 1.25f);
      ints("subset", c.subset);
    } else {
      b.Int("output_height", 16);
      b.Int("output_width", 32);
      b.Float("target_rotation_radians", c.target);
      b.Float("scale_x", 1.5f);
      b.Float("scale_y", 2.0f);
      ints("subset_idxs", c.subset);
    }
  });
}

SingleOpModel ToMatrix(const MatrixCase& c, int count) {
  Random random("to matrix");
  const Shape shape =
      c.version == 1 ? Shape{1, 1, 1, count * 3} : Shape{1, count, 3};
  std::vector<float> points(count * 3);
  for (float& p : points) p = random.NextInt(0, 256) / 4.0f;  // exact in half
  Accuracy accuracy;
  // Landmarks of up to 64 are rotated, boxed and rotated back: a few dozen
  // roundings of 64 * 2^-24, times the scales of at most 2 (half a grid of 64).
  accuracy.absolute = 32 * 64 * 2 * 0x1p-24f;
  return CustomModel("Landmarks2TransformMatrix", c.version, MatrixBytes(c),
                     {shape}, {{1, 4, 4}}, {points}, accuracy);
}

}  // namespace gles_delegate::testing
