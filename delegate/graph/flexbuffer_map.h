// The root map of a flexbuffer, as custom ops keep their parameters in one.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_FLEXBUFFER_MAP_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_FLEXBUFFER_MAP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "flatbuffers/flexbuffers.h"

namespace gles_delegate {

// The bytes may come from a hostile file: they are verified, and nothing is
// read past their end. Every function remembers the first error and then reads
// nothing more: what it returns is worth something where status() is Ok at the
// end. Copies the bytes.
class FlexbufferMap {
 public:
  // kInvalidArgument: the bytes are no flexbuffer, or its root is no map.
  explicit FlexbufferMap(absl::Span<const uint8_t> bytes);

  // kInvalidArgument of each: the key is absent, or its value is of another
  // kind. A fraction is cut off.
  int Int(const char* key);
  float Float(const char* key);  // finite
  bool Bool(const char* key);    // of a number: whether it is not 0
  std::vector<int> Ints(const char* key);
  std::array<int, 2> Pair(const char* key);

  bool IsString(const char* key, const char* wanted);
  bool Has(const char* key) const;
  const absl::Status& status() const { return status_; }

 private:
  flexbuffers::Reference Root() const;
  flexbuffers::Reference Find(const char* key);
  template <typename Vector>
  std::vector<int> Elements(const char* key, const Vector& vector);
  void Fail(const char* key, const char* why);

  // Aligned, where the file aligns to nothing; with a zero behind the end.
  std::vector<uint8_t> bytes_;
  size_t size_;
  absl::Status status_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_FLEXBUFFER_MAP_H_
