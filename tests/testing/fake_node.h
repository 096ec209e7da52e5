// Nodes for tests of parsers alone: tensors and parameters as the reader would
// hand them over, without a model or a device.
#ifndef GLES_DELEGATE_TESTS_TESTING_FAKE_NODE_H_
#define GLES_DELEGATE_TESTS_TESTING_FAKE_NODE_H_

#include <utility>
#include <vector>

#include "delegate/graph/graph.h"

namespace gles_delegate::testing {

// A tensor that is computed at run time.
inline Tensor FakeTensor(std::vector<int> dims,
                         DataType type = DataType::kFloat32) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = gles_delegate::Shape::FromDims(dims);
  tensor.dims = std::move(dims);
  return tensor;
}

// A constant of zeros.
inline Tensor FakeConstant(std::vector<int> dims,
                           DataType type = DataType::kFloat32) {
  Tensor tensor = FakeTensor(std::move(dims));
  tensor.type = type;
  tensor.constant = ConstantData::Own(
      std::vector<uint8_t>(tensor.shape.elements() * DataTypeSize(type)));
  return tensor;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_FAKE_NODE_H_
