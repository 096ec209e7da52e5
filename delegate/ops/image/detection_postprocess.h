// TFLite_Detection_PostProcess: boxes from a detector's encodings, and the best
// of them that overlap no better one.
//
// Inputs: encodings [1,N,4 or more] (y, x, height, width; more is not read),
// scores [1,N,classes or classes + 1], a background's before the others, and
// anchors [N,4] (y, x, height, width), constant or not. Each is float32 or
// uint8, encodings and anchors alike. Outputs, float32, of R = max_detections *
// max_classes_per_detection rows: boxes [1,R,4] (ymin, xmin, ymax, xmax),
// classes [1,R], scores [1,R], and the number of boxes found [1]. Rows past
// that are zeros (TFLite's kernel leaves some of them unwritten).
//
// Fast suppression looks at each anchor's best class alone; regular suppression
// (use_regular_nms) goes class by class and merges what is left.
//
// Classes, their order and that of ties are those of TFLite's kernel (2.9, one
// thread, built with GNU's C++ library, whose partial sort decides among equal
// scores of one anchor where max_classes_per_detection > 1): first the lower
// anchor; of regular suppression, first the later class. The kernel decodes in
// 64 bits and here it is 32: coordinates differ by a few units of their last
// place, and two boxes that overlap by the threshold to within that may be
// judged differently. A box whose end lies before its beginning, with which
// TFLite's Invoke fails, is no error here.
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kUnimplemented: more than 1024 detections, or more than 16 classes of each.
// kInvalidArgument: shapes, types or parameters with which TFLite's kernel
// fails.
ParseFunction ParseDetectionPostprocess;
// kResourceExhausted: more anchors than one work group of the device can keep
// in mind.
PlanFunction PlanDetectionPostprocess;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_DETECTION_POSTPROCESS_H_
