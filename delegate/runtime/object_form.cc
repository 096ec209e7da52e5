#include "delegate/runtime/object_form.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/graph/float_view.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

using gl_shaders::Bindings;

namespace {

// Number of slices of four channels.
int ObjectSlices(const ObjectForm& form) { return (form.channels + 3) / 4; }

using Kind = ObjectForm::Kind;
using Layout = ObjectForm::Layout;
using Element = ObjectForm::Element;

// Bytes are written four at a time, in rows of this many words.
constexpr int64_t kWordsPerRow = 1 << 12;

int64_t Words(const ObjectForm& form, const Shape& shape) {
  return ObjectBytes(form, shape) / 4;
}

bool IsOfPackedBytes(const ObjectForm& form) {
  return form.kind == Kind::kBuffer && form.element != Element::kFloat32 &&
         form.layout == Layout::kBhwc;
}

// The object's value for 1.
float OpaqueAlpha(Element element) {
  switch (element) {
    case Element::kFloat32:
      return 1;
    case Element::kByte:
      return 255;
    case Element::kSignedByte:
      return 127;
  }
  return 1;
}

absl::string_view ImageFormatName(GLenum format) {
  return format == GL_RGBA8     ? "rgba8"
         : format == GL_RGBA16F ? "rgba16f"
                                : "rgba32f";
}

void DefineForm(const Tensor& tensor, const ObjectForm& form, bool is_upload,
                Dispatch* d) {
  if (form.kind == Kind::kTexture) {
    d->Define("TEXTURE", is_upload ? "1" : ImageFormatName(form.image_format));
  }
  if (form.is_external) d->Define("EXTERNAL");
  if (form.is_resized) d->Define("RESIZED");
  if (form.element != Element::kFloat32) {
    d->Define("BYTES", form.element == Element::kSignedByte ? 1 : 2);
  }
  if (form.layout == Layout::kPhwc4) d->Define("PHWC4");
  if (is_upload) {
    if (tensor.is_float_view()) d->Define("QUANTIZED");
  } else {
    d->Define("OPAQUE", form.layout == Layout::kPhwc4 ? "false" : "true");
  }
}

// An invocation moves a texel or, for byte output, a word.
void LayGrid(const Shape& s, const ObjectForm& form, bool is_upload,
             Dispatch* d) {
  if (is_upload) {
    d->Grid(s.w, s.h, int64_t{s.slices()} * s.b);
  } else if (form.kind == Kind::kTexture) {
    d->Grid(s.w, s.h, 1);
  } else if (IsOfPackedBytes(form)) {
    const int64_t words = Words(form, s);
    d->Grid(std::min(words, kWordsPerRow),
            (words + kWordsPerRow - 1) / kWordsPerRow, 1);
  } else {
    d->Grid(s.w, s.h, int64_t{ObjectSlices(form)} * s.b);
  }
}

// The members that follow those.
void AddFormUniforms(const Tensor& tensor, const ObjectForm& form,
                     UniformBlock* block) {
  if (tensor.is_float_view()) {
    const quant::CodeRange range = RangeOf(tensor.quantized);
    block->Float4(
        "quantized",
        {tensor.quantization.scale[0],
         static_cast<float>(tensor.quantization.zero_point[0]),
         static_cast<float>(range.low), static_cast<float>(range.high)});
  } else {
    block->Float4("quantized", {1, 0, 0, 0});
  }
  block->Int4("object", form.channels, ObjectSlices(form),
              static_cast<int>(kWordsPerRow), 0);
}

}  // namespace

int64_t ObjectBytes(const ObjectForm& form, const Shape& s) {
  if (form.kind != Kind::kBuffer) return 0;
  const int64_t pixels = int64_t{s.b} * s.h * s.w;
  const int64_t elements =
      pixels * (form.layout == Layout::kPhwc4 ? int64_t{4} * ObjectSlices(form)
                                              : form.channels);
  return form.element == Element::kFloat32 ? elements * 4
                                           : (elements + 3) / 4 * 4;
}

UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling) {
  UniformBlock block;
  block.Float4("scaling",
               {scaling.scale, scaling.bias, OpaqueAlpha(form.element), 0});
  block.Float4("crop", scaling.crop);
  return block;
}

Dispatch ObjectTransfer(const Graph& graph, TensorId id, const ObjectForm& form,
                        bool is_upload, const DeviceProfile& profile) {
  const Tensor& tensor = graph.tensor(id);
  Dispatch d(is_upload ? "bound_input" : "bound_output");
  if (is_upload) {
    d.Write("dst", id);
  } else {
    d.Read("src", id);
  }
  DefineForm(tensor, form, is_upload, &d);
  LayGrid(tensor.shape, form, is_upload, &d);
  d.label = absl::StrCat(d.shader, " ", tensor.name);
  d.uniforms = ScalingUniforms(form, {});
  AddFormUniforms(tensor, form, &d.uniforms);
  const Bindings others = gl_shaders::AssignBindings(SpecOf(graph, d, profile));
  d.Define("HOST_BINDING", ObjectBinding(form, is_upload, others).unit);
  d.work_group = ChooseWorkGroup(d.grid, profile);
  return d;
}

Bindings::Point ObjectBinding(const ObjectForm& form, bool is_upload,
                              const Bindings& others) {
  if (form.kind != Kind::kTexture) {
    return {Bindings::Kind::kBuffer, others.buffers};
  }
  return is_upload ? Bindings::Point{Bindings::Kind::kSampler, others.samplers}
                   : Bindings::Point{Bindings::Kind::kImage, others.images};
}

}  // namespace gles_delegate
