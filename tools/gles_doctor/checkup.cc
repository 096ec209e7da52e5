#include "tools/gles_doctor/checkup.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "tools/common/model_builder.h"
#include "tools/common/progress.h"
#include "tools/runner/backend.h"
#include "tools/runner/choice.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

using nlohmann::ordered_json;

constexpr int kRounds = 5;
constexpr double kWorthABatch = 1.05;  // more inferences a second
constexpr double kNanOnOneSide = 1e30;

using Shapes = std::vector<std::vector<int>>;

struct Side {
  std::unique_ptr<Backend> backend;
  std::vector<InputBytes> inputs;
  Interpreter& interpreter() { return backend->interpreter(); }
};

// After one inference.
absl::StatusOr<Side> Start(const Model& model, const BackendSpec& spec,
                           const Shapes& shapes = {}) {
  Side side;
  ASSIGN_OR_RETURN(side.backend, Backend::Create(model, spec, shapes));
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(auto inputs, MakeInputs(side.interpreter(),
                                           FloatInputs::kUniform, random));
  side.inputs = std::move(inputs);
  RETURN_IF_ERROR(WriteInputs(side.interpreter(), side.inputs));
  RETURN_IF_ERROR(side.interpreter().Invoke());
  return side;
}

absl::StatusOr<double> MedianMs(Side& side, double seconds) {
  LatencyOptions options;
  options.num_runs = 1;
  options.min_secs = options.max_secs = seconds;
  options.before_each = [&] {
    return WriteInputs(side.interpreter(), side.inputs);
  };
  ASSIGN_OR_RETURN(auto latency, MeasureLatency(side.interpreter(), options));
  return latency.invoke_ms.median;
}

// Of the largest output.
double MaxError(Interpreter& expected, Interpreter& actual) {
  double error = 0;
  for (int i = 0; i < expected.outputs(); ++i) {
    OutputDiff diff;
    diff.Add(expected.output(i).AsFloats(), actual.output(i).AsFloats(), 1);
    error = std::max(
        error, diff.mismatches() > 0 ? kNanOnOneSide : diff.max_relative());
  }
  return error;
}

// The inputs' shapes with another first axis; empty: it is not a batch.
Shapes InBatches(const Interpreter& interpreter, int batch) {
  Shapes shapes;
  for (int i = 0; i < interpreter.inputs(); ++i) {
    shapes.push_back(interpreter.input(i).dims());
    if (shapes.back().empty() || shapes.back()[0] != 1) return {};
    shapes.back()[0] = batch;
  }
  return shapes;
}

bool IsInBatches(const Interpreter& one, const Interpreter& many, int batch) {
  for (int i = 0; i < one.outputs(); ++i) {
    std::vector<int> dims = one.output(i).dims();
    if (dims.empty()) return false;
    dims[0] *= batch;
    if (many.output(i).dims() != dims) return false;
  }
  return true;
}

// Sets the keys "<name>_batch" and "<name>_batch_per_s": batches of up to
// `max_batch` are tried as long as each gives more inferences a second.
void FindBatch(const Model& model, Side& one, const std::string& name,
               int max_batch, double seconds, ordered_json& checkup) {
  int best = 1;
  double per_s = checkup[name + "_per_s"];
  for (int batch = 2; batch <= max_batch && !Interrupted(); batch *= 2) {
    const Shapes shapes = InBatches(one.interpreter(), batch);
    if (shapes.empty()) break;
    auto many = Start(model, one.backend->spec(), shapes);
    if (!many.ok() ||
        !IsInBatches(one.interpreter(), many->interpreter(), batch)) {
      break;
    }
    const auto ms = MedianMs(*many, seconds);
    if (!ms.ok() || batch * 1000 / *ms < per_s * kWorthABatch) break;
    best = batch;
    per_s = batch * 1000 / *ms;
  }
  checkup[name + "_batch"] = best;
  checkup[name + "_batch_per_s"] = per_s;
}

// Of other models than the own one the tolerance is not known: the self-check
// of their programs counts alone.
bool IsRight(const ordered_json& checkup) {
  for (const auto& partition : checkup["report"]["partition"]) {
    if (partition["self_check"].value("verdict", "") == "wrong") return false;
  }
  if (checkup["model"] != kOwnModel) return true;
  const bool half = checkup["report"].value("precision", "") == "float16";
  return checkup["nodes_delegated"] > 0 &&
         checkup["max_error"] <= (half ? 3e-2 : 1e-4);
}

absl::Status Measure(const Model& model, const CheckupOptions& options,
                     ordered_json& checkup) {
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kXnnpack;
  spec.num_threads = options.num_threads;
  auto cpu = Start(model, spec);
  if (!cpu.ok()) {  // XNNPACK does not take every model
    spec.kind = BackendSpec::Kind::kCpu;
    cpu = Start(model, spec);
    if (!cpu.ok()) return cpu.status();
  }
  checkup["use"] = "cpu";
  checkup["verdict"] = "Use the CPU here, as the delegate cannot run";
  spec.kind = BackendSpec::Kind::kGles;
  spec.options = options.gles_options;
  ASSIGN_OR_RETURN(auto gles, Start(model, spec));
  checkup["report"] = ordered_json::parse(gles.backend->GlesReport(), nullptr,
                                          /*allow_exceptions=*/false);
  for (const char* key :
       {"renderer", "driver", "software", "nodes_total", "nodes_delegated"}) {
    if (!checkup["report"].contains(key)) {
      return absl::InternalError("the delegate's report is not complete");
    }
    checkup[key] = checkup["report"][key];
  }
  checkup["max_error"] = MaxError(cpu->interpreter(), gles.interpreter());
  checkup["right"] = IsRight(checkup);

  std::vector<double> gles_ms, cpu_ms, speedups;
  for (int round = 0; round < kRounds && !Interrupted(); ++round) {
    for (auto& [side, times] : {std::pair(&gles, &gles_ms), {&*cpu, &cpu_ms}}) {
      ASSIGN_OR_RETURN(auto ms, MedianMs(*side, options.seconds / kRounds));
      times->push_back(ms);
    }
    speedups.push_back(cpu_ms.back() / gles_ms.back());
  }
  for (const auto& [name, times] :
       {std::pair("gles", gles_ms), {"cpu", cpu_ms}}) {
    const double ms = Summarize(times).median;
    checkup[absl::StrCat(name, "_ms")] = ms;
    checkup[absl::StrCat(name, "_per_s")] = 1000 / ms;
  }
  const Choice choice =
      Choose(speedups, checkup["software"], checkup["nodes_delegated"] > 0,
             checkup["right"]);
  checkup["use"] = choice.use;
  checkup["verdict"] = choice.text;
  // A software renderer would compile for minutes what no one is to use.
  FindBatch(model, gles, "gles", checkup["software"] ? 1 : options.max_batch,
            options.seconds / kRounds, checkup);
  FindBatch(model, *cpu, "cpu", options.max_batch, options.seconds / kRounds,
            checkup);
  return absl::OkStatus();
}

std::string CsvCell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  return absl::StrCat(
      "\"", absl::StrReplaceAll(value.get<std::string>(), {{"\"", "\"\""}}),
      "\"");
}

}  // namespace

std::vector<uint8_t> BuildOwnModel() {
  constexpr int kChannels = 16, kLayers = 6;
  int side = 96;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> weight(-0.2f, 0.2f);
  ModelBuilder builder;
  int x = builder.AddInput("x", {1, side, side, kChannels});
  for (int layer = 0; layer < kLayers; ++layer) {
    std::vector<float> weights(kChannels * 9 * kChannels);
    for (float& w : weights) w = weight(random);
    const std::string name = absl::StrCat("conv", layer);
    const int y = builder.AddTensor(name, {1, side, side, kChannels});
    schema::Conv2DOptionsT conv;
    conv.stride_w = conv.stride_h = 1;
    conv.fused_activation_function = schema::ActivationFunctionType::RELU6;
    builder.AddOp(schema::BuiltinOperator::CONV_2D, 1,
                  {x,
                   builder.AddConstant(name + "/w",
                                       {kChannels, 3, 3, kChannels}, weights),
                   builder.AddConstant(name + "/b", {kChannels},
                                       std::vector<float>(kChannels, 0.1f))},
                  {y}, conv);
    x = y;
  }
  side /= 2;
  const int pooled = builder.AddTensor("pool", {1, side, side, kChannels});
  schema::Pool2DOptionsT pool;
  pool.stride_w = pool.stride_h = pool.filter_width = pool.filter_height = 2;
  builder.AddOp(schema::BuiltinOperator::AVERAGE_POOL_2D, 1, {x}, {pooled},
                pool);
  const int y = builder.AddTensor("y", {1, side, side, kChannels});
  builder.AddOp(schema::BuiltinOperator::LOGISTIC, 1, {pooled}, {y});
  builder.SetOutputs({y});
  return builder.Finish();
}

ordered_json EmptyCheckup(const std::string& model) {
  ordered_json checkup = {{"model", model}, {"verdict", "No verdict"}};
  for (const char* key :
       {"use", "error", "renderer", "driver", "software", "nodes_total",
        "nodes_delegated", "right", "max_error", "gles_ms", "cpu_ms",
        "gles_per_s", "cpu_per_s", "gles_batch", "gles_batch_per_s",
        "cpu_batch", "cpu_batch_per_s", "report"}) {
    checkup[key] = nullptr;
  }
  return checkup;
}

void CheckModel(const Model& model, const CheckupOptions& options,
                ordered_json& checkup) {
  const absl::Status status = Measure(model, options, checkup);
  if (!status.ok()) checkup["error"] = std::string(status.message());
}

std::string ToCsv(const ordered_json& checkups) {
  std::string csv;
  for (const ordered_json& checkup : checkups) {
    std::vector<std::string> names, cells;
    for (const auto& [key, value] : checkup.items()) {
      if (key == "report") continue;
      names.push_back(key);
      cells.push_back(CsvCell(value));
    }
    if (csv.empty()) csv = absl::StrJoin(names, ",") + "\n";
    absl::StrAppend(&csv, absl::StrJoin(cells, ","), "\n");
  }
  return csv;
}

}  // namespace gles_delegate
