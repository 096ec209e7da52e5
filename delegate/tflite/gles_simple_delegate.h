// The delegate: owns the GPU, checks nodes, chooses partitions and makes their
// kernels. Its kernels: a partition's inputs and outputs, and its session.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/session.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/report.h"
#include "delegate/tflite/runtime.h"
#include "delegate/tflite/runtime_buffers.h"
#include "delegate/tflite/simple_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- A model's inputs and outputs --------------------------------------------

// The app's GL textures and buffers bound to tensors
// (TfLiteGlesDelegateBindObject).
// Shared by a delegate and its kernels. Threads: as the delegate's Invoke.
class BoundObjects {
 public:
  // By the runtime's tensor index.
  void Bind(int tensor, const AppObject& object) {
    objects_[tensor] = object;
    ++version_;
  }
  void Unbind(int tensor) {
    objects_.erase(tensor);
    ++version_;
  }
  // nullptr if none is bound. Valid until the next change.
  const AppObject* Of(int tensor) const {
    const auto it = objects_.find(tensor);
    return it == objects_.end() ? nullptr : &it->second;
  }
  const HashMap<int, AppObject>& all() const { return objects_; }
  // Changes with each of these; never -1.
  int version() const { return version_; }

 private:
  HashMap<int, AppObject> objects_;
  int version_ = 0;
};

// --- The option state_pairs --------------------------------------------------

// Caches that an app passes from call to call stay on the GPU.
//
// The runtime's memory of such an input and output then has a mark in place of
// values: which buffer has them, since which call. If the app copies an output
// into the next call's input, also of another signature, it copies the mark; if
// it copies nothing, each call continues with the last one's cache. An input
// without a mark has values, which are uploaded.

// A cache, which the partitions that use it own together.
struct KeptCache {
  uint64_t number = 0;   // in the pool
  uint64_t updates = 0;  // the mark's are older: another call had it
  std::unique_ptr<TensorBuffer> buffer;
};

// A delegate's caches. Threads: as the delegate's Invoke.
class CachePool {
 public:
  CachePool();
  // The cache whose mark is in `memory`; nullptr: there are values.
  // kFailedPrecondition: the cache was updated later, or is gone.
  absl::StatusOr<std::shared_ptr<KeptCache>> MarkedIn(
      const HostMemory& memory) const;
  std::shared_ptr<KeptCache> Add();
  void Mark(const KeptCache& cache, const HostMemory& memory) const;

 private:
  const uint64_t number_;  // in the process
  std::vector<std::weak_ptr<KeptCache>> caches_;
};

// --- Inputs and outputs ------------------------------------------------------

// A kernel's share of its delegate: by value, since TFLite may delete the
// delegate first.
struct KernelSetup {
  SessionSetup session;  // until there is a session
  ReadOptions read;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  bool fallback_to_cpu = false;
  std::shared_ptr<const BoundObjects> objects;  // the app's
  std::optional<GlesRuntimeBuffers> runtime_buffers;
  std::shared_ptr<CachePool> caches;         // nullptr: without state_pairs
  std::shared_ptr<WorkerThread> worker;      // nullptr: none
  const SimpleDelegate* delegate = nullptr;  // of tensors' buffer handles
};

class BufferedTensors;

// Threads: as SimpleDelegateKernel's.
class TensorIo {
 public:
  // Both must outlive this.
  TensorIo(const KernelSetup& setup, Session* session);
  ~TensorIo();

  // After Session::SetGraph(). `constants`: the partition's outputs without a
  // slot.
  void Begin(std::vector<ConstantOutput> constants);
  // Once: asks the runtime for buffers of caches, and with zero_copy of the
  // model's other inputs and outputs; not of tensors that nodes outside the
  // partition use. Errors of reading these nodes.
  absl::Status RequireBuffers(TfLiteContext* context);

  // Gives the slots their objects: those that the app has bound, or else the
  // buffers that are tensors' handles (TfLiteInterpreterSetBufferHandle).
  void SetObjects();
  // Before an inference: sets the slots' memory, and their objects if these
  // have changed.
  absl::Status Collect(TfLiteContext* context);
  // After it: copies constants, and marks the tensors that are outdated because
  // a handle's buffer has the values.
  absl::Status Finish(TfLiteContext* context);
  // After an inference that failed.
  void Abandon();
  // Runs the nodes on the CPU, with all tensors in host memory.
  absl::Status OnHost(TfLiteContext* context,
                      absl::FunctionRef<absl::Status()> run);

  // The option zero_copy: places the model's inputs and outputs in memory that
  // the GPU accesses, except tensors that nodes outside the partition use.
  // TakeMemoryBack() makes the runtime allocate them again.
  void LendMemory(TfLiteContext* context);
  void TakeMemoryBack(TfLiteContext* context);

 private:
  struct Lent {
    int tensor;
    std::shared_ptr<char> memory;
  };

  void TakeHandle(const TfLiteContext& context, int index);
  absl::Status TakeCache(TfLiteContext* context, int index, bool writes);
  absl::Status Take(TfLiteContext* context, IoSlot* slot, bool writes);
  // Changes with the slots' objects; never -1.
  int version() const { return setup_.objects->version() + handles_.version(); }

  const KernelSetup& setup_;
  Session* const session_;
  const std::unique_ptr<BufferedTensors> buffered_;
  BoundObjects handles_;  // buffers that are tensors' handles, and of caches
  int version_ = -1;      // of the slots' objects
  std::vector<ConstantOutput> constants_;
  std::vector<Lent> lent_;  // since the runtime prepared the node
};

// --- The kernel: one partition of a model, TFLite's side of a session --------

// The graph of `nodes` (TFLite's node indices, in execution order) with
// `inputs` and `outputs` (TFLite's tensor indices, none absent) in that order.
// Constants are not graph inputs, and folded nodes are omitted. Tensors keep
// their tflite_index.
Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs);

// The results of such a partition never change: they are handed over as
// constants.
bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition);

class GlesKernel final : public SimpleDelegateKernel {
 public:
  explicit GlesKernel(KernelSetup setup);
  // Before all else, from a model that was read for all partitions.
  // kUnimplemented: an output is a constant of an unsupported type.
  absl::Status Read(const TfLiteContext& context, const CheckedModel& model);

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
  // Once, after creation: asks the runtime for buffers.
  absl::Status RequireBuffers(TfLiteContext* context) {
    return io_.RequireBuffers(context);
  }
  void TakeMemoryBack(TfLiteContext* context) override {
    io_.TakeMemoryBack(context);
  }

  // The option memory_limit_bytes: reserves the partition's memory until the
  // kernel is deleted or this is called again (Session::Reserve).
  absl::Status ReserveMemory() { return session_.Reserve(); }

  const ModelPartition& partition() const { return setup_.partition; }
  const std::shared_ptr<PartitionReport>& report() const {
    return session_.setup().report;
  }

 private:
  class Host;  // a call by TFLite, for the session

  // Reads for the shapes that the inputs have now. Also an error: the runtime's
  // own kernels refuse them.
  absl::Status ReadAgain(TfLiteContext* context, SessionHost* host);
  // The shapes that inputs and outputs have now, and the values of inputs that
  // follow from shapes.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;
  // Evaluates the partition's inputs that follow from shapes.
  absl::Status EvaluateInputValues(TfLiteContext* context);
  // Makes the runtime store the outputs that follow from shapes, for CPU nodes
  // that are prepared next.
  absl::Status HoldValues(TfLiteContext* context);
  // Whether HoldValues() stores the output. Values that follow from constants
  // alone are handed over as other constants are.
  bool Holds(const TfLiteContext& context, int output) const;
  // Runs the nodes with TFLite's CPU kernels, after PropagateShapes() has
  // prepared them. TFLite keeps replaced nodes, but allocates memory only for
  // the partition's inputs and outputs. kInternal: a kernel failed and reported
  // why.
  absl::Status RunOnCpu(TfLiteContext* context);

  KernelSetup setup_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() as read
  bool cpu_takes_shapes_ = true;               // false: ReadAgain() failed
  Session session_;
  TensorIo io_;
  // Of inner tensors on the CPU; kept between runs, since kernels store data
  // there.
  ScratchMemory cpu_memory_;
};

// --- The delegate ------------------------------------------------------------

class TrialShapes;

class GlesSimpleDelegate final : public SimpleDelegate {
 public:
  // `refusal`, unless Ok: it cannot be applied, for callers that cannot handle
  // NULL. Each attempt reports this reason, and the interpreter runs on the
  // CPU.
  explicit GlesSimpleDelegate(Options options,
                              absl::Status refusal = absl::OkStatus());
  ~GlesSimpleDelegate() override;

  ContextOrError ContextOfCaller() const override;
  absl::Status Initialize(TfLiteContext* context,
                          const ContextOrError& of_caller) override;
  absl::Status IsNodeSupported(int node_index) override;
  std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) override;
  absl::StatusOr<std::vector<ModelPartition>> BuildPartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) override;
  absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext* context, const ModelPartition& partition) override;
  void Finish(TfLiteContext* context, const absl::Status& applied) override;
  absl::Status WriteReport() override;
  bool FallsBackToCpu() const override { return options_.fallback_to_cpu; }
  absl::Status CopyHandle(TfLiteBufferHandle handle, TfLiteTensor& tensor,
                          bool to_handle) override;
  std::shared_ptr<WorkerThread> worker() const override { return worker_; }

  // Binds an app's object to TFLite's tensor; nullptr unbinds.
  // kFailedPrecondition, with the reason: it can never work.
  absl::Status BindObject(int tensor, const TfLiteGlesObject* object);
  // Makes kernels use a runtime's own buffers. kInternal: the delegate was
  // applied before.
  absl::Status UseBuffersOfRuntime(const GlesRuntimeBuffers& buffers);
  // The report as a JSON object; valid until the next call.
  const char* Report();

 private:
  absl::Status EnsureGpu(TfLiteContext* context,
                         const ContextOrError& of_caller);
  void BeginSubgraph(TfLiteContext* context);
  absl::Status FindShapes(TfLiteContext* context);
  // The kernels that quantized nodes must match; known after Initialize().
  quant::CpuKernels cpu_kernels() const {
    return options_.integer_rounding.value_or(CpuKernelsOf(runtime_));
  }

  // Keeps the partition on the CPU, for this reason.
  void Refuse(const ModelPartition& partition, std::string reason);
  // Refuses partitions for which `why` returns a reason.
  void RefuseSome(std::vector<ModelPartition>* partitions,
                  absl::FunctionRef<std::string(const ModelPartition&)> why);
  // Leaves loops of many steps that do not pay to the runtime.
  void RefuseLoops(TfLiteContext* context);
  // Why the partition stays on the CPU; "": for no such reason.
  std::string WhyIdle(const TfLiteContext& context,
                      const ModelPartition& partition) const;
  std::string WhyNoGain(const ModelPartition& partition);
  // The option memory_limit_bytes. Otherwise keeps the kernel with its
  // reservation for TakeKernel().
  std::string WhyNoMemory(TfLiteContext* context,
                          const ModelPartition& partition);
  // The partition's kernel: one made while choosing partitions, or a new one.
  absl::StatusOr<std::unique_ptr<GlesKernel>> TakeKernel(
      TfLiteContext* context, const ModelPartition& partition);

  // Tells the report which subgraphs are inlined now.
  void NoteDecompositions(TfLiteContext* context);
  // While the delegate is being applied, after choosing partitions.
  void WarnOfUnusedObjects(TfLiteContext* context) const;
  std::string MakeReport();

  SubgraphReport& now() { return reports_.now(); }

  Options options_;
  const absl::Status refusal_;
  const std::shared_ptr<WorkerThread> worker_;
  const std::shared_ptr<BoundObjects> objects_ =
      std::make_shared<BoundObjects>();
  std::optional<GlesRuntimeBuffers> runtime_buffers_;
  const std::shared_ptr<CachePool> caches_ = std::make_shared<CachePool>();
  std::shared_ptr<Gpu> gpu_;  // nullptr: never applied
  DeviceProfile profile_;
  Runtime runtime_;
  // While the delegate is being applied: the model being read.
  std::optional<CheckedModel> model_;
  ModelNodes nodes_;                               // of that model
  std::unique_ptr<TrialShapes> trial_shapes_;      // of its inputs
  std::vector<std::unique_ptr<GlesKernel>> made_;  // not yet taken
  bool memory_plan_is_old_ = false;
  // Subgraphs of the interpreter to which the delegate is being applied.
  HashSet<const TfLiteContext*> called_;

  InterpreterReports reports_;
  std::string report_;            // the last text of Report()
  size_t subgraphs_written_ = 0;  // of the last WriteReport()
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
