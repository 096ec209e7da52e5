#include "delegate/cache/cache_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/cache/build_id.h"
#include "delegate/graph/op.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

// A driver that refuses its own binaries is not asked again for ever.
constexpr uint32_t kMaxRefreshes = 3;
constexpr size_t kTextBytes = 512;  // of ReadText()

absl::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? absl::string_view()
                         : absl::string_view(text->c_str(), text->size());
}

// Hashes every choice, the options, and the limits that affect storage. The
// other limits show in the plan.
void AddProfile(const DeviceProfile& p, Hasher* hasher) {
  hasher->Text(TuningText(p.choices));
  hasher->Value(p.choices.zero_copy);
  hasher->Value(p.options.half).Value(p.options.saturate_halves);
  hasher->Value(p.limits.max_texture_size).Value(p.limits.max_texture_layers);
  hasher->Value(p.limits.max_buffer_bytes)
      .Value(p.limits.max_texel_buffer_texels);
}

void AddTensor(const Tensor& tensor, Hasher* hasher) {
  hasher->Value(tensor.type).Values(tensor.dims).Value(tensor.is_variable);
  const Quantization& q = tensor.quantization;
  hasher->Values(q.scale).Values(q.zero_point).Value(q.dimension);
  hasher->Value(q.block).Value(q.half_scales).Value(q.bits);
  const Sparsity& sparsity = tensor.sparsity;
  hasher->Values(sparsity.traversal_order).Values(sparsity.block_map);
  hasher->Value(static_cast<uint64_t>(sparsity.dimensions.size()));
  for (const Sparsity::Dimension& d : sparsity.dimensions) {
    hasher->Value(d.csr)
        .Value(d.dense_size)
        .Values(d.segments)
        .Values(d.indices);
  }
  hasher->Bytes(tensor.constant.bytes());
}

void AddNode(const Node& node, Hasher* hasher) {
  hasher->Text(node.op->name).Values(node.inputs).Values(node.outputs);
}

// The file's name: independent of driver version, delegate version and weights,
// so that a new version replaces the old file.
std::string FileName(absl::string_view token, const CacheSubject& subject) {
  Hasher hasher;
  hasher.Text(token).Text(subject.device.vendor).Text(subject.device.renderer);
  AddProfile(subject.profile, &hasher);
  hasher.Text(subject.plan);
  return CacheDirectory::FileName(token, hasher.Finish().ToHex());
}

}  // namespace

CacheIdentity IdentityOf(const CacheSubject& subject) {
  CacheIdentity identity;
  const egl::DeviceInfo& device = subject.device;
  identity.driver =
      absl::StrCat(device.vendor, ", ", device.renderer, ", ", device.version);
  identity.build = GLES_DELEGATE_VERSION "-" GLES_DELEGATE_SOURCE_HASH;
  Hasher hasher;
  hasher.Value(kCacheFormatVersion).Text(identity.build);
  hasher.Text(device.vendor).Text(device.renderer).Text(device.version);
  hasher.Text(device.shading_language_version);
  AddProfile(subject.profile, &hasher);
  hasher.Text(subject.plan);
  const Graph& graph = subject.partition;
  hasher.Values(graph.inputs).Values(graph.outputs);
  hasher.Value(static_cast<uint64_t>(graph.nodes.size()));
  for (const Node& node : graph.nodes) AddNode(node, &hasher);
  hasher.Value(static_cast<uint64_t>(graph.tensors.size()));
  for (const Tensor& tensor : graph.tensors) AddTensor(tensor, &hasher);
  identity.key = hasher.Finish();
  return identity;
}

std::unique_ptr<PartitionCache> PartitionCache::Open(
    const CacheOptions& options, const CacheSubject& subject) {
  std::unique_ptr<PartitionCache> self(new PartitionCache);
  self->report_.state = "cold";
  self->options_ = options;
  self->binary_formats_ = subject.device.program_binary_formats;
  auto directory = CacheDirectory::Open(options.directory);
  if (!directory.ok()) {
    self->Warn(directory.status(), "the start-up cache is not used");
    return self;
  }
  self->directory_ = *std::move(directory);
  self->directory_->SweepTemps();
  self->identity_ = IdentityOf(subject);
  self->name_ = FileName(options.token, subject);
  self->Load();
  if (!self->loading()) self->StartWriting();
  return self;
}

void PartitionCache::Load() {
  auto file = CacheFile::Open(*directory_, name_);
  if (absl::IsNotFound(file.status())) {
    report_.reason = "no cache yet";
    return;
  }
  if (!file.ok()) {
    Warn(file.status(), "a cold start; the file is written again");
    return;
  }
  file_ = *std::move(file);
  if (auto s = CheckIdentity(); !s.ok()) {
    file_.reset();
    Warn(s, "a cold start; the file is written again");
    return;
  }
  report_.state = "warm";
  report_.bytes = static_cast<int64_t>(file_->bytes());
  if (file_->index().programs() == nullptr) return;
  for (const cache::Program* program : *file_->index().programs()) {
    programs_[program->text()->low()] = program;
  }
}

absl::Status PartitionCache::CheckIdentity() const {
  const cache::Index& index = file_->index();
  const auto other = [this](absl::string_view what) {
    return FailedPrecondition("'", name_, "' was made ", what);
  };
  if (View(index.driver()) != identity_.driver) {
    return other(absl::StrCat("with the driver ",
                              PrintableName(View(index.driver())), ", this is ",
                              identity_.driver));
  }
  if (View(index.build()) != identity_.build) {
    return other(absl::StrCat("by the delegate ",
                              PrintableName(View(index.build())), ", this is ",
                              identity_.build));
  }
  if (FromStored(*index.key()) != identity_.key) {
    return other(absl::StrCat(
        "for another model under the model_token '", options_.token,
        "' (other weights or parameters); give each model a token of its own"));
  }
  return absl::OkStatus();
}

void PartitionCache::StartWriting() {
  if (!directory_) return;
  auto writer = CacheWriter::Create(*directory_);
  if (!writer.ok()) {
    Warn(writer.status(), "nothing is saved for the next start");
    return;
  }
  writer_ = *std::move(writer);
}

absl::StatusOr<std::optional<absl::Span<const uint8_t>>>
PartitionCache::NextConstant(size_t bytes) {
  if (file_ == nullptr) return std::optional<absl::Span<const uint8_t>>();
  if (lent_ != nullptr) file_->Drop(*lent_);
  lent_ = nullptr;
  const auto* constants = file_->index().constants();
  if (constants == nullptr || next_constant_ >= constants->size()) {
    return absl::DataLossError(
        absl::StrCat("'", name_, "' holds too few constants"));
  }
  const cache::Extent* extent = constants->Get(next_constant_++);
  if (extent->bytes() != bytes) {
    return absl::DataLossError(
        absl::StrCat("'", name_, "' holds a constant of ", extent->bytes(),
                     " bytes where the plan has ", bytes));
  }
  auto data = file_->Read(*extent);
  if (!data.ok()) {
    return absl::DataLossError(
        absl::StrCat("'", name_, "': ", data.status().message()));
  }
  lent_ = extent;
  return std::optional<absl::Span<const uint8_t>>(*data);
}

void PartitionCache::SaveConstant(absl::Span<const uint8_t> bytes) {
  if (writer_ == nullptr) return;
  if (auto s = writer_->AddConstant(bytes); !s.ok()) {
    writer_.reset();
    Warn(s, "nothing is saved for the next start");
  }
}

std::optional<PartitionCache::Binary> PartitionCache::FindProgram(
    const Hash128& text) {
  if (file_ == nullptr) return std::nullopt;
  const auto it = programs_.find(text.low);
  if (it == programs_.end() || FromStored(*it->second->text()) != text) {
    return std::nullopt;
  }
  auto data = file_->Read(*it->second->binary());
  if (!data.ok()) {
    Warn(data.status(), "that program is compiled");
    return std::nullopt;
  }
  return Binary{it->second->format(), *data};
}

void PartitionCache::CountPrograms(int loaded, int compiled) {
  report_.programs_loaded += loaded;
  report_.programs_compiled += compiled;
}

void PartitionCache::Reject(const absl::Status& why) {
  Warn(why, "a cold start; the file is written again");
  file_.reset();
  programs_.clear();
  lent_ = nullptr;
  report_.state = "cold";
  report_.bytes = 0;
  report_.programs_loaded = 0;
  report_.programs_compiled = 0;
  StartWriting();
}

void PartitionCache::CommitSave() {
  if (!deferred_) return;
  deferred_ = false;
  Save(std::exchange(pending_, {}));
}

void PartitionCache::Save(
    absl::Span<const std::pair<Hash128, const egl::Program*>> programs) {
  if (deferred_) {
    pending_.assign(programs.begin(), programs.end());
    return;
  }
  if (loading() && report_.programs_compiled > 0) {
    report_.state = "partial";
    const bool offered = binary_formats_ > 0;
    if (report_.reason.empty()) {
      report_.reason =
          offered ? "the driver refused some programs, or they were missing"
                  : "the driver offers no program binaries";
    }
    if (offered && file_->index().refreshes() < kMaxRefreshes) StartWriting();
  }
  if (writer_ == nullptr) return;
  if (auto s = TrySave(programs); !s.ok()) {
    Warn(s, "nothing is saved for the next start");
  }
  writer_.reset();
}

absl::Status PartitionCache::CopyConstants() {
  const auto* constants = file_->index().constants();
  if (constants == nullptr) return absl::OkStatus();
  for (const cache::Extent* extent : *constants) {
    ASSIGN_OR_RETURN(auto data, file_->Read(*extent));
    RETURN_IF_ERROR(writer_->AddConstant(data));
    file_->Drop(*extent);
  }
  return absl::OkStatus();
}

absl::Status PartitionCache::TrySave(
    absl::Span<const std::pair<Hash128, const egl::Program*>> programs) {
  uint32_t refreshes = 0;
  if (loading()) {
    refreshes = file_->index().refreshes() + 1;
    RETURN_IF_ERROR(CopyConstants());
  }
  for (const auto& [text, program] : programs) {
    if (binary_formats_ < 1) break;
    auto binary = program->GetBinary();
    if (!binary.ok()) continue;  // that one is compiled the next time
    RETURN_IF_ERROR(writer_->AddProgram(text, binary->format, binary->data));
  }
  ASSIGN_OR_RETURN(auto bytes, writer_->Finish(identity_, refreshes, name_,
                                               options_.max_bytes));
  report_.bytes = bytes;
  report_.saved = true;
  return options_.max_bytes > 0 ? directory_->Limit(options_.max_bytes)
                                : absl::OkStatus();
}

void PartitionCache::Warn(const absl::Status& why, const char* consequence) {
  if (!warning_.empty()) return;
  report_.reason = std::string(why.message());
  warning_ = absl::StrCat("start-up cache in '", options_.directory,
                          "': ", why.message(), ": ", consequence);
}

// --- A short text beside the caches ------------------------------------------

std::string ReadText(const CacheOptions& options, const CacheSubject& subject) {
  if (options.directory.empty()) return "";
  const auto cache = PartitionCache::Open(options, subject);
  const auto kept = cache->NextConstant(kTextBytes);
  if (!kept.ok() || !kept->has_value()) return "";
  const auto end = std::find((*kept)->begin(), (*kept)->end(), uint8_t{0});
  return std::string((*kept)->begin(), end);
}

void KeepText(const CacheOptions& options, const CacheSubject& subject,
              absl::string_view text) {
  if (options.directory.empty()) return;
  const auto cache = PartitionCache::Open(options, subject);
  const auto kept = cache->NextConstant(kTextBytes);
  if (!kept.ok()) cache->Reject(kept.status());
  if (cache->loading()) return;
  text = text.substr(0, kTextBytes);
  std::vector<uint8_t> record(text.begin(), text.end());
  record.resize(kTextBytes);  // zeros behind the text
  cache->SaveConstant(record);
  cache->Save({});
}

}  // namespace gles_delegate
