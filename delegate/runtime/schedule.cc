#include "delegate/runtime/schedule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/float_view.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/storage.h"
#include "delegate/runtime/validator.h"

namespace gles_delegate {
namespace {

using gl_shaders::Bindings;

// The order of a transfer's invocations in host memory.
struct TransferLayout {
  // The axis of the grid whose steps follow each other in memory, and how many
  // elements apart the steps are; -1: the steps of no axis do.
  int axis = 0;
  int64_t step = 4;
  bool is_flat = false;  // the invocations of a row follow each other in memory
};

// Whether shaders read the host's memory across a bus.
bool ReadsAcrossBus(const HostTransfer& transfer,
                    const DeviceProfile& profile) {
  return transfer.is_zero_copy() && !transfer.is_staged() &&
         profile.bus.upload_piece_bytes > 0;
}

// Makes a work group read whole lines.
void ReadLines(Dispatch* d) {
  constexpr int kInvocations = 64;
  constexpr int kBytesEach = 48;  // three vec4s
  d->Define("WHOLE_LINES")
      .WorkGroup(kInvocations, 1, 1)
      .SharedMemory(kInvocations * kBytesEach);
}

TransferLayout LayTransfer(const Shape& s, const HostTransfer& transfer,
                           bool reads_back_flat, const DeviceProfile& profile,
                           Dispatch* d) {
  const bool upload = transfer.is_upload();
  const bool is_rgb = s.c == 3 && !transfer.is_bound();
  // Invocations of `elements` elements each, in rows within any device's limits
  // and small enough to be shared out in pieces.
  const auto flat = [&](int64_t elements) {
    constexpr int64_t kRow = 1 << 12;
    const int64_t invocations = (s.elements() + elements - 1) / elements;
    const int64_t rows = (invocations + kRow - 1) / kRow;
    d->Grid(static_cast<int>((invocations + rows - 1) / rows),
            static_cast<int>(rows), 1);
    return rows > 1 ? TransferLayout{1, elements * d->grid[0], true}
                    : TransferLayout{0, elements, true};
  };
  if (s.c % 4 == 0 && (upload || !reads_back_flat)) {
    d->Define("WHOLE_TEXELS").Grid(s.slices(), s.w, s.h * s.b);
    return {2, int64_t{1} * s.c * s.w};
  }
  // An app's buffer has no padding after its last element.
  if (transfer.is_bound() && !upload) d->Define("UNPADDED");
  if (upload && is_rgb) {
    d->Define("RGB");
    if (ReadsAcrossBus(transfer, profile)) ReadLines(d);
    return flat(12);
  }
  if (upload) {
    d->Grid(s.w, s.h, s.slices() * s.b);
    return {-1, 0};
  }
  return flat(4);
}

// The dispatch of a whole transfer, but for its origin and work group.
Dispatch WholeTransfer(const Graph& graph, const HostTransfer& transfer,
                       const DeviceProfile& profile, bool reads_back_flat,
                       TransferLayout* layout) {
  const Tensor& tensor = graph.tensor(transfer.tensor());
  Dispatch d(transfer.is_upload() ? "upload" : "readback");
  if (transfer.is_upload()) {
    d.Write("dst", transfer.tensor());
  } else {
    d.Read("src", transfer.tensor());
  }
  *layout = LayTransfer(tensor.shape, transfer, reads_back_flat, profile, &d);
  d.integer_path = tensor.holds_quantized;
  if (transfer.element() == HostTransfer::Element::kCode) {
    // uint8 is stored less 128, which turns the topmost bit.
    d.Define("QUANTIZED",
             tensor.quantized == DataType::kUint8 ? "int(0x80808080u)" : "0");
  }
  if (transfer.element() == HostTransfer::Element::kHalf) d.Define("HALVES");
  d.label = absl::StrCat(d.shader, " ", tensor.name);
  const Bindings bindings =
      gl_shaders::AssignBindings(SpecOf(graph, d, profile));
  d.Define("HOST_BINDING", bindings.buffers);
  return d;
}

std::array<int, 3> TransferWorkGroup(const Dispatch& d, bool is_flat,
                                     const DeviceProfile& profile) {
  constexpr std::array<int, 3> kAnyRow = {1 << 10, 1, 1};
  const bool shares = SharesAll(profile.choices);
  if (shares && is_flat) return ChooseWorkGroup(kAnyRow, profile);
  // Compiling one more program takes longer than idle invocations do.
  const bool any = shares || IsHosts(profile.options.self_check,
                                     /*is_upload=*/d.shader == "upload");
  return ChooseWorkGroup(any ? kAnyGrid : d.grid, profile);
}

// Whether one program reads back all of a partition's outputs, whatever their
// channels are.
bool ReadsBackFlat(absl::Span<const HostTransfer> outputs,
                   const DeviceProfile& profile) {
  return SharesAll(profile.choices) &&
         absl::c_any_of(outputs, [](const auto& t) {
           return !t.is_packed_by_host() && t.shape().c % 4 != 0;
         });
}

// --- The dispatch that transfers an app's object -----------------------------

using Kind = ObjectForm::Kind;
using Layout = ObjectForm::Layout;
using Element = ObjectForm::Element;

// Bytes are written four at a time, in rows of this many words.
constexpr int64_t kWordsPerRow = 1 << 12;

bool IsOfPackedBytes(const ObjectForm& form) {
  return form.kind == Kind::kBuffer && form.element != Element::kFloat32 &&
         form.layout == Layout::kBhwc;
}

// The object's value for 1.
float OpaqueAlpha(Element element) {
  return element == Element::kByte         ? 255
         : element == Element::kSignedByte ? 127
                                           : 1;
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
    const int64_t words = ObjectBytes(form, s) / 4;
    d->Grid(std::min(words, kWordsPerRow),
            (words + kWordsPerRow - 1) / kWordsPerRow, 1);
  } else {
    d->Grid(s.w, s.h, int64_t{form.slices()} * s.b);
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
  block->Int4("object", form.channels, form.slices(),
              static_cast<int>(kWordsPerRow), 0);
}

// Reads an object of `form` into the tensor, or writes the tensor to it.
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

// --- All of a plan's transfers -----------------------------------------------

// Adds the dispatches of input or output `index`, in order of the data, with
// what each moves.
void AddTransfer(const Graph& graph, const HostTransfer& transfer, int index,
                 bool reads_back_flat, const DeviceProfile& profile,
                 Schedule* schedule) {
  if (transfer.is_bound() && !transfer.object().is_plain) {
    schedule->dispatches.push_back(
        ObjectTransfer(graph, transfer.tensor(), transfer.object(),
                       transfer.is_upload(), profile));
    schedule->pieces.push_back({index, 0, Validator::kWhole, false});
    return;
  }
  TransferLayout layout;
  const Dispatch whole =
      WholeTransfer(graph, transfer, profile, reads_back_flat, &layout);
  const int64_t bytes = static_cast<int64_t>(transfer.bytes());
  const int64_t step_bytes =
      layout.step * (bytes / transfer.shape().elements());
  const int steps = layout.axis < 0 ? 0 : whole.grid[layout.axis];
  const int64_t count = transfer.Pieces(steps);
  const int each = static_cast<int>((steps + count - 1) / count);
  for (int first = 0; first == 0 || first < steps; first += each) {
    Dispatch part = whole;
    Piece piece{index, 0, transfer.bytes(), false};
    if (count > 1) {
      const int last = std::min(steps, first + each);
      part.grid[layout.axis] = last - first;
      piece.begin = std::min(bytes, first * step_bytes);
      piece.end = std::min(bytes, last * step_bytes);
    }
    std::array<int, 3> origin = {};
    if (layout.axis >= 0) origin[layout.axis] = first;
    part.uniforms.Int4("origin", origin[0], origin[1], origin[2],
                       whole.grid[0]);
    if (part.work_group[0] == 0) {
      part.work_group = TransferWorkGroup(part, layout.is_flat, profile);
    }
    piece.fenced = !transfer.is_upload() && count > 1;
    schedule->dispatches.push_back(std::move(part));
    schedule->pieces.push_back(piece);
    if (count == 1) break;
  }
}

// `plan` with dispatches that upload `inputs` before and read back `outputs`
// after it, one for each piece. Some have none (HostTransfer::has_dispatch).
Schedule ScheduleTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           absl::Span<const HostTransfer> inputs,
                           absl::Span<const HostTransfer> outputs,
                           const DeviceProfile& profile) {
  Schedule schedule;
  const bool reads_back_flat = ReadsBackFlat(outputs, profile);
  const auto add = [&](absl::Span<const HostTransfer> transfers) {
    for (size_t i = 0; i < transfers.size(); ++i) {
      if (!transfers[i].has_dispatch()) continue;
      AddTransfer(graph, transfers[i], static_cast<int>(i), reads_back_flat,
                  profile, &schedule);
    }
  };
  add(inputs);
  schedule.uploads = schedule.dispatches.size();
  for (Dispatch& d : plan) schedule.dispatches.push_back(std::move(d));
  const size_t readbacks_begin = schedule.dispatches.size();
  schedule.pieces.resize(readbacks_begin);
  add(outputs);
  schedule.readbacks = schedule.dispatches.size() - readbacks_begin;
  if (schedule.readbacks > 0) schedule.pieces.back().fenced = true;
  return schedule;
}

// Whether the position's object can be the memory of the tensor.
bool HoldsMemory(const Tensor& tensor, const std::vector<ObjectForm>& forms,
                 size_t position, const DeviceProfile& profile) {
  const auto storage = StorageFor(tensor, profile);
  return position < forms.size() && forms[position].holds_texels &&
         FormatFor(tensor, profile.options) == gl_shaders::Format::kRgba32f &&
         storage.ok() && gl_shaders::IsBuffer(*storage);
}

std::vector<BoundCache> FindBoundCaches(const Graph& graph,
                                        const DeviceProfile& profile,
                                        const BoundTransfers& bound) {
  std::vector<BoundCache> caches;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor& output = graph.tensor(graph.outputs[i]);
    const auto input = absl::c_find(graph.inputs, output.view.of);
    if (input == graph.inputs.end()) continue;
    const Tensor& source = graph.tensor(*input);
    const auto from = std::distance(graph.inputs.begin(), input);
    if (source.shape == output.shape && !source.is_variable &&
        HoldsMemory(source, bound.inputs, from, profile) &&
        HoldsMemory(output, bound.outputs, i, profile)) {
      BoundCache& cache = caches.emplace_back();
      cache.input = static_cast<int>(from);
      cache.output = static_cast<int>(i);
    }
  }
  return caches;
}

}  // namespace

UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling) {
  UniformBlock block;
  block.Float4("scaling",
               {scaling.scale, scaling.bias, OpaqueAlpha(form.element), 0});
  block.Float4("crop", scaling.crop);
  return block;
}

Bindings::Point ObjectBinding(const ObjectForm& form, bool is_upload,
                              const Bindings& others) {
  if (form.kind != Kind::kTexture) {
    return {Bindings::Kind::kBuffer, others.buffers};
  }
  return is_upload ? Bindings::Point{Bindings::Kind::kSampler, others.samplers}
                   : Bindings::Point{Bindings::Kind::kImage, others.images};
}

TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound) {
  const auto choose = [&](HostTransfer::Direction direction,
                          const std::vector<TensorId>& ids,
                          const std::vector<ObjectForm>& objects) {
    std::vector<HostTransfer> transfers;
    for (size_t i = 0; i < ids.size(); ++i) {
      transfers.emplace_back(direction, ids[i], graph.tensor(ids[i]), profile,
                             can_map,
                             i < objects.size() ? objects[i] : ObjectForm());
    }
    return transfers;
  };
  TransferPlan result;
  result.inputs =
      choose(HostTransfer::Direction::kUpload, graph.inputs, bound.inputs);
  result.outputs =
      choose(HostTransfer::Direction::kReadback, graph.outputs, bound.outputs);
  result.caches = FindBoundCaches(graph, profile, bound);
  for (const BoundCache& cache : result.caches) {
    result.outputs[cache.output].BecomeMemory();
  }
  result.schedule = ScheduleTransfers(graph, std::move(plan), result.inputs,
                                      result.outputs, profile);
  return result;
}

}  // namespace gles_delegate
