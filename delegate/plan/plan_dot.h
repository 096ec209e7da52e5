// Draws a plan.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PLAN_DOT_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PLAN_DOT_H_

#include <string>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Graphviz text: a box for each dispatch, an ellipse for each graph input and
// output, an edge for each tensor between them. PlanToString() has the rest.
std::string PlanToDot(const Graph& graph,
                      absl::Span<const Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PLAN_DOT_H_
