// An environment variable of this process, for the length of a test.
#ifndef GLES_DELEGATE_TESTS_TESTING_SCOPED_ENVIRONMENT_H_
#define GLES_DELEGATE_TESTS_TESTING_SCOPED_ENVIRONMENT_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace gles_delegate::testing {

// Sets the variable until it goes out of scope. No other thread may look at the
// environment meanwhile.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), /*replace=*/1);
  }
  ~ScopedEnvironment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// GLES_DELEGATE_DEBUG with another item, such as "bounds" or "plan=folder",
// beside those that it has.
class ScopedDebug : public ScopedEnvironment {
 public:
  explicit ScopedDebug(const std::string& item)
      : ScopedEnvironment("GLES_DELEGATE_DEBUG", With(item)) {}

 private:
  static std::string With(const std::string& item) {
    const char* now = std::getenv("GLES_DELEGATE_DEBUG");
    return now == nullptr || *now == 0 ? item : std::string(now) + "," + item;
  }
};

// GLES_DELEGATE_TUNING with another parameter, such as "split_k_target=1".
class ScopedTuning : public ScopedEnvironment {
 public:
  explicit ScopedTuning(const std::string& item)
      : ScopedEnvironment("GLES_DELEGATE_TUNING", With(item)) {}

 private:
  static std::string With(const std::string& item) {
    const char* now = std::getenv("GLES_DELEGATE_TUNING");
    return now == nullptr ? item : std::string(now) + "," + item;
  }
};

// GLES_DELEGATE_DEBUG without any items, validation's included.
class ScopedNoDebug : public ScopedEnvironment {
 public:
  ScopedNoDebug() : ScopedEnvironment("GLES_DELEGATE_DEBUG", "") {}
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_SCOPED_ENVIRONMENT_H_
