// Models of several nodes on 8- or 16-bit tensors, by the text of a case
// (docs/conformance.md): every code of their outputs must be that of TFLite's
// CPU kernels.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_NODES_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_NODES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/conformance/quantized.h"

namespace gles_delegate::testing {

// Values stay spread from node to node. `all_outputs`: each tensor on the way
// is an output, which nothing fuses over.
inline SingleOpModel NodesOn(TensorType type, const std::string& text, int seed,
                             bool all_outputs = false) {
  const auto spec = cases::ParseCase(text);
  EXPECT_TRUE(spec.ok()) << spec.status();
  SingleOpModel floats;
  if (!spec.ok()) return floats;
  // TFLite has kernels of some of the ops for these types alone, and does not
  // see this model.
  floats.bytes = cases::BytesOf(*spec);
  if (all_outputs) {
    floats.bytes = EditModel(floats.bytes, [](schema::ModelT& model) {
      schema::SubGraphT& graph = *model.subgraphs[0];
      graph.outputs.clear();
      for (const auto& op : graph.operators) {
        graph.outputs.push_back(op->outputs[0]);
      }
    });
  }
  return conformance::SummedFrom(
      floats,
      {absl::StrCat(text, " seed ", seed), type, conformance::Codes::kMiddle},
      6 * seed + 5);
}

// A tensor of fewer different quantized values would hide what went wrong
// before.
inline bool IsNarrow(const std::vector<float>& values) {
  const std::set<float> distinct(values.begin(), values.end());
  return distinct.size() <= (values.size() < 64 ? 3u : 15u);
}

// By TFLite and by the delegate, in 32-bit floats: all nodes compute in
// integers. Returns the delegate's result.
inline RunResult ExpectEveryCode(const SingleOpModel& model,
                                 TfLiteGlesStorage storage) {
  SCOPED_TRACE(model.description);
  const auto* graph = schema::GetModel(model.bytes.data())->subgraphs()->Get(0);
  const std::string nodes = absl::StrCat(graph->operators()->size(), ",");
  RunOptions options;
  options.storage = storage;
  const RunResult cpu = RunOnCpu(model);
  RunResult gpu = RunOnDelegate(model, options);
  EXPECT_TRUE(cpu.status.ok()) << cpu.status;
  EXPECT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_TRUE(absl::StrContains(
      gpu.report, absl::StrCat("\"nodes_on_integer_path\": ", nodes)))
      << gpu.report.substr(gpu.report.find("\"nodes_on_integer_path\""), 600);
  EXPECT_EQ(cpu.outputs.size(), gpu.outputs.size());
  size_t narrow = 0;
  for (size_t o = 0; o < gpu.outputs.size() && o < cpu.outputs.size(); ++o) {
    const std::vector<float>& want = cpu.outputs[o].values;
    EXPECT_EQ(want, gpu.outputs[o].values) << "tensor " << o;
    narrow += IsNarrow(want);
  }
  EXPECT_LE(narrow, cpu.outputs.size() / 10);
  return gpu;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_NODES_H_
