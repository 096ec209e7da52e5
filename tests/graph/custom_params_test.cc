// labels: unit sanitize
// The flexbuffers of custom ops, whole and with bytes changed.
#include "delegate/graph/custom_params.h"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "delegate/graph/parallel.h"
#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

std::vector<uint8_t> Valid() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("output_height", 4);
    builder.Int("output_width", 5);
  });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(CustomParamsTest, AMapIsRead) {
  const auto params = ReadTransformTensorParams(Valid(), /*version=*/2);
  ASSERT_TRUE(params.ok()) << params.status();
  EXPECT_EQ(params->output_height, 4);
  EXPECT_EQ(params->output_width, 5);
}

std::vector<uint8_t> ValidDetection() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", 10);
    builder.Int("max_classes_per_detection", 1);
    builder.Int("detections_per_class", 50);
    builder.Bool("use_regular_nms", true);
    builder.Float("nms_score_threshold", 0.25f);
    builder.Double("nms_iou_threshold", 0.5);
    builder.Int("num_classes", 90);
    for (const char* key : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
      builder.Float(key, 10);
    }
  });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(CustomParamsTest, ADetectorsParametersAreRead) {
  const auto p = ReadDetectionParams(ValidDetection());
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(p->max, 10);
  EXPECT_EQ(p->classes_of_each, 1);
  EXPECT_EQ(p->max_of_class, 50);
  EXPECT_TRUE(p->regular);
  EXPECT_EQ(p->score_threshold, 0.25f);
  EXPECT_EQ(p->iou_threshold, 0.5f);
  EXPECT_EQ(p->classes, 90);
  EXPECT_EQ(p->scales, (std::array<float, 4>{10, 10, 10, 10}));
}

// Any bytes at all are refused, or read to what has a meaning, and never past
// their end.
TEST(CustomParamsTest, ADetectorsDamagedParametersAreRefusedOrRead) {
  const std::vector<uint8_t> valid = ValidDetection();
  int read = 0;
  for (size_t i = 0; i < valid.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> bytes = valid;
      bytes[i] = static_cast<uint8_t>(value);
      bytes.shrink_to_fit();
      const auto p = ReadDetectionParams(bytes);
      if (!p.ok()) continue;
      ++read;
      ASSERT_GT(p->max, 0);
      ASSERT_GT(p->classes_of_each, 0);
      ASSERT_GT(p->classes, 0);
      ASSERT_GT(p->iou_threshold, 0);
      ASSERT_LE(p->iou_threshold, 1);
      ASSERT_TRUE(std::isfinite(p->score_threshold));
    }
    std::vector<uint8_t> cut(valid.begin(), valid.begin() + i);
    cut.shrink_to_fit();
    (void)ReadDetectionParams(cut);
  }
  EXPECT_GT(read, 0);
}

// libFuzzer found a key that ends behind the bytes: FlexBuffers' verifier lets
// it through, and its search read on there. AddressSanitizer watches.
TEST(CustomParamsTest, NoChangeOfTwoBytesReadsPastTheEnd) {
  const std::vector<uint8_t> valid = Valid();
  int read = 0;
  for (size_t first = 0; first < valid.size(); ++first) {
    for (size_t second = first; second < valid.size(); ++second) {
      for (int value : {0, 1, 2, 5, 0x24, 0x7f, 0x80, 0xff}) {
        std::vector<uint8_t> bytes = valid;
        bytes[first] = static_cast<uint8_t>(value);
        bytes[second] = static_cast<uint8_t>(value);
        bytes.shrink_to_fit();
        for (int version : {1, 2}) {
          read += ReadTransformTensorParams(bytes, version).ok();
        }
      }
    }
  }
  EXPECT_GT(read, 0);
}

std::vector<uint8_t> Landmarks(double dimensions) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Double("dimensions", dimensions);
    builder.Float("scale", 1);
  });
  builder.Finish();
  return builder.GetBuffer();
}

// libFuzzer found floats that no int holds; UndefinedBehaviorSanitizer watches.
TEST(CustomParamsTest, NumbersThatNoIntHoldsAreRefused) {
  for (double number : {4e37, -4e37, 2147483648.0, -2147483649.0,
                        std::numeric_limits<double>::quiet_NaN()}) {
    const auto params = ReadTransformLandmarksParams(Landmarks(number), 1);
    ASSERT_FALSE(params.ok()) << number;
    EXPECT_THAT(std::string(params.status().message()),
                testing::HasSubstr("dimensions is no number that 32 bits hold"))
        << number;
  }
  const auto params = ReadTransformLandmarksParams(Landmarks(3), 1);
  ASSERT_TRUE(params.ok()) << params.status();
  EXPECT_EQ(params->dimensions, 3);
}

TEST(CustomParamsTest, VectorsOfEveryKindAreRead) {
  const auto read = [](auto add) {
    flexbuffers::Builder builder;
    builder.Map([&] { add(&builder); });
    builder.Finish();
    return ReadTransformTensorParams(builder.GetBuffer(), /*version=*/1);
  };
  const int32_t pair[] = {4, 5};
  const auto typed = read([&](flexbuffers::Builder* b) {
    b->TypedVector("output_size", [&] { b->Add(4), b->Add(5); });
  });
  const auto fixed = read([&](flexbuffers::Builder* b) {
    b->Key("output_size");
    b->FixedTypedVector(pair, 2);
  });
  const auto mixed = read([&](flexbuffers::Builder* b) {
    b->Vector("output_size", [&] { b->Add(4), b->Add(5.0); });
  });
  for (const auto& params : {typed, fixed, mixed}) {
    ASSERT_TRUE(params.ok()) << params.status();
    EXPECT_EQ(params->output_height, 4);
    EXPECT_EQ(params->output_width, 5);
  }
  const auto words = read([&](flexbuffers::Builder* b) {
    b->Vector("output_size", [&] { b->Add("four"), b->Add("five"); });
  });
  EXPECT_FALSE(words.ok());
}

// --- Work on several threads -------------------------------------------------

// Each range waits for all of them to begin.
TEST(InRangesByTest, HasAThreadForEach) {
  for (int threads : {2, 4}) {
    std::atomic<int> begun = 0;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    InRangesBy(threads, 100, [&](int, int) {
      ++begun;
      while (begun < threads && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      EXPECT_EQ(begun, threads);
    });
  }
}

TEST(InRangesByTest, DoesEachOnce) {
  for (int count : {0, 1, 2, 3, 5, 1000}) {
    for (int threads : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << count << " by " << threads);
      std::vector<std::atomic<int>> done(count);
      InRangesBy(threads, count, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ++done[i];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkAheadTest, DoesEachOnceAndAwaitsIt) {
  constexpr int kCount = 100;
  for (int threads : {1, 2, 4}) {
    for (int step : {1, 7, kCount - 1}) {  // in their order, and in others
      SCOPED_TRACE(testing::Message() << threads << " threads, by " << step);
      std::vector<int> squares(kCount, -1);  // no two threads write the same
      std::vector<std::atomic<int>> done(kCount);
      WorkAhead work(threads, kCount, [&](int i) {
        squares[i] = i * i;
        ++done[i];
      });
      for (int i = 0; i < kCount; ++i) {
        const int at = i * step % kCount;
        work.Await(at);
        EXPECT_EQ(squares[at], at * at);
        work.Await(at);
      }
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkAheadTest, IsLeftInTheMiddle) {
  for (int threads : {1, 2, 4}) {
    std::vector<std::atomic<int>> done(1000);
    {
      WorkAhead work(threads, 1000, [&](int i) { ++done[i]; });
      work.Await(3);
    }
    EXPECT_EQ(done[3], 1);
    for (const auto& times : done) EXPECT_LE(times, 1);
  }
}

// Memory may end on any of the threads; the caller is told.
TEST(ParallelTest, WhatAThreadThrowsReachesTheCaller) {
  for (int thrower : {0, 25, 50, 99}) {
    std::vector<std::atomic<int>> done(100);
    const auto may_throw = [&](int i) {
      ++done[i];
      if (i == thrower) throw std::bad_alloc();
    };
    EXPECT_THROW(InRangesBy(4, 100,
                            [&](int begin, int end) {
                              for (int i = begin; i < end; ++i) may_throw(i);
                            }),
                 std::bad_alloc);
    WorkAhead work(4, 100, may_throw);
    EXPECT_THROW(
        for (int i = 0; i < 100; ++i) { work.Await(i); }, std::bad_alloc);
  }
}

}  // namespace

}  // namespace gles_delegate
