#include "delegate/ops/movement/densify.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/host_budget.h"

namespace gles_delegate {
namespace {

absl::Status Broken(const Tensor& tensor, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("the sparsity of ", tensor.ToString(), " ", why));
}

// Walks the levels of the stored tree: the tensor's dimensions in traversal
// order, then those of the blocks. Each leaf is the next stored element.
class Densifier {
 public:
  explicit Densifier(const Tensor& tensor)
      : tensor_(tensor),
        sparsity_(tensor.sparsity),
        rank_(tensor.dims.size()),
        index_(tensor.sparsity.dimensions.size()),
        place_(tensor.dims.size()) {}

  absl::StatusOr<std::vector<uint8_t>> Run() {
    RETURN_IF_ERROR(CheckLevels());
    RETURN_IF_ERROR(CheckBlocks());
    RETURN_IF_ERROR(CheckExtents());
    element_ = DataTypeSize(tensor_.stored());
    // The product is below 2^31, which CheckLevels() has made sure of.
    int64_t bytes = static_cast<int64_t>(element_);
    for (int extent : tensor_.dims) bytes *= extent;
    RETURN_IF_ERROR(HostBudget::Take(
        bytes, absl::StrCat("the dense form of ", tensor_.ToString())));
    dense_.resize(bytes);
    if (bytes == 0) return std::move(dense_);
    RETURN_IF_ERROR(Walk(0, 0));
    return std::move(dense_);
  }

 private:
  // Makes sure that the walk ends, and that its indices are in range, whatever
  // the file says.
  absl::Status CheckLevels() {
    RETURN_IF_ERROR(CheckDims(tensor_.dims));
    const size_t levels = sparsity_.dimensions.size();
    if (sparsity_.block_map.size() > rank_) {
      return Broken(tensor_, "has more block dimensions than axes");
    }
    if (levels != rank_ + sparsity_.block_map.size() ||
        levels != sparsity_.traversal_order.size()) {
      return Broken(tensor_, "has a wrong number of dimensions");
    }
    std::vector<bool> seen(levels, false);
    for (size_t i = 0; i < levels; ++i) {
      const int d = sparsity_.traversal_order[i];
      const bool block = i >= rank_;
      if (d < 0 || d >= static_cast<int>(levels) || seen[d] ||
          block != (d >= static_cast<int>(rank_))) {
        return Broken(tensor_, "has no valid traversal order");
      }
      seen[d] = true;
    }
    return absl::OkStatus();
  }

  absl::Status CheckBlocks() {
    block_size_.resize(sparsity_.block_map.size());
    for (size_t i = rank_; i < sparsity_.dimensions.size(); ++i) {
      const int block = sparsity_.traversal_order[i] - static_cast<int>(rank_);
      const int d = sparsity_.block_map[block];
      const Sparsity::Dimension& level = sparsity_.dimensions[i];
      if (d < 0 || d >= static_cast<int>(rank_) || level.csr ||
          level.dense_size <= 0) {
        return Broken(tensor_, "has no valid block map");
      }
      block_size_[block] = level.dense_size;
    }
    return absl::OkStatus();
  }

  // The size of a dense level times the sizes of its blocks is the axis's
  // extent. The segments of a CSR level ascend.
  absl::Status CheckExtents() {
    for (size_t i = 0; i < rank_; ++i) {
      const Sparsity::Dimension& level = sparsity_.dimensions[i];
      const int axis = sparsity_.traversal_order[i];
      if (level.csr) {
        if (!std::is_sorted(level.segments.begin(), level.segments.end())) {
          return Broken(tensor_, "has segments that do not ascend");
        }
        continue;
      }
      // Each factor is below 2^31, and the loop ends if the product is not.
      int64_t extent = level.dense_size;
      for (size_t b = 0; b < block_size_.size(); ++b) {
        if (sparsity_.block_map[b] != axis) continue;
        extent *= block_size_[b];
        if (extent > tensor_.dims[axis]) break;
      }
      if (extent != tensor_.dims[axis]) {
        return Broken(tensor_, "has dimensions that do not fit its shape");
      }
    }
    return absl::OkStatus();
  }

  // `position`: the node's place among all nodes of its level.
  absl::Status Walk(size_t level, int64_t position) {
    if (level == index_.size()) return Store();
    const Sparsity::Dimension& d = sparsity_.dimensions[level];
    if (!d.csr) {
      for (int i = 0; i < d.dense_size; ++i) {
        index_[level] = i;
        RETURN_IF_ERROR(Walk(level + 1, position * d.dense_size + i));
      }
      return absl::OkStatus();
    }
    if (position + 1 >= static_cast<int64_t>(d.segments.size())) {
      return Broken(tensor_, "ends before its last segment");
    }
    for (int64_t i = d.segments[position]; i < d.segments[position + 1]; ++i) {
      if (i < 0 || i >= static_cast<int64_t>(d.indices.size())) {
        return Broken(tensor_, "has a segment past its indices");
      }
      index_[level] = d.indices[i];
      RETURN_IF_ERROR(Walk(level + 1, i));
    }
    return absl::OkStatus();
  }

  absl::Status Store() {
    for (size_t i = 0; i < index_.size(); ++i) {
      const int d = sparsity_.traversal_order[i];
      if (i < rank_) {
        place_[d] = index_[i];
      } else {
        const int block = d - static_cast<int>(rank_);
        int64_t& at = place_[sparsity_.block_map[block]];
        at = at * block_size_[block] + index_[i];
      }
    }
    int64_t flat = 0;
    for (size_t i = 0; i < rank_; ++i) {
      if (place_[i] < 0 || place_[i] >= tensor_.dims[i]) {
        return Broken(tensor_, "has an index outside its shape");
      }
      flat = flat * tensor_.dims[i] + place_[i];
    }
    const absl::Span<const uint8_t> stored = tensor_.constant.bytes();
    if ((next_ + 1) * element_ > stored.size()) {
      return Broken(tensor_, "has more elements than are stored");
    }
    std::memcpy(dense_.data() + flat * element_,
                stored.data() + next_ * element_, element_);
    ++next_;
    return absl::OkStatus();
  }

  const Tensor& tensor_;
  const Sparsity& sparsity_;
  const size_t rank_;
  size_t element_ = 0;
  size_t next_ = 0;             // stored element
  std::vector<int> index_;      // by level
  std::vector<int64_t> place_;  // of the element at index_, by dimension
  std::vector<int> block_size_;
  std::vector<uint8_t> dense_;
};

}  // namespace

absl::StatusOr<ParsedNode> ParseDensify(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  if (input.sparsity.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the input ", input.ToString(), " is not sparse"));
  }
  return ParsedNode{};
}

absl::StatusOr<std::vector<uint8_t>> DenseBytes(const Tensor& sparse) {
  return Densifier(sparse).Run();
}

}  // namespace gles_delegate
