// labels: unit sanitize fuzz
// The fuzz targets (tests/fuzz/) without a fuzzer: on their seeds, on every
// reproducer that was ever found, and on a fixed number of mutations. The same
// bytes in every run; GLES_FUZZ_SEED and GLES_FUZZ_RUNS ask for others.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::fuzz {
namespace {

int Number(const char* variable, int fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoi(text);
}

class FuzzReplayTest : public ::testing::TestWithParam<const Target*> {};

TEST_P(FuzzReplayTest, Seeds) {
  const std::vector<Bytes> seeds = GetParam()->seeds();
  EXPECT_FALSE(seeds.empty());
  for (const Bytes& seed : seeds) GetParam()->run(seed);
}

TEST_P(FuzzReplayTest, Corpus) {
  const std::filesystem::path folder =
      std::filesystem::path(GLES_DELEGATE_SOURCE_DIR) / "tests/fuzz/corpus" /
      GetParam()->name;
  if (!std::filesystem::exists(folder)) return;  // nothing was found yet
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(bytes.empty());
    GetParam()->run(bytes);
  }
}

// A crash leaves the input in fuzz_replay_<target>.bin of the working directory
// where GLES_FUZZ_KEEP is set: each input is written before it is run.
TEST_P(FuzzReplayTest, Mutations) {
  const Target& target = *GetParam();
  const std::vector<Bytes> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  const int first = Number("GLES_FUZZ_SEED", 1);
  const int runs = Number("GLES_FUZZ_RUNS", target.replays);
  const bool keep = std::getenv("GLES_FUZZ_KEEP") != nullptr;
  std::printf("GLES_FUZZ_SEED=%d GLES_FUZZ_RUNS=%d, %zu seeds\n", first, runs,
              seeds.size());
  for (int i = 0; i < runs; ++i) {
    std::minstd_rand random(static_cast<uint32_t>(first + i));
    random.discard(4);  // the first values of neighbouring seeds are alike
    Bytes bytes = seeds[static_cast<size_t>(i) % seeds.size()];
    bytes.resize(Mutate(bytes.data(), bytes.size(), &random));
    if (keep) {
      std::ofstream(std::string("fuzz_replay_") + target.name + ".bin",
                    std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    }
    target.run(bytes);
  }
}

// A change of the runtime, by the model target's header, and what some seed's
// report says then.
struct Reached {
  const char* name;
  std::vector<std::pair<size_t, uint8_t>> header;
  const char* says;
};

class FuzzReachesTest : public ::testing::TestWithParam<Reached> {};

TEST_P(FuzzReachesTest, ItsCode) {
  // The fake driver computes nothing, which the validator would find first.
  const testing::ScopedEnvironment debug("GLES_DELEGATE_DEBUG", "");
  std::vector<Bytes> seeds = ModelTarget().seeds();
  std::reverse(seeds.begin(), seeds.end());  // loops are the last
  for (Bytes& seed : seeds) {
    std::fill_n(seed.begin(), 16, uint8_t{0});
    for (const auto& [at, value] : GetParam().header) seed[at] = value;
    const std::string report = RunOnFakeDelegate(seed);
    if (report.find(GetParam().says) != std::string::npos) return;
  }
  ADD_FAILURE() << "no report says: " << GetParam().says;
}

constexpr size_t kFault = 2, kPlace = 4, kExtent = 6, kFree = 7, kSteps = 9;
INSTANTIATE_TEST_SUITE_P(
    Model, FuzzReachesTest,
    ::testing::Values(
        Reached{"Composite", {}, "odml.any"},
        Reached{"OwnOutput", {{kFault, 3}}, "reads its own output"},
        Reached{"SecondWriter", {{kFault, 5}, {kPlace, 2}}, "both write"},
        Reached{"WrittenVariable", {{kFault, 6}, {kPlace, 2}}, "a variable"},
        Reached{"SharedState", {{kFault, 7}}, "is used by 2 nodes"},
        Reached{"FreeExtent", {{kFree, 2}, {kExtent, 3}}, "resized to"},
        Reached{"Placeholder", {{kFree, 4 + 8}, {kExtent, 3}}, "resized to"},
        Reached{"LongLoop", {{kSteps, 6}}, "runs more than"},
        Reached{"EndlessLoop", {{kSteps, 9}}, "runs more than"},
        Reached{"UnknownLoop", {{kSteps, 10}}, "known only at run time"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplayTest,
                         ::testing::ValuesIn(AllTargets()),
                         [](const auto& test) { return test.param->name; });

}  // namespace
}  // namespace gles_delegate::fuzz
