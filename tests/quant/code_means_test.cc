// labels: unit quant
// MEAN and SUM of quantized values in each runtime's arithmetic, against
// quantized values that those runtimes gave. Longer than 300 lines, most of
// which are those codes.
#include "quant/code_means.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace gles_delegate::quant {
namespace {

// Results of the C library 2.9, tflite-runtime 2.14.0 (and Debian's 2.14.1),
// ai-edge-litert 2.3.0 without XNNPACK, and the same with it, for
// quantized values that have this sum, on x86-64.
struct Recorded {
  bool is_sum;
  Reducing reducing;
  bool last_channels;  // past the kernel's blocks of 16
  int64_t sum;
  int quantized[4];
};
constexpr CpuKernels kRuntimes[] = {CpuKernels::kTflite, CpuKernels::kTflite214,
                                    CpuKernels::kLitert, CpuKernels::kXnnpack};

// A table, and therefore longer than other functions: a row for each model.
const std::vector<Recorded>& RecordedQuantized() {
  static const auto& recorded = *new std::vector<Recorded>{
      {false,
       {{{0.6221156f, 72}, {0.6221156f, 72}, false, 35}, false, false},
       false,
       4367,
       {124, 125, 125, 125}},
      {false,
       {{{0.11256974f, -128}, {0.11256974f, -128}, false, 33}, false, false},
       false,
       -384,
       {-11, -12, -12, -12}},
      {false,
       {{{0.038792912f, 127}, {0.038792912f, 127}, false, 33}, false, false},
       false,
       164,
       {4, 5, 5, 5}},
      {false,
       {{{0.005589859f, -128}, {0.0049847607f, -125}, false, 5}, false, false},
       false,
       307,
       {87, 88, 88, 87}},
      {false,
       {{{0.11070376f, 24}, {0.12550558f, 10}, false, 6}, false, false},
       false,
       174,
       {14, 15, 15, 14}},
      {false,
       {{{0.025928196f, 127}, {0.030638972f, 124}, false, 5}, false, false},
       false,
       609,
       {120, 119, 119, 120}},
      {false,
       {{{0.0021691648f, 20}, {0.0021691648f, 20}, false, 2}, false, true},
       true,
       -59,
       {-29, -29, -29, -30}},
      {false,
       {{{0.23041026f, -66}, {0.25655252f, -128}, false, 2}, false, true},
       true,
       36,
       {-53, -52, -53, -53}},
      {false,
       {{{0.0015365725f, -128}, {0.0013203123f, -108}, false, 2}, false, true},
       true,
       -195,
       {-73, -73, -72, -73}},
      {false,
       {{{0.009023374f, -28}, {0.009023374f, -28}, false, 2}, false, true},
       true,
       23,
       {11, 12, 12, 12}},
      {false,
       {{{0.03232706f, -128}, {0.047522835f, -128}, false, 2}, false, true},
       true,
       86,
       {-12, -11, -11, -12}},
      {false,
       {{{0.06981013f, 127}, {0.06981013f, 127}, false, 2}, false, true},
       true,
       145,
       {72, 73, 73, 72}},
      {false,
       {{{0.0337659f, -74}, {0.0337659f, -74}, false, 16}, true, true},
       false,
       200,
       {13, 13, 13, 12}},
      {false,
       {{{0.0016575065f, -81}, {0.00029622114f, -35}, false, 16}, true, true},
       false,
       -999,
       {69, 68, 69, 69}},
      {false,
       {{{0.64634603f, -63}, {0.17505386f, -128}, false, 196}, true, true},
       false,
       -982,
       {86, 86, 87, 86}},
      {false,
       {{{0.0020060416f, 0}, {0.00037905521f, -62}, false, 16}, true, true},
       false,
       -20,
       {-69, -69, -68, -69}},
      {false,
       {{{0.0017506246f, 127}, {0.0017506246f, 127}, false, 16}, true, true},
       false,
       -312,
       {-20, -20, -19, -20}},
      {false,
       {{{0.0046424987f, 10}, {0.0046424987f, 10}, false, 16}, true, true},
       false,
       -73,
       {-5, -5, -4, -5}},
      {false,
       {{{0.05362746f, 127}, {0.06711256f, 127}, false, 35}, true, true},
       true,
       292,
       {32, 33, 33, 32}},
      {false,
       {{{0.0060527623f, -128}, {0.001051738f, -128}, false, 35}, true, true},
       true,
       -3620,
       {13, 14, 14, 13}},
      {false,
       {{{0.0017506246f, 127}, {0.0017506246f, 127}, false, 16}, true, true},
       true,
       -8,
       {-1, -1, -1, 0}},
      {false,
       {{{0.16892299f, -128}, {0.025785735f, -33}, false, 35}, true, true},
       true,
       -3703,
       {112, 113, 113, 112}},
      {false,
       {{{0.0024694523f, 73}, {0.0024694523f, 73}, false, 35}, true, true},
       true,
       787,
       {22, 23, 23, 22}},
      {false,
       {{{0.0018412645f, 19}, {0.0018412645f, 19}, false, 35}, true, true},
       true,
       157,
       {4, 5, 5, 4}},
      {false,
       {{{0.6221156f, 200}, {0.6221156f, 200}, true, 35}, false, false},
       false,
       4299,
       {122, 123, 123, 123}},
      {false,
       {{{0.11256974f, 0}, {0.11256974f, 0}, true, 33}, false, false},
       false,
       4509,
       {136, 137, 137, 137}},
      {false,
       {{{0.038792912f, 255}, {0.038792912f, 255}, true, 33}, false, false},
       false,
       4388,
       {132, 133, 133, 133}},
      {false,
       {{{0.005589859f, 0}, {0.0049847607f, 3}, true, 5}, false, false},
       false,
       947,
       {215, 216, 216, 215}},
      {false,
       {{{0.11070376f, 152}, {0.12550558f, 138}, true, 6}, false, false},
       false,
       942,
       {142, 143, 143, 142}},
      {false,
       {{{0.025928196f, 255}, {0.030638972f, 252}, true, 5}, false, false},
       false,
       1249,
       {248, 247, 247, 248}},
      {false,
       {{{0.0021691648f, 148}, {0.0021691648f, 148}, true, 2}, false, true},
       false,
       67,
       {33, 34, 34, 34}},
      {false,
       {{{0.23041026f, 62}, {0.25655252f, 0}, true, 2}, false, true},
       false,
       292,
       {75, 76, 75, 75}},
      {false,
       {{{0.009023374f, 100}, {0.009023374f, 100}, true, 2}, false, true},
       false,
       211,
       {105, 106, 106, 106}},
      {false,
       {{{0.03232706f, 0}, {0.047522835f, 0}, true, 2}, false, true},
       false,
       342,
       {116, 117, 117, 116}},
      {false,
       {{{0.031501506f, 188}, {0.003633813f, 0}, true, 2}, false, true},
       false,
       390,
       {61, 61, 60, 61}},
      {false,
       {{{0.06981013f, 255}, {0.06981013f, 255}, true, 2}, false, true},
       false,
       401,
       {200, 201, 201, 200}},
      {false,
       {{{0.0337659f, 54}, {0.0337659f, 54}, true, 16}, true, true},
       false,
       2248,
       {141, 141, 141, 140}},
      {false,
       {{{0.05362746f, 255}, {0.06711256f, 255}, true, 35}, true, true},
       false,
       4350,
       {150, 150, 150, 151}},
      {false,
       {{{0.004315774f, 46}, {0.0045364173f, 0}, true, 35}, true, true},
       false,
       3402,
       {48, 48, 48, 49}},
      {false,
       {{{0.0020060416f, 128}, {0.00037905521f, 66}, true, 16}, true, true},
       false,
       2577,
       {242, 242, 242, 241}},
      {false,
       {{{0.0017506246f, 255}, {0.0017506246f, 255}, true, 16}, true, true},
       false,
       1736,
       {109, 109, 109, 108}},
      {false,
       {{{0.0024694523f, 201}, {0.0024694523f, 201}, true, 35}, true, true},
       false,
       5267,
       {151, 151, 151, 150}},
      {true,
       {{{0.008997085f, 95}, {0.01799417f, 127}, false, 49}, false, false},
       false,
       4284,
       {-59, -59, -59, -58}},
      {true,
       {{{0.008997085f, 95}, {0.01799417f, 127}, false, 49}, false, false},
       false,
       4644,
       {121, 121, 121, 122}},
      {true,
       {{{0.14010648f, -128}, {0.09340432f, -128}, false, 7}, false, false},
       false,
       -729,
       {123, 123, 123, 122}},
      {true,
       {{{0.14010648f, -128}, {0.09340432f, -128}, false, 7}, false, false},
       false,
       -813,
       {-3, -3, -3, -4}},
      {true,
       {{{0.00713142f, 27}, {0.00475428f, 81}, false, 2}, false, false},
       false,
       53,
       {79, 79, 79, 80}},
      {true,
       {{{0.00713142f, 27}, {0.00475428f, 81}, false, 2}, false, false},
       false,
       -19,
       {-29, -29, -29, -28}},
      {true,
       {{{0.01631979f, 127}, {0.010879861f, 127}, false, 10}, false, false},
       false,
       1109,
       {-115, -115, -115, -114}},
      {true,
       {{{0.055147305f, 66}, {0.055147305f, 66}, false, 6}, false, false},
       false,
       302,
       {46, -28, -28, -28}},
      {true,
       {{{0.5130071f, -97}, {0.34200475f, -128}, false, 6}, false, false},
       false,
       -551,
       {-81, -81, -81, -82}},
      {true,
       {{{0.5130071f, -97}, {0.34200475f, -128}, false, 6}, false, false},
       false,
       -479,
       {27, 27, 27, 26}},
      {true,
       {{{0.44398603f, -128}, {0.2959907f, 93}, false, 13}, false, false},
       false,
       -1655,
       {107, 107, 107, 106}},
      {true,
       {{{0.006224323f, -128}, {0.0041495487f, -55}, false, 97}, false, false},
       false,
       -12395,
       {-23, -23, -23, -24}},
      {true,
       {{{0.0023309146f, -108}, {0.0015539431f, -104}, false, 13},
        false,
        false},
       false,
       -1381,
       {-69, -69, -69, -70}},
      {true,
       {{{0.0023309146f, -108}, {0.0015539431f, -104}, false, 13},
        false,
        false},
       false,
       -1377,
       {-63, -63, -63, -64}},
      {true,
       {{{0.0029165398f, -77}, {0.0019443599f, 25}, false, 10}, false, false},
       false,
       -831,
       {-67, -67, -67, -66}},
      {true,
       {{{0.0029165398f, -77}, {0.0019443599f, 25}, false, 10}, false, false},
       false,
       -795,
       {-13, -13, -13, -12}},
      {true,
       {{{0.6953259f, -128}, {0.46355063f, 108}, false, 3}, false, false},
       false,
       -381,
       {113, 113, 113, 112}},
      {true,
       {{{0.6953259f, -128}, {0.46355063f, 108}, false, 3}, false, false},
       false,
       -373,
       {125, 125, 125, 124}},
  };
  return recorded;
}

MeanOfQuantized KernelOf(const Recorded& r, CpuKernels cpu) {
  if (r.is_sum) return *SumOf(r.reducing, cpu);
  const auto last = MeanOfLastChannels(r.reducing, cpu);
  return r.last_channels && last ? *last : MeanOf(r.reducing, cpu);
}

TEST(RecordedQuantizedTest, AreThoseOfEachRuntimesKernel) {
  for (const Recorded& r : RecordedQuantized()) {
    for (int i = 0; i < 4; ++i) {
      // 2.9 keeps the low bits of a sum, which the shader computes.
      if (r.is_sum && kRuntimes[i] == CpuKernels::kTflite) continue;
      EXPECT_EQ(KernelOf(r, kRuntimes[i]).Code(r.sum), r.quantized[i])
          << (r.is_sum ? "SUM " : "MEAN ") << r.sum << " of "
          << r.reducing.count << ", runtime " << i;
    }
    EXPECT_EQ(KernelOf(r, CpuKernels::kTfliteWheel).Code(r.sum),
              r.quantized[1]);
  }
}

TEST(RecordedQuantizedTest, OlderRuntimesKeepTheLowBitsOfASum) {
  EXPECT_FALSE(SumOf(Reducing(), CpuKernels::kTflite).has_value());
}

TEST(MeanOfQuantizedTest, StepsAreWhereTheCodeChanges) {
  for (const CpuKernels cpu : kRuntimes) {
    for (const bool over_plane : {false, true}) {
      for (const bool is_unsigned : {false, true}) {
        Reducing reducing;
        reducing.in = {0.3f, is_unsigned ? 7 : -100};
        reducing.out = {0.11f, is_unsigned ? 200 : 5};
        reducing.is_unsigned = is_unsigned;
        reducing.over_plane = reducing.over_plane_by_any_name = over_plane;
        reducing.count = 6;
        const MeanOfQuantized mean = MeanOf(reducing, cpu);
        const std::vector<int32_t> steps = StepsOf(mean);
        const int low = is_unsigned ? 0 : -128;
        ASSERT_EQ(steps.size(), 255u);
        for (int sum = 6 * low; sum <= 6 * (low + 255); ++sum) {
          int code = low;
          for (int32_t step : steps) {
            code += step <= sum - 6 * mean.in.zero_point ? 1 : 0;
          }
          ASSERT_EQ(code, mean.Code(sum)) << sum;
        }
      }
    }
  }
}

// Ratios of scales that pass a float's range, or an int's: what is converted to
// an int fits it, as clang's UndefinedBehaviorSanitizer would tell (found by
// fuzzing).
TEST(MeanOfQuantizedTest, ScalesFarApartGiveACodeOfTheType) {
  Reducing reducing;
  reducing.count = 6;
  for (const float in : {1e38f, 1e9f, 1e-38f}) {
    for (const int zero_point : {-128, 0, 127}) {
      reducing.in = {in, zero_point};
      reducing.out = {1 / in, -5};
      for (const CpuKernels cpu : kRuntimes) {
        for (const bool over_plane : {false, true}) {
          reducing.over_plane = reducing.over_plane_by_any_name = over_plane;
          std::vector<MeanOfQuantized> ways = {MeanOf(reducing, cpu)};
          if (const auto sum = SumOf(reducing, cpu)) ways.push_back(*sum);
          for (const MeanOfQuantized& way : ways) {
            for (int code : {-128, -5, 0, 127}) {
              EXPECT_GE(way.Code(6 * code), -128);
              EXPECT_LE(way.Code(6 * code), 127);
            }
          }
        }
      }
    }
  }
}

TEST(MeanOfQuantizedTest, FitsNoSumsPast32Bits) {
  Reducing reducing;
  reducing.count = 1 << 23;
  EXPECT_TRUE(MeanOf(reducing, CpuKernels::kTflite).FitsSums());
  reducing.count = 1 << 24;
  EXPECT_FALSE(MeanOf(reducing, CpuKernels::kTflite).FitsSums());
  reducing.count = 1 << 20;
  reducing.over_plane = true;
  reducing.out.scale = 1e-4f;
  EXPECT_FALSE(MeanOf(reducing, CpuKernels::kTflite).FitsSums());
  reducing.count = 1;
  reducing.out.scale = 1e-8f;
  EXPECT_FALSE(MeanOf(reducing, CpuKernels::kReference).FitsSums());
}

}  // namespace
}  // namespace gles_delegate::quant
