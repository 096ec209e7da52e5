// Builders for ops that move, pool and resample values, and SOFTMAX.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

Accuracy Moves() {
  Accuracy accuracy;
  accuracy.terms = 0;
  return accuracy;
}

int InputOf(OpVariant& v, const Shape& shape,
            const std::string& name = "input") {
  return v.Input(name, shape, v.random().Gaussian(ElementCount(shape), 0, 3));
}

}  // namespace

SingleOpModel Concatenation(const ConcatenationParams& params) {
  const std::string shapes = absl::StrJoin(
      params.inputs, ",", [](std::string* out, const Shape& shape) {
        absl::StrAppend(out, ShapeString(shape));
      });
  const std::string description = absl::StrCat(
      "CONCATENATION ", shapes, " axis ", params.axis, " ",
      ActivationName(params.activation), " constant ", params.constant_input);
  return MakeModel(description, Moves(), [&](OpVariant& v) {
    std::vector<int> inputs;
    for (int i = 0; i < static_cast<int>(params.inputs.size()); ++i) {
      const Shape& shape = params.inputs[i];
      inputs.push_back(v.Constant(
          absl::StrCat("input", i), shape,
          v.random().Gaussian(ElementCount(shape), 0, 3),
          i == params.constant_input ? Weights::kFloat : Weights::kRuntime));
    }
    schema::ConcatenationOptionsT options;
    options.axis = params.axis;
    options.fused_activation_function = v.Fused(params.activation);
    return v.Op(Op::CONCATENATION, 1, inputs, options);
  });
}

SingleOpModel Pool2d(const PoolParams& params) {
  const std::string description = absl::StrCat(
      params.max ? "MAX" : "AVERAGE", "_POOL_2D ", ShapeString(params.input),
      " filter ", params.filter_h, "x", params.filter_w, " stride ",
      params.stride_h, "x", params.stride_w, " ", PaddingName(params.padding),
      " ", ActivationName(params.activation));
  Accuracy accuracy;
  accuracy.terms = params.max ? 0 : params.filter_h * params.filter_w;
  accuracy.ulps = 8;  // the division by the count: 2.5 ULP
  return MakeModel(
      description, accuracy, /*with_magnitude=*/!params.max, [&](OpVariant& v) {
        schema::Pool2DOptionsT options;
        v.SetWindow(params, &options);
        options.filter_height = params.filter_h;
        options.filter_width = params.filter_w;
        return v.Op(params.max ? Op::MAX_POOL_2D : Op::AVERAGE_POOL_2D, 1,
                    {InputOf(v, params.input)}, options);
      });
}

SingleOpModel Resize(const ResizeParams& params) {
  const std::string description = absl::StrCat(
      params.nearest ? "RESIZE_NEAREST_NEIGHBOR " : "RESIZE_BILINEAR ",
      ShapeString(params.input), " to ", params.out_h, "x", params.out_w,
      params.align_corners ? " align_corners" : "",
      params.half_pixel_centers ? " half_pixel_centers" : "");
  Accuracy accuracy = Moves();
  if (!params.nearest) {
    // A position p in the source is rounded by 2^-24 p (twice: the scale, the
    // product), and so are the interpolation's weights, on each axis.
    accuracy.terms = 4;
    accuracy.ulps = 4.0f * (params.input[1] + params.input[2]);
    accuracy.magnitude_of_inputs = true;
  }
  return MakeModel(description, accuracy, [&](OpVariant& v) {
    const int x = InputOf(v, params.input);
    const int size = v.IntConstant("size", {2}, {params.out_h, params.out_w});
    const int version = params.half_pixel_centers ? 3 : 1;
    if (params.nearest) {
      schema::ResizeNearestNeighborOptionsT options;
      options.align_corners = params.align_corners;
      options.half_pixel_centers = params.half_pixel_centers;
      return v.Op(Op::RESIZE_NEAREST_NEIGHBOR, version, {x, size}, options);
    }
    schema::ResizeBilinearOptionsT options;
    options.align_corners = params.align_corners;
    options.half_pixel_centers = params.half_pixel_centers;
    return v.Op(Op::RESIZE_BILINEAR, version, {x, size}, options);
  });
}

SingleOpModel Pad(const PadParams& params) {
  static constexpr const char* kNames[] = {"PAD", "PADV2", "MIRROR_PAD REFLECT",
                                           "MIRROR_PAD SYMMETRIC"};
  std::vector<int32_t> amounts;
  for (const auto& [before, after] : params.paddings) {
    amounts.push_back(before);
    amounts.push_back(after);
  }
  const std::string description = absl::StrCat(
      kNames[static_cast<int>(params.kind)], " ", ShapeString(params.input),
      " by ", absl::StrJoin(amounts, ","), " value ", params.value);
  return MakeModel(description, Moves(), [&](OpVariant& v) {
    const int x = InputOf(v, params.input);
    const Shape shape = {static_cast<int32_t>(params.paddings.size()), 2};
    const int paddings = v.IntConstant("paddings", shape, amounts);
    if (params.kind == PadParams::Kind::kPad) {
      return v.Op(Op::PAD, 1, {x, paddings}, schema::PadOptionsT());
    }
    if (params.kind == PadParams::Kind::kPadV2) {
      const int value = v.Constant("value", {1}, {params.value});
      return v.Op(Op::PADV2, 1, {x, paddings, value}, schema::PadV2OptionsT());
    }
    schema::MirrorPadOptionsT options;
    options.mode = params.kind == PadParams::Kind::kMirrorReflect
                       ? schema::MirrorPadMode::REFLECT
                       : schema::MirrorPadMode::SYMMETRIC;
    return v.Op(Op::MIRROR_PAD, 1, {x, paddings}, options);
  });
}

SingleOpModel Reshape(const Shape& input, const Shape& output,
                      bool shape_as_tensor) {
  const std::string description =
      absl::StrCat("RESHAPE ", ShapeString(input), " to ", ShapeString(output),
                   shape_as_tensor ? "" : " by options");
  return MakeModel(description, Moves(), [&](OpVariant& v) {
    std::vector<int> inputs = {InputOf(v, input)};
    if (shape_as_tensor) {
      const Shape rank = {static_cast<int32_t>(output.size())};
      inputs.push_back(v.IntConstant("shape", rank, output));
    }
    schema::ReshapeOptionsT options;
    options.new_shape = output;
    return v.Op(Op::RESHAPE, 1, inputs, options);
  });
}

SingleOpModel Squeeze(const Shape& input, const std::vector<int>& dims) {
  const std::string description = absl::StrCat(
      "SQUEEZE ", ShapeString(input), " of ", absl::StrJoin(dims, ","));
  return MakeModel(description, Moves(), [&](OpVariant& v) {
    schema::SqueezeOptionsT options;
    options.squeeze_dims = dims;
    return v.Op(Op::SQUEEZE, 1, {InputOf(v, input)}, options);
  });
}

SingleOpModel Softmax(const Shape& input, float beta) {
  Accuracy accuracy;
  accuracy.terms = input.empty() ? 1 : input.back();
  // exp(x - max) of 3 + 2|x - max| ULP; |x - max| beyond 14 leaves little.
  accuracy.ulps = 64;
  return MakeModel(absl::StrCat("SOFTMAX ", ShapeString(input), " beta ", beta),
                   accuracy, [&](OpVariant& v) {
                     schema::SoftmaxOptionsT options;
                     options.beta = beta;
                     return v.Op(Op::SOFTMAX, 1, {InputOf(v, input)}, options);
                   });
}

SingleOpModel DepthToSpace(const Shape& input, int block, bool inverse) {
  const std::string description =
      absl::StrCat(inverse ? "SPACE_TO_DEPTH " : "DEPTH_TO_SPACE ",
                   ShapeString(input), " block ", block);
  return MakeModel(description, Moves(), [&](OpVariant& v) {
    const int x = InputOf(v, input);
    if (inverse) {
      schema::SpaceToDepthOptionsT options;
      options.block_size = block;
      return v.Op(Op::SPACE_TO_DEPTH, 1, {x}, options);
    }
    schema::DepthToSpaceOptionsT options;
    options.block_size = block;
    return v.Op(Op::DEPTH_TO_SPACE, 1, {x}, options);
  });
}

}  // namespace gles_delegate::testing
