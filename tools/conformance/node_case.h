// A case of an op that is younger than the TFLite beside the suite, which
// refuses to load it: its node is given to the op's parser and planner by hand,
// and the reference is the function that TFLite's later kernels compute.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_NODE_CASE_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_NODE_CASE_H_

#include <functional>
#include <string>
#include <vector>

#include "egl/context.h"
#include "gles_delegate/gles_delegate.h"
#include "tools/conformance/names.h"
#include "tools/op_models/compare.h"

namespace gles_delegate::conformance {

// An elementwise op: inputs and output have one shape.
struct NodeCase {
  std::string op;  // as op_list.inc has it
  Shape shape;
  std::vector<std::vector<float>> inputs;
  // One element of the result from the elements of the inputs.
  std::function<double(const std::vector<float>&)> exact;
  testing::Accuracy accuracy;
};

// The reference of a run at `precision`.
testing::CpuReference MakeReference(const NodeCase& node, Precision precision);

// Parses, plans and runs the node. Inside context->Run().
testing::RunResult RunNodeCase(const NodeCase& node, TfLiteGlesStorage storage,
                               Precision precision,
                               const egl::Context& context);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_NODE_CASE_H_
