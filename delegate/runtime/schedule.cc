// The part of ExecutorBuilder that plans how inputs and outputs travel.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/plan/program.h"
#include "delegate/runtime/executor_builder.h"
#include "quant/half.h"

namespace gles_delegate {

using gl_shaders::Bindings;

namespace {

// How the invocations of a transfer lie in the host's memory.
struct Layout {
  // The axis of the grid whose steps follow each other in memory, so many
  // elements apart; -1: none does.
  int axis = 0;
  int64_t step = 4;
};

Layout LayTransfer(const Shape& s, bool upload, Dispatch* d) {
  // Rows of invocations, within any device's limits, and small enough to be
  // shared out in pieces.
  const auto flat_grid = [d](int64_t invocations) {
    constexpr int64_t kRow = 1 << 12;
    const int64_t rows = (invocations + kRow - 1) / kRow;
    d->Grid(static_cast<int>((invocations + rows - 1) / rows),
            static_cast<int>(rows), 1);
    return rows > 1 ? 1 : 0;
  };
  if (s.c % 4 == 0) {
    d->Define("WHOLE_TEXELS").Grid(s.slices(), s.w, s.h * s.b);
    return {2, int64_t{1} * s.c * s.w};
  }
  if (upload && s.c == 3) {
    d->Define("RGB");
    const int axis = flat_grid((s.elements() / 3 + 3) / 4);
    return {axis, int64_t{12} * (axis == 1 ? d->grid[0] : 1)};
  }
  if (upload) {
    d->Grid(s.w, s.h, s.slices() * s.b);
    return {-1, 0};
  }
  const int axis = flat_grid((s.elements() + 3) / 4);
  return {axis, int64_t{4} * (axis == 1 ? d->grid[0] : 1)};
}

// More pieces gain little: the first one's copy and the last one's transfer
// remain.
constexpr int64_t kMostPieces = 16;

}  // namespace

int64_t HostElementBytes(const Tensor& tensor) {
  return tensor.holds_codes ? 1 : sizeof(float);
}

bool ExecutorBuilder::AsHalves(const Tensor& tensor) const {
  // The host's conversion makes infinities, which a saturating store is not to.
  return profile_.options.half && profile_.choices.half_transfers != 0 &&
         !profile_.options.saturate_halves &&
         FormatFor(tensor, profile_) == gl_shaders::Format::kRgba16f &&
         can_map_ && HalvesAreFast();
}

int64_t ExecutorBuilder::HostBytes(const Tensor& tensor) const {
  return tensor.shape.elements() *
         (AsHalves(tensor) ? sizeof(uint16_t) : HostElementBytes(tensor));
}

bool ExecutorBuilder::IsStaged(const Tensor& tensor) const {
  // Without a mapping the driver itself brings the bytes to the GPU's memory.
  return profile_.choices.staged_upload_bytes > 0 && can_map_ &&
         tensor.shape.elements() * HostElementBytes(tensor) >=
             profile_.choices.staged_upload_bytes;
}

void ExecutorBuilder::AddTransfer(int index, TensorId id, Dispatch d) {
  const bool upload = d.reads.empty();
  const Tensor& tensor = graph_.tensor(id);
  const Shape& s = tensor.shape;
  const Layout layout = LayTransfer(s, upload, &d);
  d.on_codes = tensor.holds_codes;
  if (tensor.holds_codes) {
    // uint8 is stored less 128, which turns the topmost bit.
    d.Define("CODES",
             tensor.codes == DataType::kUint8 ? "int(0x80808080u)" : "0");
  }
  if (AsHalves(tensor)) d.Define("HALVES");
  d.label = absl::StrCat(d.shader, " ", graph_.tensor(id).name);
  const Bindings bindings =
      gl_shaders::AssignBindings(SpecOf(graph_, d, profile_));
  d.Define("HOST_BINDING", bindings.buffers);
  const int64_t bytes = HostBytes(tensor);
  const int64_t step_bytes = layout.step * (bytes / s.elements());
  int64_t count = 1;
  // The host's side of a staged upload goes in pieces, not the GPU's.
  const int piece_bytes = !upload ? profile_.choices.readback_piece_bytes
                          : IsStaged(tensor)
                              ? 0
                              : profile_.choices.upload_piece_bytes;
  if (layout.axis >= 0 && piece_bytes > 0) {
    // Of what the host has to copy: halves make pieces no fewer.
    const int64_t host_bytes = s.elements() * HostElementBytes(tensor);
    count = std::clamp(host_bytes / piece_bytes, int64_t{1},
                       std::min<int64_t>(kMostPieces, d.grid[layout.axis]));
  }
  const int steps = layout.axis < 0 ? 0 : d.grid[layout.axis];
  const int each = static_cast<int>((steps + count - 1) / count);
  for (int first = 0; first == 0 || first < steps; first += each) {
    Dispatch part = d;
    Executor::Piece piece{index, 0, static_cast<size_t>(bytes), false};
    if (count > 1) {
      const int last = std::min(steps, first + each);
      part.grid[layout.axis] = last - first;
      piece.begin = std::min(bytes, first * step_bytes);
      piece.end = std::min(bytes, last * step_bytes);
      part.partial_write = upload;
    }
    std::array<int, 3> origin = {};
    if (layout.axis >= 0) origin[layout.axis] = first;
    part.uniforms.Int4("origin", origin[0], origin[1], origin[2], d.grid[0]);
    part.work_group = ChooseWorkGroup(part.grid, profile_);
    piece.fenced = !upload && count > 1;
    dispatches_.push_back(std::move(part));
    pieces_.push_back(piece);
    if (count == 1) break;
  }
}

bool ExecutorBuilder::IsHostTransferred(TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  const auto storage = StorageFor(tensor, profile_);
  const bool in_buffer = storage.ok() && gl_shaders::IsBuffer(*storage);
  // Four bytes an element on both sides, in memory of its own; a state stays
  // where it is.
  const gl_shaders::Format format = FormatFor(tensor, profile_);
  return profile_.choices.host_transfers != 0 && in_buffer &&
         gl_shaders::BytesPerTexel(format) == 16 &&
         tensor.view.of == kNoTensor && !tensor.is_variable &&
         !tensor.is_constant() && can_map_;
}

// Uploads before, readbacks after: steps of the plan like any other.
void ExecutorBuilder::AddTransfers() {
  std::vector<Dispatch> plan = std::move(dispatches_);
  dispatches_.clear();
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    if (IsHostTransferred(graph_.inputs[i])) continue;
    Dispatch d("upload");
    d.Write("dst", graph_.inputs[i]);
    AddTransfer(static_cast<int>(i), graph_.inputs[i], std::move(d));
  }
  executor_->uploads_ = dispatches_.size();
  for (Dispatch& d : plan) dispatches_.push_back(std::move(d));
  pieces_.resize(dispatches_.size());
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    if (IsHostTransferred(graph_.outputs[i])) continue;
    Dispatch d("readback");
    d.Read("src", graph_.outputs[i]);
    AddTransfer(static_cast<int>(i), graph_.outputs[i], std::move(d));
  }
  executor_->readbacks_ =
      dispatches_.size() - plan.size() - executor_->uploads_;
  if (executor_->readbacks_ > 0) pieces_.back().fenced = true;
  executor_->stats_.dispatches = static_cast<int>(dispatches_.size());
}

absl::StatusOr<Executor::HostBuffer> ExecutorBuilder::MakeHostBuffer(
    TensorId id, GLbitfield access) {
  const Tensor& tensor = graph_.tensor(id);
  const bool input = access == GL_MAP_WRITE_BIT;
  Executor::HostBuffer host;
  if (IsHostTransferred(id)) {
    host.texels = tensors_[id].mapped;
    host.resource = tensors_[id].slot;
    host.tensor = id;
    host.shape = tensor.shape;
    return host;
  }
  host.bytes = HostBytes(tensor);
  host.halves = AsHalves(tensor);
  // Whole vec4s (ints of codes), and threes.
  const size_t padded = (host.bytes + 47) / 48 * 48;
  if (static_cast<int64_t>(padded) > profile_.limits.max_buffer_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        tensor.ToString(), " needs ", padded,
        " bytes between host and GPU, past the device's buffers of ",
        profile_.limits.max_buffer_bytes,
        "; exclude the node at the partition's edge (option exclude_nodes)"));
  }
  auto buffer = egl::Buffer::CreateMapped(padded, access);
  if (absl::IsUnimplemented(buffer.status())) {
    buffer = egl::Buffer::Create(padded, nullptr,
                                 input ? GL_DYNAMIC_DRAW : GL_DYNAMIC_READ);
  }
  if (!buffer.ok()) return Labelled(buffer.status(), tensor.ToString());
  host.buffer = *std::move(buffer);
  if (input && IsStaged(tensor)) {
    auto staging = egl::Buffer::Create(padded, nullptr, GL_DYNAMIC_COPY);
    if (!staging.ok()) return Labelled(staging.status(), tensor.ToString());
    host.staging = *std::move(staging);
  }
  return host;
}

absl::Status ExecutorBuilder::MakeHostBuffers() {
  // Mapped for good where the driver can, so that Invoke maps nothing.
  const auto make = [&](const std::vector<TensorId>& ids, GLbitfield access,
                        std::vector<Executor::HostBuffer>* out) {
    for (TensorId id : ids) {
      auto host = MakeHostBuffer(id, access);
      if (!host.ok()) return host.status();
      executor_->mapped_ |= host->buffer.mapped() != nullptr;
      out->push_back(*std::move(host));
    }
    return absl::OkStatus();
  };
  if (auto s = make(graph_.inputs, GL_MAP_WRITE_BIT, &executor_->inputs_);
      !s.ok()) {
    return s;
  }
  return make(graph_.outputs, GL_MAP_READ_BIT, &executor_->outputs_);
}

}  // namespace gles_delegate
