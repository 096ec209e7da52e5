// A LiteRT that hands the accelerator a runtime context of any size, version
// and members, and keeps what it is given.
#ifndef GLES_DELEGATE_TESTS_LITERT_FAKE_LITERT_H_
#define GLES_DELEGATE_TESTS_LITERT_FAKE_LITERT_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "delegate/adapters/litert/accelerator.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate::testing {

// Offsets of the members that the fake has, as the ABI's facts list them: a
// second reading, so that a wrong offset in the library fails.
inline constexpr size_t kAtGetOpaqueOptions = 80;
inline constexpr size_t kAtFindOpaqueOptionsData = 88;
inline constexpr size_t kAtGetEnvironmentOptions = 104;
inline constexpr size_t kAtGetEnvironmentOptionsValue = 112;
inline constexpr size_t kAtWrapDelegate = 144;

// One at a time: C functions know their object by a global pointer.
class FakeLiteRt {
 public:
  // All members null but those that the fake has. The context is of `size`
  // bytes on the heap and no more, so that the address sanitizer finds each
  // read past them.
  explicit FakeLiteRt(uint16_t size = 416, uint16_t major = 1,
                      uint16_t minor = 2)
      : size_(size), context_(new char[size]()) {
    current() = this;
    const litert::Header header = {size, major, minor, 0};
    std::memcpy(context_.get(), &header, sizeof(header));
    Set(kAtGetOpaqueOptions, &GetOpaqueOptions);
    Set(kAtFindOpaqueOptionsData, &FindOpaqueOptionsData);
    Set(kAtGetEnvironmentOptions, &GetEnvironmentOptions);
    Set(kAtGetEnvironmentOptionsValue, &GetEnvironmentOptionsValue);
    Set(kAtWrapDelegate, &WrapDelegate);
  }
  ~FakeLiteRt() {
    DeleteDelegate();
    current() = nullptr;
  }
  FakeLiteRt(const FakeLiteRt&) = delete;
  FakeLiteRt& operator=(const FakeLiteRt&) = delete;

  // Puts a function at an offset, where the context reaches that far.
  template <typename Function>
  void Set(size_t offset, Function* function) {
    if (offset + sizeof(function) <= size_) {
      std::memcpy(context_.get() + offset, &function, sizeof(function));
    }
  }
  void Clear(size_t offset) { Set(offset, static_cast<void (*)()>(nullptr)); }

  const void* context() const { return context_.get(); }
  // Stand for LiteRT's own objects, which no one may look into.
  void* environment() { return &environment_; }
  void* options() { return &options_; }

  // The value that the library handed over; null: none.
  TfLiteDelegate* delegate() const { return delegate_; }
  void DeleteDelegate() {
    if (delegate_ != nullptr) deleter_(delegate_);
    delegate_ = nullptr;
  }

  std::string gpu_options;        // the TOML
  bool has_gpu_options = true;    // false: LiteRT does not find them
  int find_status = litert::kOk;  // of a search that fails otherwise
  int wrap_status = litert::kOk;
  std::map<int, const void*> environment_options;  // by tag

 private:
  static FakeLiteRt*& current() {
    static FakeLiteRt* fake = nullptr;
    return fake;
  }

  static int GetOpaqueOptions(void* options, void** opaque) {
    if (options != &current()->options_) return litert::kInvalidArgument;
    *opaque = &current()->opaque_;
    return litert::kOk;
  }
  static int FindOpaqueOptionsData(void* opaque, const char* identifier,
                                   void** data) {
    if (current()->find_status != litert::kOk) return current()->find_status;
    if (opaque != &current()->opaque_ || !current()->has_gpu_options ||
        std::strcmp(identifier, "gpu_options") != 0) {
      return litert::kNotFound;
    }
    *data = current()->gpu_options.data();
    return litert::kOk;
  }
  static int GetEnvironmentOptions(void* environment, void** options) {
    if (environment != &current()->environment_) {
      return litert::kInvalidArgument;
    }
    *options = &current()->opaque_;
    return litert::kOk;
  }
  static int GetEnvironmentOptionsValue(void*, int tag, litert::Any* any) {
    const auto found = current()->environment_options.find(tag);
    if (found == current()->environment_options.end()) {
      return litert::kNotFound;
    }
    any->type = 9;  // a pointer
    any->pointer = found->second;
    return litert::kOk;
  }
  static int WrapDelegate(TfLiteDelegate* delegate,
                          void (*deleter)(TfLiteDelegate*), void** wrapper) {
    if (current()->wrap_status != litert::kOk) return current()->wrap_status;
    current()->delegate_ = delegate;
    current()->deleter_ = deleter;
    *wrapper = &current()->wrapper_;
    return litert::kOk;
  }

  uint16_t size_;
  std::unique_ptr<char[]> context_;
  char environment_ = 0, options_ = 0, opaque_ = 0, wrapper_ = 0;
  TfLiteDelegate* delegate_ = nullptr;
  void (*deleter_)(TfLiteDelegate*) = nullptr;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_LITERT_FAKE_LITERT_H_
