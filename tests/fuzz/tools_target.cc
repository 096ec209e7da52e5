#include "stb/stb_image_write.h"
#include "tests/fuzz/seed_models.h"
#include "tests/fuzz/target.h"
#include "tools/common/image.h"
#include "tools/runner/model_layers.h"

namespace gles_delegate::fuzz {
namespace {

void RunTools(absl::Span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const Bytes rest(bytes.begin() + 1, bytes.end());
  if (bytes[0] % 2 == 0) {
    (void)DecodeImage(rest);
  } else {
    (void)LayersOf(rest);
  }
}

void Append(void* to, void* data, int size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), bytes,
                                  bytes + size);
}

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  Bytes pixels(6 * 5 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 37);
  }
  stbi_write_png_to_func(Append, &seeds.emplace_back(1, uint8_t{0}), 6, 5, 3,
                         pixels.data(), 18);
  stbi_write_jpg_to_func(Append, &seeds.emplace_back(1, uint8_t{0}), 6, 5, 3,
                         pixels.data(), 90);
  stbi_write_bmp_to_func(Append, &seeds.emplace_back(1, uint8_t{0}), 6, 5, 3,
                         pixels.data());
  constexpr size_t kMax = 40;
  for (const Bytes& model : SeedModels()) {
    if (seeds.size() >= kMax) break;
    Bytes& seed = seeds.emplace_back(1, uint8_t{1});
    seed.insert(seed.end(), model.begin(), model.end());
  }
  return seeds;
}

}  // namespace

const Target& ToolsTarget() {
  static const Target target = {"tools", RunTools, Seeds, 5000};
  return target;
}

}  // namespace gles_delegate::fuzz
