// Memory behind which there is none: a byte read or written past it is a crash.
#ifndef GLES_DELEGATE_TESTS_TESTING_GUARDED_PAGE_H_
#define GLES_DELEGATE_TESTS_TESTING_GUARDED_PAGE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "gtest/gtest.h"

namespace gles_delegate::testing {

// `size` bytes that end where memory without access begins.
class GuardedPage {
 public:
  explicit GuardedPage(size_t size)
      : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))), size_(size) {
    block_ = static_cast<char*>(mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(block_, MAP_FAILED);
    EXPECT_LE(size, page_);
    EXPECT_EQ(mprotect(block_ + page_, page_, PROT_NONE), 0);
  }
  ~GuardedPage() { munmap(block_, 2 * page_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;
  char* data() { return block_ + page_ - size_; }

 private:
  const size_t page_;
  const size_t size_;
  char* block_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_GUARDED_PAGE_H_
