// The option startup: tiered. Starts with a baseline plan of few, simple
// programs (device/baseline.h), while those of the optimized plan are compiled
// in the background.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_TIERED_SOURCE_H_
#define GLES_DELEGATE_DELEGATE_SESSION_TIERED_SOURCE_H_

#include <memory>
#include <optional>

#include "delegate/partition/background_build.h"
#include "delegate/session/executor_source.h"

namespace gles_delegate {

// After the first inference with the baseline plan, the optimized plan is built
// in the background. Later inferences warm up a few of its programs each, and
// the one that finds all of them ready switches. If the build fails, the
// baseline plan stays, with a warning.
class TieredSource final : public ExecutorSource {
 public:
  // nullptr: there is no baseline plan; the report says why if the option is
  // on. As ExecutorSource::Make().
  static std::unique_ptr<ExecutorSource> Make(const ExecutorSetup& setup);

  bool is_optimized() const override { return is_optimized_; }
  bool HasNext() override;
  bool Advance(Executor::Inputs inputs) override;
  void NoteInference() override;
  void Stop() override;
  void AwaitCache() override;

 private:
  explicit TieredSource(const ExecutorSetup& setup);
  BackgroundReport& report() { return setup_.report->background; }
  void StartBackground();
  // After the background ended: takes its result, or keeps the baseline plan.
  void TakeResult();
  void KeepBaseline(const absl::Status& why);
  // Moves the build's report to the partition's.
  void TakeReport();

  std::shared_ptr<egl::Context> context_;
  bool is_optimized_ = false;
  // Builds the optimized plan; else nullptr.
  std::unique_ptr<BackgroundBuild> background_;
  // Its result, not yet in use.
  std::optional<BackgroundBuild::Result> built_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_TIERED_SOURCE_H_
