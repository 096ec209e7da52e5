#include "tools/gles_demo/poster.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "stb/stb_image_write.h"
#include "tools/common/text_file.h"

namespace gles_delegate::demo {
namespace {

constexpr int kPanel = 224;
constexpr int kGap = 12;
constexpr int kCaption = 22;
constexpr int kLine = 24;
constexpr int kWide = 2 * kPanel + kGap;  // of two panels, as wide as four
constexpr int kBarsHeight = 240;
constexpr size_t kMaxRows = 4;
constexpr int kBars = 5;
constexpr char kMark[] = "#ffeb3b", kBone[] = "#00c8ff";

using Labels = absl::Span<const std::string>;

// As PNG has them.
struct Color {
  uint8_t r = 0, g = 0, b = 0, alpha = 255;
};

// From 0 to 1; 0 of a NaN.
float Part(float value) { return value > 0 ? std::min(value, 1.0f) : 0; }

uint8_t Byte(float value) {
  return static_cast<uint8_t>(std::lround(255 * Part(value)));
}

// The others than class 0 (background, mostly) are told apart by hue.
Color ClassColor(int index) {
  const float hue = std::fmod(static_cast<float>(index) * 0.618034f, 1.0f) * 6;
  const auto channel = [hue](float offset) {
    const float k = std::fmod(hue + offset, 6.0f);
    return Byte(0.95f - 0.75f * Part(std::min(k, 4 - k)));
  };
  return {channel(5), channel(3), channel(1)};
}

std::string Css(const Color& color) {
  return absl::StrFormat("#%02x%02x%02x", color.r, color.g, color.b);
}

// "#12" of a class that has none.
std::string LabelOf(int index, Labels labels) {
  return index >= 0 && index < static_cast<int>(labels.size())
             ? labels[index]
             : absl::StrFormat("#%d", index);
}

std::string Text(int x, int y, const std::string& text,
                 const std::string& attributes = "") {
  return absl::StrFormat("<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y,
                         attributes, XmlEscaped(text));
}

// An area with its own coordinates, which cuts off what is too long for it.
std::string Area(int x, int y, int width, int height,
                 const std::string& content) {
  return absl::StrFormat(
      "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n%s</svg>\n", x, y,
      width, height, content);
}

// Pixels in an area of that size.
std::string Picture(const std::vector<Color>& pixels, int columns, int width,
                    int height, const std::string& attributes) {
  if (pixels.empty()) return "";
  std::string png;
  stbi_write_png_to_func(
      [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<char*>(data), size);
      },
      &png, columns, static_cast<int>(pixels.size()) / columns, sizeof(Color),
      pixels.data(), columns * static_cast<int>(sizeof(Color)));
  return absl::StrFormat(
      "<image width=\"%d\" height=\"%d\" %s "
      "href=\"data:image/png;base64,%s\"/>\n",
      width, height, attributes, absl::Base64Escape(png));
}
// Each value is seen as it is; the picture has the area's shape.
constexpr char kPixels[] = "style=\"image-rendering: pixelated\"";
constexpr char kStretched[] = "preserveAspectRatio=\"none\"";

// The values that are drawn as black and as white: 0 and 1 if all of the
// tensor's are in it; else the min and the max.
struct Range {
  float low = 0;
  float high = 1;
  float Of(float value) const {
    return (value - low) / std::max(high - low, 1e-30f);
  }
};

Range RangeOf(const TensorValues& tensor) {
  Range range;
  if (tensor.values.empty()) return range;
  const auto [low, high] =
      std::minmax_element(tensor.values.begin(), tensor.values.end());
  if (*low >= 0 && *high <= 1 && *high > 0.1f) return range;
  return {std::min(*low, 0.0f), *high};
}

// Three channels become colours; else the channels' maximum becomes a heat map.
std::string PictureOf(const TensorValues& tensor, const Range& range) {
  std::vector<Color> pixels;
  const auto channels = static_cast<size_t>(tensor.channels());
  for (size_t at = 0; at + channels <= tensor.values.size(); at += channels) {
    const float* pixel = &tensor.values[at];
    if (channels == 3) {
      pixels.push_back({Byte(range.Of(pixel[0])), Byte(range.Of(pixel[1])),
                        Byte(range.Of(pixel[2]))});
      continue;
    }
    // Black, purple, orange, pale yellow: brightness rises all the way.
    const float t = range.Of(*std::max_element(pixel, pixel + channels));
    pixels.push_back({Byte(1.6f * t), Byte(1.5f * t * t),
                      Byte(t < 0.5f ? t : 3 * t - 1.9f)});
  }
  return Picture(pixels, tensor.width(), kPanel, kPanel, kPixels);
}

// Bars for the elements that are largest in `order_by`, so that the charts of
// two tensors show the same elements.
std::string BarsOf(const TensorValues& tensor, const TensorValues& order_by,
                   Labels labels, int width, int height) {
  const Range range = RangeOf(order_by);
  const int step = height / kBars;
  std::string svg = "<rect width=\"100%\" height=\"100%\" fill=\"#181a22\"/>\n";
  int top = 0;
  for (int element : Top(order_by.values, kBars)) {
    const float value = tensor.values[element];
    absl::StrAppend(
        &svg,
        absl::StrFormat("<rect x=\"6\" y=\"%d\" width=\"%g\" height=\"%d\" "
                        "fill=\"#569cd6\"/>\n",
                        top + step / 2, Part(range.Of(value)) * (width - 12),
                        step / 2 - 6),
        Text(6, top + step / 2 - 4,
             absl::StrFormat("%-8.3g %s", value, LabelOf(element, labels)),
             "fill=\"#e6e6e6\""));
    top += step;
  }
  return svg;
}

// |a - b| times what makes the largest one white: the channels' maximum of each
// pixel, or a strip of elements if the tensors are not pictures. `caption` says
// the factor.
std::string DifferenceOf(const TensorValues& a, const TensorValues& b,
                         std::string* caption) {
  const size_t channels =
      a.is_picture() ? static_cast<size_t>(a.channels()) : 1;
  std::vector<float> differences(a.values.size() / channels);
  for (size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    float& difference = differences[i / channels];
    difference = std::max(difference, std::abs(a.values[i] - b.values[i]));
  }
  const float largest =
      differences.empty()
          ? 0
          : *std::max_element(differences.begin(), differences.end());
  *caption = largest > 0 ? absl::StrFormat("difference x %.2g", 1 / largest)
                         : "no difference";
  std::vector<Color> pixels;
  for (float difference : differences) {
    const uint8_t grey = Byte(largest > 0 ? difference / largest : 0);
    pixels.push_back({grey, grey, grey});
  }
  return a.is_picture()
             ? Picture(pixels, a.width(), kPanel, kPanel, kPixels)
             : Picture(pixels, static_cast<int>(pixels.size()), kPanel, kPanel,
                       absl::StrCat(kStretched, " ", kPixels));
}

// The photograph of so many pixels.
std::string Photograph(const Image& image, int width, int height) {
  if (image.rgb.empty()) return "";
  const std::vector<float> rgb = Resampled(image, width, height);
  std::vector<Color> pixels;
  for (size_t i = 0; i < rgb.size(); i += 3) {
    pixels.push_back(
        {Byte(rgb[i] / 255), Byte(rgb[i + 1] / 255), Byte(rgb[i + 2] / 255)});
  }
  return Picture(pixels, width, width, height, "id=\"input\"");
}

std::string BoxesOf(const Finding& finding, Labels labels, int height) {
  std::string svg;
  for (const Box& box : finding.boxes) {
    const std::string color = Css(ClassColor(box.label + 1));
    const float left = Part(box.left) * kWide, top = Part(box.top) * height;
    absl::StrAppendFormat(
        &svg,
        "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" "
        "stroke=\"%s\" stroke-width=\"3\"/>\n",
        left, top, Part(box.right) * kWide - left,
        Part(box.bottom) * height - top, color);
    const std::string text = absl::StrFormat(
        "%s%.2f", labels.empty() ? "" : LabelOf(box.label, labels) + " ",
        box.score);
    // Above the box, so that it hides nothing of it, if there is room.
    const float y = top >= kLine ? top - kLine : top;
    absl::StrAppendFormat(
        &svg,
        "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
        left, y, 10 * text.size() + 8, kLine, color);
    svg += Text(static_cast<int>(left) + 4, static_cast<int>(y) + 17, text);
  }
  return svg;
}

std::string PointsOf(const Finding& finding, int height) {
  std::string svg;
  for (const auto& [from, to] : finding.bones) {
    absl::StrAppendFormat(&svg,
                          "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" "
                          "stroke=\"%s\" stroke-width=\"3\"/>\n",
                          from.x * kWide, from.y * height, to.x * kWide,
                          to.y * height, kBone);
  }
  const int radius = finding.points.size() > 100 ? 1 : 3;
  for (const Point& point : finding.points) {
    absl::StrAppendFormat(
        &svg, "<circle cx=\"%g\" cy=\"%g\" r=\"%d\" fill=\"%s\"/>\n",
        point.x * kWide, point.y * height, radius, kMark);
  }
  return svg;
}

// A tint of each class, or plain ground around what the mask of one probability
// covers; and below it how much of the picture they are.
std::string MaskOf(const Finding& finding, Labels labels, int height) {
  constexpr Color kGround = {214, 226, 240};
  std::vector<Color> pixels;
  std::map<int, double> shares;
  for (float share : finding.shares) {
    pixels.push_back(kGround);
    pixels.back().alpha = Byte(1 - Part(share));
    shares[1] += Part(share);
  }
  const bool cuts_out = !pixels.empty();
  for (size_t i = 0; i < finding.classes.size() && !cuts_out; ++i) {
    const int index = finding.classes[i];
    pixels.push_back(ClassColor(index));
    pixels.back().alpha = index == 0 ? 0 : 128;
    if (index != 0) shares[index] += 1;
  }
  std::string names;
  for (const auto& [index, share] : shares) {
    absl::StrAppendFormat(
        &names, "<tspan fill=\"%s\">%s%.0f%%  </tspan>", Css(ClassColor(index)),
        cuts_out ? "" : XmlEscaped(LabelOf(index, labels)) + " ",
        100 * share / static_cast<double>(pixels.size()));
  }
  return absl::StrCat(
      Picture(pixels, finding.mask_width, kWide, height,
              cuts_out ? kStretched : absl::StrCat(kStretched, " ", kPixels)),
      "<text x=\"4\" y=\"", height + 18, "\">", names, "</text>\n");
}

std::string FindingOn(const Finding& finding, Labels labels, int height) {
  const std::string photograph = "<use href=\"#input\"/>\n";
  switch (finding.kind) {
    case Finding::Kind::kMask:
      return photograph + MaskOf(finding, labels, height);
    case Finding::Kind::kClasses:
      return photograph + Area(0, height, kWide, kBarsHeight,
                               BarsOf(finding.scores, finding.scores, labels,
                                      kWide, kBarsHeight));
    default:
      return absl::StrCat(photograph, BoxesOf(finding, labels, height),
                          PointsOf(finding, height));
  }
}

// Adds panels to `svg`; returns their height.
int DrawFindings(const PosterContent& content, std::string* svg) {
  const int height = content.input.height * kWide / content.input.width;
  absl::StrAppend(svg, "<defs>\n", Photograph(content.input, kWide, height),
                  "</defs>\n");
  const Finding::Kind kind = content.gles_found->kind;
  const int end = height + (kind == Finding::Kind::kMask      ? kLine
                            : kind == Finding::Kind::kClasses ? kBarsHeight
                                                              : 0);
  int x = kGap;
  for (const auto& [name, found] :
       {std::pair("CPU", &content.cpu_found), {"GLES", &content.gles_found}}) {
    absl::StrAppend(svg, Text(x, kGap + 14, name),
                    Area(x, kGap + kCaption, kWide, end,
                         FindingOn(**found, content.labels, height)));
    x += kGap + kWide;
  }
  return kGap + kCaption + end;
}

int DrawOutputs(const PosterContent& content, std::string* svg) {
  const Image& input = content.input;
  const int larger = std::max({input.width, input.height, 1});
  const std::string photograph =
      Photograph(input, std::max(1, kPanel * input.width / larger),
                 std::max(1, kPanel * input.height / larger));
  const size_t rows = std::min(content.cpu.size(), kMaxRows);
  int top = kGap;
  for (size_t i = 0; i < rows; ++i) {
    const TensorValues& cpu = content.cpu[i];
    // Of "MobilenetV1/Predictions/Reshape_1" the last part.
    const std::string name = cpu.name.substr(cpu.name.rfind('/') + 1);
    const auto view = [&](const TensorValues& tensor) {
      return tensor.is_picture()
                 ? PictureOf(tensor, RangeOf(cpu))
                 : BarsOf(tensor, cpu, content.labels, kPanel, kPanel);
    };
    std::string caption;
    const std::string difference = DifferenceOf(cpu, content.gles[i], &caption);
    int x = kGap;
    for (const auto& [title, panel] :
         {std::pair<std::string, std::string>("input", photograph),
          {"CPU: " + name, view(cpu)},
          {"GLES: " + name, view(content.gles[i])},
          {caption, difference}}) {
      absl::StrAppend(svg, Area(x, top, kPanel, kCaption, Text(0, 14, title)),
                      Area(x, top + kCaption, kPanel, kPanel, panel));
      x += kPanel + kGap;
    }
    top += kCaption + kPanel + kGap;
  }
  return top - kGap;
}

}  // namespace

std::string DrawPoster(const PosterContent& content) {
  std::string svg;
  int end = content.gles_found ? DrawFindings(content, &svg)
                               : DrawOutputs(content, &svg);
  for (const std::string& note : content.notes) {
    end += kLine;
    svg += Text(kGap, end, note);
  }
  return absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"monospace\" font-size=\"16\" fill=\"#1e2028\" "
      "style=\"white-space: pre\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fafaf8\"/>\n%s</svg>\n",
      kGap + 4 * (kPanel + kGap), end + kGap, svg);
}

}  // namespace gles_delegate::demo
