// Images that grow and shrink.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::ResizeParams;

void AddFloatResize(CaseList* list, const ResizeParams& params) {
  list->Add(params.nearest ? "RESIZE_NEAREST_NEIGHBOR" : "RESIZE_BILINEAR",
            absl::StrCat("to_", params.out_h, "x", params.out_w,
                         params.align_corners ? "_align_corners" : "",
                         params.half_pixel_centers ? "_half_pixel" : ""),
            params.input, [=] { return Resize(params); });
}

void AddResizes(CaseList* list) {
  // The image grows and shrinks, by whole factors and others, and to one row.
  const std::pair<int, int> sizes[] = {{8, 10}, {7, 13}, {3, 2},
                                       {1, 1},  {4, 5},  {20, 3}};
  for (bool nearest : {false, true}) {
    for (int mode : {0, 1, 2}) {
      ResizeParams params;
      params.nearest = nearest;
      params.align_corners = mode == 1;
      params.half_pixel_centers = mode == 2;
      for (const auto& [h, w] : sizes) {
        params.out_h = h;
        params.out_w = w;
        for (const Shape& shape : {Shape{1, 4, 5, 3}, {3, 6, 7, 5}}) {
          params.input = shape;
          AddFloatResize(list, params);
        }
      }
      params.out_h = 5;
      params.out_w = 6;
      for (int c : testing::StandardChannels()) {
        params.input = {1, 3, 4, c};
        AddFloatResize(list, params);
      }
    }
  }
}

}  // namespace

void AddImageCases(CaseList* list) { AddResizes(list); }

}  // namespace gles_delegate::conformance
