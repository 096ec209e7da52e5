// Whether a model is to run with the delegate or on the CPU.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_

#include <string>

namespace gles_delegate {

struct Choice {
  bool use_delegate = false;
  std::string text;  // "Use the GPU here"
};

// From the time of an inference on each side. If they are within 15% of each
// other, on hardware or software, the CPU is chosen: another run could say the
// opposite.
Choice ChooseByTime(double gles_ms, double cpu_ms, bool software);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_CHOICE_H_
