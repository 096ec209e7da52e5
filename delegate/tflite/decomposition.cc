#include "delegate/tflite/decomposition.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/check_graph.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/subgraphs.h"

namespace gles_delegate {
namespace {

// Of composites inside composites.
constexpr size_t kMaxLevels = 8;
// Anything deeper counts as endless.
constexpr size_t kMaxOpen = 64;
// Nodes of one composite, with those inside. A decomposed attention has a few
// dozen.
constexpr int kMaxNodes = 4096;

class DecompositionFinder {
 public:
  DecompositionFinder(TfLiteContext* context, const NodeFinder& find)
      : context_(context), find_(find), subgraphs_(context) {}

  Decompositions Find(absl::Span<const int> plan) {
    open_ = {context_};
    for (int index : plan) Visit(context_, index);
    return std::move(found_);
  }

 private:
  struct Visited {
    absl::Status status;
    bool is_unsafe = false;
    int nodes = 1;
    size_t levels = 0;  // of composites, from this node down
  };

  // The node, and what is below it.
  Visited Visit(TfLiteContext* context, int index) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    Visited visited;
    visited.status = find_.Get(context, index, &node, &registration);
    if (!visited.status.ok()) return visited;
    const NodeKey key = {context, index};
    // Loops inside are left to the runtime.
    if (IsLoop(*registration) && context == context_) {
      // On the heap: GCC 12 sees uninitialised members of one on the stack.
      const auto loop = std::make_unique<Decomposition>();
      loop->status = ReadLoop(key, *node, loop.get());
      found_[key] = std::move(*loop);
    }
    if (!IsComposite(*registration)) return visited;
    if (const auto it = visited_.find(key); it != visited_.end()) {
      return it->second;
    }
    Decomposition decomposition;
    visited.levels = 1;
    visited.status = Read(key, *node, &decomposition, &visited);
    decomposition.status = visited.status;
    decomposition.is_unsafe = visited.is_unsafe;
    found_[key] = std::move(decomposition);
    visited_[key] = visited;
    return visited;
  }

  absl::Status Read(const NodeKey& key, const TfLiteNode& node,
                    Decomposition* out, Visited* visited) {
    if (node.builtin_data == nullptr) {
      return absl::InvalidArgumentError("it names no decomposition");
    }
    const int subgraph =
        static_cast<const CompositeParams*>(node.builtin_data)->subgraph;
    ASSIGN_OR_RETURN(auto found, subgraphs_.Get(subgraph));
    out->context = found;
    if (open_.size() > kMaxOpen ||
        std::find(open_.begin(), open_.end(), found) != open_.end()) {
      visited->is_unsafe = true;
      return absl::InvalidArgumentError(
          absl::StrCat("subgraph ", subgraph,
                       ", its decomposition, leads back to the composite"));
    }
    ASSIGN_OR_RETURN(auto plan, subgraphs_.PlanOf(found));
    out->plan = std::move(plan);
    // First: a composite below that is unsafe must be known.
    RETURN_IF_ERROR(ReadBelow(out, visited));
    if (auto s = CheckGraph(found, find_, out->plan); !s.ok()) {
      visited->is_unsafe = true;
      return s;
    }
    ASSIGN_OR_RETURN(out->border,
                     BorderOf(key.first, key.second, found, out->plan, find_));
    return absl::OkStatus();
  }

  absl::Status ReadLoop(const NodeKey& key, const TfLiteNode& node,
                        Decomposition* out) {
    LoopCondition& condition = out->condition.emplace();
    if (node.builtin_data == nullptr) {
      return absl::InvalidArgumentError("it names no body");
    }
    const auto& params = *static_cast<const WhileParams*>(node.builtin_data);
    ASSIGN_OR_RETURN(auto body, subgraphs_.Get(params.body));
    ASSIGN_OR_RETURN(auto tested, subgraphs_.Get(params.condition));
    out->context = body;
    condition.context = tested;
    if (body == context_ || tested == context_ || body == tested) {
      return absl::InvalidArgumentError(
          "its body or its condition leads back to the loop");
    }
    ASSIGN_OR_RETURN(out->plan, subgraphs_.PlanOf(body));
    ASSIGN_OR_RETURN(condition.plan, subgraphs_.PlanOf(tested));
    absl::Status checked = CheckGraph(body, find_, out->plan);
    checked.Update(CheckGraph(tested, find_, condition.plan));
    out->is_unsafe = !checked.ok();
    if (!checked.ok()) return checked;
    ASSIGN_OR_RETURN(out->border, LoopBorderOf(key.first, key.second, body,
                                               out->plan, find_, &condition));
    return absl::OkStatus();
  }

  absl::Status ReadBelow(Decomposition* out, Visited* visited) {
    open_.push_back(out->context);
    absl::Status status;
    size_t levels = 0;
    int64_t nodes = 0;
    for (int index : out->plan) {
      const Visited below = Visit(out->context, index);
      visited->is_unsafe |= below.is_unsafe;
      status.Update(below.status);
      levels = std::max(levels, below.levels);
      nodes += below.nodes;
    }
    open_.pop_back();
    visited->levels += levels;
    visited->nodes = static_cast<int>(std::min<int64_t>(nodes, kMaxNodes + 1));
    if (!status.ok()) return status;
    if (visited->levels > kMaxLevels || visited->nodes > kMaxNodes) {
      return absl::UnimplementedError(absl::StrCat(
          "its decomposition has more than ", kMaxLevels,
          " levels of composites or more than ", kMaxNodes, " nodes"));
    }
    return absl::OkStatus();
  }

  TfLiteContext* context_;
  const NodeFinder& find_;
  Subgraphs subgraphs_;
  Decompositions found_;
  HashMap<NodeKey, Visited> visited_;
  std::vector<const TfLiteContext*> open_;  // being read, outermost first
};

}  // namespace

bool IsComposite(const TfLiteRegistration& registration) {
  return registration.builtin_code == BuiltinOperator_STABLEHLO_COMPOSITE;
}

bool IsLoop(const TfLiteRegistration& registration) {
  return registration.builtin_code == BuiltinOperator_WHILE;
}

std::string CompositeName(const TfLiteNode& node) {
  if (node.builtin_data == nullptr) return "";
  const char* name =
      static_cast<const CompositeParams*>(node.builtin_data)->name;
  return name == nullptr ? "" : std::string(PrintableName(name));
}

Decompositions FindDecompositions(TfLiteContext* context,
                                  const NodeFinder& find,
                                  absl::Span<const int> plan) {
  return DecompositionFinder(context, find).Find(plan);
}

std::vector<TfLiteContext*> SubgraphsOf(const Decompositions& decompositions) {
  std::vector<TfLiteContext*> subgraphs;
  HashSet<TfLiteContext*> seen;
  for (const auto& [node, decomposition] : decompositions) {
    if (!decomposition.status.ok()) continue;
    const auto& condition = decomposition.condition;
    for (TfLiteContext* subgraph :
         {decomposition.context, condition ? condition->context : nullptr}) {
      if (subgraph != nullptr && seen.insert(subgraph).second) {
        subgraphs.push_back(subgraph);
      }
    }
  }
  return subgraphs;
}

std::vector<TfLiteContext*> SubgraphsBelow(const Decompositions& decompositions,
                                           const NodeKey& node) {
  const auto it = decompositions.find(node);
  if (it == decompositions.end() || !it->second.status.ok()) return {};
  const Decomposition& own = it->second;
  std::vector<TfLiteContext*> subgraphs = {own.context};
  if (own.condition) subgraphs.push_back(own.condition->context);
  for (int index : own.plan) {
    for (TfLiteContext* below :
         SubgraphsBelow(decompositions, {own.context, index})) {
      subgraphs.push_back(below);
    }
  }
  return subgraphs;
}

DecomposedGraph ReadDecomposedGraph(const TfLiteContext& context,
                                    const TensorValues& values,
                                    const DecomposedGraph* before) {
  DecomposedGraph graph;
  for (size_t i = 0; i < context.tensors_size; ++i) {
    const TfLiteTensor& t = context.tensors[i];
    const bool is_of_file = t.allocation_type == kTfLiteMmapRo;
    graph.is_dynamic.push_back(t.allocation_type == kTfLiteDynamic);
    graph.is_of_file.push_back(is_of_file);
    if (is_of_file && before != nullptr && i < before->tensors.size()) {
      graph.tensors.push_back(before->tensors[i]);
      continue;
    }
    Tensor tensor = ReadTensor(t, static_cast<int>(i));
    const auto value = values.find(static_cast<int>(i));
    if (value != values.end()) {
      tensor.constant = value->second;
    } else if (t.allocation_type == kTfLitePersistentRo &&
               t.data.raw != nullptr && t.bytes > 0) {
      // Computed by TFLite's kernels as they are prepared.
      const auto* bytes = reinterpret_cast<const uint8_t*>(t.data.raw);
      tensor.constant =
          ConstantData::Own(std::vector<uint8_t>(bytes, bytes + t.bytes));
    }
    graph.tensors.push_back(std::move(tensor));
  }
  return graph;
}

void ReadDecomposed(const Decompositions& decompositions, const NodeKey& node,
                    DecomposedTensors* decomposed) {
  const auto it = decompositions.find(node);
  if (it == decompositions.end() || !it->second.status.ok() ||
      it->second.condition) {
    return;
  }
  const Decomposition& own = it->second;
  (*decomposed)[node] = ReadDecomposedGraph(*own.context, {}, nullptr);
  for (int index : own.plan) {
    ReadDecomposed(decompositions, {own.context, index}, decomposed);
  }
}

}  // namespace gles_delegate
