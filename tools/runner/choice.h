// Whether a model is to run with the delegate or on the CPU.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_

#include <string>
#include <vector>

namespace gles_delegate {

struct Choice {
  std::string use;   // "gpu", "cpu", or "either": another run may differ
  std::string text;  // "Use the GPU here"
};

// `speedups`: the CPU's time over the delegate's, of runs by turns. A side is
// chosen if it takes 15% less time in more than three quarters of them. On a
// software renderer the CPU is: the delegate would only compute there, too.
// `delegated`: some nodes are; `right`: so are the results.
Choice Choose(const std::vector<double>& speedups, bool software,
              bool delegated = true, bool right = true);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_
