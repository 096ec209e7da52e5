// A runtime that keeps tensors in the delegate's kind of buffers, as LiteRT
// does.
#ifndef GLES_DELEGATE_TESTS_TESTING_FAKE_RUNTIME_H_
#define GLES_DELEGATE_TESTS_TESTING_FAKE_RUNTIME_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "delegate/tflite/runtime_buffers.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

inline const GlesTensorBufferFunctions& TensorBufferFunctions() {
  return *GlesDelegatePrivateTensorBuffers();
}

// A buffer of the delegate, or host memory.
class FakeBuffer {
 public:
  FakeBuffer(size_t bytes, bool is_host) : host_(is_host ? bytes : 0) {
    if (!is_host) own_ = TensorBufferFunctions().create(bytes);
  }
  ~FakeBuffer() {
    if (own_ != nullptr) TensorBufferFunctions().destroy(own_);
  }
  std::vector<float> Read(size_t count) {
    std::vector<float> values(count);
    std::memcpy(values.data(), Lock(1, 0), count * sizeof(float));
    Unlock();
    return values;
  }
  void Write(const std::vector<float>& values) {
    std::memcpy(Lock(0, 1), values.data(), values.size() * sizeof(float));
    Unlock();
  }
  // Its address in the host's memory.
  const void* Address() {
    void* const address = Lock(1, 0);
    Unlock();
    return address;
  }
  void* own() { return own_; }
  void* host() { return host_.data(); }
  size_t host_bytes() const { return host_.size(); }

  void* Lock(int reads, int writes) {
    void* memory = host_.data();
    if (own_ != nullptr) {
      EXPECT_EQ(TensorBufferFunctions().lock(own_, reads, writes, &memory), 0);
    }
    return memory;
  }
  void Unlock() {
    if (own_ != nullptr) TensorBufferFunctions().unlock(own_);
  }

 private:
  void* own_ = nullptr;
  std::vector<uint8_t> host_;
};

// The runtime: which tensor has which buffer.
struct FakeRuntime {
  static int Require(const void* self, void*, void* tensor, size_t bytes) {
    auto* fake = static_cast<FakeRuntime*>(const_cast<void*>(self));
    if (fake->refuses) return 1;
    fake->required[tensor] = bytes;
    return 0;
  }
  static int Find(const void* self, void*, void* tensor, int, void** buffer,
                  void** memory, size_t* bytes, void** locked) {
    auto* fake = static_cast<FakeRuntime*>(const_cast<void*>(self));
    const auto found = fake->buffers.find(tensor);
    if (found == fake->buffers.end()) return 6;
    *buffer = found->second->own();
    if (*buffer != nullptr) return 0;
    *memory = found->second->host();
    *bytes = found->second->host_bytes();
    *locked = found->second;
    ++fake->locked;
    return 0;
  }
  static void Unlock(const void* self, void*) {
    --static_cast<FakeRuntime*>(const_cast<void*>(self))->locked;
  }
  GlesRuntimeBuffers functions() { return {this, Require, Find, Unlock}; }

  bool refuses = false;
  int locked = 0;
  std::map<void*, size_t> required;
  std::map<void*, FakeBuffer*> buffers;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_FAKE_RUNTIME_H_
