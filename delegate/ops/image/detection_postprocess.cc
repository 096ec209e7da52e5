// TFLite_Detection_PostProcess: decodes boxes from a detector's encodings and
// selects the best by non-maximum suppression.
//
// Inputs: encodings [1,N,4 or more] (y, x, height, width; more is ignored),
// scores [1,N,classes or classes + 1] (the background first), and anchors [N,4]
// (y, x, height, width), constant or not. Float32 or uint8, with encodings and
// anchors of one type. Outputs, float32, of R = max_detections *
// max_classes_per_detection rows: boxes [1,R,4] (ymin, xmin, ymax, xmax),
// classes [1,R], scores [1,R], and the number of boxes [1]. Unused rows are
// zero (TFLite's kernel leaves some unwritten).
//
// Fast suppression uses only each anchor's best class; regular suppression
// (use_regular_nms) goes class by class and merges the results.
//
// Classes, order and ties follow TFLite's kernel (2.9, one thread, GNU's C++
// library, whose partial sort orders equal scores of an anchor if
// max_classes_per_detection > 1): lower anchors first; with regular
// suppression, later classes first. The kernel decodes in 64 bits, this op in
// 32: coordinates differ by a few ulps, and an overlap that close to the
// threshold may be judged differently. A box whose end is before its beginning,
// for which TFLite's Invoke fails, is not an error.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/custom_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kEncodings = 0, kScores = 1, kAnchors = 2;             // inputs
constexpr int kBoxes = 0, kClasses = 1, kScoresOut = 2, kCount = 3;  // outputs

constexpr int kMaxDetections = 1024;  // each is a pass over the anchors
constexpr int kMaxClassesOfEach = 16;

absl::Status CheckDetectionTypes(const NodeView& node) {
  for (int i : {kEncodings, kScores, kAnchors}) {
    const Tensor& input = *node.inputs[i];
    if (input.stored() != DataType::kFloat32 &&
        input.stored() != DataType::kUint8) {
      return Unimplemented("input ", i, " is ", DataTypeName(input.stored()),
                           ", TFLite's kernel takes float32 and uint8 alone");
    }
  }
  if (node.inputs[kEncodings]->stored() != node.inputs[kAnchors]->stored()) {
    return Invalid("encodings are ",
                   DataTypeName(node.inputs[kEncodings]->stored()),
                   ", anchors ", DataTypeName(node.inputs[kAnchors]->stored()),
                   "; TFLite's kernel reads both as the encodings' type");
  }
  for (const Tensor* output : node.outputs) {
    if (output->stored() != DataType::kFloat32) {
      return Invalid("an output is ", DataTypeName(output->stored()),
                     ", TFLite's kernel writes float32");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInputDims(const NodeView& node, const DetectionParams& p) {
  const std::vector<int>& encodings = node.inputs[kEncodings]->dims;
  const std::vector<int>& scores = node.inputs[kScores]->dims;
  const std::vector<int>& anchors = node.inputs[kAnchors]->dims;
  if (encodings.size() != 3 || encodings[0] != 1 || encodings[2] < 4) {
    return Invalid("encodings are ", DimsString(encodings),
                   ", must be 1xNxC of at least 4 channels");
  }
  // One less of the scores, as one more of the classes may pass 31 bits.
  if (scores.size() != 3 || scores[0] != 1 || scores[1] != encodings[1] ||
      (scores[2] != p.classes && scores[2] - 1 != p.classes)) {
    return Invalid("scores are ", DimsString(scores), " for ", encodings[1],
                   " anchors and ", p.classes,
                   " classes, must be 1xNxC of as many channels or one more");
  }
  if (anchors != std::vector<int>{encodings[1], 4}) {
    return Invalid("anchors are ", DimsString(anchors), ", must be ",
                   encodings[1], "x4");
  }
  return absl::OkStatus();
}

absl::Status CheckDetectionOutputs(const NodeView& node,
                                   const DetectionParams& p) {
  // Both are bounded, so that their product is.
  const int rows = p.max * p.classes_of_each;
  const std::vector<std::vector<int>> want = {
      {1, rows, 4}, {1, rows}, {1, rows}, {1}};
  for (size_t i = 0; i < want.size(); ++i) {
    RETURN_IF_ERROR(CheckOutputDims(*node.outputs[i], want[i]));
  }
  return absl::OkStatus();
}

// Selecting needs this of the device: a work group, and bits for the candidates
// of each of its invocations.
struct Selection {
  int threads = 1;
  int masks = 1;  // of 32 bits
  int held = 0;   // candidates that an invocation holds; 0: they are too many
};

absl::StatusOr<Selection> SelectionOf(int64_t candidates,
                                      const DeviceProfile& profile) {
  constexpr int kMaxThreads = 256;
  constexpr int kMaxMasks = 16;
  constexpr int64_t kOfEach = 4;  // candidates: fewer do not pay a larger group
  const int64_t max = std::min(
      {int64_t{kMaxThreads}, int64_t{ReductionThreads(profile.choices)},
       int64_t{profile.limits.max_work_group_invocations},
       int64_t{profile.limits.max_work_group_size[0]}});
  Selection selection;
  while (selection.threads * 2 <= max &&
         selection.threads * kOfEach < candidates) {
    selection.threads *= 2;
  }
  const int64_t a_mask = int64_t{32} * selection.threads;
  const int64_t masks = (candidates + a_mask - 1) / a_mask;
  if (masks > kMaxMasks) {
    return Exhausted("selects among ", candidates, " boxes; a work group of ",
                     selection.threads, " invocations takes ",
                     kMaxMasks * a_mask);
  }
  selection.masks = static_cast<int>(masks);
  const int64_t of_each =
      (candidates + selection.threads - 1) / selection.threads;
  if (of_each <= profile.choices.held_boxes) {
    selection.held = static_cast<int>(of_each);
  }
  return selection;
}

// The dispatches of one node.
class Postprocess {
 public:
  Postprocess(const Node& node, Planner* planner)
      : node_(node),
        planner_(*planner),
        p_(node.Get<DetectionParams>()),
        anchors_(planner->shape(node.inputs[kEncodings]).w),
        first_(planner->shape(node.inputs[kScores]).c - p_.classes) {}

  absl::Status Plan() {
    const int max = std::min({p_.max, p_.max_of_class, anchors_});
    const int64_t candidates =
        p_.regular ? int64_t{p_.classes} * max : anchors_;
    RETURN_IF_ERROR(SelectionOf(candidates, planner_.profile()).status());
    boxes_ = Temporary("boxes", 1, anchors_, p_.regular ? 4 : 8);
    RETURN_IF_ERROR(Decode());
    if (!p_.regular) return Select(boxes_, candidates, /*suppress=*/true);
    const TensorId of_classes = Temporary("of classes", p_.classes, max, 8);
    RETURN_IF_ERROR(SelectInClasses(of_classes, max));
    return Select(of_classes, candidates, /*suppress=*/false);
  }

 private:
  TensorId Temporary(absl::string_view name, int h, int w, int c) {
    return planner_.AddTemporary(name, {1, h, w, c}, DataType::kInt32);
  }

  // How many of a detection's classes are told.
  int Top() const {
    return p_.regular ? 1 : std::min(p_.classes_of_each, p_.classes);
  }

  void ReadAnchors(Dispatch* d) {
    const TensorId id = node_.inputs[kAnchors];
    const Tensor& anchors = planner_.tensor(id);
    if (!anchors.is_constant()) {
      d->Read("anchors", id);
      return;
    }
    constexpr int kWidth = 1024;  // every device has textures that wide
    const int width = std::min(anchors_, kWidth);
    PackedConstant packed("anchors", width, (anchors_ + width - 1) / width);
    packed.always_float32 = true;
    packed.cacheable = true;
    packed.fill = [anchors](absl::Span<float> out) {
      const auto values = ConstantFloats(anchors);
      if (values.ok()) std::copy(values->begin(), values->end(), out.begin());
    };
    d->Define("CONSTANT_ANCHORS").Constant(std::move(packed));
  }

  absl::Status Decode() {
    Dispatch d("detection_decode");
    d.Read("encodings", node_.inputs[kEncodings]);
    if (!p_.regular) d.Define("BEST").Read("scores", node_.inputs[kScores]);
    ReadAnchors(&d);
    d.Write("boxes", boxes_).Grid(anchors_, 1, 1);
    d.uniforms.Float4("scales", p_.scales);
    if (!p_.regular) {
      d.uniforms.Int("first", first_);
      d.uniforms.Float("threshold", p_.score_threshold);
    }
    return AddInLightGroups(std::move(d), &planner_);
  }

  // A dispatch of detection_select.comp, but for what it writes.
  absl::StatusOr<Dispatch> Selecting(TensorId src, int64_t candidates, int max,
                                     bool suppress) {
    ASSIGN_OR_RETURN(const auto selection,
                     SelectionOf(candidates, planner_.profile()));
    Dispatch d("detection_select");
    d.Define("THREADS", selection.threads).Define("HELD", selection.held);
    if (selection.held == 0) d.Define("MASKS", selection.masks);
    // No overlap is above 1.
    if (suppress && p_.iou_threshold < 1) d.Define("SUPPRESS");
    d.Read("src", src).SharedMemory(4 * sizeof(int32_t));
    d.Grid(selection.threads, 1, 1).WorkGroup(selection.threads, 1, 1);
    d.uniforms.Int("most", max);
    d.uniforms.Float("overlap", p_.iou_threshold);
    d.uniforms.Int("first_row",
                   p_.last_class_first ? planner_.shape(src).h - 1 : 0);
    return d;
  }

  absl::Status SelectInClasses(TensorId kept, int max) {
    ASSIGN_OR_RETURN(auto d,
                     Selecting(boxes_, anchors_, max, /*suppress=*/true));
    d.Define("CLASSES").Read("scores", node_.inputs[kScores]);
    d.Write("kept", kept).Grid(d.work_group[0], 1, p_.classes);
    d.uniforms.Int("first", first_);
    d.uniforms.Float("threshold", p_.score_threshold);
    return planner_.Add(std::move(d));
  }

  // From what is to choose among to the outputs.
  absl::Status Select(TensorId src, int64_t candidates, bool suppress) {
    ASSIGN_OR_RETURN(auto d, Selecting(src, candidates, p_.max, suppress));
    const bool a_row_each = p_.regular || p_.classes_of_each == 1;
    if (a_row_each && MaxBoundTensors(planner_.profile()) >= 5) {
      d.Define("ROWS");
      d.Write("boxes", node_.outputs[kBoxes])
          .Write("classes", node_.outputs[kClasses])
          .Write("scores_out", node_.outputs[kScoresOut])
          .Write("count", node_.outputs[kCount]);
      return planner_.Add(std::move(d));
    }
    const TensorId kept = Temporary("kept", 1, p_.max, 8);
    d.Write("kept", kept);
    RETURN_IF_ERROR(planner_.Add(std::move(d)));
    return AddRows(kept);
  }

  // An invocation sorts in shared memory.
  void SortClasses(Dispatch* d) {
    constexpr int kThreads = 8;
    constexpr int64_t kElementBytes = 8;
    d->Read("scores", node_.inputs[kScores])
        .Define("THREADS", kThreads)
        .WorkGroup(kThreads, 1, 1)
        .SharedMemory(kThreads * kElementBytes * (Top() + 1));
  }

  absl::Status AddRows(TensorId kept) {
    const Shape& boxes = planner_.shape(node_.outputs[kBoxes]);
    const Shape& classes = planner_.shape(node_.outputs[kClasses]);
    const int each = p_.regular ? 1 : p_.classes_of_each;
    for (const bool of_boxes : {true, false}) {
      Dispatch d("detection_rows");
      d.Define("TOP", Top()).Read("kept", kept);
      d.uniforms.Int("each", each);
      if (of_boxes) {
        d.Define("BOXES")
            .Write("boxes", node_.outputs[kBoxes])
            .Write("count", node_.outputs[kCount])
            .Grid(boxes.w, 1, 1);
      } else {
        if (Top() > 1) SortClasses(&d);
        d.Write("classes", node_.outputs[kClasses])
            .Write("scores_out", node_.outputs[kScoresOut])
            .Grid(classes.slices(), 1, 1);
      }
      if (Top() > 1) d.uniforms.Int("first", first_);
      RETURN_IF_ERROR(planner_.Add(std::move(d)));
    }
    return absl::OkStatus();
  }

  const Node& node_;
  Planner& planner_;
  const DetectionParams& p_;
  const int anchors_;
  const int first_;  // the channel of the first class's score
  TensorId boxes_ = kNoTensor;
};

}  // namespace

absl::StatusOr<ParsedNode> ParseDetectionPostprocess(const NodeView& node) {
  ASSIGN_OR_RETURN(auto p, ReadDetectionParams(node.custom_params));
  if (p.max > kMaxDetections) {
    return Unimplemented("max_detections is ", p.max, ", at most ",
                         kMaxDetections,
                         " pay here: each is a pass over the anchors");
  }
  if (p.classes_of_each > kMaxClassesOfEach) {
    return Unimplemented("max_classes_per_detection is ", p.classes_of_each,
                         ", at most ", kMaxClassesOfEach, " are sorted here");
  }
  RETURN_IF_ERROR(CheckDetectionTypes(node));
  RETURN_IF_ERROR(CheckInputDims(node, p));
  RETURN_IF_ERROR(CheckDetectionOutputs(node, p));
  p.last_class_first = node.traits.last_class_first;
  return ParsedNode{p};
}

// kResourceExhausted: too many anchors for one work group of the device.
absl::Status PlanDetectionPostprocess(const Node& node, Planner* planner) {
  return Postprocess(node, planner).Plan();
}

}  // namespace gles_delegate
