#include "delegate/plan/fix_params.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/share_programs.h"

namespace gles_delegate {
namespace {

// Fewer do not pay for the time to compile another program.
constexpr size_t kMinAlike = 8;

// Those that gain (H200).
constexpr absl::string_view kShaders[] = {"dynamic_update_slice",
                                          "gemv_by_lanes", "moved_functions"};

int64_t Invocations(const Dispatch& d) {
  return int64_t{d.grid[0]} * d.grid[1] * d.grid[2];
}

}  // namespace

void FixParams(const Graph& graph, const DeviceProfile& profile,
               std::vector<Dispatch>* dispatches) {
  std::map<std::string, std::vector<Dispatch*>> alike;
  for (Dispatch& d : *dispatches) {
    if (std::find(std::begin(kShaders), std::end(kShaders), d.shader) ==
            std::end(kShaders) ||
        Invocations(d) > 2 * int64_t{profile.choices.split_k_target}) {
      continue;
    }
    alike[absl::StrCat(ProgramText(SpecOf(graph, d, profile)),
                       ParamsOf(graph, d).ToConstants())]
        .push_back(&d);
  }
  for (const auto& [text, members] : alike) {
    if (members.size() < kMinAlike) continue;
    for (Dispatch* d : members) d->fixed_params = true;
  }
}

}  // namespace gles_delegate
