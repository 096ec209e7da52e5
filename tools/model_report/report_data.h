// A model beside what the delegate says of it: what the pages of model_report
// show.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/model_report/model_nodes.h"

namespace gles_delegate {

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

// "1 node", "2 nodes".
std::string Count(int64_t count, const std::string& noun);

// `report` is what TfLiteGlesDelegateReport() gave. kInternal: it lacks what it
// should have.
absl::StatusOr<ReportData> Join(ModelFacts model, const nlohmann::json& report);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
