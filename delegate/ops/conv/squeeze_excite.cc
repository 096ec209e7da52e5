#include <algorithm>
#include <utility>

#include "absl/numeric/bits.h"
#include "base/status_macros.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Invocations of the work group: enough to read a plane quickly if they run in
// parallel, few if a processor runs them one after the other.
constexpr int kMaxInvocations = 1024;
constexpr int kAbreastInvocations = 64;
// Shared texels for intermediate results, rounded so that blocks of many sizes
// share a program.
constexpr int kMinValues = 64;

int PowerOfTwo(int min) {
  return static_cast<int>(absl::bit_ceil(static_cast<unsigned>(min)));
}

int Logarithm(int power) {
  return absl::countr_zero(static_cast<unsigned>(power));
}

// How planes of `src` are walked through.
void BindWidth(const Shape& src, Dispatch* d) {
  d->uniforms.Float("width_reciprocal", Reciprocal(src.w));
  BindQuotients(int64_t{src.h} * src.w, d);
}

// The slices of the source, of the first product and of the second one.
struct Slices {
  int source = 1;
  int first = 1;
  int second = 0;
  int max() const { return std::max({source, first, second}); }
};

int SqueezeExciteSharedBytes(int invocations, int values) {
  return 16 * (invocations + values);
}

// A power of two; 0 if the device has no room.
int ChooseInvocations(const Slices& slices, int values,
                      const DeviceProfile& profile) {
  const DeviceLimits& limits = profile.limits;
  const int wanted =
      profile.choices.simd_lanes > 1 ? kAbreastInvocations : kMaxInvocations;
  int invocations = std::max(wanted, PowerOfTwo(slices.max()));
  while (invocations > limits.max_work_group_invocations ||
         invocations > limits.max_work_group_size[0] ||
         SqueezeExciteSharedBytes(invocations, values) >
             limits.max_shared_memory_bytes) {
    invocations /= 2;
    if (invocations < slices.max()) return 0;
  }
  return invocations;
}

// Maximum lanes, a power of two, for each of `sums` sums; at most its terms,
// since each step of adding them costs a barrier.
int LanesOf(int sums, int terms, int invocations) {
  int lanes = 1;
  while (lanes * 2 * sums <= invocations && lanes < terms) lanes *= 2;
  return lanes;
}

// Adds a dispatch that sums bands of the planes, and returns the tensor whose
// plane has the same mean: [B,1,bands,C].
absl::StatusOr<TensorId> AddBands(const Node& node, Planner* planner) {
  // A power of two of threads that every OpenGL ES 3.1 device supports; one
  // vector on SIMD devices, which need not wait for others.
  constexpr int kPixels = 512;
  constexpr int kThreads = 128;
  const int lanes = planner->choices().simd_lanes;
  const int threads = lanes > 1 ? PowerOfTwo(lanes) : kThreads;
  const Shape& src = planner->shape(node.inputs[kSqueezeSource]);
  const int pixels = src.h * src.w;
  const int bands = DivideUp(pixels, kPixels);
  const TensorId sums =
      planner->AddTemporary("bands", {src.b, 1, bands, src.c});
  Dispatch d = TexelDispatch("squeeze_excite", node.inputs[kSqueezeSource],
                             sums, *planner);
  d.Define("BANDS")
      .Grid(int64_t{bands} * threads, src.slices(), src.b)
      .WorkGroup(threads, 1, 1)
      .SharedMemory(int64_t{16} * threads);
  ApplyInputStage(StageOf(node, kInputStage), node.inputs[kSqueezeSource], &d);
  d.uniforms.Int("band_pixels", kPixels);
  d.uniforms.Float("scale",
                   static_cast<float>(bands) / static_cast<float>(pixels));
  BindWidth(src, &d);
  RETURN_IF_ERROR(planner->Add(std::move(d)));
  return sums;
}

}  // namespace

absl::Status PlanSqueezeExcite(const Node& node, Planner* planner) {
  const Graph& graph = planner->graph();
  const auto& a = node.Get<SqueezeExciteAttributes>();
  TensorId source = node.inputs[kSqueezeSource];
  if (a.adds_bands_first) {
    ASSIGN_OR_RETURN(source, AddBands(node, planner));
  }
  const Shape& src = planner->shape(source);
  const Shape& dst = planner->shape(node.outputs[0]);
  const bool has_second = node.inputs[kExciteWeights] != kNoTensor;
  // The channels of the first product.
  const int between = planner->shape(node.inputs[kSqueezeWeights]).b;
  Slices slices = {src.slices(), dst.slices(), 0};
  if (has_second) {
    slices.second = slices.first;
    slices.first = DivideUp(between, 4);
  }
  const int values =
      PowerOfTwo(std::max(kMinValues, slices.source + slices.first));
  const int invocations = ChooseInvocations(slices, values, planner->profile());
  if (invocations == 0) {
    return Exhausted("a squeeze-excite block of ", slices.max(),
                     " slices has no work group on the device");
  }
  Dispatch d =
      TexelDispatch("squeeze_excite", source, node.outputs[0], *planner);
  d.Define("VALUES", values)
      .Grid(invocations, 1, src.b)
      .WorkGroup(invocations, 1, 1)
      .SharedMemory(SqueezeExciteSharedBytes(invocations, values));
  if (!a.adds_bands_first) {
    ApplyInputStage(StageOf(node, kInputStage), source, &d);
  }
  d.Constant(PackPointwiseFilter(WeightsOf(node, kSqueezeWeights, kSqueezeBias),
                                 graph, "squeeze"));
  if (has_second) {
    d.Define("EXCITE").Constant(PackPointwiseFilter(
        WeightsOf(node, kExciteWeights, kExciteBias), graph, "excite"));
    d.Apply(kInnerStage, StageOf(node, kInnerStage));
  }
  const int mean_lanes = LanesOf(slices.source, src.h * src.w, invocations);
  const int first_lanes = LanesOf(slices.first, slices.source, invocations);
  const int second_lanes =
      LanesOf(std::max(slices.second, 1), slices.first, invocations);
  d.uniforms.Int4("lanes", mean_lanes, first_lanes, second_lanes, slices.first);
  d.uniforms.Int4("lane_bits", Logarithm(mean_lanes), Logarithm(first_lanes),
                  Logarithm(second_lanes), between);
  BindWidth(src, &d);
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
