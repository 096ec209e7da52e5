#include "delegate/cache/cache_store.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

// A driver that refuses its own binaries is not asked again for ever.
constexpr uint32_t kMaxRefreshes = 3;

Hash128 TextOf(const cache::Program& program) {
  return {program.text()->low(), program.text()->high()};
}

absl::string_view View(const flatbuffers::String* text) {
  return text == nullptr ? absl::string_view()
                         : absl::string_view(text->c_str(), text->size());
}

}  // namespace

std::unique_ptr<PartitionCache> PartitionCache::Open(
    const CacheOptions& options, const CacheSubject& subject,
    int binary_formats) {
  std::unique_ptr<PartitionCache> self(new PartitionCache);
  self->report_.state = "cold";
  self->options_ = options;
  self->binary_formats_ = binary_formats;
  auto directory = CacheDirectory::Open(options.directory);
  if (!directory.ok()) {
    self->Warn(directory.status(), "the start-up cache is not used");
    return self;
  }
  self->directory_ = *std::move(directory);
  self->directory_->SweepTemps();
  self->identity_ = IdentityOf(subject);
  self->name_ = CacheFileName(options.token, subject);
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
    programs_[TextOf(*program).low] = program;
  }
}

absl::Status PartitionCache::CheckIdentity() const {
  const cache::Index& index = file_->index();
  const auto other = [this](absl::string_view what) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", name_, "' was made ", what));
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
  const Hash128 key{index.key()->low(), index.key()->high()};
  if (key != identity_.key) {
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
  if (it == programs_.end() || TextOf(*it->second) != text) return std::nullopt;
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
  if (auto s = TrySave(programs); !s.ok())
    Warn(s, "nothing is saved for the next start");
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

}  // namespace gles_delegate
