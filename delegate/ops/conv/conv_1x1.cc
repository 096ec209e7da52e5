#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/stages.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {
namespace {

bool AppliesConv1x1(const Convolution& conv, const Planner& planner) {
  return IsRowProduct(conv, planner.profile().choices) &&
         conv.RowsArePixels() && conv.HasManyPixels();
}

int64_t MultiplyAddsOf(const Convolution& conv) {
  constexpr int kOfTwoTexels = 16;
  return int64_t{conv.pixels()} * conv.term_texels() * conv.dst_shape.slices() *
         kOfTwoTexels;
}

bool SameFunctions(const std::vector<PostOp>& a, const std::vector<PostOp>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PostOp& x, const PostOp& y) {
                      return x.function == y.function;
                    });
}

// True if the shader reads and writes both convolutions in the same way. With
// equal functions and tiles they share a program.
bool ReadAndWriteAlike(const Convolution& a, const Convolution& b) {
  const auto last_texel_is_full = [](const Convolution& conv) {
    return conv.dst_shape.c % 4 == 0;
  };
  return a.integer_path == b.integer_path &&
         a.quantized_rows == b.quantized_rows &&
         SameFunctions(a.input_stage, b.input_stage) &&
         last_texel_is_full(a) == last_texel_is_full(b);
}

// The node whose result is the convolution's; nullptr: a dispatch in the middle
// of a node reads it.
const Node* NodeOf(const Convolution& conv, const Graph& graph) {
  const auto writes = [&](const Node& node) {
    return !node.outputs.empty() && node.outputs[0] == conv.dst;
  };
  const auto it = std::find_if(graph.nodes.begin(), graph.nodes.end(), writes);
  return it == graph.nodes.end() ? nullptr : &*it;
}

// True if the convolution is followed by a function of its result and another
// quantized tensor.
bool IsResidualInIntegers(const Convolution& conv, const Graph& graph) {
  const Node* node = NodeOf(conv, graph);
  return conv.integer_path && node != nullptr &&
         std::any_of(node->post_ops.begin(), node->post_ops.end(),
                     [](const PostOp& post) {
                       return post.operand != kNoTensor &&
                              post.operand_as != OperandAs::kTable &&
                              post.operand_as != OperandAs::kLookup;
                     });
}

TileWork TileWorkOf(const Convolution& conv, const Planner& planner) {
  const Graph& graph = planner.graph();
  TileWork work;
  work.convolution = MultiplyAddsOf(conv);
  work.program = work.convolution;
  const Node* self = NodeOf(conv, graph);
  if (self == nullptr) return work;
  for (const Node& node : graph.nodes) {
    if (&node == self || !SameFunctions(node.post_ops, self->post_ops)) {
      continue;
    }
    const auto other = Convolution::Of(graph, node);
    if (other.has_value() && ReadAndWriteAlike(*other, conv) &&
        AppliesConv1x1(*other, planner)) {
      work.program += MultiplyAddsOf(*other);
    }
  }
  return work;
}

// Whether each plane of the input can be one row, so that addressing a texel
// takes one integer multiplication less, which costs as much as two float
// multiplications.
bool HasFlatPlanes(const Convolution& conv, const Planner& planner) {
  // Weights that are made at run time are read by rows and columns.
  if (planner.profile().choices.simd_lanes == 1 || conv.src_shape.b != 1 ||
      !conv.constant_weights) {
    return false;
  }
  const auto is_flat = [&](TensorId id) {
    if (id == kNoTensor) return true;
    const Tensor& tensor = planner.tensor(id);
    const bool is_view = tensor.view.of != kNoTensor;
    const auto storage = StorageFor(
        is_view ? planner.tensor(tensor.view.of) : tensor, planner.profile());
    return tensor.addressed_as() == MemoryView::Kind::kNone && storage.ok() &&
           gl_shaders::IsBuffer(*storage);
  };
  return is_flat(conv.src) &&
         std::all_of(conv.input_stage.begin(), conv.input_stage.end(),
                     [&](const PostOp& op) { return is_flat(op.operand); });
}

// The grid as one row of all slices' tiles.
void TakeTilesFlat(const Convolution& conv, const DeviceProfile& profile,
                   Dispatch* d) {
  const int tiles = d->grid[0];
  d->Define("FLAT").flat_planes = true;
  d->Grid(int64_t{tiles} * d->grid[1], 1, 1);
  // Work groups of one vector, so that threads get as much to do each.
  d->work_group = {profile.choices.simd_lanes, 1, 1};
  d->uniforms.Int("tiles", tiles);
  d->uniforms.Float("tiles_reciprocal", Reciprocal(tiles));
  d->uniforms.Float("width_reciprocal", Reciprocal(conv.dst_shape.w));
  BindQuotients(std::max(d->grid[0], conv.pixels()), d);
}

ConvTile TileOf(const Convolution& conv, bool flat, const Planner& planner) {
  DeviceChoices choices = planner.profile().choices;
  if (IsResidualInIntegers(conv, planner.graph())) {
    choices.conv_tile_pixels =
        std::min(choices.conv_tile_pixels, choices.residual_tile_pixels);
  }
  const int slices = conv.dst_shape.slices();
  // Only tiles for vectors (simd_lanes) are chosen by the work.
  TileWork work =
      choices.simd_lanes > 1 ? TileWorkOf(conv, planner) : TileWork();
  if (flat) work.rows = DivideUp(slices, choices.conv_tile_slices);
  return ChooseFlatTile(conv.pixels(), slices, work, choices);
}

void PlanConv1x1(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const bool flat = HasFlatPlanes(conv, *planner);
  const ConvTile tile = TileOf(conv, flat, *planner);
  Dispatch d("conv_1x1");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(conv.pixels(), tile.pixels),
            DivideUp(conv.dst_shape.slices(), tile.slices), 1);
  if (flat) {
    TakeTilesFlat(conv, profile, &d);
  } else if (profile.choices.simd_lanes > 1) {
    // Of one row of tiles as of several, so that they share a program.
    d.work_group = ChooseWorkGroup({d.grid[0], 2, 1}, profile);
  }
  d.half_arithmetic = conv.half_arithmetic;
  ApplyInputStage(conv.input_stage, conv.src, &d);
  if (conv.quantized_rows) {
    BindQuantizedRows(conv, planner->graph(), &d);
  } else {
    BindFilter(conv, planner, &d);
  }
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConv1x1 = {"conv_1x1", AppliesConv1x1, PlanConv1x1};

}  // namespace gles_delegate
