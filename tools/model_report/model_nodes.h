// The nodes of a model's first subgraph as a page shows them.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_MODEL_NODES_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_MODEL_NODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace gles_delegate {

struct TensorFacts {
  std::string name;
  std::string type;  // "float32"
  std::vector<int> dims;
  std::string quantization;  // "scale 0.0235, zero point 128"; "": none
  bool constant = false;
  // "float32[1,112,112,32]"
  std::string ToString() const;
  int64_t elements() const;
};

struct ModelNode {
  int index = 0;                    // TFLite's, and the place in the model
  std::string op;                   // "CONV_2D", or a custom op's name
  std::vector<TensorFacts> inputs;  // those that are there
  std::vector<TensorFacts> outputs;
  std::vector<int> reads;       // the nodes that write its inputs, each once
  int64_t multiplications = 0;  // of convolutions and FULLY_CONNECTED
  bool depthwise_or_pointwise = false;  // a convolution as mobile networks have
};

struct ModelFacts {
  std::vector<ModelNode> nodes;
  int subgraphs = 0;
};

// kInvalidArgument: no model, or an index in it leads nowhere.
absl::StatusOr<ModelFacts> FactsOfModel(absl::Span<const uint8_t> model);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_MODEL_NODES_H_
