// Classifies, detects or segments a picture on the GPU, in C++:
//
//   look MODEL.tflite LABELS.txt PICTURE OUT.png
//
// The model's outputs decide which, as in ../c/look.c.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "../c/picture.h"
#include "interpreter.h"

using Labels = std::vector<std::string>;

static Labels ReadLabels(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be opened");
  Labels labels;
  for (std::string line; std::getline(file, line);) labels.push_back(line);
  return labels;
}

static void FillInput(TfLiteTensor* input, const Picture& picture) {
  const Picture small =
      Resized(&picture, TfLiteTensorDim(input, 2), TfLiteTensorDim(input, 1));
  const std::unique_ptr<unsigned char, Deleter<std::free>> owner(small.rgb);
  const size_t count = size_t{3} * small.width * small.height;
  if (TfLiteTensorType(input) == kTfLiteUInt8) {
    std::copy_n(small.rgb, count,
                static_cast<unsigned char*>(TfLiteTensorData(input)));
  } else if (TfLiteTensorType(input) == kTfLiteFloat32) {
    std::transform(small.rgb, small.rgb + count,
                   static_cast<float*>(TfLiteTensorData(input)),
                   [](unsigned char pixel) {
                     return static_cast<float>(pixel) / 127.5f - 1;
                   });
  } else {
    throw std::runtime_error("the input is neither float32 nor uint8");
  }
}

static void Classify(const Interpreter& interpreter, const Labels& labels) {
  std::multimap<float, size_t, std::greater<float>> best;
  const std::vector<float> scores = Floats(interpreter.output(0));
  for (size_t kind = 0; kind < scores.size(); ++kind)
    best.emplace(scores[kind], kind);
  int place = 0;
  for (const auto& [score, kind] : best) {
    if (++place > 5) break;
    std::printf("%s %.3f\n", labels.at(kind).c_str(), score);
  }
}

static void Detect(const Interpreter& interpreter, const Labels& labels,
                   Picture* picture) {
  const auto boxes = Floats(interpreter.output(0)),
             kinds = Floats(interpreter.output(1));
  const auto scores = Floats(interpreter.output(2)),
             count = Floats(interpreter.output(3));
  const float w = static_cast<float>(picture->width),
              h = static_cast<float>(picture->height);
  for (size_t i = 0; i < static_cast<size_t>(count[0]); ++i) {
    if (scores[i] < 0.5f) continue;
    const float* box = &boxes[4 * i];  // top, left, bottom, right, from 0 to 1
    const int kind = static_cast<int>(kinds[i]);
    std::printf("%s %.3f at %.0f, %.0f to %.0f, %.0f\n",
                labels.at(static_cast<size_t>(kind)).c_str(), scores[i],
                box[1] * w, box[0] * h, box[3] * w, box[2] * h);
    DrawBox(picture, box[1] * w, box[0] * h, box[3] * w, box[2] * h, kind);
  }
}

static void Segment(const Interpreter& interpreter, const Labels& labels,
                    Picture* picture) {
  const TfLiteTensor* output = interpreter.output(0);
  const int height = TfLiteTensorDim(output, 1),
            width = TfLiteTensorDim(output, 2);
  const int kinds = TfLiteTensorDim(output, 3);
  const std::vector<float> scores = Floats(output);
  std::map<int, int> pixels;
  for (int y = 0; y < picture->height; ++y) {
    for (int x = 0; x < picture->width; ++x) {
      const int at =
          y * height / picture->height * width + x * width / picture->width;
      const float* first = &scores[static_cast<size_t>(at) * kinds];
      const int kind =
          static_cast<int>(std::max_element(first, first + kinds) - first);
      ++pixels[kind];
      Tint(picture, x, y, kind);
    }
  }
  for (const auto& [kind, count] : pixels) {
    const double share =
        100.0 * count / (double{1} * picture->width * picture->height);
    if (share >= 1)
      std::printf("%s %.0f%%\n", labels.at(static_cast<size_t>(kind)).c_str(),
                  share);
  }
}

int main(int argc, char** argv) try {
  const bool help = argc == 2 && std::string(argv[1]) == "--help";
  if (help || argc != 5) {
    std::fprintf(help ? stdout : stderr,
                 "usage: look MODEL.tflite LABELS.txt PICTURE OUT.png\n");
    return help ? 0 : 2;
  }
  const Model model = LoadModel(argv[1]);
  const Labels labels = ReadLabels(argv[2]);
  Picture picture = LoadPicture(argv[3]);
  const std::unique_ptr<unsigned char, Deleter<std::free>> owner(picture.rgb);
  Interpreter interpreter(model.get());
  FillInput(interpreter.input(0), picture);
  interpreter.Invoke();
  const TfLiteTensor* output = interpreter.output(0);
  if (interpreter.outputs() == 4) {
    Detect(interpreter, labels, &picture);
  } else if (TfLiteTensorNumDims(output) == 4 &&
             TfLiteTensorDim(output, 1) > 1) {
    Segment(interpreter, labels, &picture);
  } else {
    Classify(interpreter, labels);
  }
  SavePng(&picture, argv[4]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "look: %s\n", error.what());
  return 1;
}
