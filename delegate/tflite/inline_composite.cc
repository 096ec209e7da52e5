// Of reader.h: what is inlined of subgraphs.
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {
namespace {

TfLiteRegistration Builtin(int code) {
  TfLiteRegistration registration = {};
  registration.builtin_code = code;
  registration.version = 1;
  return registration;
}

// Of the same type, and of the same rows but for their number.
bool HaveSameRows(const Tensor& a, const Tensor& b) {
  return !a.dims.empty() && a.dims.size() == b.dims.size() &&
         std::equal(a.dims.begin() + 1, a.dims.end(), b.dims.begin() + 1) &&
         a.stored() == b.stored() && a.is_complex == b.is_complex &&
         a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

// The first value of a constant vector of integers.
std::optional<int> FirstOf(const Tensor& tensor) {
  auto values = ConstantInts(tensor);
  if (!values.ok() || values->empty()) return std::nullopt;
  return values->front();
}

// The lists of a loop's results, without a copy of the list in each step.
// Converters write row i of a list as a CONCATENATION of the rows before it,
// the new row and the rows after it, or as a DYNAMIC_UPDATE_SLICE. This notes
// which rows such tensors consist of. Nodes that join them are made only for
// lists that other nodes read: of a loop's list, once after the last step.
class JoinedRows {
 public:
  // Both must outlive this.
  JoinedRows(const Graph& graph, const std::function<TensorId(Tensor)>& add)
      : graph_(graph), add_(add) {}

  // True: the node moves whole rows, that is, along the first axis, and its
  // output is noted. It is not needed otherwise.
  bool Take(const NodeToRead& node) {
    const std::vector<int>& inputs = node.inputs;
    const std::vector<int>& outputs = node.outputs;
    const auto is_absent = [](int id) { return id < 0; };
    if (outputs.size() != 1 || is_absent(outputs[0]) ||
        absl::c_any_of(inputs, is_absent)) {
      return false;
    }
    const Tensor& to = graph_.tensor(outputs[0]);
    const auto has_same_rows = [&](int id) {
      return HaveSameRows(graph_.tensor(id), to);
    };
    const auto rows_of = [&](int id) { return graph_.tensor(id).dims[0]; };
    std::vector<Rows> rows;
    const auto add = [&](TensorId id, int begin, int end) {
      for (const Rows& r : RowsOf(id, begin, end)) rows.push_back(r);
    };
    switch (node.kernel->builtin_code) {
      case BuiltinOperator_SLICE: {
        if (inputs.size() != 3 || !has_same_rows(inputs[0])) return false;
        const auto begin = FirstOf(graph_.tensor(inputs[1]));
        if (!begin || *begin < 0 || *begin > rows_of(inputs[0]) - to.dims[0]) {
          return false;
        }
        add(inputs[0], *begin, *begin + to.dims[0]);
        break;
      }
      case BuiltinOperator_CONCATENATION: {
        const auto* params =
            static_cast<const ConcatenationParams*>(node.node.builtin_data);
        const int rank = static_cast<int>(to.dims.size());
        if (params == nullptr || params->activation != 0 ||
            (params->axis != 0 && params->axis != -rank) ||
            !absl::c_all_of(inputs, has_same_rows) ||
            absl::c_none_of(inputs,
                            [this](int id) { return noted_.contains(id); })) {
          return false;
        }
        for (int id : inputs) add(id, 0, rows_of(id));
        break;
      }
      case BuiltinOperator_DYNAMIC_UPDATE_SLICE: {
        if (inputs.size() != 3 || !has_same_rows(inputs[0]) ||
            !has_same_rows(inputs[1])) {
          return false;
        }
        const auto start = FirstOf(graph_.tensor(inputs[2]));
        const int last = rows_of(inputs[0]) - rows_of(inputs[1]);
        if (!start || last < 0) return false;
        const int begin = std::clamp(*start, 0, last);
        add(inputs[0], 0, begin);
        add(inputs[1], 0, rows_of(inputs[1]));
        add(inputs[0], begin + rows_of(inputs[1]), rows_of(inputs[0]));
        break;
      }
      default:
        return false;
    }
    noted_[outputs[0]] = std::move(rows);
    return true;
  }

  // True: the node is a GATHER of one row, and nodes that cost less were added.
  bool TakeRow(const NodeToRead& node) {
    const std::vector<int>& inputs = node.inputs;
    const auto* params =
        static_cast<const GatherParams*>(node.node.builtin_data);
    if (node.kernel->builtin_code != BuiltinOperator_GATHER ||
        params == nullptr || inputs.size() != 2 || node.outputs.size() != 1 ||
        params->axis != 0 || params->batch_dims != 0) {
      return false;
    }
    Tensor row = graph_.tensor(inputs[0]);
    const auto index = FirstOf(graph_.tensor(inputs[1]));
    if (!index || row.dims.empty() || *index < 0 || *index >= row.dims[0] ||
        !graph_.tensor(inputs[1]).dims.empty() || row.is_constant()) {
      return false;
    }
    row.dims[0] = 1;
    row.shape = Shape::FromDims(row.dims);
    const std::vector<Rows> rows = RowsOf(inputs[0], *index, *index + 1);
    const TensorId id = add_(std::move(row));
    noted_[id] = rows;
    Write(id);
    Copy(id, node.outputs[0]);
    return true;
  }

  // Adds the nodes that write `id`, if it is noted.
  void Write(TensorId id) {
    static ConcatenationParams params = {/*axis=*/0, /*activation=*/0};
    const auto noted = noted_.find(id);
    if (noted == noted_.end()) return;
    const std::vector<Rows> rows = std::move(noted->second);
    noted_.erase(noted);
    if (rows.empty()) return;  // nodes that read it are refused
    if (rows.size() == 1) {
      if (IsAll(rows[0])) {
        Copy(rows[0].of, id);
      } else {
        Slice(rows[0], id);
      }
      return;
    }
    std::vector<int> parts;
    for (const Rows& r : rows) {
      if (IsAll(r)) {
        parts.push_back(r.of);
        continue;
      }
      Tensor part = graph_.tensor(id);
      part.dims[0] = r.end - r.begin;
      part.shape = Shape::FromDims(part.dims);
      parts.push_back(add_(std::move(part)));
      Slice(r, parts.back());
    }
    static const auto kernel = Builtin(BuiltinOperator_CONCATENATION);
    nodes_->push_back({{}, &kernel, parts, {id}});
    nodes_->back().node.builtin_data = &params;
  }

  // Adds a node that copies one tensor to another.
  void Copy(TensorId from, TensorId to) {
    static const auto kernel = Builtin(BuiltinOperator_RESHAPE);
    nodes_->push_back(
        {{}, &kernel, {from, AddInts(graph_.tensor(to).dims)}, {to}});
  }

  // Adds the nodes of a loop to `nodes` from now on.
  void Begin(std::vector<NodeToRead>* nodes) {
    noted_.clear();
    nodes_ = nodes;
  }
  // Forgets all other tensors, which are not read from now on.
  void KeepOnly(const std::vector<TensorId>& ids) {
    HashMap<TensorId, std::vector<Rows>> kept;
    for (TensorId id : ids) {
      const auto noted = noted_.find(id);
      if (noted != noted_.end()) kept[id] = noted->second;
    }
    noted_ = std::move(kept);
  }

 private:
  struct Rows {
    TensorId of;  // not noted
    int begin;
    int end;
  };

  std::vector<Rows> RowsOf(TensorId id, int begin, int end) const {
    if (begin >= end) return {};
    const auto noted = noted_.find(id);
    if (noted == noted_.end()) return {{id, begin, end}};
    std::vector<Rows> rows;
    int at = 0;
    for (const Rows& r : noted->second) {
      const int first = std::max(begin, at);
      const int last = std::min(end, at + r.end - r.begin);
      if (first < last) {
        rows.push_back({r.of, r.begin + first - at, r.begin + last - at});
      }
      at += r.end - r.begin;
    }
    return rows;
  }
  bool IsAll(const Rows& rows) const {
    return rows.begin == 0 && rows.end == graph_.tensor(rows.of).dims[0];
  }
  TensorId AddInts(const std::vector<int>& values) {
    Tensor tensor;
    tensor.name = "rows";
    tensor.type = DataType::kInt32;
    tensor.SetDims({static_cast<int>(values.size())});
    tensor.constant = ConstantData::Of(values);
    return add_(std::move(tensor));
  }
  void Slice(const Rows& rows, TensorId to) {
    static const auto kernel = Builtin(BuiltinOperator_SLICE);
    std::vector<int> size = graph_.tensor(to).dims;
    std::vector<int> begin(size.size(), 0);
    begin[0] = rows.begin;
    nodes_->push_back(
        {{}, &kernel, {rows.of, AddInts(begin), AddInts(size)}, {to}});
  }

  const Graph& graph_;
  const std::function<TensorId(Tensor)>& add_;
  HashMap<TensorId, std::vector<Rows>> noted_;
  std::vector<NodeToRead>* nodes_ = nullptr;
};

std::string Quoted(const Tensor& tensor) {
  return absl::StrCat("'", PrintableName(tensor.name), "'");
}

// A composite and a loop copy bytes to their subgraph and back, whatever they
// mean.
absl::Status CheckSame(absl::string_view noun, const Tensor& outside,
                       const Tensor& inside) {
  const Quantization& a = outside.quantization;
  const Quantization& b = inside.quantization;
  if (outside.stored() == inside.stored() && outside.dims == inside.dims &&
      outside.is_complex == inside.is_complex && a.scale == b.scale &&
      a.zero_point == b.zero_point) {
    return absl::OkStatus();
  }
  return Unimplemented(
      "its ", noun,
      " has another type, shape or quantization: ", outside.ToString(),
      " outside and ", inside.ToString(), " inside");
}

class CompositeInliner {
 public:
  CompositeInliner(const ModelNodes& nodes, const Graph& graph,
                   const std::function<TensorId(Tensor)>& add)
      : nodes_(nodes), graph_(graph), add_(add), rows_(graph, add) {}

  absl::StatusOr<InlinedModel> Expand(TfLiteContext* context);

 private:
  class Level;

  // The nodes of a composite, or of a loop's steps.
  absl::Status Inline(const NodeKey& key, const std::vector<int>& inputs,
                      const std::vector<int>& outputs,
                      std::vector<NodeToRead>* nodes);

  const ModelNodes& nodes_;
  const Graph& graph_;
  const std::function<TensorId(Tensor)>& add_;
  JoinedRows rows_;
  // Of the file, by subgraph and TFLite's tensor index.
  HashMap<NodeKey, TensorId> constants_;
};

// The tensors of one decomposition, or of one step of a loop, as they are in
// the graph.
class CompositeInliner::Level {
 public:
  Level(CompositeInliner* inliner, const Decomposition& decomposition,
        const DecomposedGraph& own)
      : inliner_(*inliner),
        decomposition_(decomposition),
        own_(own),
        ids_(own.tensors.size(), kNoTensor),
        is_ready_(own.tensors.size(), false) {}

  // Lets the node's tensors be those of the subgraph. Those with known values
  // are constants.
  absl::Status BindInputs(const std::vector<int>& inputs) {
    for (const auto& [id, position] : decomposition_.border.inputs) {
      if (own_.tensors[id].is_constant() && decomposition_.condition) continue;
      const int outside = inputs[position];
      RETURN_IF_ERROR(BindOne(outside, id));
      if (inliner_.graph_.tensor(outside).is_variable) {
        return Refused("gets the state", own_.tensors[id]);
      }
      is_ready_[id] = true;
    }
    return absl::OkStatus();
  }
  // The same for its outputs. A loop may also pass on an input or a constant.
  absl::Status BindOutputs(const std::vector<int>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int id = decomposition_.border.outputs[i];
      if (decomposition_.condition && (IsKnown(id) || outputs[i] < 0)) continue;
      RETURN_IF_ERROR(BindOne(outputs[i], id));
    }
    return absl::OkStatus();
  }

  // Adds the subgraph's nodes, except those whose outputs are known.
  absl::Status AddNodes(std::vector<NodeToRead>* nodes) {
    for (int index : decomposition_.plan) {
      ASSIGN_OR_RETURN(const auto found,
                       inliner_.nodes_.find.Get(decomposition_.context, index));
      const std::vector<int> written = ReadInts(found.node->outputs);
      const auto is_constant = [this](int id) {
        return id >= 0 && own_.tensors[id].is_constant();
      };
      if (decomposition_.condition && !written.empty() &&
          absl::c_all_of(written, is_constant)) {
        continue;
      }
      ASSIGN_OR_RETURN(auto reads, Read(found.node->inputs));
      ASSIGN_OR_RETURN(auto writes, Write(written));
      RETURN_IF_ERROR(AddNode(
          index,
          {*found.node, found.kernel, std::move(reads), std::move(writes)},
          nodes));
    }
    return absl::OkStatus();
  }

  // The ids of the subgraph's outputs.
  std::vector<int> Outputs() {
    std::vector<int> ids;
    for (int id : decomposition_.border.outputs) ids.push_back(IdOf(id));
    return ids;
  }

  absl::Status CheckWritten() const {
    for (int id : decomposition_.border.outputs) {
      if (!IsKnown(id)) return Refused("never writes", own_.tensors[id]);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Refused(absl::string_view what, const Tensor& tensor) const {
    return Unimplemented("its ", decomposition_.noun(), " ", what, " ",
                         Quoted(tensor));
  }

  bool IsKnown(int id) const {
    return is_ready_[id] || own_.tensors[id].is_constant();
  }

  absl::Status AddNode(int index, NodeToRead node,
                       std::vector<NodeToRead>* nodes) {
    if (decomposition_.condition) {
      JoinedRows& rows = inliner_.rows_;
      if (rows.Take(node) || rows.TakeRow(node)) return absl::OkStatus();
      for (int id : node.inputs) rows.Write(id);
    } else if (IsComposite(*node.kernel)) {
      return Labelled(
          inliner_.Inline({decomposition_.context, index}, node.inputs,
                          node.outputs, nodes),
          absl::StrCat("STABLEHLO_COMPOSITE ", CompositeName(node.node)));
    }
    nodes->push_back(std::move(node));
    return absl::OkStatus();
  }

  // The ids of what a node reads, which must have been written.
  absl::StatusOr<std::vector<int>> Read(const TfLiteIntArray* tensors) {
    std::vector<int> ids = ReadInts(tensors);
    for (int& id : ids) {
      if (id < 0) continue;
      const Tensor& tensor = own_.tensors[id];
      if (!tensor.is_constant() && !is_ready_[id]) {
        return Refused(tensor.is_variable ? "has the state"
                                          : "reads, before any node writes it,",
                       tensor);
      }
      id = IdOf(id);
    }
    return ids;
  }

  // The ids of what a node writes, from now on.
  absl::StatusOr<std::vector<int>> Write(std::vector<int> ids) {
    for (int& id : ids) {
      if (id < 0) continue;
      const Tensor& tensor = own_.tensors[id];
      if (tensor.is_constant() || tensor.is_variable || is_ready_[id]) {
        return Refused("writes again", tensor);
      }
      if (own_.is_dynamic[id]) {
        return Unimplemented("its ", decomposition_.noun(), " has ",
                             tensor.ToString(),
                             ", whose shape is known only at run time");
      }
      is_ready_[id] = true;
      id = IdOf(id);
    }
    return ids;
  }

  absl::Status BindOne(int outside, int id) {
    const Tensor& inside = own_.tensors[id];
    if (outside < 0) return Refused("is given nothing for", inside);
    if (ids_[id] != kNoTensor || inside.is_constant()) {
      return Refused("passes on", inside);
    }
    ids_[id] = outside;
    return CheckSame(decomposition_.noun(), inliner_.graph_.tensor(outside),
                     inside);
  }

  TensorId IdOf(int id) {
    if (ids_[id] != kNoTensor) return ids_[id];
    const Tensor& tensor = own_.tensors[id];
    if (!own_.is_of_file[id]) {
      Tensor added = tensor;
      const std::vector<int>& outputs = decomposition_.border.outputs;
      if (decomposition_.condition && absl::c_linear_search(outputs, id)) {
        added.nodes_of_step = decomposition_.plan.size();
      }
      ids_[id] = inliner_.add_(std::move(added));
    } else {
      const auto [it, is_new] = inliner_.constants_.try_emplace(
          NodeKey(decomposition_.context, id), kNoTensor);
      if (is_new) it->second = inliner_.add_(tensor);
      ids_[id] = it->second;
    }
    return ids_[id];
  }

  CompositeInliner& inliner_;
  const Decomposition& decomposition_;
  const DecomposedGraph& own_;
  std::vector<TensorId> ids_;
  std::vector<bool> is_ready_;
};

absl::StatusOr<InlinedModel> CompositeInliner::Expand(TfLiteContext* context) {
  InlinedModel model;
  std::vector<NodeToRead>& all = model.all;
  for (int index : nodes_.plan) {
    ASSIGN_OR_RETURN(const auto found, nodes_.find.Get(context, index));
    const size_t begin = all.size();
    NodeToRead own = {*found.node, found.kernel, ReadInts(found.node->inputs),
                      ReadInts(found.node->outputs)};
    const bool is_inlined = IsLoop(*own.kernel) || IsComposite(*own.kernel);
    absl::Status status;
    if (is_inlined) {
      status = Inline({context, index}, own.inputs, own.outputs, &all);
      if (!status.ok()) all.erase(all.begin() + begin, all.end());
    }
    if (!is_inlined || !status.ok()) all.push_back(std::move(own));
    model.nodes.push_back({index, is_inlined, status, begin, all.size()});
  }
  return model;
}

absl::Status CompositeInliner::Inline(const NodeKey& key,
                                      const std::vector<int>& inputs,
                                      const std::vector<int>& outputs,
                                      std::vector<NodeToRead>* nodes) {
  const auto found = nodes_.decompositions.find(key);
  if (found == nodes_.decompositions.end()) {
    return Internal("its subgraph was not looked for");
  }
  const Decomposition& decomposition = found->second;
  const auto known = nodes_.shapes.steps.find(key);
  if (known == nodes_.shapes.steps.end()) {
    if (decomposition.condition) {
      return Unimplemented(
          "an input has a shape that is known only at run time");
    }
    RETURN_IF_ERROR(decomposition.status);
    return Unimplemented(
        "TFLite's own kernel has not prepared its decomposition");
  }
  RETURN_IF_ERROR(known->second.status);
  const std::vector<DecomposedGraph>& steps = known->second.graphs;
  const bool is_loop = decomposition.condition.has_value();
  if (is_loop) rows_.Begin(nodes);
  std::vector<int> state = inputs;
  for (size_t step = 0; step < steps.size(); ++step) {
    Level level(this, decomposition, steps[step]);
    RETURN_IF_ERROR(level.BindInputs(state));
    if (step + 1 == steps.size()) RETURN_IF_ERROR(level.BindOutputs(outputs));
    RETURN_IF_ERROR(level.AddNodes(nodes));
    RETURN_IF_ERROR(level.CheckWritten());
    state = level.Outputs();
    if (is_loop) rows_.KeepOnly(state);
  }
  if (!is_loop) return absl::OkStatus();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] < 0) continue;  // not read
    rows_.Write(state[i]);
    const bool is_written = state[i] == outputs[i];
    if (is_written || graph_.tensor(outputs[i]).is_constant()) continue;
    RETURN_IF_ERROR(
        CheckSame("body", graph_.tensor(outputs[i]), graph_.tensor(state[i])));
    rows_.Copy(state[i], outputs[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InlinedModel> InlineComposites(
    TfLiteContext* context, const ModelNodes& nodes, const Graph& graph,
    const std::function<TensorId(Tensor)>& add) {
  return CompositeInliner(nodes, graph, add).Expand(context);
}

}  // namespace gles_delegate
