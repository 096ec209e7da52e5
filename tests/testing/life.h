// A delegate's life up to the end of a process.
#ifndef GLES_DELEGATE_TESTS_TESTING_LIFE_H_
#define GLES_DELEGATE_TESTS_TESTING_LIFE_H_

#include <memory>

#include "tests/testing/delegate_case.h"

namespace gles_delegate::testing {

struct Life {
  std::unique_ptr<Model> model;
  DelegatePtr delegate;
  std::unique_ptr<Interpreter> interpreter;
};

// A model that the delegate has run once, on this thread. The caller's. A
// process that hangs when it ends is ended two minutes later.
Life* LiveOnce(DelegatePtr delegate);

// Never deletes it, as an app that leaves its delegate to the end of the
// process. It stays reachable, or the leak checker would report it: a compiler
// drops a plain static that no one reads.
void LeaveAtExit(Life* life);

// Deletes it in an exit handler. For one life of a process.
void DeleteAtExit(Life* life);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_LIFE_H_
