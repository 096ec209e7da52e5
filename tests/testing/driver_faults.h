// Driver faults for tests.
#ifndef GLES_DELEGATE_TESTS_TESTING_DRIVER_FAULTS_H_
#define GLES_DELEGATE_TESTS_TESTING_DRIVER_FAULTS_H_

#include <functional>
#include <utility>

#include "egl/gl_api.h"

namespace gles_delegate::egl {

inline GlApi& MutableTable(GlApi*) { return MutableGlForTesting(); }
inline EglApi& MutableTable(EglApi*) { return MutableEglForTesting(); }

// The driver's own entry points, regardless of replacements, which forward
// calls to them. Needs LoadGl().
template <typename Api>
const Api& DriverTable() {
  static const Api table = MutableTable(static_cast<Api*>(nullptr));
  return table;
}
inline const GlApi& driver_gl() { return DriverTable<GlApi>(); }
inline const EglApi& driver_egl() { return DriverTable<EglApi>(); }

// Calls a function instead of one entry point of GL or EGL while it is in
// scope:
//   const Instead<&GlApi::GetGraphicsResetStatusKHR> fault(
//       [](auto...) { return GL_GUILTY_CONTEXT_RESET_KHR; });
// Not thread-safe: no other thread may call GL. Needs LoadGl().
template <auto kMember>
class Instead;

template <typename Api, typename Result, typename... Args,
          Result (*Api::*kMember)(Args...)>
class Instead<kMember> {
 public:
  explicit Instead(std::function<Result(Args...)> replacement)
      : original_(Table().*kMember), outer_(std::move(replacement_)) {
    DriverTable<Api>();  // is copied before the first change
    replacement_ = std::move(replacement);
    Table().*kMember = [](Args... args) { return replacement_(args...); };
  }
  ~Instead() {
    Table().*kMember = original_;
    replacement_ = std::move(outer_);
  }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

  // The driver's own function.
  static Result Driver(Args... args) {
    return (DriverTable<Api>().*kMember)(args...);
  }

 private:
  static Api& Table() { return MutableTable(static_cast<Api*>(nullptr)); }

  static inline std::function<Result(Args...)> replacement_;
  Result (*original_)(Args...);
  std::function<Result(Args...)> outer_;
};

// Calls a function before each call of the driver's own entry point.
template <auto kMember>
class Before : public Instead<kMember> {
 public:
  template <typename Function>
  explicit Before(Function function)
      : Instead<kMember>([function](auto... args) {
          function(args...);
          return Instead<kMember>::Driver(args...);
        }) {}
};

// Calls a function after each call of the driver's own entry point, which
// returns nothing but what its arguments point to.
template <auto kMember>
class After : public Instead<kMember> {
 public:
  template <typename Function>
  explicit After(Function function)
      : Instead<kMember>([function](auto... args) {
          Instead<kMember>::Driver(args...);
          function(args...);
        }) {}
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_TESTS_TESTING_DRIVER_FAULTS_H_
