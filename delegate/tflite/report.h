// What TfLiteGlesDelegateReport() tells of each interpreter, and its text.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/partition/partition_report.h"
#include "delegate/session/gpu.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// A JSON value, for the delegate's own texts. Unlike a library's it destroys
// itself without allocating: reports are also written when memory has ended.
class Json {
 public:
  using Member = std::pair<const char*, Json>;

  Json() = default;  // null
  static Json Array() { return Json(Kind::kArray); }
  static Json Object() { return Json(Kind::kObject); }

  // NOLINTBEGIN(google-explicit-constructor): values of these types
  Json(absl::string_view text);  // what is no UTF-8, by Printable()
  Json(const std::string& text) : Json(absl::string_view(text)) {}
  Json(const char* text) : Json(absl::string_view(text)) {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);  // null if it is not finite
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Json(T value) : text_(absl::StrCat(value)) {}
  template <typename List, typename = typename List::value_type>
  Json(const List& values) : Json(Kind::kArray) {
    for (const auto& value : values) Add(value);
  }
  Json(std::initializer_list<Member> members);  // an object
  // NOLINTEND(google-explicit-constructor)

  // A member of an object; null if it is new.
  Json& operator[](absl::string_view key);
  // Adds to an array.
  void Add(Json value) { values_.push_back(std::move(value)); }

  // Two spaces a level, members sorted by key.
  std::string Text() const;

 private:
  enum class Kind { kText, kArray, kObject };

  explicit Json(Kind kind) : kind_(kind) {}
  void Append(int level, std::string* out) const;

  Kind kind_ = Kind::kText;
  std::string text_ = "null";      // kText: quoted if it is a string
  std::vector<std::string> keys_;  // kObject: quoted, sorted
  std::vector<Json> values_;       // kArray, kObject
};

// --- Refusals ----------------------------------------------------------------

// Nodes that stay on the CPU for the same reason.
struct Refusal {
  std::string op;  // "CONV_2D", or "the partition at CONV_2D"
  std::string reason;
  std::string tensors;     // of the first of the nodes
  std::vector<int> nodes;  // TFLite's indices, in execution order
};

// Refused nodes, grouped by op and reason.
std::vector<Refusal> GroupRefusals(const CheckedModel& model);

// A line for each reason: "CONV_2D, ADD stay on the CPU (nodes 3, 4): ...",
// with up to eight ops and nodes, and the tensors of the first node.
std::vector<std::string> WarningsOf(absl::Span<const Refusal> refusals);

// Refuses nodes that fold to constants which CPU nodes read: the CPU computes
// them once, and GPU nodes still fold them.
void KeepUnusedConstantsOnCpu(CheckedModel* model);

// --- Interpreters ------------------------------------------------------------

// The result of the last application to a subgraph. TFLite applies a delegate
// to each subgraph of a model (branches of IF, bodies of WHILE) in turn.
struct SubgraphReport {
  const void* subgraph = nullptr;  // tells subgraphs apart; never followed
  int nodes_total = 0;
  // At the time of application; PartitionReport::on_cpu has partitions that
  // moved to the CPU later.
  int nodes_delegated = 0;
  int partitions_chosen = 0;
  // The inputs and outputs of these partitions, by TFLite's tensor index.
  std::vector<int> border;
  // The subgraphs that its delegated composites stand for, and those that its
  // composites on the CPU call; never followed.
  std::vector<const void*> inlined, called;
  // As IsInlined() says when the delegate is applied to it.
  bool is_inlined = false;
  // Nodes of other subgraphs call it, each time across the border.
  bool is_called = false;
  std::vector<Refusal> refusals;
  StageTimes stages;  // before the partitions' stages
  // Partitions with a kernel, which shares the report.
  std::vector<std::shared_ptr<PartitionReport>> partitions;
  // Partitions given back to the CPU because building them failed.
  std::vector<std::shared_ptr<PartitionReport>> handed_back;

  // True if all of its kernels are gone: the interpreter was deleted (its
  // address may be reused), or TFLite undid the delegation.
  bool IsGone() const;
  // False for a subgraph that is inlined elsewhere and was never called.
  bool IsUsed() const;
};

struct InterpreterReport {
  const void* interpreter = nullptr;  // tells them apart; never followed
  std::vector<SubgraphReport> subgraphs;
  absl::Status applied;  // the result of the last application

  // True if none of its kernels is left. An interpreter without delegated nodes
  // cannot be told from a deleted one.
  bool IsGone() const;
};

// The interpreters of one delegate, in order of application. The last one stays
// until the delegate is applied to another; others stay until they are gone.
// Threads: as the delegate's.
class InterpreterReports {
 public:
  // Adds an entry for the interpreter's subgraph, which becomes the last.
  // `interpreter`: nullptr if the runtime does not identify it; each subgraph
  // then counts as an interpreter.
  void Begin(const void* interpreter, const void* subgraph);
  // The entry that Begin() made.
  SubgraphReport& now() { return list_.back().subgraphs[current_]; }
  const SubgraphReport& now() const { return list_.back().subgraphs[current_]; }
  // `applied`: the result. `was_read`: whether the model's nodes are known. If
  // the delegate was applied again and nothing was left to do, restores the
  // previous entry.
  void Finish(const absl::Status& applied, bool was_read);

  // Whether now() is the first subgraph of the interpreter.
  bool IsFirst() const { return current_ == 0; }
  // Whether the subgraph is the decomposition of delegated composites alone, so
  // that nothing calls it.
  bool IsInlined(const void* subgraph) const;
  // Whether the tensor, by TFLite's index, is an input or output of any
  // partition.
  bool IsOnBorder(int tensor) const;
  // Drops entries that are gone, except the last.
  void ForgetGone();
  // Never empty: before Begin() there is one without an interpreter.
  const std::vector<InterpreterReport>& list() const { return list_; }

 private:
  std::vector<InterpreterReport> list_ = {
      {nullptr, std::vector<SubgraphReport>(1), absl::OkStatus()}};
  size_t current_ = 0;       // the subgraph of now() in the last interpreter
  SubgraphReport previous_;  // its entry before that
};

// --- The option report_file --------------------------------------------------

// Atomically replaces the file `path` by one with `text`. The new file is made
// in the same directory, with default permissions. Errors, with the path: no
// such directory, no permission, no space; or `path` is not a regular file (a
// device, a symbolic link), which is left alone.
absl::Status ReplaceFile(const std::string& path, absl::string_view text);

// The report's contents. The references must outlive the call.
struct ReportParts {
  const Options& options;
  const Gpu* gpu;  // nullptr: no context yet
  const Runtime& runtime;
  quant::CpuKernels cpu_kernels;
  const std::vector<InterpreterReport>& interpreters;  // the last applied last
};

// A JSON object. Its keys about a model describe the last interpreter; if there
// are several, "interpreters" has these keys for each, in order, and
// "gpu_bytes" is the sum. Invalid UTF-8 in names is replaced.
std::string ReportText(const ReportParts& parts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
