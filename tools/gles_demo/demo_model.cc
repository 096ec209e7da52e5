#include "tools/gles_demo/demo_model.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "tools/common/model_builder.h"

namespace gles_delegate::demo {
namespace {

using schema::BuiltinOperator;

constexpr int kColors = 3;
constexpr std::array<float, kColors> kLuma = {0.299f, 0.587f, 0.114f};

// Adds layers to a model. `size` is the side of the square output. Padding is
// VALID where nothing else is said.
class Filters {
 public:
  ModelBuilder& builder() { return builder_; }

  // One small filter on each channel by itself. `filters` is
  // [taps][taps][channels * multiplier].
  int Depthwise(const std::string& name, int input, int size, int channels,
                int multiplier, int taps, const std::vector<float>& filters,
                const std::vector<float>& bias) {
    schema::DepthwiseConv2DOptionsT options;
    options.padding = schema::Padding::VALID;
    options.stride_w = options.stride_h = 1;
    options.depth_multiplier = multiplier;
    const int outputs = channels * multiplier;
    return Add(BuiltinOperator::DEPTHWISE_CONV_2D, name,
               {input, Constant(name, {1, taps, taps, outputs}, filters),
                Bias(name, bias)},
               size, outputs, options);
  }

  // `filters` is [outputs][taps][taps][channels].
  int Conv(const std::string& name, int input, int size, int channels,
           int outputs, int taps, const std::vector<float>& filters,
           const std::vector<float>& bias,
           schema::ActivationFunctionType activation =
               schema::ActivationFunctionType::NONE) {
    schema::Conv2DOptionsT options;
    options.padding = schema::Padding::VALID;
    options.stride_w = options.stride_h = 1;
    options.fused_activation_function = activation;
    return Add(BuiltinOperator::CONV_2D, name,
               {input, Constant(name, {outputs, taps, taps, channels}, filters),
                Bias(name, bias)},
               size, outputs, options);
  }

  int Logistic(const std::string& name, int input, int size, int channels) {
    return Add(BuiltinOperator::LOGISTIC, name, {input}, size, channels,
               schema::BuiltinOptionsUnion());
  }

  int AveragePool(const std::string& name, int input, int size, int stride) {
    schema::Pool2DOptionsT options;
    options.padding = schema::Padding::VALID;
    options.stride_w = options.stride_h = stride;
    options.filter_width = options.filter_height = stride;
    return Add(BuiltinOperator::AVERAGE_POOL_2D, name, {input}, size / stride,
               kColors, options);
  }

  int Resize(const std::string& name, int input, int size) {
    schema::ResizeBilinearOptionsT options;
    options.half_pixel_centers = true;
    const int sizes = builder_.AddConstant<int32_t>(
        name + "/size", {2}, std::vector<int32_t>{size, size});
    return Add(BuiltinOperator::RESIZE_BILINEAR, name, {input, sizes}, size,
               kColors, options, /*version=*/3);
  }

  template <typename Options>
  int Add(BuiltinOperator op, const std::string& name, std::vector<int> inputs,
          int size, int channels, Options options, int version = 1) {
    const int output = builder_.AddTensor(name, {1, size, size, channels});
    builder_.AddOp(op, version, std::move(inputs), {output},
                   std::move(options));
    return output;
  }

 private:
  int Constant(const std::string& name, const std::vector<int>& shape,
               const std::vector<float>& filters) {
    return builder_.AddConstant<float>(name + "/filter", shape, filters);
  }
  int Bias(const std::string& name, const std::vector<float>& bias) {
    return builder_.AddConstant<float>(name + "/bias",
                                       {static_cast<int>(bias.size())}, bias);
  }

  ModelBuilder builder_;
};

// The same square filter for each of the colours: [taps][taps][kColors].
std::vector<float> PerColor(const std::vector<float>& filter) {
  std::vector<float> repeated;
  for (float value : filter) repeated.insert(repeated.end(), kColors, value);
  return repeated;
}

// A filter whose taps sum to 1. `sigma` is in pixels.
std::vector<float> Gaussian(int taps, float sigma) {
  std::vector<float> filter;
  float sum = 0;
  const int middle = taps / 2;
  for (int y = 0; y < taps; ++y) {
    for (int x = 0; x < taps; ++x) {
      const auto dx = static_cast<float>(x - middle);
      const auto dy = static_cast<float>(y - middle);
      filter.push_back(std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)));
      sum += filter.back();
    }
  }
  for (float& value : filter) value /= sum;
  return filter;
}

// A filter that passes the middle tap alone, and so crops (taps - 1) / 2 pixels
// off each side.
std::vector<float> Crop(int taps) {
  std::vector<float> filter(static_cast<size_t>(taps) * taps, 0.0f);
  filter[filter.size() / 2] = 1;
  return filter;
}

// Four filters on luminance: the gradient to the right, to the left, down and
// up, so that RELU leaves each one's positive half and their sum is |dx| +
// |dy|.
std::vector<float> Sobel() {
  constexpr float kAcross[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  std::vector<float> filters;
  for (int output = 0; output < 4; ++output) {
    const float sign = output % 2 == 0 ? 1.0f : -1.0f;
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) {
        const float tap = output < 2 ? kAcross[y][x] : kAcross[x][y];
        for (float luma : kLuma) filters.push_back(sign * luma * tap);
      }
    }
  }
  return filters;
}

// Averages three soft steps for each colour, at 1/4, 1/2 and 3/4: four levels.
int Posterise(Filters& filters, int input, int size) {
  constexpr int kSteps = 3;
  constexpr float kSteepness = 40;
  std::vector<float> slope(static_cast<size_t>(kColors) * kSteps, kSteepness);
  std::vector<float> bias;
  for (int color = 0; color < kColors; ++color) {
    for (int step = 1; step <= kSteps; ++step) {
      bias.push_back(-kSteepness * static_cast<float>(step) / (kSteps + 1));
    }
  }
  const int steps = filters.Depthwise("posterise/steps", input, size, kColors,
                                      kSteps, 1, slope, bias);
  const int soft =
      filters.Logistic("posterise/soft", steps, size, kColors * kSteps);
  // [kColors][1][1][kColors * kSteps]: each colour sums its own steps.
  std::vector<float> sum(static_cast<size_t>(kColors) * kColors * kSteps, 0.0f);
  for (int color = 0; color < kColors; ++color) {
    for (int step = 0; step < kSteps; ++step) {
      sum[(static_cast<size_t>(color) * kColors + color) * kSteps + step] =
          0.8f / kSteps;
    }
  }
  return filters.Conv("posterise", soft, size, kColors * kSteps, kColors, 1,
                      sum, std::vector<float>(kColors, 0.12f));
}

// A factor from 0 (a line at a strong gradient) to 1 (white paper).
int Ink(Filters& filters, int gradient, int size) {
  constexpr float kSteepness = 9;
  constexpr float kThreshold = 0.62f;
  const int level =
      filters.Conv("ink/level", gradient, size, 4, kColors, 1,
                   std::vector<float>(4 * kColors, -kSteepness),
                   std::vector<float>(kColors, kSteepness * kThreshold));
  return filters.Logistic("ink", level, size, kColors);
}

// The bright parts, averaged over 8x8 blocks and spread again.
int Glow(Filters& filters, int input, int size) {
  const int blocks = filters.AveragePool("glow/blocks", input, size, 8);
  std::vector<float> gain(kColors * kColors, 0.0f);
  for (int color = 0; color < kColors; ++color) {
    gain[static_cast<size_t>(color) * kColors + color] = 0.5f;
  }
  const int bright =
      filters.Conv("glow/bright", blocks, size / 8, kColors, kColors, 1, gain,
                   std::vector<float>(kColors, -0.36f),
                   schema::ActivationFunctionType::RELU);
  return filters.Resize("glow", bright, size);
}

// Red and green: the gradient's halves along x and y; blue: a little of both.
int EdgePicture(Filters& filters, int gradient, int size) {
  return filters.Conv("edges", gradient, size, 4, kColors, 1,
                      {0.8f, 0.8f, 0.0f, 0.0f,  //
                       0.0f, 0.0f, 0.8f, 0.8f,  //
                       0.3f, 0.3f, 0.3f, 0.3f},
                      std::vector<float>(kColors, 0.0f),
                      schema::ActivationFunctionType::RELU6);
}

}  // namespace

std::vector<uint8_t> BuildDemoModel(int size) {
  const std::vector<float> no_bias(kColors, 0.0f);
  Filters filters;
  const int image = filters.builder().AddInput(
      "image", {1, size + kDemoBorder, size + kDemoBorder, kColors});
  // 3x3 and 7x7 filters lose 2 and 6 pixels: kDemoBorder together.
  const int smooth = filters.Depthwise("smooth", image, size + 2, kColors, 1, 7,
                                       PerColor(Gaussian(7, 1.1f)), no_bias);
  const int gradient = filters.Conv("gradient", smooth, size, kColors, 4, 3,
                                    Sobel(), std::vector<float>(4, 0.0f),
                                    schema::ActivationFunctionType::RELU);
  const int middle = filters.Depthwise("middle", smooth, size, kColors, 1, 3,
                                       PerColor(Crop(3)), no_bias);
  const int blur =
      filters.Depthwise("blur", image, size, kColors, 1, kDemoBorder + 1,
                        PerColor(Gaussian(kDemoBorder + 1, 3.0f)), no_bias);

  const int flat = Posterise(filters, middle, size);
  const int lit = filters.Add(BuiltinOperator::ADD, "lit",
                              {flat, Glow(filters, blur, size)}, size, kColors,
                              schema::AddOptionsT());
  const int stylised = filters.Add(BuiltinOperator::MUL, "stylised",
                                   {lit, Ink(filters, gradient, size)}, size,
                                   kColors, schema::MulOptionsT());
  const int edges = EdgePicture(filters, gradient, size);

  filters.builder().SetOutputs({stylised, edges, blur});
  filters.builder().SetDescription(
      "gles_delegate's demo: stylise, edges, blur");
  return filters.builder().Finish();
}

}  // namespace gles_delegate::demo
