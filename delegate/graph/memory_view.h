// Ids of tensors, and tensors in the memory of others.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_MEMORY_VIEW_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_MEMORY_VIEW_H_

#include <array>
#include <string>

namespace gles_delegate {

using TensorId = int;
constexpr TensorId kNoTensor = -1;

// A tensor stored in another tensor's memory.
struct MemoryView {
  enum class Kind {
    // A box of the other tensor. The producer writes it there, so that a
    // concatenation needs no copy (delegate/passes/concat_in_place.h).
    kBox,
    // Rows of pixels of the other tensor, as RESHAPE makes them: each pixel's
    // slices become the slices of consecutive pixels. The producer writes it
    // there, and no node reads it (delegate/passes/write_through.h).
    kRows,
    // DEPTH_TO_SPACE of the other tensor: each texel is one of its texels; no
    // node writes it (delegate/passes/read_through.h).
    kDepthToSpace,
    // Slices of the other tensor, counted through all of its batches, in
    // batches of another size; no node writes it
    // (delegate/passes/view_slices.h).
    kSlices,
    // RESIZE_BILINEAR of the other tensor, interpolated by the shaders that
    // read it.
    kBilinear,
    // MAX_POOL_2D of the other tensor with windows of at most 2x2 pixels,
    // computed by the shaders that read it.
    kMaxPool,
  };
  TensorId of = kNoTensor;  // the other tensor
  Kind kind = Kind::kBox;
  // The origin of the box or row in B, H, W, C of the other tensor. The channel
  // is a multiple of four; for kRows it is 0. For kSlices: four times the first
  // slice, as the channel.
  std::array<int, 4> at = {};
  int block = 1;      // of kDepthToSpace
  float scale_x = 1;  // of kBilinear: source pixels a pixel
  float scale_y = 1;
  float shift = 0;  // of kBilinear: 0.5 where pixels are at their centers
  // For kMaxPool, along x and y: the stride, and the window's size, 1 or 2.
  // Pixels past the source's edge are not part of a window.
  std::array<int, 2> step = {1, 1};
  std::array<int, 2> window = {1, 1};

  // True if a node writes the tensor there; otherwise it is only read.
  bool IsWritten() const { return kind == Kind::kBox || kind == Kind::kRows; }
  std::string ToString() const;  // " in t3 at 0,0,0,16"; "": not a view
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_MEMORY_VIEW_H_
