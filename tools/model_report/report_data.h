// A model beside what the delegate says of it, and the pages that show it.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace gles_delegate {

// The nodes of a model's first subgraph as a page shows them.

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

struct DispatchFacts {
  std::string shader;
  std::string defines;
  double us = 0;  // a median of the profile; 0: not measured
};

struct NodeRow {
  enum class Where {
    kGpu,       // its own dispatches
    kFused,     // computed by another node's dispatches
    kConstant,  // no dispatch: constants, or no one reads it
    kCpu,
  };
  ModelNode node;
  Where where = Where::kCpu;
  int partition = -1;    // index into ReportData::partitions
  int computed_by = -1;  // of kFused
  std::string reason;    // of kCpu
  std::vector<DispatchFacts> dispatches;
  double us() const;
};

struct PartitionRow {
  int nodes = 0;
  int dispatches = 0;
  int64_t tensor_bytes = 0;
  int64_t constant_bytes = 0;
  std::string self_check;  // "right (23 of 23 programs)"
  std::string passes_dropped;
  bool handed_back = false;  // the CPU runs it after all
};

// A step of the last inference that was profiled.
struct TimelineSpan {
  std::string label;
  int node = -1;  // of the first subgraph; -1: a copy, or the host's work
  bool on_host = false;
  double start_us = 0;  // since the inference began
  double us = 0;
};

struct ReportData {
  std::string model;  // the file's name
  std::string renderer, driver, precision, runtime, revision;
  int subgraphs = 1;  // of the model; the rows are those of the first
  int nodes_total = 0, nodes_delegated = 0;  // of all subgraphs
  std::vector<NodeRow> rows;
  std::vector<PartitionRow> partitions;  // of the first subgraph
  bool software = false;                 // the renderer computes on the CPU
  bool profiled = false;
  std::string clock;     // of the profile, as the delegate's report has it
  double invoke_ms = 0;  // median, unprofiled; 0: not measured
  double cpu_ms = 0;     // XNNPACK's; 0: not measured
  int cpu_threads = 0;

  double transfers_us = 0;  // copies of inputs and outputs on the GPU
  std::vector<TimelineSpan> timeline;

  double us() const;  // of the nodes' dispatches
};

// Whether to use the GPU for this model here, and where the time goes: one
// sentence each.
std::string VerdictOf(const ReportData& data);

// The sums of the nodes' times by op, the largest first; empty if nothing was
// measured.
std::vector<std::pair<std::string, double>> TimesByOp(const ReportData& data);

// The rows with their own times, the slowest first.
std::vector<const NodeRow*> BySlowest(const ReportData& data);

// `report` is what TfLiteGlesDelegateReport() gave. kInternal: it lacks what it
// should have.
absl::StatusOr<ReportData> Join(ModelFacts model, const nlohmann::json& report);

// Advice to a model's author on what loses speed on this delegate.

struct Advice {
  std::string title;  // what to do: "Keep channels a multiple of 4"
  std::string text;   // what it costs here, with the nodes
};

// The most costly first; empty if there is nothing to say.
std::vector<Advice> AdviceFor(const ReportData& data);

// The report as text for a terminal, as a page of HTML, and as JSON.

// "gpu", "fused", "constant", "cpu".
const char* NameOf(NodeRow::Where where);
// "on the GPU", "in node 3", "constant", "on the CPU".
std::string WhereText(const NodeRow& row);

// The self-check's verdict, and what else became of the partition.
std::string CheckText(const PartitionRow& row);

std::string TextPage(const ReportData& data);

// One file, without scripts, that needs nothing else.
std::string HtmlPage(const ReportData& data);

// For other programs: all but the timeline. Times that were not measured are
// left out.
nlohmann::ordered_json JsonPage(const ReportData& data);

// ai-edge-model-explorer's node data (GraphNodeData), which it shows on the
// graph, by the nodes' indices: where each is computed, or why on the CPU.
nlohmann::json PlacementNodeData(const ReportData& data);

// The same of the nodes' times in microseconds; none if nothing was measured.
nlohmann::json TimeNodeData(const ReportData& data);

// The place of a node's box in the graph's picture: `row` counts down a column,
// `column` and `lane` to the right; a column has as many lanes as its fullest
// row has boxes.
struct Place {
  int column = 0;
  int row = 0;
  int lane = 0;
};

// True where the node is drawn; nodes of constants are not.
bool IsDrawn(const NodeRow& row);

// A node stands below all nodes whose outputs it reads, or in a later column;
// after `rows_a_column` rows the next column begins. No two that are drawn
// share a place.
std::vector<Place> PlacesOf(const std::vector<NodeRow>& rows,
                            int rows_a_column);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
