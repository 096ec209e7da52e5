// labels: unit sanitize
// GLES_DELEGATE_OPTIONS: options for apps that cannot be changed.
#include <string>
#include <utility>
#include <vector>

#include "delegate/tflite/options.h"
#include "gles_delegate/gles_delegate.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using KeysValues = std::vector<std::pair<absl::string_view, absl::string_view>>;

// The options of an app that gives these keys with this environment.
absl::StatusOr<Options> WithKeys(const std::string& environment,
                                 const KeysValues& keys = {}) {
  const ScopedEnvironment set(kEnvironmentOptions, environment);
  return OptionsFrom(keys);
}

// The options of an app that fills in the C struct.
absl::StatusOr<Options> WithStruct(const std::string& environment,
                                   const TfLiteGlesDelegateOptions& options) {
  const ScopedEnvironment set(kEnvironmentOptions, environment);
  return OptionsFrom(&options);
}

std::string Refusal(const std::string& environment,
                    const KeysValues& keys = {}) {
  return std::string(WithKeys(environment, keys).status().message());
}

TEST(EnvironmentOptionsTest, ItsOptionsAreTakenByEveryWayToMakeADelegate) {
  const std::string environment =
      "verbosity:2;device:llvmpipe;exclude_nodes:1,3-4;"
      "serialization_max_bytes:5000000000";
  for (const auto& options :
       {WithKeys(environment),
        WithStruct(environment, TfLiteGlesDelegateOptionsDefault())}) {
    ASSERT_TRUE(options.ok()) << options.status();
    EXPECT_EQ(options->verbosity, 2);
    EXPECT_EQ(options->gpu.context.device, "llvmpipe");
    EXPECT_THAT(options->read.exclude_nodes,
                ElementsAre(std::pair(1, 1), std::pair(3, 4)));
    EXPECT_EQ(options->environment, environment);
    EXPECT_EQ(options->max_delegated_partitions, -1) << "not named";
  }
}

TEST(EnvironmentOptionsTest, ExplicitOptionsWin) {
  const auto keys =
      WithKeys("verbosity:2;device:a;storage:buffer",
               {{"verbosity", "1"}, {"device", ""}, {"storage", "texture_2d"}});
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->verbosity, 1) << "given, though with the default's value";
  EXPECT_EQ(keys->gpu.context.device, "");
  EXPECT_EQ(keys->planning.storage, gl_shaders::Storage::kTexture2d);

  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.verbosity = 0;
  o.device = "b";
  const auto fields = WithStruct("verbosity:2;device:a;storage:buffer", o);
  ASSERT_TRUE(fields.ok()) << fields.status();
  EXPECT_EQ(fields->verbosity, 0);
  EXPECT_EQ(fields->gpu.context.device, "b");
  EXPECT_EQ(fields->planning.storage, gl_shaders::Storage::kBuffer)
      << "left at its default";
}

TEST(EnvironmentOptionsTest, AnAutomaticChoiceIsLeftToTheEnvironment) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.startup = kTfLiteGlesStartupAuto;
  const auto startup = [&o](const char* environment) {
    const auto options = WithStruct(environment, o);
    EXPECT_TRUE(options.ok()) << options.status();
    return options->planning.startup;
  };
  EXPECT_EQ(startup(""), Startup::kAuto);
  EXPECT_EQ(startup("startup:direct"), Startup::kDirect);
  EXPECT_EQ(startup("startup:tiered;startup:baseline"), Startup::kBaseline);
  o.startup = kTfLiteGlesStartupTiered;
  EXPECT_EQ(startup("startup:direct"), Startup::kTiered);
  o.startup = 4;
  EXPECT_FALSE(WithStruct("startup:direct", o).ok());
}

// Half of a pair may come from either side.
TEST(EnvironmentOptionsTest, BothSidesAreOneSetOfOptions) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.model_token = "token";
  const auto options = WithStruct("serialization_dir:/var/cache/x", o);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->session.build.cache.directory, "/var/cache/x");
  EXPECT_EQ(options->session.build.cache.token, "token");
}

TEST(EnvironmentOptionsTest, SpacesEmptyItemsAndColonsInValues) {
  const auto options =
      WithKeys(" verbosity : 2 ;; device:NVIDIA: H200 ; verbosity:0;");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->verbosity, 0) << "the last one";
  EXPECT_EQ(options->gpu.context.device, "NVIDIA: H200");
  EXPECT_TRUE(WithKeys("").ok());
  EXPECT_TRUE(WithKeys(" ; ").ok());
}

TEST(EnvironmentOptionsTest, WhatIsWrongIsNamedWithTheVariable) {
  EXPECT_THAT(Refusal("verbossity:2"),
              AllOf(HasSubstr("GLES_DELEGATE_OPTIONS: unknown option "
                              "'verbossity' (did you mean 'verbosity'?)"),
                    HasSubstr("max_delegated_partitions")));
  EXPECT_THAT(Refusal("verbosity:2;storage"),
              HasSubstr("GLES_DELEGATE_OPTIONS: 'storage' is not of the form "
                        "key:value"));
  EXPECT_THAT(Refusal(":2"), HasSubstr("':2' is not of the form key:value"));
  EXPECT_THAT(Refusal("verbosity:loud"),
              HasSubstr("GLES_DELEGATE_OPTIONS: option verbosity: 'loud' is "
                        "not an integer"));
}

// Also options that are only wrong together with the app's own.
TEST(EnvironmentOptionsTest, WhatIsWrongTogetherNamesTheVariable) {
  EXPECT_THAT(Refusal("verbosity:7"),
              AllOf(HasSubstr("option verbosity: 7"),
                    HasSubstr("GLES_DELEGATE_OPTIONS is 'verbosity:7'")));
  EXPECT_THAT(
      Refusal("serialization_dir:/x"),
      AllOf(HasSubstr("model_token"), HasSubstr("GLES_DELEGATE_OPTIONS")));
  EXPECT_THAT(Refusal("", {{"verbosity", "7"}}),
              Not(HasSubstr("GLES_DELEGATE_OPTIONS")));
}

TEST(EnvironmentOptionsTest, AWrongTuningIsRefused) {
  const ScopedEnvironment set("GLES_DELEGATE_TUNING", "storage=7");
  EXPECT_EQ(TfLiteGlesDelegateCreate(nullptr), nullptr);
  EXPECT_THAT(std::string(TfLiteGlesDelegateLastError()),
              HasSubstr("environment variable GLES_DELEGATE_TUNING: tuning "
                        "parameter storage: 7 is not 0 to 3"));
  EXPECT_THAT(Refusal(""), HasSubstr("GLES_DELEGATE_TUNING"));
}

TEST(EnvironmentOptionsTest, ADelegateWithoutOptionsReadsIt) {
  const ScopedEnvironment set(kEnvironmentOptions, "nonsense:1");
  EXPECT_EQ(TfLiteGlesDelegateCreate(nullptr), nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr("'nonsense'"));
}

// The defaults that an app starts from are the library's, or each would be
// explicit.
TEST(EnvironmentOptionsTest, TheDefaultStructIsAsEver) {
  const ScopedEnvironment set(kEnvironmentOptions, "verbosity:2");
  EXPECT_EQ(TfLiteGlesDelegateOptionsDefault().verbosity, 1);
}

}  // namespace
}  // namespace gles_delegate::testing
