// Ops that only move values: they must agree exactly, whatever the values are.
// The file is longer than 300 lines, since it has a few for each of two dozen
// ops.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::SplitKind;
using testing::Strided;
using testing::Weights;
using Ints = std::vector<int>;

std::string Join(const Ints& values) { return absl::StrJoin(values, "."); }

// Adds the case; where its shape has a channel tail, it is added once more, on
// values at the ends of float's range.
void AddMoved(CaseList* list, const std::string& op,
              const std::string& attributes, const Shape& shape,
              const CaseList::Build& build) {
  list->Add(op, attributes, shape, build);
  if (shape.empty() || (shape.back() != 5 && shape.back() != 17)) return;
  list->Add(op, attributes + "_special_values", shape,
            [=] { return WithValues(build(), MovedValues()); });
}

void AddReshapes(CaseList* list) {
  const std::vector<Shape> shapes = {{1, 1, 1, 120}, {2, 3, 4, 5}, {120},
                                     {1, 5, 24},     {3, 8, 5},    {10, 12},
                                     {4, 1, 6, 5},   {1, 2, 15, 4}};
  for (const Shape& from : shapes) {
    for (const Shape& to : shapes) {
      list->Add("RESHAPE", absl::StrCat("to_", ShapeString(to)), from,
                [=] { return testing::Reshape(from, to); });
    }
  }
  list->Add("RESHAPE", "to_5x12_by_options", {1, 3, 4, 5}, [] {
    return testing::Reshape({1, 3, 4, 5}, {5, 12}, /*shape_as_tensor=*/false);
  });
  AddMoved(list, "RESHAPE", "to_1x512x3", {1, 16, 16, 6}, [] {
    return testing::Reshape({1, 16, 16, 6}, {1, 512, 3});
  });
  const std::vector<std::pair<Shape, Ints>> squeezes = {{{1, 1, 1, 17}, {}},
                                                        {{1, 1, 1, 17}, {1, 2}},
                                                        {{3, 1, 4, 5}, {1}},
                                                        {{3, 4, 5, 1}, {-1}},
                                                        {{3, 1, 5, 1}, {}}};
  for (const auto& [shape, dims] : squeezes) {
    AddMoved(
        list, "SQUEEZE", absl::StrCat("of_", Join(dims)), shape,
        [shape = shape, dims = dims] { return testing::Squeeze(shape, dims); });
  }
  for (const Shape& shape : {Shape{2, 3, 5}, {7}, {3, 4}}) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = -1; axis <= rank; ++axis) {
      AddMoved(list, "EXPAND_DIMS", absl::StrCat("axis", axis), shape,
               [=] { return testing::ExpandDims(shape, axis); });
    }
  }
}

void AddTransposes(CaseList* list) {
  for (const Shape& shape :
       {Shape{2, 3, 4, 5}, {1, 5, 7, 8}, {4, 3, 5}, {3, 17}, {5}}) {
    Ints permutation(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      list->Add("TRANSPOSE", absl::StrCat("by_", Join(permutation)), shape,
                [=] { return testing::Transpose(shape, permutation); });
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
  AddMoved(list, "TRANSPOSE", "rank6", {2, 3, 2, 3, 2, 5}, [] {
    return testing::Transpose({2, 3, 2, 3, 2, 5}, {0, 2, 1, 4, 5, 3});
  });
  for (const Shape& shape : testing::StandardShapes()) {
    AddMoved(list, "TRANSPOSE", "to_channels_first", shape, [=] {
      return testing::Transpose(shape, {0, 3, 1, 2});
    });
  }
}

void AddSlices(CaseList* list) {
  for (int c : testing::StandardChannels()) {
    const Shape shape = {3, 4, 5, c};
    AddMoved(list, "SLICE", "space", shape, [=] {
      return testing::Slice(shape, {1, 0, 2, 0}, {2, 3, -1, -1});
    });
    list->Add("SLICE", "last_channels", shape, [=] {
      return testing::Slice(shape, {0, 1, 0, c / 2}, {-1, -1, 5, c - c / 2});
    });
  }
  list->Add("SLICE", "whole_slices", {1, 2, 3, 17}, [] {
    return testing::Slice({1, 2, 3, 17}, {0, 0, 0, 8}, {1, 2, 3, 5});
  });
  list->Add("SLICE", "across_slices", {1, 2, 3, 17}, [] {
    return testing::Slice({1, 2, 3, 17}, {0, 0, 0, 3}, {1, 2, 3, 12});
  });
  list->Add("SLICE", "rank1", {7},
            [] { return testing::Slice({7}, {2}, {4}); });
  list->Add("SLICE", "rank2", {3, 7}, [] {
    return testing::Slice({3, 7}, {1, 2}, {2, -1});
  });
  list->Add("SLICE", "rank3", {3, 4, 7}, [] {
    return testing::Slice({3, 4, 7}, {1, 2, 0}, {2, 1, 5});
  });
}

void AddStrided(CaseList* list, const std::string& attributes,
                const Strided& params) {
  list->Add("STRIDED_SLICE", attributes, params.shape,
            [=] { return StridedSlice(params); });
}

void AddStridedSlices(CaseList* list) {
  for (int c : {1, 5, 8}) {
    const Shape shape = {2, 7, 6, c};
    AddStrided(list, "up", {shape, {0, 1, 0, 0}, {2, 7, 6, c}, {1, 2, 3, 1}});
    AddStrided(list, "down",
               {shape, {-1, -1, -1, -1}, {-3, -8, -7, -9}, {-1, -2, -1, -1}});
    AddStrided(list, "clamped",
               {shape, {0, -5, 2, 0}, {100, -1, 100, 100}, {1, 1, 1, 2}});
  }
  const Shape shape = {2, 7, 6, 5};
  AddStrided(list, "masks_up",
             {shape, {1, 3, 3, 1}, {1, 3, 3, 3}, {1, 1, 2, 1}, 6, 11});
  AddStrided(list, "masks_down",
             {shape, {1, 3, 3, 1}, {0, 1, 1, 1}, {-1, -1, -2, -1}, 15, 15});
  for (int mask : {1, 2, 4, 8, 5, 14}) {
    Strided params = {shape, {1, 2, -1, 3}, {2, 3, 6, 4}, {1, 1, 1, 1}};
    params.shrink_axis_mask = mask;
    AddStrided(list, absl::StrCat("shrink", mask), params);
  }
  AddStrided(list, "fewer_entries", {shape, {0, 2}, {2, 5}, {1, 2}});
  Strided ellipsis = {{3, 4, 5}, {1, 0, 2}, {3, 0, 5}, {1, 1, 2}};
  ellipsis.ellipsis_mask = 2;
  AddStrided(list, "ellipsis", ellipsis);
  for (int mask : {1, 2, 4, 8}) {
    Strided params = {{3, 4, 5}, {1, 0, 1, 2}, {3, 3, 3, 4}, {1, 1, 1, 1}};
    params.new_axis_mask = mask;
    AddStrided(list, absl::StrCat("new_axis", mask), params);
  }
}

void AddFloatConcatenation(CaseList* list, const std::string& attributes,
                           const testing::ConcatenationParams& params) {
  AddMoved(list, "CONCATENATION", attributes, params.inputs[0],
           [=] { return Concatenation(params); });
}

void AddConcatenations(CaseList* list) {
  for (int axis : {1, 5}) {
    testing::ConcatenationParams params;
    params.axis = axis;
    params.inputs = {{2, 3, 2, 3, 2, 5}, {2, 3, 2, 3, 2, 5}};
    params.inputs[1][axis] = 4;
    AddFloatConcatenation(list, absl::StrCat("rank6_axis", axis), params);
  }
  for (int axis : {0, 1, 2, 3, -1}) {
    testing::ConcatenationParams params;
    params.axis = axis;
    params.inputs = {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}};
    params.inputs[1][axis < 0 ? 3 : axis] = 7;
    AddFloatConcatenation(list, absl::StrCat("axis", axis), params);
    params.constant_input = 1;
    AddFloatConcatenation(list, absl::StrCat("axis", axis, "_constant"),
                          params);
  }
  for (int a : testing::StandardChannels()) {
    for (int b : testing::StandardChannels()) {
      testing::ConcatenationParams params;
      params.inputs = {{1, 3, 5, a}, {1, 3, 5, b}};
      AddFloatConcatenation(list, absl::StrCat("channels_with", b), params);
    }
  }
  testing::ConcatenationParams many;
  many.inputs.assign(11, {1, 2, 3, 3});
  AddFloatConcatenation(list, "eleven_inputs", many);
  for (const Shape& shape : {Shape{3}, {3, 5}, {2, 3, 5}}) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = 0; axis < rank; ++axis) {
      testing::ConcatenationParams params;
      params.inputs = {shape, shape};
      params.axis = axis;
      AddFloatConcatenation(list, absl::StrCat("low_rank_axis", axis), params);
    }
  }
}

void AddSplit(CaseList* list, SplitKind kind, const Shape& shape, int axis,
              const Ints& sizes) {
  const char* op = kind == SplitKind::kSplit    ? "SPLIT"
                   : kind == SplitKind::kSplitV ? "SPLIT_V"
                                                : "UNPACK";
  AddMoved(list, op, absl::StrCat("axis", axis, "_into_", Join(sizes)), shape,
           [=] { return testing::Split(kind, shape, axis, sizes); });
}

void AddSplits(CaseList* list) {
  for (int axis : {0, 1, 2, 3, -1}) {
    const Shape shape = {4, 6, 8, 10};
    const int size = shape[axis < 0 ? 3 : axis];
    AddSplit(list, SplitKind::kSplit, shape, axis, Ints(2, size / 2));
  }
  AddSplit(list, SplitKind::kSplit, {1, 2, 3, 24}, 3, {8, 8, 8});
  AddSplit(list, SplitKind::kSplit, {1, 2, 3, 9}, 3, {3, 3, 3});
  AddSplit(list, SplitKind::kSplit, {6, 5}, 0, {2, 2, 2});
  AddSplit(list, SplitKind::kSplitV, {2, 3, 4, 17}, 3, {4, 8, 5});
  AddSplit(list, SplitKind::kSplitV, {2, 3, 4, 17}, -1, {1, 6, 10});
  AddSplit(list, SplitKind::kSplitV, {2, 7, 4, 3}, 1, {4, 1, 2});
  AddSplit(list, SplitKind::kSplitV, {7, 3}, 0, {6, 1});
  for (int axis : {0, 1, 2, 3, -2}) {
    const Shape shape = {2, 3, 4, 5};
    AddSplit(list, SplitKind::kUnpack, shape, axis,
             Ints(shape[axis < 0 ? axis + 4 : axis], 1));
  }
  AddSplit(list, SplitKind::kUnpack, {3, 5}, 0, {1, 1, 1});
  for (int axis : {0, 1, 2, 3, 5}) {
    const Shape shape = {3, 3, 3, 3, 2, 3};
    AddSplit(list, SplitKind::kUnpack, shape, axis, {1, 1, 1});
    AddSplit(list, SplitKind::kSplitV, shape, axis, {1, 2});
  }
  AddSplit(list, SplitKind::kUnpack, {2, 3, 4}, 1, {1, 1, 1});
}

void AddRepeats(CaseList* list) {
  for (int c : testing::StandardChannels()) {
    for (const Ints& by : {Ints{1, 2, 3, 1}, {2, 1, 1, 3}}) {
      const Shape shape = {2, 3, 4, c};
      AddMoved(list, "TILE", absl::StrCat("by_", Join(by)), shape,
               [=] { return testing::Tile(shape, by); });
    }
  }
  for (const auto& [shape, by] : std::vector<std::pair<Shape, Ints>>{
           {{5}, {3}},
           {{2, 3}, {3, 2}},
           {{2, 3, 4}, {2, 1, 2}},
           {{1, 3, 2, 2, 1, 5}, {1, 1, 2, 1, 1, 1}},
           {{3, 2, 2, 1, 2, 5}, {2, 2, 2, 1, 2, 1}}}) {
    AddMoved(list, "TILE", absl::StrCat("by_", Join(by)), shape,
             [shape = shape, by = by] { return testing::Tile(shape, by); });
  }
  for (const auto& [shape, to] : std::vector<std::pair<Shape, Shape>>{
           {{1, 1, 1, 1}, {2, 3, 4, 5}},
           {{5}, {2, 3, 4, 5}},
           {{4, 1}, {3, 4, 5}},
           {{3, 1, 1}, {2, 3, 4, 8}},
           {{1, 3, 1, 7}, {2, 3, 4, 7}},
           {{2, 3}, {2, 3}},
           {{1, 3, 2, 1, 2, 1}, {2, 3, 2, 3, 2, 5}},
           {{1, 3, 1, 1, 2, 5}, {2, 3, 2, 3, 2, 5}}}) {
    AddMoved(
        list, "BROADCAST_TO", absl::StrCat("to_", ShapeString(to)), shape,
        [shape = shape, to = to] { return testing::BroadcastTo(shape, to); });
  }
  for (const Shape& shape :
       {Shape{7}, {3, 5}, {2, 3, 4}, {2, 3, 4, 5}, {2, 3, 2, 3, 5}}) {
    AddMoved(list, "MATRIX_DIAG", "plain", shape,
             [=] { return testing::MatrixDiag(shape); });
  }
  for (const Shape& shape :
       {Shape{}, {5}, {3, 4}, {2, 3, 5}, {2, 3, 2, 3, 5}}) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = -1; axis <= rank; ++axis) {
      for (int count : {1, 3}) {
        AddMoved(list, "PACK", absl::StrCat("axis", axis, "_of", count), shape,
                 [=] { return testing::Pack(shape, count, axis); });
      }
    }
  }
}

void AddGathers(CaseList* list) {
  for (int axis : {0, 1, 2, 3, -1}) {
    AddMoved(list, "GATHER", absl::StrCat("axis", axis), {3, 4, 5, 6}, [=] {
      return testing::Gather({3, 4, 5, 6}, axis, {4}, {2, 0, 1, 2});
    });
  }
  AddMoved(list, "GATHER", "channels", {1, 2, 3, 17}, [] {
    return testing::Gather({1, 2, 3, 17}, 3, {9},
                           {16, 0, 4, 4, 7, 3, 15, 8, 1});
  });
  AddMoved(list, "GATHER", "scalar_index", {4, 5, 6}, [] {
    return testing::Gather({4, 5, 6}, 1, {}, {3});
  });
  for (int channels : {1, 5, 16}) {
    for (Weights weights : {Weights::kFloat, Weights::kRuntime}) {
      const bool constant = weights == Weights::kFloat;
      list->Add("EMBEDDING_LOOKUP",
                constant ? "constant_table" : "computed_table", {33, channels},
                [=] {
                  return testing::EmbeddingLookup({33, channels}, 6, weights);
                });
    }
  }
  AddMoved(list, "GATHER", "index_table", {4, 5, 6}, [] {
    return testing::Gather({4, 5, 6}, 0, {2, 2}, {1, 3, 0, 0});
  });
}

void AddPads(CaseList* list) {
  using Kind = testing::PadParams::Kind;
  using Paddings = std::vector<std::pair<int, int>>;
  const std::pair<Kind, const char*> kinds[] = {
      {Kind::kPad, "PAD"},
      {Kind::kPadV2, "PADV2"},
      {Kind::kMirrorReflect, "MIRROR_PAD"},
      {Kind::kMirrorSymmetric, "MIRROR_PAD"}};
  for (const auto& [kind, op] : kinds) {
    const char* mode = kind == Kind::kMirrorReflect     ? "reflect_"
                       : kind == Kind::kMirrorSymmetric ? "symmetric_"
                                                        : "";
    for (int c : testing::StandardChannels()) {
      for (const Paddings& paddings :
           {Paddings{{0, 0}, {1, 2}, {2, 1}, {0, 0}},
            Paddings{{1, 0}, {0, 1}, {0, 0}, {2, 3}}}) {
        testing::PadParams params;
        params.input = {3, 4, 5, c};
        params.paddings = paddings;
        params.kind = kind;
        params.value = 2.5f;
        // TFLite takes no mirror that is wider than what it mirrors.
        if (*mode != '\0') {
          params.paddings[3] = {std::min(paddings[3].first, (c - 1) / 2),
                                std::min(paddings[3].second, (c - 1) / 2)};
        }
        const bool channels = paddings[3].first != 0;
        AddMoved(list, op,
                 absl::StrCat(mode, channels ? "batch_and_channels" : "space"),
                 params.input, [=] { return Pad(params); });
      }
    }
  }
}

void AddBlockMoves(CaseList* list) {
  for (int block : {2, 3, 4}) {
    for (int c : {1, 3, 4, 5}) {
      const Shape deep = {2, 3, 4, c * block * block};
      AddMoved(list, "DEPTH_TO_SPACE", absl::StrCat("block", block), deep,
               [=] { return testing::DepthToSpace(deep, block); });
      const Shape wide = {2, 2 * block, 3 * block, c};
      AddMoved(list, "SPACE_TO_DEPTH", absl::StrCat("block", block), wide,
               [=] { return testing::DepthToSpace(wide, block, true); });
    }
  }
}

void AddReversals(CaseList* list) {
  for (int axis : {0, 1, 2, 5}) {
    const Shape shape = {2, 3, 2, 3, 2, 5};
    list->Add("REVERSE_V2", absl::StrCat("rank6_axis", axis), shape,
              [=] { return testing::Reverse(shape, axis); });
  }
  for (const Shape& shape : testing::StandardShapes()) {
    for (int axis = 0; axis < 4; ++axis) {
      list->Add("REVERSE_V2", absl::StrCat("axis", axis), shape,
                [=] { return testing::Reverse(shape, axis); });
      const int by = (axis + 3) % 4;
      for (bool runtime : {false, true}) {
        list->Add(
            "REVERSE_SEQUENCE",
            absl::StrCat("axis", axis, "_by", by, runtime ? "_runtime" : ""),
            shape,
            [=] { return testing::ReverseSequence(shape, axis, by, runtime); });
      }
    }
  }
}

void AddSpaceBatch(CaseList* list, bool to_batch, const Shape& shape,
                   const Ints& block, const Ints& edges) {
  list->Add(to_batch ? "SPACE_TO_BATCH_ND" : "BATCH_TO_SPACE_ND",
            absl::StrCat("block", absl::StrJoin(block, "x"), "_edges",
                         absl::StrJoin(edges, ".")),
            shape,
            [=] { return testing::SpaceBatch(to_batch, shape, block, edges); });
}

void AddSpaceBatches(CaseList* list) {
  for (int c : testing::StandardChannels()) {
    AddSpaceBatch(list, true, {1, 4, 6, c}, {2, 2}, {0, 0, 0, 0});
    AddSpaceBatch(list, true, {3, 5, 4, c}, {2, 3}, {1, 0, 0, 2});
    AddSpaceBatch(list, true, {2, 7, c}, {3}, {0, 2});
    AddSpaceBatch(list, false, {4, 3, 2, c}, {2, 2}, {0, 0, 0, 0});
    AddSpaceBatch(list, false, {18, 3, 2, c}, {2, 3}, {1, 0, 0, 2});
    AddSpaceBatch(list, false, {6, 4, c}, {3}, {1, 2});
  }
}

void AddConstantsThroughOps(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("DEQUANTIZE", "half_constant_then_ADD", shape,
              [=] { return testing::DequantizeHalfThenAdd(shape); });
  }
  // The shapes are large enough that some element is kept: TFLite takes no
  // empty constant.
  for (const Shape& shape :
       {Shape{1, 1, 1, 17}, {1, 4, 4, 5}, {3, 2, 3, 8}, {9, 5}}) {
    for (bool half : {false, true}) {
      list->Add("DENSIFY", half ? "half_then_ADD" : "then_ADD", shape,
                [=] { return testing::DensifyThenAdd(shape, half); });
    }
  }
}

}  // namespace

void AddMovementCases(CaseList* list) {
  AddReshapes(list);
  AddTransposes(list);
  AddSlices(list);
  AddStridedSlices(list);
  AddConcatenations(list);
  AddSplits(list);
  AddRepeats(list);
  AddGathers(list);
  AddPads(list);
  AddBlockMoves(list);
  AddReversals(list);
  AddSpaceBatches(list);
  AddConstantsThroughOps(list);
}

}  // namespace gles_delegate::conformance
