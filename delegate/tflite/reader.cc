#include "delegate/tflite/reader.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/float_view.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/recurrent/recurrent.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Weights with a scale for each block of a row: TFLite's blockwise
// quantization, as TfLiteBlockwiseQuantization, which newer runtimes have.
constexpr int kBlockwise = 2;  // kTfLiteBlockwiseQuantization
struct Blocks {
  int scales;  // the tensor that has them, row by row
  int zero_points;
  int size;  // values of one block
  int dimension;
};
using BlockWeights = HashMap<int, Blocks>;  // by TFLite's index

// The scales, or zero points, of blocks. kUnimplemented: not a constant.
absl::StatusOr<std::vector<float>> ConstantOf(const Graph& graph, int id) {
  if (id < 0 || id >= static_cast<int>(graph.tensors.size()) ||
      !graph.tensor(id).is_constant()) {
    return Unimplemented("a tensor that is not a constant");
  }
  return ConstantFloats(graph.tensor(id));
}

absl::StatusOr<std::vector<float>> ScalesOf(const Graph& graph, int id) {
  ASSIGN_OR_RETURN(auto scales, ConstantOf(graph, id));
  const DataType type = graph.tensor(id).stored();
  if (type != DataType::kFloat16 && type != DataType::kFloat32) {
    return Unimplemented(DataTypeName(type),
                         "; they may be float16 or float32");
  }
  return scales;
}

// Notes the tensor's blocks, if there are any; the runtime has it at `id`.
void ReadBlocks(int id, const TfLiteTensor& tensor, BlockWeights* weights) {
  if (QuantizationKind(tensor) != kBlockwise ||
      tensor.quantization.params == nullptr) {
    return;
  }
  std::memcpy(&(*weights)[id], tensor.quantization.params, sizeof(Blocks));
}

// 0 is what a file has that names none.
bool HasZeroPoints(const Blocks& blocks, const Graph& graph) {
  if (blocks.zero_points <= 0) return false;
  const auto zeros = ConstantOf(graph, blocks.zero_points);
  return !zeros.ok() ||
         absl::c_any_of(*zeros, [](float zero) { return zero != 0; });
}

absl::StatusOr<Tensor> ViewOfBlocks(const Tensor& weights, const Blocks& blocks,
                                    const Graph& graph) {
  const auto refused = [&weights](const auto&... words) {
    return absl::StrCat("the blocks of ", weights.ToString(), " have ",
                        words...);
  };
  const int64_t count = weights.shape.elements();
  const auto quantized = weights.constant.bytes();
  if (!weights.is_constant() || weights.stored() != DataType::kInt8 ||
      weights.dims.size() != 2 ||
      static_cast<int64_t>(quantized.size()) < count) {
    return absl::UnimplementedError(
        refused("to be of a constant matrix of int8, int4 or int2"));
  }
  if (HasZeroPoints(blocks, graph)) {
    return absl::UnimplementedError(refused("zero points"));
  }
  auto scales = ScalesOf(graph, blocks.scales);
  if (!scales.ok()) {
    return absl::UnimplementedError(
        refused("as scales ", scales.status().message()));
  }
  if (blocks.dimension != 0 || blocks.size <= 0 ||
      weights.dims[1] % blocks.size != 0 ||
      static_cast<int64_t>(scales->size()) != count / blocks.size) {
    return absl::InvalidArgumentError(
        refused(scales->size(), " scales for blocks of ", blocks.size,
                " values along dimension ", blocks.dimension));
  }
  Tensor view;
  view.name = weights.name;
  view.dims = weights.dims;
  view.shape = weights.shape;
  view.constant = weights.constant;
  view.quantized = DataType::kInt8;
  view.quantization.bits = weights.quantization.bits;
  view.quantization.block = blocks.size;
  view.quantization.zero_point = {0};
  // Shaders may read a subnormal as zero.
  view.quantization.half_scales =
      graph.tensor(blocks.scales).stored() == DataType::kFloat16 &&
      absl::c_all_of(*scales,
                     [](float scale) { return std::fabs(scale) >= 0x1p-14f; });
  view.quantization.scale = *std::move(scales);
  return view;
}

// Puts a float view with the blocks' scales in the place of weights in blocks,
// of an op that takes them. Does nothing to other inputs. `graph` has the
// runtime's tensors. kUnimplemented: the scales are not constants of float16 or
// float32, there are zero points, or the weights are not a constant matrix.
// kInvalidArgument: the scales do not fit.
absl::Status ViewBlocksAsFloat(const BlockWeights& weights, NodeToRead* node,
                               Graph* graph) {
  constexpr size_t kWeights = 1;
  const OpDefinition* op = node->op();
  if (op == nullptr || !op->Has(kTakesBlocks) ||
      node->inputs.size() <= kWeights) {
    return absl::OkStatus();
  }
  const auto found = weights.find(node->inputs[kWeights]);
  if (found == weights.end()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto view, ViewOfBlocks(graph->tensor(found->first),
                                           found->second, *graph));
  node->inputs[kWeights] = graph->AddTensor(std::move(view));
  return absl::OkStatus();
}

// Properties of nodes that depend on the whole model.
struct ModelOverview {
  // Number of nodes that read each variable tensor, by TFLite's tensor index.
  HashMap<int, int> users_of_variable;
  // Ops, as builtin code and version, with some node that computes integers or
  // bools. All nodes of an op in a file have the highest version that any of
  // them needs, so a float node may have a version meant for integers.
  HashSet<std::pair<int, int>> quantized_integers;
};

// The node has int32 or bool tensors that are computed at run time.
bool HoldsIntegers(const Graph& graph, const NodeToRead& node) {
  return absl::c_any_of(TensorsOf(node), [&](int id) {
    const Tensor& t = graph.tensor(id);
    return !t.is_constant() &&
           (t.type == DataType::kInt32 || t.type == DataType::kBool);
  });
}

// LSTM's basic kernel makes variables of two inputs that no node computes,
// whether the file declares them so or not.
void MarkBasicLstmStates(absl::Span<const NodeToRead> nodes, Graph* graph) {
  HashSet<int> made;
  for (const NodeToRead& node : nodes) {
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const NodeToRead& node : nodes) {
    if (node.kernel->builtin_code != BuiltinOperator_LSTM ||
        node.inputs.size() != lstm::basic::kInputs) {
      continue;
    }
    for (int input : {lstm::basic::kPrevActivation, lstm::basic::kPrevState}) {
      const int id = node.inputs[input];
      if (id < 0 || made.contains(id)) continue;
      Tensor& t = graph->tensor(id);
      t.is_variable = !t.is_constant();
    }
  }
}

// Inspects all nodes of the model, in execution order. Adds the views that
// depend on neighbouring nodes (int64; with `enable_quantization` inputs of
// hybrid nodes), and marks tensors as variable that nodes use as such without
// being declared.
ModelOverview LookOver(absl::Span<const NodeToRead> nodes,
                       bool enable_quantization, Graph* graph) {
  ModelOverview overview;
  for (const NodeToRead& node : nodes) {
    if (HoldsIntegers(*graph, node)) {
      overview.quantized_integers.insert(
          {node.kernel->builtin_code, node.kernel->version});
    }
  }
  ChooseInt64Views(nodes, graph);
  if (enable_quantization) ViewHybridInputs(nodes, graph);
  MarkBasicLstmStates(nodes, graph);
  for (const NodeToRead& node : nodes) {
    const HashSet<int> inputs(node.inputs.begin(), node.inputs.end());
    for (int id : inputs) {
      if (id >= 0 && graph->tensor(id).is_variable) {
        ++overview.users_of_variable[id];
      }
    }
  }
  return overview;
}

class ModelReader {
 public:
  ModelReader(TfLiteContext* context, const ModelNodes& nodes,
              const DeviceProfile& profile, const ReadOptions& options)
      : context_(context),
        nodes_(nodes),
        profile_(profile),
        options_(options) {}

  absl::StatusOr<CheckedModel> Read() {
    if (!nodes_.graph.ok()) return RefuseAll();
    for (size_t i = 0; i < context_->tensors_size; ++i) {
      Tensor tensor = ReadTensor(context_->tensors[i], static_cast<int>(i));
      tensor.constant.SetInOtherSubgraphs(
          nodes_.constants_elsewhere.contains(context_->tensors[i].data.raw));
      const auto value = nodes_.shapes.values.find(static_cast<int>(i));
      if (value != nodes_.shapes.values.end()) tensor.constant = value->second;
      if (options_.enable_quantization) {
        ReadBlocks(static_cast<int>(i), context_->tensors[i], &block_weights_);
      }
      AddTensor(std::move(tensor));
    }
    ASSIGN_OR_RETURN(
        inlined_,
        InlineComposites(context_, nodes_, model_.graph, [this](Tensor tensor) {
          return AddOwnTensor(std::move(tensor));
        }));
    overview_ =
        LookOver(inlined_.all, options_.enable_quantization, &model_.graph);
    for (const InlinedNodes& node : inlined_.nodes) {
      RETURN_IF_ERROR(ReadNode(node));
    }
    return std::move(model_);
  }

 private:
  // Keeps all nodes of a graph with a fault on the CPU.
  absl::StatusOr<CheckedModel> RefuseAll() {
    if (!absl::IsFailedPrecondition(nodes_.graph)) return nodes_.graph;
    for (int index : nodes_.plan) {
      ASSIGN_OR_RETURN(const auto found, nodes_.find.Get(context_, index));
      CheckedNode checked;
      checked.index = index;
      checked.op = OpName(*found.kernel);
      checked.support = nodes_.graph;
      model_.Add(std::move(checked));
    }
    return std::move(model_);
  }

  // One that is none of the model's, and not made by a pass.
  TensorId AddOwnTensor(Tensor tensor) {
    tensor.tflite_index = static_cast<int>(model_.graph.tensors.size());
    return AddTensor(std::move(tensor));
  }

  // The tensor with the view that ops see of it.
  TensorId AddTensor(Tensor tensor) {
    if (options_.enable_quantization && IsQuantizedType(tensor.type) &&
        CheckQuantization(tensor).ok()) {
      ViewAsFloat(&tensor);
      // 16 bits hold no 16-bit integers, and sums of 8-bit ones round
      // otherwise.
      tensor.always_float32 = profile_.options.half;
    } else {
      ViewForHost(&tensor);
    }
    return model_.graph.AddTensor(std::move(tensor));
  }

  absl::Status ReadNode(const InlinedNodes& inlined) {
    const int index = inlined.index;
    ASSIGN_OR_RETURN(const auto found, nodes_.find.Get(context_, index));
    CheckedNode checked;
    checked.index = index;
    checked.op = OpName(*found.kernel);
    checked.inputs = ReadInts(found.node->inputs);
    checked.outputs = ReadInts(found.node->outputs);
    checked.tensors = Tensors(checked);
    const auto refused = nodes_.shapes.refusals.find(index);
    if (refused != nodes_.shapes.refusals.end()) {
      checked.support = absl::FailedPreconditionError(refused->second);
    } else if (inlined.is_inlined) {
      const bool is_loop = IsLoop(*found.kernel);
      const std::string name = is_loop ? "" : CompositeName(*found.node);
      if (!is_loop) absl::StrAppend(&checked.op, " ", name);
      if (!name.empty()) model_.graph.composites[index] = name;
      checked.support = CheckInlined(
          *found.node, inlined, is_loop ? "body" : "decomposition", &checked);
    } else {
      checked.support = CheckOwn(inlined_.all[inlined.begin], &checked);
    }
    model_.Add(std::move(checked));
    return absl::OkStatus();
  }

  // Of a CheckedNode or a NodeToRead.
  template <typename T>
  std::string Tensors(const T& node) const {
    const auto list = [this](const std::vector<int>& ids) {
      return absl::StrJoin(ids, ", ", [this](std::string* out, int id) {
        absl::StrAppend(out, id < 0 ? "-" : model_.graph.tensor(id).ToString());
      });
    };
    return absl::StrCat(list(node.inputs), " -> ", list(node.outputs));
  }

  // The option float32_nodes, and quantized nodes: what they write, their
  // states among it. Their constants follow (passes/keep_float32.cc).
  void KeepFloat32(Node* node) {
    for (TensorId id : TensorsOf(*node)) {
      const Tensor& t = model_.graph.tensor(id);
      node->always_float32 |=
          profile_.options.half && t.is_float_view() && !t.is_constant();
    }
    for (const auto& [first, last] : options_.float32_nodes) {
      if (node->tflite_index < first || node->tflite_index > last) continue;
      node->always_float32 = true;
      for (TensorId id : node->outputs) {
        model_.graph.tensor(id).always_float32 = true;
      }
      for (TensorId id : node->inputs) {
        if (id == kNoTensor || !model_.graph.tensor(id).is_variable) continue;
        model_.graph.tensor(id).always_float32 = true;
      }
    }
  }

  // A composite or a loop runs if all nodes that it stands for do.
  absl::Status CheckInlined(const TfLiteNode& node, const InlinedNodes& inlined,
                            absl::string_view noun, CheckedNode* out) {
    RETURN_IF_ERROR(CheckMayTake(node, *out));
    RETURN_IF_ERROR(inlined.status);
    for (size_t i = inlined.begin; i < inlined.end; ++i) {
      const NodeToRead& inner = inlined_.all[i];
      absl::Status checked = Check(inner, out);
      if (checked.ok()) continue;
      return absl::Status(
          checked.code(),
          absl::StrCat(OpName(*inner.kernel), " of its ", noun, ": ",
                       checked.message(), " [", Tensors(inner), "]"));
    }
    out->folded = out->nodes.empty();
    return absl::OkStatus();
  }

  absl::Status CheckOwn(NodeToRead node, CheckedNode* out) {
    if (node.kernel->prepare == nullptr &&
        FindOp(node.kernel->builtin_code, "") != nullptr) {
      // Parsers rely on the shapes that the runtime's kernel gives.
      return Unimplemented("the runtime's kernel gives its outputs no shapes");
    }
    RETURN_IF_ERROR(ViewBlocksAsFloat(block_weights_, &node, &model_.graph));
    return Check(std::move(node), out);
  }

  absl::Status CheckMayTake(const TfLiteNode& node,
                            const CheckedNode& checked) const {
    for (const auto& [first, last] : options_.exclude_nodes) {
      if (checked.index >= first && checked.index <= last) {
        return absl::CancelledError("excluded by the option exclude_nodes");
      }
    }
    if (node.delegate != nullptr) {
      return Unavailable("another delegate has taken the node");
    }
    return absl::OkStatus();
  }

  // Adds what runs to `out`.
  absl::Status Check(NodeToRead node, CheckedNode* out) {
    RETURN_IF_ERROR(CheckMayTake(node.node, *out));
    // All that the node writes is known by the shapes of the inputs.
    if (!node.outputs.empty() && absl::c_all_of(node.outputs, [this](int id) {
          return nodes_.shapes.values.contains(id);
        })) {
      out->folded = true;
      out->follows_from_shapes = true;
      return absl::OkStatus();
    }
    const OpDefinition* op = node.op();
    if (op == nullptr) return Unimplemented("the op has no GPU version");
    if (op->Has(kJoins)) {
      // Parts without elements add nothing to the output.
      std::vector<int> parts;
      absl::c_copy_if(node.inputs, std::back_inserter(parts), [this](int id) {
        return id < 0 ||
               !absl::c_linear_search(model_.graph.tensor(id).dims, 0);
      });
      node.inputs = std::move(parts);
    }
    RETURN_IF_ERROR(CheckNode(model_.graph, node, *op, options_,
                              nodes_.shapes.unknown,
                              overview_.users_of_variable));
    const bool other_types =
        options_.enable_quantization ||
        overview_.quantized_integers.contains(
            {node.kernel->builtin_code, node.kernel->version});
    RETURN_IF_ERROR(CheckVersion(*op, node.kernel->version, other_types));
    ASSIGN_OR_RETURN(Node result,
                     ParseNode(*op, node, options_, &model_.graph));
    result.tflite_index = out->index;
    KeepFloat32(&result);
    ASSIGN_OR_RETURN(auto folded, FoldConstantNode(&model_.graph, result));
    if (folded) {
      out->folded = true;
      return absl::OkStatus();
    }
    if (options_.simulate_quantization) {
      RETURN_IF_ERROR(AddSimulator(model_.graph, &result));
    }
    RETURN_IF_ERROR(CheckTensors(model_.graph, node, options_));
    // The check is the plan. Temporaries that it makes stay unused in the
    // graph.
    Planner planner(&model_.graph, profile_);
    RETURN_IF_ERROR(PlanNode(result, &planner));
    out->nodes.push_back(std::move(result));
    return absl::OkStatus();
  }

  TfLiteContext* context_;
  const ModelNodes& nodes_;
  const DeviceProfile& profile_;
  const ReadOptions& options_;
  CheckedModel model_;
  BlockWeights block_weights_;
  InlinedModel inlined_;
  ModelOverview overview_;
};

}  // namespace

absl::StatusOr<ModelNodes> FindNodes(TfLiteContext* context) {
  ModelNodes nodes;
  nodes.find = NodeFinder(*context);
  ASSIGN_OR_RETURN(nodes.plan, nodes.find.PlanOf(context));
  // Finding decompositions changes shapes, which are right again once all nodes
  // have been prepared.
  nodes.graph = CheckGraph(context, nodes.find, nodes.plan);
  if (!nodes.graph.ok()) return nodes;
  nodes.decompositions = FindDecompositions(context, nodes.find, nodes.plan);
  nodes.constants_elsewhere =
      Subgraphs(context).ConstantsExcept(SubgraphsOf(nodes.decompositions));
  return nodes;
}

absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options) {
  return ModelReader(context, nodes, profile, options).Read();
}

absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options) {
  ASSIGN_OR_RETURN(auto nodes, FindNodes(context));
  return ReadModel(context, nodes, profile, options);
}

}  // namespace gles_delegate
