#include "tools/runner/choice.h"

#include <algorithm>

namespace gles_delegate {
namespace {

constexpr double kAboutTheSame = 1.15;

}  // namespace

Choice Choose(const std::vector<double>& speedups, bool software,
              bool delegated, bool right) {
  if (!right) {
    return {"cpu", "Use the CPU here, as this driver computes wrong results"};
  }
  if (!delegated) {
    return {"cpu", "Use the CPU here, as no node of it runs on the GPU"};
  }
  if (software) return {"cpu", "Use the CPU here, as there is no GPU"};
  const auto most = [&](auto is) {
    return 4 * std::count_if(speedups.begin(), speedups.end(), is) >
           3 * static_cast<long>(speedups.size());
  };
  if (most([](double s) { return s > kAboutTheSame; })) {
    return {"gpu", "Use the GPU here"};
  }
  if (most([](double s) { return s < 1 / kAboutTheSame; })) {
    return {"cpu", "Use the CPU here"};
  }
  return {"either", "About the same here"};
}

}  // namespace gles_delegate
