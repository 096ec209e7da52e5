// Builders for ops that cut, join, repeat and permute.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Ints = std::vector<int>;

int Vector(OpVariant& v, const std::string& name, const Ints& values) {
  return v.IntConstant(name, {static_cast<int>(values.size())}, values);
}

}  // namespace

SingleOpModel Slice(const Shape& shape, const Ints& begin, const Ints& size) {
  return MakeModel(
      absl::StrCat("SLICE ", ShapeString(shape), " from ",
                   absl::StrJoin(begin, ","), " size ",
                   absl::StrJoin(size, ",")),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int from = Vector(v, "begin", begin);
        return v.Op(Op::SLICE, 1, {x, from, Vector(v, "size", size)},
                    schema::SliceOptionsT());
      });
}

SingleOpModel StridedSlice(const Strided& s) {
  return MakeModel(
      absl::StrCat("STRIDED_SLICE ", ShapeString(s.shape), " ",
                   absl::StrJoin(s.begin, ","), " to ",
                   absl::StrJoin(s.end, ","), " by ",
                   absl::StrJoin(s.strides, ","), " masks ", s.begin_mask, " ",
                   s.end_mask, " ", s.ellipsis_mask, " ", s.new_axis_mask, " ",
                   s.shrink_axis_mask),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", s.shape, v.random().Gaussian(ElementCount(s.shape)));
        const int begin = Vector(v, "begin", s.begin);
        const int end = Vector(v, "end", s.end);
        const int strides = Vector(v, "strides", s.strides);
        schema::StridedSliceOptionsT options;
        options.begin_mask = s.begin_mask;
        options.end_mask = s.end_mask;
        options.ellipsis_mask = s.ellipsis_mask;
        options.new_axis_mask = s.new_axis_mask;
        options.shrink_axis_mask = s.shrink_axis_mask;
        return v.Op(Op::STRIDED_SLICE, 1, {x, begin, end, strides}, options);
      });
}

// The op on `shape`; `sizes` on `axis` are the outputs' own (ones for UNPACK).
SingleOpModel Split(SplitKind kind, const Shape& shape, int axis,
                    const Ints& sizes, const Ints& sizes_as_given) {
  SingleOpModel model;
  model.description = absl::StrCat(kind == SplitKind::kSplit    ? "SPLIT "
                                   : kind == SplitKind::kSplitV ? "SPLIT_V "
                                                                : "UNPACK ",
                                   ShapeString(shape), " on ", axis, " into ",
                                   absl::StrJoin(sizes, ","));
  model.accuracy.terms = 0;
  model.inputs = {Random(model.description).Gaussian(ElementCount(shape))};
  ModelBuilder builder;
  const int x = builder.AddInput("x", shape);
  const int count = static_cast<int>(sizes.size());
  Ints outputs;
  for (int i = 0; i < count; ++i) {
    Shape out = shape;
    const size_t at = axis < 0 ? axis + shape.size() : axis;
    out[at] = sizes[i];
    if (kind == SplitKind::kUnpack) out.erase(out.begin() + at);
    outputs.push_back(builder.AddTensor(absl::StrCat("y", i), out));
  }
  if (kind == SplitKind::kUnpack) {
    schema::UnpackOptionsT options;
    options.num = count;
    options.axis = axis;
    builder.AddOp(Op::UNPACK, 1, {x}, outputs, options);
  } else {
    const int on = builder.AddConstant<int32_t>("axis", {}, Ints{axis});
    if (kind == SplitKind::kSplit) {
      schema::SplitOptionsT options;
      options.num_splits = count;
      builder.AddOp(Op::SPLIT, 1, {on, x}, outputs, options);
    } else {
      const int into = builder.AddConstant<int32_t>(
          "sizes", {count}, sizes_as_given.empty() ? sizes : sizes_as_given);
      schema::SplitVOptionsT options;
      options.num_splits = count;
      builder.AddOp(Op::SPLIT_V, 1, {x, into, on}, outputs, options);
    }
  }
  builder.SetOutputs(outputs);
  model.bytes = builder.Finish();
  return model;
}

SingleOpModel Tile(const Shape& shape, const std::vector<int>& multiples) {
  return MakeModel(
      absl::StrCat("TILE ", ShapeString(shape), " by ", ShapeString(multiples)),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int by = v.IntConstant(
            "multiples", {static_cast<int>(multiples.size())}, multiples);
        return v.Op(Op::TILE, 1, {x, by}, schema::TileOptionsT());
      });
}

SingleOpModel BroadcastTo(const Shape& shape, const Shape& to) {
  return MakeModel(absl::StrCat("BROADCAST_TO ", ShapeString(shape), " to ",
                                ShapeString(to)),
                   Accuracy{/*terms=*/0}, [&](OpVariant& v) {
                     const int x = v.Input(
                         "x", shape, v.random().Gaussian(ElementCount(shape)));
                     const int wanted = v.IntConstant(
                         "shape", {static_cast<int>(to.size())}, to);
                     return v.Op(Op::BROADCAST_TO, 2, {x, wanted},
                                 schema::BroadcastToOptionsT());
                   });
}

SingleOpModel Transpose(const Shape& shape,
                        const std::vector<int>& permutation) {
  return MakeModel(
      absl::StrCat("TRANSPOSE ", ShapeString(shape), " by ",
                   absl::StrJoin(permutation, ",")),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int by = v.IntConstant(
            "permutation", {static_cast<int>(permutation.size())}, permutation);
        return v.Op(Op::TRANSPOSE, 1, {x, by}, schema::TransposeOptionsT());
      });
}

SingleOpModel Pack(const Shape& shape, int count, int axis, int constant) {
  return MakeModel(
      absl::StrCat("PACK ", count, " of ", ShapeString(shape), " on ", axis,
                   " constant ", constant),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<int> inputs;
        for (int i = 0; i < count; ++i) {
          inputs.push_back(
              v.Constant(absl::StrCat("x", i), shape,
                         v.random().Gaussian(ElementCount(shape)),
                         i == constant ? Weights::kFloat : Weights::kRuntime));
        }
        schema::PackOptionsT options;
        options.values_count = count;
        options.axis = axis;
        return v.Op(Op::PACK, 1, inputs, options);
      });
}

SingleOpModel Gather(const Shape& shape, int axis, const Shape& index_shape,
                     const std::vector<int>& indices) {
  return MakeModel(
      absl::StrCat("GATHER ", ShapeString(shape), " on ", axis, " by ",
                   ShapeString(index_shape), " ", absl::StrJoin(indices, ",")),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int by = v.IntConstant("indices", index_shape, indices);
        schema::GatherOptionsT options;
        options.axis = axis;
        return v.Op(Op::GATHER, 1, {x, by}, options);
      });
}

SingleOpModel EmbeddingLookup(const Shape& table, int count, Weights weights) {
  return MakeModel(
      absl::StrCat("EMBEDDING_LOOKUP of ", count, " rows of ",
                   ShapeString(table)),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> rows(count);
        for (float& row : rows) {
          row = static_cast<float>(v.random().NextInt(0, table[0] - 1));
        }
        const int ids = v.OfInts(v.Input("ids", {count}, rows));
        const int values = v.Constant(
            "table", table, v.random().Gaussian(ElementCount(table)), weights);
        return v.Op(Op::EMBEDDING_LOOKUP, 1, {ids, values});
      });
}

SingleOpModel ExpandDims(const Shape& shape, int axis) {
  return MakeModel(
      absl::StrCat("EXPAND_DIMS ", ShapeString(shape), " at ", axis),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int at = v.IntConstant("axis", {1}, {axis});
        return v.Op(Op::EXPAND_DIMS, 1, {x, at}, schema::ExpandDimsOptionsT());
      });
}

SingleOpModel ReverseSequence(const Shape& input, int sequence_axis,
                              int batch_axis, bool runtime_lengths) {
  return MakeModel(
      absl::StrCat("REVERSE_SEQUENCE ", ShapeString(input), " along ",
                   sequence_axis, " by ", batch_axis,
                   runtime_lengths ? " at run time" : ""),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", input, v.random().Gaussian(ElementCount(input)));
        const Shape shape = {input[batch_axis]};
        std::vector<int32_t> lengths(shape[0]);
        for (int32_t& length : lengths) {
          length = v.random().NextInt(0, input[sequence_axis]);
        }
        const int by = runtime_lengths
                           ? v.OfInts(v.Input("lengths", shape,
                                              {lengths.begin(), lengths.end()}))
                           : v.IntConstant("lengths", shape, lengths);
        schema::ReverseSequenceOptionsT options;
        options.seq_dim = sequence_axis;
        options.batch_dim = batch_axis;
        return v.Op(Op::REVERSE_SEQUENCE, 1, {x, by}, options);
      });
}

SingleOpModel Reverse(const Shape& shape, int axis) {
  return MakeModel(
      absl::StrCat("REVERSE_V2 ", ShapeString(shape), " along ", axis),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        return v.Op(Op::REVERSE_V2, 1, {x, v.IntConstant("axis", {1}, {axis})},
                    schema::ReverseV2OptionsT());
      });
}

SingleOpModel SpaceBatch(bool to_batch, const Shape& shape, const Ints& block,
                         const Ints& edges) {
  return MakeModel(
      absl::StrCat(to_batch ? "SPACE_TO_BATCH_ND " : "BATCH_TO_SPACE_ND ",
                   ShapeString(shape), " block ", absl::StrJoin(block, "x"),
                   " edges ", absl::StrJoin(edges, ",")),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int axes = static_cast<int>(block.size());
        const int b = v.IntConstant("block", {axes}, block);
        const int e = v.IntConstant("edges", {axes, 2}, edges);
        const int version = axes == 2 ? 1 : 3;
        if (to_batch) {
          return v.Op(Op::SPACE_TO_BATCH_ND, version, {x, b, e},
                      schema::SpaceToBatchNDOptionsT());
        }
        return v.Op(Op::BATCH_TO_SPACE_ND, version, {x, b, e},
                    schema::BatchToSpaceNDOptionsT());
      });
}

// FILL, then a MUL: a graph must have an input.
SingleOpModel Fill(const Shape& shape, bool runtime) {
  return MakeModel(
      absl::StrCat("FILL ", ShapeString(shape), runtime ? " at run time" : ""),
      Accuracy{/*terms=*/1}, [&](OpVariant& v) {
        const int rank = static_cast<int>(shape.size());
        const int dims = v.IntConstant("dims", {rank}, shape);
        const int value =
            v.Constant("value", {}, {2.75f},
                       runtime ? Weights::kRuntime : Weights::kFloat);
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int filled = v.builder().AddTensor("filled", shape);
        v.builder().AddOp(Op::FILL, 1, {dims, value}, {filled},
                          schema::FillOptionsT());
        return v.Op(Op::MUL, 1, {filled, x}, schema::MulOptionsT());
      });
}

SingleOpModel ZerosLike(const Shape& shape) {
  return MakeModel(
      absl::StrCat("ZEROS_LIKE ", ShapeString(shape)), Accuracy{/*terms=*/0},
      [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        return v.Op(Op::ZEROS_LIKE, 1, {x}, schema::ZerosLikeOptionsT());
      });
}

SingleOpModel MatrixDiag(const Shape& shape) {
  return MakeModel(
      absl::StrCat("MATRIX_DIAG ", ShapeString(shape)), Accuracy{/*terms=*/0},
      [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        return v.Op(Op::MATRIX_DIAG, 1, {x}, schema::MatrixDiagOptionsT());
      });
}

}  // namespace gles_delegate::testing
