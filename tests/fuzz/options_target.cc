#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_split.h"
#include "delegate/tflite/options.h"
#include "tests/fuzz/target.h"

namespace gles_delegate::fuzz {
namespace {

enum Kind { kFlag, kInteger, kLevel, kChoice, kBytes, kText, kPath, kNodes };

// The offsets of the options that are texts; 0 for the others.
constexpr size_t kTexts[] = {
#define OPTION(kind, name, ...) \
  kind >= kText ? offsetof(TfLiteGlesDelegateOptions, name) : 0,
#include "delegate/tflite/options.inc"
};

// "key=value" lines, as the external delegate's keys and values.
void RunText(absl::string_view text) {
  std::vector<std::pair<absl::string_view, absl::string_view>> pairs;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    pairs.push_back(absl::StrSplit(line, absl::MaxSplits('=', 1)));
  }
  (void)OptionsFrom(pairs);
}

// The bytes as a struct of struct_size bytes, where that is not more than there
// are; the fields that are pointers are NULL or point at a text.
void RunStruct(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < sizeof(size_t)) return;
  size_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  size %= 8192;
  if (size > bytes.size()) return;
  // Exactly struct_size of the heap.
  Bytes block(bytes.begin(), bytes.begin() + std::max(size, sizeof(size_t)));
  std::memcpy(block.data(), &size, sizeof(size));
  static const char kRanges[] = "3,17-20";
  for (const size_t at : kTexts) {
    if (at == 0 || at + sizeof(char*) > block.size()) continue;
    const char* value = block[at] % 2 == 0 ? nullptr : kRanges;
    std::memcpy(block.data() + at, &value, sizeof(value));
  }
  (void)OptionsFrom(
      reinterpret_cast<const TfLiteGlesDelegateOptions*>(block.data()));
}

void RunOptions(absl::Span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const absl::Span<const uint8_t> rest = bytes.subspan(1);
  const absl::string_view text(reinterpret_cast<const char*>(rest.data()),
                               rest.size());
  switch (bytes[0] % 3) {
    case 0:
      RunText(text);
      return;
    case 1:
      RunStruct(rest);
      return;
    default:
      (void)ParseNodeRanges("exclude_nodes", text);
  }
}

Bytes Seed(uint8_t kind, absl::string_view text) {
  Bytes seed(1 + text.size(), kind);
  std::copy(text.begin(), text.end(), seed.begin() + 1);
  return seed;
}

std::vector<Bytes> Seeds() {
  const TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  const absl::string_view bytes(reinterpret_cast<const char*>(&options),
                                sizeof(options));
  return {Seed(0,
               "is_precision_loss_allowed=1\nmax_delegated_partitions=3\n"
               "storage=texture_2d\nquantized_compute=integer\nverbosity=2\n"
               "exclude_nodes=1,3-5\nserialization_max_bytes=5000000000"),
          Seed(0, "serialization_dir=a\nmodel_token=b\nstartup=tiered"),
          Seed(1, bytes), Seed(2, "3, 17-20,21"), Seed(2, "1-,-2")};
}

}  // namespace

const Target& OptionsTarget() {
  static const Target target = {"options", RunOptions, Seeds, 20000};
  return target;
}

}  // namespace gles_delegate::fuzz
