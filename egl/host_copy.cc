#include "egl/host_copy.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/status_macros.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gles_delegate::egl {
namespace {

// A smaller copy is made by one thread: waking others costs more than they
// save.
constexpr size_t kBytesForThreads = 1 << 20;
constexpr size_t kBytesAThread = 512 << 10;
constexpr size_t kMaxThreads = 8;
constexpr size_t kCacheLine = 64;

}  // namespace

#if defined(__SSE2__)
void StreamCopy(void* to, const void* from, size_t bytes) {
  constexpr size_t kWord = sizeof(__m128i);
  auto* out = static_cast<uint8_t*>(to);
  const auto* in = static_cast<const uint8_t*>(from);
  // A streaming store writes a whole word, at a multiple of the word's size.
  const size_t before =
      std::min(bytes, (kWord - reinterpret_cast<uintptr_t>(out)) % kWord);
  const size_t words = (bytes - before) / kWord;
  const size_t after = before + words * kWord;
  if (before > 0) std::memcpy(out, in, before);
  for (size_t at = before; at < after; at += kWord) {
    _mm_stream_si128(
        reinterpret_cast<__m128i*>(out + at),
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + at)));
  }
  if (after < bytes) std::memcpy(out + after, in + after, bytes - after);
  _mm_sfence();  // streaming stores are not ordered with later stores otherwise
}
#else
void StreamCopy(void* to, const void* from, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
#endif

struct HostCopier::Job {
  absl::FunctionRef<void(size_t)> copy;
  size_t pieces;
  std::atomic<bool>* done;  // by piece
  std::atomic<size_t> next = 0;

  bool CopyNext() {
    const size_t i = next++;
    if (i >= pieces) return false;
    copy(i);
    done[i].store(true, std::memory_order_release);
    return true;
  }
};

HostCopier::~HostCopier() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  wake_.SignalAll();
  for (std::thread& thread : threads_) thread.join();
}

size_t HostCopier::ThreadsFor(size_t bytes) {
  if (bytes < kBytesForThreads) return 1;
  const size_t half = std::thread::hardware_concurrency() / 2;
  return std::max<size_t>(1,
                          std::min({half, kMaxThreads, bytes / kBytesAThread}));
}

void HostCopier::StartThreads(size_t count) {
  threads_.reserve(count);
  try {
    while (threads_.size() < count) threads_.emplace_back([this] { Work(); });
  } catch (const std::exception&) {
    // The system gives no more threads: the threads that there are copy all.
  }
}

void HostCopier::Work() {
  absl::MutexLock lock(&mutex_);
  while (true) {
    while (!stop_ && wanted_ == 0) wake_.Wait(&mutex_);
    if (stop_) return;
    --wanted_;
    ++working_;
    Job* job = job_;
    mutex_.Unlock();
    while (job->CopyNext()) {
    }
    mutex_.Lock();
    if (--working_ == 0) idle_.Signal();
  }
}

void HostCopier::InOrder(size_t threads, size_t pieces,
                         absl::FunctionRef<void(size_t)> copy,
                         absl::FunctionRef<void(size_t)> ready) {
  const size_t helpers = std::min(threads, pieces);
  if (helpers <= 1) {
    for (size_t i = 0; i < pieces; ++i) {
      copy(i);
      ready(i);
    }
    return;
  }
  StartThreads(helpers - 1);
  if (done_size_ < pieces) {
    done_.reset(new std::atomic<bool>[pieces]);
    done_size_ = pieces;
  }
  for (size_t i = 0; i < pieces; ++i) done_[i] = false;
  Job job{copy, pieces, done_.get()};
  {
    absl::MutexLock lock(&mutex_);
    job_ = &job;
    wanted_ = helpers - 1;
  }
  // The signal is sent without the lock: threads that wake would wait for it.
  wake_.SignalAll();
  for (size_t i = 0; i < pieces; ++i) {
    while (!job.done[i].load(std::memory_order_acquire)) {
      if (!job.CopyNext()) std::this_thread::yield();
    }
    ready(i);
  }
  // All is copied: threads that have not woken yet have nothing to do.
  absl::MutexLock lock(&mutex_);
  wanted_ = 0;
  while (working_ > 0) idle_.Wait(&mutex_);
}

void HostCopier::CopyBy(size_t threads, void* to, const void* from,
                        size_t bytes) {
  if (threads <= 1) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  const size_t part = (bytes / threads + kCacheLine) / kCacheLine * kCacheLine;
  InOrder(
      threads, threads,
      [&](size_t index) {
        const size_t begin = std::min(bytes, index * part);
        const size_t end = std::min(bytes, begin + part);
        if (begin == end) return;
        std::memcpy(static_cast<uint8_t*>(to) + begin,
                    static_cast<const uint8_t*>(from) + begin, end - begin);
      },
      [](size_t) {});
}

// --- Large buffers in a GPU's own memory -------------------------------------

absl::Status StagedUpload::Fill(const Buffer& to,
                                absl::Span<const uint8_t> data) {
  if (memory_.mapped() == nullptr) {
    ASSIGN_OR_RETURN(memory_,
                     Buffer::CreateMapped(2 * kPieceBytes, GL_MAP_WRITE_BIT));
    LabelObject(GL_BUFFER_KHR, memory_.id(), "staging of uploads");
  }
  for (size_t at = 0; at < data.size(); at += kPieceBytes) {
    const size_t bytes = std::min(kPieceBytes, data.size() - at);
    const size_t from = next_ * kPieceBytes;
    if (copied_[next_]) RETURN_IF_ERROR(copied_[next_]->Wait());
    copier_.Copy(memory_.mapped() + from, data.data() + at, bytes);
    gl().BindBuffer(GL_COPY_READ_BUFFER, memory_.id());
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, to.id());
    gl().CopyBufferSubData(
        GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(from),
        static_cast<GLintptr>(at), static_cast<GLsizeiptr>(bytes));
    ASSIGN_OR_RETURN(copied_[next_], Fence::Insert());
    next_ = 1 - next_;
  }
  return CheckGl("an upload through mapped memory");
}

}  // namespace gles_delegate::egl
