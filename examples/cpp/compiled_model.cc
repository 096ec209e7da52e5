// Classifies a picture with LiteRT's CompiledModel on the GPU, in C++:
//
//   compiled_model MODEL.tflite LABELS.txt PICTURE [RUNTIME_FOLDER]
//
// RUNTIME_FOLDER has libLiteRtGpuAccelerator.so and libgles_delegate.so.1
// (in Python: gles_delegate.litert_runtime_dir()). Without it LiteRT searches
// the loader's path, which has an installed one.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../c/picture.h"
#include "litert.h"

static void Check(LiteRtStatus status, const char* what) {
  if (status == 0) return;
  throw std::runtime_error(std::string(what) + ": LiteRT's status " +
                           std::to_string(status));
}

template <auto kDestroy>
struct Destroyer {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};
template <typename Handle, auto kDestroy>
using Owner =
    std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<kDestroy>>;

// A tensor's memory, which the delegate reads and writes without a copy.
class Buffer {
 public:
  explicit Buffer(LiteRtTensor tensor) {
    Check(LiteRtGetRankedTensorType(tensor, &type_), "a tensor's type");
    for (unsigned i = 0; i < type_.layout.rank; ++i)
      count_ *= type_.layout.dimensions[i];
    const size_t bytes = count_ * (is_float() ? sizeof(float) : 1);
    const size_t unit = LITERT_HOST_MEMORY_BUFFER_ALIGNMENT;
    memory_.reset(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
    LiteRtTensorBuffer buffer = nullptr;
    Check(LiteRtCreateTensorBufferFromHostMemory(&type_, memory_.get(), bytes,
                                                 nullptr, &buffer),
          "a buffer");
    buffer_.reset(buffer);
  }
  bool is_float() const {
    return type_.element_type == kLiteRtElementTypeFloat32;
  }
  int dimension(int index) const { return type_.layout.dimensions[index]; }
  size_t count() const { return count_; }
  LiteRtTensorBuffer get() const { return buffer_.get(); }
  template <typename T>
  T* data() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  LiteRtRankedTensorType type_ = {};
  size_t count_ = 1;
  std::unique_ptr<void, Destroyer<std::free>> memory_;
  Owner<LiteRtTensorBuffer, LiteRtDestroyTensorBuffer> buffer_;
};

// A model with one input and one output on the GPU.
class Classifier {
 public:
  Classifier(const char* path, const char* runtime_folder) {
    LiteRtEnvOption option = {};
    option.tag = kLiteRtEnvOptionTagRuntimeLibraryDir;
    option.value.type = kLiteRtAnyTypeString;
    option.value.str_value = runtime_folder;
    LiteRtEnvironment environment = nullptr;
    Check(LiteRtCreateEnvironment(runtime_folder == nullptr ? 0 : 1, &option,
                                  &environment),
          "the environment");
    environment_.reset(environment);
    LiteRtModel model = nullptr;
    Check(LiteRtCreateModelFromFile(environment, path, &model), path);
    model_.reset(model);
    LiteRtOptions options = nullptr;
    Check(LiteRtCreateOptions(&options), "options");
    const Owner<LiteRtOptions, LiteRtDestroyOptions> owner(options);
    Check(
        LiteRtSetOptionsHardwareAccelerators(options, kLiteRtHwAcceleratorGpu),
        "the GPU");
    LiteRtCompiledModel compiled = nullptr;
    Check(LiteRtCreateCompiledModel(environment, model, options, &compiled),
          "compiling for the GPU");
    compiled_.reset(compiled);
    LiteRtSignature signature = nullptr;
    LiteRtTensor tensor = nullptr;
    Check(LiteRtGetModelSignature(model, 0, &signature), "the signature");
    Check(LiteRtGetSignatureInputTensorByIndex(signature, 0, &tensor),
          "the input");
    input_ = std::make_unique<Buffer>(tensor);
    Check(LiteRtGetSignatureOutputTensorByIndex(signature, 0, &tensor),
          "the output");
    output_ = std::make_unique<Buffer>(tensor);
  }

  // A score for each class, the larger the likelier.
  std::vector<float> Scores(const Picture& picture) {
    const Picture small =
        Resized(&picture, input_->dimension(2), input_->dimension(1));
    const std::unique_ptr<unsigned char, Destroyer<std::free>> owner(small.rgb);
    for (size_t i = 0; i < input_->count(); ++i) {
      if (input_->is_float()) {
        input_->data<float>()[i] =
            static_cast<float>(small.rgb[i]) / 127.5f - 1;
      } else {
        input_->data<unsigned char>()[i] = small.rgb[i];
      }
    }
    LiteRtTensorBuffer in = input_->get(), out = output_->get();
    Check(LiteRtRunCompiledModel(compiled_.get(), 0, 1, &in, 1, &out), "a run");
    const size_t count = output_->count();
    if (output_->is_float()) {
      const float* scores = output_->data<float>();
      return std::vector<float>(scores, scores + count);
    }
    const unsigned char* scores = output_->data<unsigned char>();
    return std::vector<float>(scores, scores + count);
  }

 private:
  // Destroyed from the last to the first.
  Owner<LiteRtEnvironment, LiteRtDestroyEnvironment> environment_;
  Owner<LiteRtModel, LiteRtDestroyModel> model_;
  Owner<LiteRtCompiledModel, LiteRtDestroyCompiledModel> compiled_;
  std::unique_ptr<Buffer> input_, output_;
};

int main(int argc, char** argv) try {
  const bool help = argc == 2 && std::string(argv[1]) == "--help";
  if (help || (argc != 4 && argc != 5)) {
    std::fprintf(help ? stdout : stderr,
                 "usage: compiled_model MODEL.tflite LABELS.txt PICTURE "
                 "[RUNTIME_FOLDER]\n");
    return help ? 0 : 2;
  }
  std::ifstream file(argv[2]);
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);) labels.push_back(line);
  const Picture picture = LoadPicture(argv[3]);
  const std::unique_ptr<unsigned char, Destroyer<std::free>> owner(picture.rgb);

  Classifier classifier(argv[1], argc > 4 ? argv[4] : nullptr);
  const std::vector<float> scores = classifier.Scores(picture);
  std::multimap<float, size_t, std::greater<float>> best;
  for (size_t kind = 0; kind < scores.size(); ++kind)
    best.emplace(scores[kind], kind);
  int place = 0;
  for (const auto& [score, kind] : best) {
    if (++place > 5) break;
    std::printf("%s %.3f\n", labels.at(kind).c_str(), score);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "compiled_model: %s\n", error.what());
  return 1;
}
