#include "delegate/tflite/trial_shapes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/resize_limit.h"
#include "delegate/tflite/scratch_memory.h"

namespace gles_delegate {
namespace {

constexpr int kSmallest = 4;
constexpr int kLargest = 1 << 14;  // a second of sound
// More free axes than one would make tensors of any size of these.
constexpr double kMaxInputBytes = 64 << 20;
constexpr size_t kMaxKernelBytes = 256 << 20;

bool IsList(const TfLiteTensor& t) {
  return t.dims->size == 1 &&
         (t.type == kTfLiteInt32 || t.type == kTfLiteInt64);
}

}  // namespace

TrialShapes::TrialShapes(TfLiteContext* context, const NodeFinder& find,
                         const std::vector<int>& plan,
                         const Decompositions& decompositions)
    : context_(context),
      find_(find),
      plan_(plan),
      decompositions_(decompositions) {
  HashSet<int> seen;
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (!find.Get(context, index, &node, &registration).ok()) continue;
    for (int id : ReadInts(node->inputs)) {
      if (id < 0 || !seen.insert(id).second) continue;
      const TfLiteTensor& t = context->tensors[id];
      const std::vector<int> signature = ReadInts(t.dims_signature);
      const std::vector<int> dims = ReadInts(t.dims);
      const bool is_free =
          std::find(signature.begin(), signature.end(), -1) != signature.end();
      if (!is_free || signature.size() != dims.size() ||
          t.allocation_type != kTfLiteArenaRw) {
        continue;
      }
      inputs_.push_back({id, dims, signature, t.data.raw});
    }
    // Outputs of nodes are not model inputs.
    for (int id : ReadInts(node->outputs)) seen.insert(id);
  }
}

TrialShapes::~TrialShapes() {
  for (const Input& input : inputs_) {
    TfLiteTensor& t = context_->tensors[input.id];
    // Without a copy: a destructor must not throw.
    const bool is_as_before =
        std::equal(input.dims.begin(), input.dims.end(), t.dims->data,
                   t.dims->data + t.dims->size);
    if (is_as_before || !ResizeTensor(context_, input.id, input.dims)) {
      continue;
    }
    t.data.raw = input.memory;  // resizing takes it away
  }
}

absl::Status TrialShapes::Set(
    absl::Span<const std::pair<std::string, std::vector<int>>> shapes,
    bool all) {
  const auto name_of = [this](const Input& input) {
    const char* name = context_->tensors[input.id].name;
    return std::string(name == nullptr ? "" : name);
  };
  for (const auto& [name, dims] : shapes) {
    const auto it = std::find_if(
        inputs_.begin(), inputs_.end(), [&, &name = name](const Input& input) {
          return name == name_of(input) || name == absl::StrCat(input.id);
        });
    if (it == inputs_.end() && !all) continue;
    if (it == inputs_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "option input_shapes: no input '", name,
          "' has free axes; of these: ",
          absl::StrJoin(inputs_, ", ", [&](std::string* out, const Input& i) {
            absl::StrAppend(out, PrintableName(name_of(i)));
          })));
    }
    bool fits = dims.size() == it->signature.size();
    for (size_t i = 0; fits && i < dims.size(); ++i) {
      fits = it->signature[i] == -1 || it->signature[i] == dims[i];
    }
    if (!fits || !ResizeTensor(context_, it->id, dims)) {
      return absl::InvalidArgumentError(
          absl::StrCat("option input_shapes: '", name, "' has the shape [",
                       absl::StrJoin(it->signature, ","), "], and not ",
                       absl::StrJoin(dims, "x")));
    }
  }
  return absl::OkStatus();
}

bool TrialShapes::ArePlaceholders() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
    for (size_t i = 0; i < input.dims.size(); ++i) {
      if (input.signature[i] == -1 && input.dims[i] > 1) return false;
    }
    return true;
  });
}

std::optional<TrialShapes::Shapes> TrialShapes::WithSize(Free which,
                                                         int extent) const {
  Shapes shapes;
  bool any = false;
  double bytes = 0;
  for (const Input& input : inputs_) {
    shapes.push_back(input.dims);
    std::vector<int>& dims = shapes.back();
    double of_input = ElementBytes(context_->tensors[input.id].type);
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool is_last = i + 1 == dims.size();
      const bool is_free =
          which == Free::kBySignature
              ? input.signature[i] == -1
              : dims[i] <= 1 && (which == Free::kOnes || !is_last);
      if (is_free) dims[i] = extent;
      any |= is_free;
      of_input *= dims[i];
    }
    bytes += of_input;
  }
  if (!any || bytes > kMaxInputBytes) return std::nullopt;
  return shapes;
}

absl::StatusOr<ShapeFacts> TrialShapes::PropagateAt(const Shapes& shapes) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!ResizeTensor(context_, inputs_[i].id, shapes[i])) {
      return absl::InternalError("the runtime resizes no input");
    }
  }
  const ResizeLimit limit(context_, kMaxKernelBytes);
  return PropagateShapes(context_, find_, plan_, decompositions_);
}

TrialShapes::Obstacles TrialShapes::ObstaclesOf(const ShapeFacts& facts) const {
  Obstacles found = {static_cast<int>(facts.refusals.size()),
                     static_cast<int>(facts.unknown.size()), 0};
  for (int index : plan_) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (!find_.Get(context_, index, &node, &registration).ok()) continue;
    for (int id : ReadInts(node->outputs)) {
      if (id < 0 || facts.unknown.contains(id)) continue;
      const TfLiteTensor& t = context_->tensors[id];
      found.empty += IsEmpty(t) && !IsList(t);
    }
  }
  return found;
}

absl::StatusOr<bool> TrialShapes::FindBetter(ShapeFacts* facts) {
  Obstacles best = ObstaclesOf(*facts);
  if (inputs_.empty() || best.sum() == 0) return false;
  // The app's own sizes count, unless nothing runs at them.
  if (best.refusals == 0 && !ArePlaceholders()) return false;
  std::vector<Free> ways = {Free::kBySignature};
  if (best.refusals > 0) {
    ways.insert(ways.end(), {Free::kOnesButLast, Free::kOnes});
  }
  Shapes at, best_at;
  for (const Input& input : inputs_) best_at.push_back(input.dims);
  bool found = false;
  for (size_t way = 0; way < ways.size() && !found; ++way) {
    for (int extent = kSmallest; extent <= kLargest && best.sum() > 0;
         extent *= 4) {
      auto shapes = WithSize(ways[way], extent);
      if (!shapes) break;
      at = *std::move(shapes);
      ASSIGN_OR_RETURN(auto tried, PropagateAt(at));
      const Obstacles left = ObstaclesOf(tried);
      if (left.refusals > 0) continue;
      if (best.refusals == 0 && left.sum() >= best.sum()) continue;
      found = true;
      best = left;
      best_at = at;
      *facts = std::move(tried);
    }
  }
  if (at.empty() || at == best_at) return found;
  ASSIGN_OR_RETURN(*facts, PropagateAt(best_at));
  return found;
}

}  // namespace gles_delegate
