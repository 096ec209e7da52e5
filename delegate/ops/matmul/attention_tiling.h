// The tiling of attention_tiles.comp.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_TILING_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_TILING_H_

#include <cstdint>
#include <optional>

#include "delegate/device/device_profile.h"

namespace gles_delegate {

struct AttentionWork {
  int rows = 1;  // of a matrix of queries
  int keys = 1;
  int terms = 1;    // slices of a row of queries
  int results = 1;  // slices of a row of results
  int matrices = 1;
  bool halves = false;  // multiplied in 16 bits
};

// How a work group divides its rows.
struct AttentionTiling {
  int cells_x = 8;  // invocations along keys and slices of results; along rows
  int cells_y = 4;
  int rows = 1;  // of an invocation; slices of results
  int slices = 1;
  int lanes = 1;        // that take the tiles of keys alternately
  int chunk_terms = 4;  // of a chunk of keys
  bool halves = false;  // shared memory holds 16 bits

  int threads() const { return cells_x * cells_y * lanes; }
  int group_rows() const { return cells_y * rows; }
  int64_t groups(const AttentionWork& work) const;
  // Keys of a chunk of values.
  int value_keys() const;
  int64_t SharedBytes(int terms) const;
};

// nullopt: no tiling fits the device, or the rows are too few for it.
std::optional<AttentionTiling> ChooseAttentionTiling(
    const AttentionWork& work, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_TILING_H_
