// labels: op delegate softpipe slow
// The self-check is never wrong about right code: no chain of ops that no one
// has tampered with is refused, or planned again.
//
// GLES_CHAINS=n runs n chains, GLES_CHAINS_SEED=s from seed s on.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/partition/self_check.h"
#include "nlohmann/json.hpp"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/random_chain.h"
#include "tests/testing/scoped_environment.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// Tunings under which passes fire that those of small devices leave alone.
const char* const kTunings[] = {
    "",
    ("fused_depthwise_work=1000000,"
     "fused_squeeze_texels=100000,read_through=1,fused_next_texels=0"),
    "fused_plane_work=1000000,fused_next_texels=100000,read_through=1",
    "unrolled_terms=0,winograd_min_channels=4,read_through=1",
    "share_programs=1,unrolled_terms=160",
};

struct Setting {
  ChainNumbers numbers;
  bool half;
  bool integer_path;
  int tuning;
  int storage;
  bool across_bus;  // shaders move inputs and outputs
};

Setting SettingOf(uint32_t seed) {
  constexpr ChainNumbers kNumbers[] = {
      ChainNumbers::kFloat, ChainNumbers::kFloat, ChainNumbers::kEightBit,
      ChainNumbers::kInt16};
  Setting s;
  s.numbers = kNumbers[seed % 4];
  s.half = seed / 4 % 3 == 0;
  s.integer_path = seed / 12 % 3 != 0;
  s.tuning = static_cast<int>(seed / 4 % std::size(kTunings));
  s.storage = static_cast<int>(seed / 20 % 4);
  s.across_bus = seed / 80 % 2 == 1;
  return s;
}

std::string TuningTextOf(const Setting& s) {
  std::string text = kTunings[s.tuning];
  if (!s.across_bus) return text;
  return absl::StrCat(text, text.empty() ? "" : ",",
                      "host_transfers=0,across_bus=1");
}

struct Totals {
  int chains = 0, refused_by_tflite = 0, programs = 0, checked = 0;
};

void RunChain(uint32_t seed, Totals* totals) {
  const Setting s = SettingOf(seed);
  const RandomChain chain = MakeRandomChain(seed, s.numbers);
  SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", chain.description,
                            s.half ? ", 16-bit storage" : "", ", tuning ",
                            s.tuning, ", storage ", s.storage,
                            s.across_bus ? ", across a bus" : ""));
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", TuningTextOf(s));
  ++totals->chains;
  auto model = Model::FromBuffer(chain.bytes);
  ASSERT_TRUE(model.ok()) << model.status();
  auto interpreter = Interpreter::Create(**model);
  if (!interpreter.ok()) {
    std::cout << seed << ": " << interpreter.status() << "\n";
    ++totals->refused_by_tflite;
    return;
  }
  ForgetSelfChecks();
  const DelegatePtr delegate = MakeDelegate([&](auto& options) {
    options.share_key = "chains";
    options.is_precision_loss_allowed = s.half;
    options.quantized_compute = s.integer_path ? kTfLiteGlesQuantizedInteger
                                               : kTfLiteGlesQuantizedFloat;
    options.storage = s.storage;
  });
  const absl::Status applied = (*interpreter)->ApplyDelegate(delegate.get());
  ASSERT_TRUE(applied.ok()) << applied;
  const nlohmann::json report = ReportOf(delegate);
  if (report["partition"].empty()) return;
  const auto& check = report["partition"][0]["self_check"];
  EXPECT_TRUE(check["faults"].empty()) << check;
  totals->programs += check["programs"].get<int>();
  totals->checked += check["checked"].get<int>();
}

// Each was refused once: for the places of an int16 RESIZE_BILINEAR, for an
// infinite term in 16 bits, and for a tensor that had two names.
TEST(SelfCheckChainsTest, ChainsThatWereRefusedOnce) {
  GLES_SKIP_WITHOUT_DEVICE();
  Totals totals;
  for (uint32_t seed : {202351u, 103135u, 403057u, 501334u}) {
    RunChain(seed, &totals);
  }
  EXPECT_EQ(totals.refused_by_tflite, 0);
  EXPECT_GT(totals.checked, 0);
}

TEST(SelfCheckChainsTest, NoRightChainIsRefused) {
  GLES_SKIP_WITHOUT_DEVICE();
  const int chains = FromEnvironment("GLES_CHAINS", 300);
  const int seed = FromEnvironment("GLES_CHAINS_SEED", 1);
  std::cout << chains << " chains from seed " << seed << "\n";
  // Keeps the programs that chains have in common.
  const RandomChain first = MakeRandomChain(1, ChainNumbers::kFloat);
  const auto model = LoadOrDie(first.bytes);
  const DelegatePtr owner =
      MakeDelegate([](auto& options) { options.share_key = "chains"; });
  const auto interpreter = Applied(*model, owner);
  Totals totals;
  for (int i = 0; i < chains; ++i) {
    RunChain(static_cast<uint32_t>(seed + i), &totals);
  }
  std::cout << totals.checked << " of " << totals.programs
            << " programs checked, " << totals.refused_by_tflite
            << " chains refused by TFLite\n";
  EXPECT_LE(totals.refused_by_tflite, totals.chains / 10);
  EXPECT_GE(totals.checked, totals.programs * 3 / 4);
}

}  // namespace
}  // namespace gles_delegate::testing
