// labels: unit quant
// MEAN and SUM of quantized values in each runtime's arithmetic, against
// quantized values that those runtimes gave.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::quant {
namespace {

struct Recorded {
  bool is_sum = false;
  Reducing reducing;
  bool last_channels = false;  // past the kernel's blocks of 16
  int64_t sum = 0;
  int quantized[4] = {};
};
constexpr CpuKernels kRuntimes[] = {CpuKernels::kTflite, CpuKernels::kTflite214,
                                    CpuKernels::kLitert, CpuKernels::kXnnpack};

// Results of the C library 2.9, tflite-runtime 2.14.0 (and Debian's 2.14.1),
// ai-edge-litert 2.3.0 without XNNPACK, and the same with it, for
// quantized values that have this sum, on x86-64. In a row: op, type, scale and
// zero point of the input and of the output, count, whether the axes are height
// and width (plane: given as 1 and 2; named: also as -3 and -2), channels past
// the kernel's blocks of 16 or any, sum, and the four results.
constexpr char kRecorded[] = R"(
mean int8 0.6221156 72 0.6221156 72 35 any all 4367 124 125 125 125
mean int8 0.11256974 -128 0.11256974 -128 33 any all -384 -11 -12 -12 -12
mean int8 0.038792912 127 0.038792912 127 33 any all 164 4 5 5 5
mean int8 0.005589859 -128 0.0049847607 -125 5 any all 307 87 88 88 87
mean int8 0.11070376 24 0.12550558 10 6 any all 174 14 15 15 14
mean int8 0.025928196 127 0.030638972 124 5 any all 609 120 119 119 120
mean int8 0.0021691648 20 0.0021691648 20 2 named last -59 -29 -29 -29 -30
mean int8 0.23041026 -66 0.25655252 -128 2 named last 36 -53 -52 -53 -53
mean int8 0.0015365725 -128 0.0013203123 -108 2 named last -195 -73 -73 -72 -73
mean int8 0.009023374 -28 0.009023374 -28 2 named last 23 11 12 12 12
mean int8 0.03232706 -128 0.047522835 -128 2 named last 86 -12 -11 -11 -12
mean int8 0.06981013 127 0.06981013 127 2 named last 145 72 73 73 72
mean int8 0.0337659 -74 0.0337659 -74 16 plane all 200 13 13 13 12
mean int8 0.0016575065 -81 0.00029622114 -35 16 plane all -999 69 68 69 69
mean int8 0.64634603 -63 0.17505386 -128 196 plane all -982 86 86 87 86
mean int8 0.0020060416 0 0.00037905521 -62 16 plane all -20 -69 -69 -68 -69
mean int8 0.0017506246 127 0.0017506246 127 16 plane all -312 -20 -20 -19 -20
mean int8 0.0046424987 10 0.0046424987 10 16 plane all -73 -5 -5 -4 -5
mean int8 0.05362746 127 0.06711256 127 35 plane last 292 32 33 33 32
mean int8 0.0060527623 -128 0.001051738 -128 35 plane last -3620 13 14 14 13
mean int8 0.0017506246 127 0.0017506246 127 16 plane last -8 -1 -1 -1 0
mean int8 0.16892299 -128 0.025785735 -33 35 plane last -3703 112 113 113 112
mean int8 0.0024694523 73 0.0024694523 73 35 plane last 787 22 23 23 22
mean int8 0.0018412645 19 0.0018412645 19 35 plane last 157 4 5 5 4
mean uint8 0.6221156 200 0.6221156 200 35 any all 4299 122 123 123 123
mean uint8 0.11256974 0 0.11256974 0 33 any all 4509 136 137 137 137
mean uint8 0.038792912 255 0.038792912 255 33 any all 4388 132 133 133 133
mean uint8 0.005589859 0 0.0049847607 3 5 any all 947 215 216 216 215
mean uint8 0.11070376 152 0.12550558 138 6 any all 942 142 143 143 142
mean uint8 0.025928196 255 0.030638972 252 5 any all 1249 248 247 247 248
mean uint8 0.0021691648 148 0.0021691648 148 2 named all 67 33 34 34 34
mean uint8 0.23041026 62 0.25655252 0 2 named all 292 75 76 75 75
mean uint8 0.009023374 100 0.009023374 100 2 named all 211 105 106 106 106
mean uint8 0.03232706 0 0.047522835 0 2 named all 342 116 117 117 116
mean uint8 0.031501506 188 0.003633813 0 2 named all 390 61 61 60 61
mean uint8 0.06981013 255 0.06981013 255 2 named all 401 200 201 201 200
mean uint8 0.0337659 54 0.0337659 54 16 plane all 2248 141 141 141 140
mean uint8 0.05362746 255 0.06711256 255 35 plane all 4350 150 150 150 151
mean uint8 0.004315774 46 0.0045364173 0 35 plane all 3402 48 48 48 49
mean uint8 0.0020060416 128 0.00037905521 66 16 plane all 2577 242 242 242 241
mean uint8 0.0017506246 255 0.0017506246 255 16 plane all 1736 109 109 109 108
mean uint8 0.0024694523 201 0.0024694523 201 35 plane all 5267 151 151 151 150
sum int8 0.008997085 95 0.01799417 127 49 any all 4284 -59 -59 -59 -58
sum int8 0.008997085 95 0.01799417 127 49 any all 4644 121 121 121 122
sum int8 0.14010648 -128 0.09340432 -128 7 any all -729 123 123 123 122
sum int8 0.14010648 -128 0.09340432 -128 7 any all -813 -3 -3 -3 -4
sum int8 0.00713142 27 0.00475428 81 2 any all 53 79 79 79 80
sum int8 0.00713142 27 0.00475428 81 2 any all -19 -29 -29 -29 -28
sum int8 0.01631979 127 0.010879861 127 10 any all 1109 -115 -115 -115 -114
sum int8 0.055147305 66 0.055147305 66 6 any all 302 46 -28 -28 -28
sum int8 0.5130071 -97 0.34200475 -128 6 any all -551 -81 -81 -81 -82
sum int8 0.5130071 -97 0.34200475 -128 6 any all -479 27 27 27 26
sum int8 0.44398603 -128 0.2959907 93 13 any all -1655 107 107 107 106
sum int8 0.006224323 -128 0.0041495487 -55 97 any all -12395 -23 -23 -23 -24
sum int8 0.0023309146 -108 0.0015539431 -104 13 any all -1381 -69 -69 -69 -70
sum int8 0.0023309146 -108 0.0015539431 -104 13 any all -1377 -63 -63 -63 -64
sum int8 0.0029165398 -77 0.0019443599 25 10 any all -831 -67 -67 -67 -66
sum int8 0.0029165398 -77 0.0019443599 25 10 any all -795 -13 -13 -13 -12
sum int8 0.6953259 -128 0.46355063 108 3 any all -381 113 113 113 112
sum int8 0.6953259 -128 0.46355063 108 3 any all -373 125 125 125 124
)";

// The same of the C library 2.9 for ARM under qemu, with its result alone.
constexpr char kRecordedOnArm[] = R"(
mean int8 0.046000004 107 0.046000004 107 35 plane all -227 -6
mean int8 0.046000004 107 0.046000004 107 35 plane last -437 -13
mean int8 0.071000002 -36 0.035500001 -2 30 plane all -202 57
mean int8 0.071000002 -36 0.035500001 -2 30 plane last -367 45
mean int8 0.064000003 27 0.032000002 6 30 plane all -668 -92
mean int8 0.064000003 27 0.032000002 6 30 plane last -412 -76
mean uint8 0.046000004 235 0.046000004 235 35 plane all 4043 116
mean uint8 0.012 206 0.017999999 239 40 plane all 5011 186
mean uint8 0.031000001 201 0.015500001 227 30 plane all 3203 39
mean int8 0.012 78 0.012 78 40 named all -109 -2
mean uint8 0.016000001 196 0.016000001 196 35 named all 4605 131
mean uint8 0.071000002 92 0.0142 126 30 named all 3183 196
mean int8 0.064000003 27 0.021333335 6 30 named all 715 -3
mean int8 0.064000003 27 0.021333335 6 30 named all 535 -21
mean int8 0.038000003 -3 0.038000003 -3 21 any all -519 -24
mean uint8 0.087000005 152 0.087000005 152 21 any all 1991 94
)";

// `results`: of a row.
std::vector<Recorded> RecordedQuantized(const char* rows, int results) {
  std::vector<Recorded> recorded;
  std::istringstream table(rows);
  std::string op, type, axes, channels;
  Recorded r;
  ReducedQuantized& q = r.reducing;
  while (table >> op >> type >> q.in.scale >> q.in.zero_point >> q.out.scale >>
         q.out.zero_point >> q.count >> axes >> channels >> r.sum) {
    for (int i = 0; i < results; ++i) table >> r.quantized[i];
    r.is_sum = op == "sum";
    q.is_unsigned = type == "uint8";
    r.reducing.over_plane = axes == "plane";
    r.reducing.over_plane_by_any_name = axes != "any";
    r.last_channels = channels == "last";
    recorded.push_back(r);
  }
  EXPECT_TRUE(table.eof()) << "after " << recorded.size() << " rows";
  return recorded;
}

MeanOfQuantized KernelOf(const Recorded& r, CpuKernels cpu) {
  if (r.is_sum) return *SumOf(r.reducing, cpu);
  const auto last = MeanOfLastChannels(r.reducing, cpu);
  return r.last_channels && last ? *last : MeanOf(r.reducing, cpu);
}

TEST(RecordedQuantizedTest, AreThoseOfEachRuntimesKernel) {
  for (const Recorded& r : RecordedQuantized(kRecorded, 4)) {
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

TEST(RecordedQuantizedTest, AreThoseOfTheKernelForArm) {
  int differ = 0;
  for (const Recorded& r : RecordedQuantized(kRecordedOnArm, 1)) {
    EXPECT_EQ(KernelOf(r, CpuKernels::kTfliteArm).Code(r.sum), r.quantized[0])
        << "MEAN " << r.sum << " of " << r.reducing.count;
    differ += KernelOf(r, CpuKernels::kTflite).Code(r.sum) != r.quantized[0];
  }
  EXPECT_GT(differ, 5);  // else these rows test nothing
}

TEST(RecordedQuantizedTest, OlderRuntimesKeepTheLowBitsOfASum) {
  EXPECT_FALSE(SumOf(Reducing(), CpuKernels::kTflite).has_value());
  EXPECT_FALSE(SumOf(Reducing(), CpuKernels::kTfliteArm).has_value());
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
