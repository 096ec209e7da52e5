#include "delegate/plan/share_tilings.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "delegate/plan/program_text.h"

namespace gles_delegate {

void ShareTilings(const Graph& graph, const DeviceProfile& profile,
                  std::vector<Dispatch>* dispatches) {
  std::map<std::string, std::vector<size_t>> programs;
  std::vector<std::string> order;
  for (size_t i = 0; i < dispatches->size(); ++i) {
    const std::string text =
        CommonProgramText(graph, (*dispatches)[i], profile);
    std::vector<size_t>& members = programs[text];
    if (members.empty()) order.push_back(text);
    members.push_back(i);
  }
  for (const std::string& text : order) {
    const std::vector<size_t> members = programs[text];
    std::set<std::string> others;
    for (size_t i : members) {
      Dispatch other = (*dispatches)[i];
      if (other.other_tiling) other.Take(*other.other_tiling);
      others.insert(CommonProgramText(graph, std::move(other), profile));
    }
    const auto others_members = programs.find(*others.begin());
    if (others.size() > 1 || *others.begin() == text ||
        others_members == programs.end() ||
        2 * others_members->second.size() < members.size()) {
      continue;
    }
    for (size_t i : members) {
      Dispatch& d = (*dispatches)[i];
      d.Take(*d.other_tiling);
      d.other_tiling.reset();
      others_members->second.push_back(i);
    }
    programs.erase(text);
  }
}

}  // namespace gles_delegate
