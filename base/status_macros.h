// Early returns of errors, as Abseil and TensorFlow have them, and errors with
// a message of several parts.
//
//   RETURN_IF_ERROR(Check(node));
//   ASSIGN_OR_RETURN(const auto axes, AxesOf(node));
#ifndef GLES_DELEGATE_BASE_STATUS_MACROS_H_
#define GLES_DELEGATE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

// Returns the absl::Status of the expression if it is an error.
#define RETURN_IF_ERROR(...)                                                 \
  do {                                                                       \
    if (absl::Status status_ = (__VA_ARGS__); !status_.ok()) return status_; \
  } while (false)

// Declares a variable with the value of the expression, an absl::StatusOr, or
// returns its error.
#define ASSIGN_OR_RETURN(variable, ...) \
  GLES_ASSIGN_OR_RETURN(GLES_JOIN(status_or_, __LINE__), variable, __VA_ARGS__)

#define GLES_ASSIGN_OR_RETURN(result, variable, ...)   \
  auto result = (__VA_ARGS__);                         \
  if (!result.ok()) return std::move(result).status(); \
  variable = *std::move(result)
#define GLES_JOIN(a, b) GLES_JOIN_EXPANDED(a, b)
#define GLES_JOIN_EXPANDED(a, b) a##b

namespace gles_delegate {

// Errors of these codes (kInvalidArgument, kResourceExhausted). The message
// joins the parts as absl::StrCat() does.
template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status Unimplemented(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status Exhausted(const Parts&... parts) {
  return absl::ResourceExhaustedError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status FailedPrecondition(const Parts&... parts) {
  return absl::FailedPreconditionError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status Unavailable(const Parts&... parts) {
  return absl::UnavailableError(absl::StrCat(parts...));
}
template <typename... Parts>
absl::Status Internal(const Parts&... parts) {
  return absl::InternalError(absl::StrCat(parts...));
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BASE_STATUS_MACROS_H_
