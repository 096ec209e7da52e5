#include "delegate/ops/movement/space_batch.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

struct Blocks {
  std::vector<int> block;  // of each spatial axis
  std::vector<int> edges;  // before and after each: paddings or crops
};

absl::StatusOr<Blocks> ParseBlocks(const NodeView& node,
                                   absl::string_view edges_name) {
  const size_t rank = node.inputs[0]->dims.size();
  if (rank != 3 && rank != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input is ", DimsString(node.inputs[0]->dims), ", wants rank 3 or 4"));
  }
  ASSIGN_OR_RETURN(auto block, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto edges, IntsOfInput(node, 2));
  const size_t axes = rank - 2;
  if (block.size() != axes || edges.size() != 2 * axes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the block has ", block.size(), " elements and ",
                     edges_name, " ", edges.size(), ", an input of rank ", rank,
                     " wants ", axes, " and ", 2 * axes));
  }
  for (int b : block) {
    if (b < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("a block of ", b, " must be at least 1"));
    }
  }
  for (int e : edges) {
    if (e < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(edges_name, " hold ", e, ", which is negative"));
    }
  }
  return Blocks{std::move(block), std::move(edges)};
}

SpaceBatchAttributes AttributesOf(const Blocks& b) {
  SpaceBatchAttributes a;
  if (b.block.size() == 2) {
    a = {b.block[0], b.block[1], b.edges[0], b.edges[2], 0};
  } else {
    a.block_w = b.block[0];  // the one spatial axis of rank 3 is the width
    a.left = b.edges[0];
  }
  return a;
}

// The output's shape. kInvalidArgument: an extent that is past int.
absl::Status CheckExtents(const Tensor& output,
                          const std::vector<int64_t>& extents) {
  std::vector<int> want;
  for (int64_t e : extents) {
    if (e < 0 || e > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("its inputs give the output an axis of ", e));
    }
    want.push_back(static_cast<int>(e));
  }
  return CheckOutputDims(output, want);
}

absl::Status PlanSpaceBatch(const Node& node, bool to_batch, Planner* planner) {
  const auto& a = std::any_cast<const SpaceBatchAttributes&>(node.attributes);
  Dispatch d = TexelDispatch("space_batch", node, *planner);
  if (to_batch) d.Define("TO_BATCH");
  d.uniforms.Int2("block", a.block_w, a.block_h);
  d.uniforms.Int2("edge", a.left, a.top);
  d.uniforms.Float("fill", a.fill);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

// kInvalidArgument: blocks below 1, negative paddings, sizes that are not
// divisible, or a wrong output shape.
absl::StatusOr<ParsedNode> ParseSpaceToBatch(const NodeView& node) {
  ASSIGN_OR_RETURN(auto blocks, ParseBlocks(node, "the paddings"));
  const std::vector<int>& dims = node.inputs[0]->dims;
  std::vector<int64_t> want(dims.begin(), dims.end());
  for (size_t i = 0; i < blocks.block.size(); ++i) {
    const int block = blocks.block[i];
    const int64_t padded =
        want[i + 1] + blocks.edges[2 * i] + blocks.edges[2 * i + 1];
    if (padded % block != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("block ", block, " does not divide axis ", i + 1,
                       ", which has ", padded, " elements with its paddings"));
    }
    want[i + 1] = padded / block;
    want[0] *= block;
    if (want[0] > std::numeric_limits<int>::max()) break;  // refused below
  }
  RETURN_IF_ERROR(CheckExtents(*node.outputs[0], want));
  return ParsedNode{AttributesOf(blocks), {}};
}

absl::StatusOr<ParsedNode> ParseBatchToSpace(const NodeView& node) {
  ASSIGN_OR_RETURN(auto blocks, ParseBlocks(node, "the crops"));
  const std::vector<int>& dims = node.inputs[0]->dims;
  std::vector<int64_t> want(dims.begin(), dims.end());
  for (size_t i = 0; i < blocks.block.size(); ++i) {
    const int block = blocks.block[i];
    if (want[0] % block != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "blocks of ", block, " do not divide a batch of ", want[0]));
    }
    want[0] /= block;
    want[i + 1] =
        want[i + 1] * block - blocks.edges[2 * i] - blocks.edges[2 * i + 1];
  }
  RETURN_IF_ERROR(CheckExtents(*node.outputs[0], want));
  return ParsedNode{AttributesOf(blocks), {}};
}

absl::Status PlanSpaceToBatch(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/true, planner);
}

absl::Status PlanBatchToSpace(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/false, planner);
}

}  // namespace gles_delegate
