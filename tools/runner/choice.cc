#include "tools/runner/choice.h"

namespace gles_delegate {
namespace {

constexpr double kAboutTheSame = 1.15;  // the slower time over the faster one

}  // namespace

Choice ChooseByTime(double gles_ms, double cpu_ms, bool software) {
  if (gles_ms * kAboutTheSame < cpu_ms) {
    return {true, software ? "Use the delegate here" : "Use the GPU here"};
  }
  if (cpu_ms * kAboutTheSame < gles_ms) return {false, "Use the CPU here"};
  return {false, "About the same; use the CPU here"};
}

}  // namespace gles_delegate
