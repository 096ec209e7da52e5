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
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kUnimplemented: more than 1024 detections, or more than 16 classes per
// detection. kInvalidArgument: shapes, types or parameters for which TFLite's
// kernel fails.
ParseFunction ParseDetectionPostprocess;
// kResourceExhausted: too many anchors for one work group of the device.
PlanFunction PlanDetectionPostprocess;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_
