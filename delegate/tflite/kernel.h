// One partition of a model: TFLite's side of a session.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <memory>
#include <optional>

#include "delegate/session/session.h"
#include "delegate/tflite/cpu_partition.h"
#include "delegate/tflite/partition_reader.h"
#include "delegate/tflite/simple_delegate.h"
#include "delegate/tflite/tensor_io.h"

namespace gles_delegate {

// A kernel's share of its delegate: by value, since TFLite may delete the
// delegate first.
struct KernelSetup {
  SessionSetup session;
  PartitionReadOptions read;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  bool fallback_to_cpu = false;
  std::shared_ptr<const BoundObjects> objects;  // the app's
  std::optional<GlesRuntimeBuffers> runtime_buffers;
  std::shared_ptr<WorkerThread> worker;  // nullptr: none
};

class GlesKernel final : public SimpleDelegateKernel {
 public:
  // A kernel for `model`'s partition, not yet prepared. kUnimplemented: an
  // output is a constant of an unsupported type.
  static absl::StatusOr<std::unique_ptr<GlesKernel>> Create(
      const TfLiteContext& context, const CheckedModel& model,
      KernelSetup setup);

  // Plans, compiles and uploads, unless already done for these shapes. If
  // shapes have changed, reads the partition's nodes again first; if one of
  // them cannot run at the new shapes, all run on the CPU.
  absl::Status PrepareOnGpu(TfLiteContext* context);
  // PrepareOnGpu(). If that fails, with fallback_to_cpu all nodes run on the
  // CPU, unless the runtime's own kernels refuse the shapes.
  absl::Status Prepare(TfLiteContext* context) override;
  // Errors as Session::Submit().
  absl::StatusOr<bool> Submit(TfLiteContext* context, bool may_split) override;
  absl::Status Wait(TfLiteContext* context) override;
  GpuQueue* queue() override { return &session_.queue(); }
  void SetHandleOwner(const void* owner) override;
  void LendMemory(TfLiteContext* context) override;
  // Once, after creation: asks the runtime for buffers.
  absl::Status RequireBuffers(TfLiteContext* context) {
    return io_.RequireBuffers(context, reader_.nodes(), reader_.partition());
  }
  void TakeMemoryBack(TfLiteContext* context) override;

  // The option memory_limit_bytes: reserves the partition's memory until the
  // kernel is deleted or this is called again (MemoryReservation::Reserve).
  absl::Status ReserveMemory() { return session_.Reserve(); }

  const ModelPartition& partition() const { return reader_.partition(); }
  const std::shared_ptr<PartitionReport>& report() const {
    return session_.setup().report;
  }

 private:
  class Host;  // a call by TFLite, for the session

  explicit GlesKernel(KernelSetup setup);
  absl::Status ReadAgain(TfLiteContext* context, SessionHost* host);
  absl::Status TakeGraph(absl::StatusOr<ReadPartition> read, SessionHost* host);

  const bool fallback_to_cpu_;
  PartitionReader reader_;
  Session session_;
  TensorIo io_;
  // Runs the nodes while the session is on the CPU.
  std::unique_ptr<CpuPartition> on_cpu_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
