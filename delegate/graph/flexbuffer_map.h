// The root map of a flexbuffer, the format of most custom ops' parameters.
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

// The bytes may be hostile: they are verified and copied, and nothing is read
// past their end. After the first error all functions return defaults; check
// status() at the end.
class FlexbufferMap {
 public:
  // kInvalidArgument: not a flexbuffer, or its root is not a map.
  explicit FlexbufferMap(absl::Span<const uint8_t> bytes);

  // Each: kInvalidArgument if the key is missing or its value has another kind.
  // Int() truncates fractions.
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

  // Aligned, unlike the file; followed by a zero byte.
  std::vector<uint8_t> bytes_;
  size_t size_;
  absl::Status status_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_FLEXBUFFER_MAP_H_
