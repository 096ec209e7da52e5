// A model beside what the delegate says of it: what the pages of model_report
// show.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/model_report/model_nodes.h"

namespace gles_delegate {

struct DispatchFacts {
  std::string shader;
  std::string defines;
  double us = 0;  // a mean of the profile; 0: not measured
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

struct ReportData {
  std::string model;  // the file's name
  std::string renderer, driver, precision, runtime, revision;
  int subgraphs = 1;  // of the model; the rows are those of the first
  int nodes_total = 0, nodes_delegated = 0;  // of all subgraphs
  std::vector<NodeRow> rows;
  std::vector<PartitionRow> partitions;  // of the first subgraph
  bool profiled = false;
  double invoke_ms = 0;  // median, unprofiled; 0: not measured

  double transfers_us = 0;  // copies of inputs and outputs on the GPU

  double us() const;  // of the nodes' dispatches
};

// "1 node", "2 nodes".
std::string Count(int64_t count, const std::string& noun);

// `report` is what TfLiteGlesDelegateReport() gave. kInternal: it lacks what it
// should have.
absl::StatusOr<ReportData> Join(ModelFacts model, const nlohmann::json& report);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_REPORT_DATA_H_
