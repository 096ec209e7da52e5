// The C API of libgles_delegate.so: a TensorFlow Lite delegate that runs models
// as OpenGL ES 3.1 compute shaders.
//
//   TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
//   options.is_precision_loss_allowed = 1;              // 16-bit storage
//   TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
//   TfLiteInterpreterModifyGraphWithDelegate(interpreter, delegate);
//   ... TfLiteInterpreterInvoke(interpreter), on this same thread ...
//   TfLiteInterpreterDelete(interpreter);
//   TfLiteGlesDelegateDelete(delegate);
//
// EGL: where the thread that applies the delegate (ModifyGraphWithDelegate, or
// TfLiteInterpreterCreate where the delegate is in the interpreter's options)
// has a current OpenGL ES 3.1 context, that one is borrowed, and its state
// restored after each use; else the delegate makes a headless one of its own.
// Threads: with a context of the delegate's own, Invoke must be called on the
// thread that applied the delegate. With a borrowed one, Invoke must be called
// with that same EGLContext current, on whatever thread that is; on the thread
// that applied the delegate it may also be current nowhere, and is then made
// current for the length of the call. Else Invoke returns kTfLiteError, and
// says which threads and contexts these were. With the option thread_mode, any
// thread may call. fork: in a child of a process that has used the driver, each
// call fails at once and says so; deleting is allowed, and frees nothing of the
// GPU's. Failure: where the delegate
// cannot be applied, ModifyGraphWithDelegate returns an error, the reason goes
// to the interpreter's error reporter, and the interpreter runs on the CPU as
// before.
#ifndef GLES_DELEGATE_GLES_DELEGATE_H_
#define GLES_DELEGATE_GLES_DELEGATE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define GLES_DELEGATE_EXPORT __declspec(dllexport)
#else
#define GLES_DELEGATE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct TfLiteDelegate;
struct TfLiteRegistration;

// Where tensors live on the GPU.
enum TfLiteGlesStorage {
  kTfLiteGlesStorageAuto = 0,  // the tuning table's choice for the device
  kTfLiteGlesStorageTextureArray = 1,  // a 2-D texture array, a layer per slice
  kTfLiteGlesStorageTexture2d = 2,     // a 2-D texture, slices side by side
  kTfLiteGlesStorageBuffer = 3,        // a shader storage buffer
};

// How quantized nodes are computed (docs/quantization.md).
enum TfLiteGlesQuantizedCompute {
  kTfLiteGlesQuantizedAuto = 0,   // what is best on the device
  kTfLiteGlesQuantizedFloat = 1,  // floats; each output is rounded to its codes
  // Floats that are rounded nowhere inside a partition. Faster by little, and
  // farther from the CPU's answer: to show what the rounding buys.
  kTfLiteGlesQuantizedFloatUnsimulated = 2,
  // 8-bit activations are stored as their codes, and convolutions, matrix
  // products, sums and averages of them are TFLite's integer arithmetic: the
  // CPU's codes, but for those of ops that stay in floats. So are convolutions
  // and matrix products of 16-bit activations. Other ops as with
  // kTfLiteGlesQuantizedFloat.
  kTfLiteGlesQuantizedInteger = 3,
};

// How the delegate chooses tile sizes, storage and the like.
enum TfLiteGlesTuning {
  kTfLiteGlesTuningDefault = 0,  // the tuning table's row for the device
  // Each partition is built and run many times when it is prepared, and the
  // fastest setting kept: seconds on a GPU, minutes on a software driver. With
  // serialization_dir and model_token the result is kept there, and later
  // starts take it as it is. See docs/performance.md.
  kTfLiteGlesTuningExhaustive = 1,
};

// How Invoke waits for the GPU.
enum TfLiteGlesWaitType {
  // The thread sleeps in the driver until the results are there: it takes no
  // processor time meanwhile, and waking up costs some microseconds.
  kTfLiteGlesWaitPassive = 0,
  // The thread asks the driver again and again for up to 2 ms, then sleeps:
  // lower latency for short inferences, at the price of a busy core.
  kTfLiteGlesWaitActive = 1,
  // Invoke hands its commands to the driver and returns. All outputs must be
  // bound to GL objects (TfLiteGlesDelegateBindObject) before the delegate is
  // applied: else it cannot be, and an Invoke without fails. Commands of the
  // app's context that follow see the results; other contexts and the CPU wait
  // by a fence of the app's (glFenceSync, eglCreateSync), inserted after
  // Invoke. An Invoke whose inputs travel through the CPU's memory waits for
  // the one before it. What goes wrong on the GPU is told by a later Invoke.
  kTfLiteGlesWaitDoNotWait = 2,
  // The thread asks the driver again and again until the results are there,
  // however long that takes, and never sleeps: it is not woken late, at the
  // price of a core that is busy through each Invoke.
  kTfLiteGlesWaitAggressive = 3,
};

// On which thread the delegate works.
enum TfLiteGlesThreadMode {
  // On the thread that calls it, which the rule at the top of this header
  // binds: that of a context of the delegate's own, or that where a borrowed
  // context is current. A context of the delegate's own stays current between
  // calls on the thread that applied the delegate first, unless the environment
  // variable DISPLAY is set when the delegate is made: an X app may make a GLX
  // context current there, which fails while one of EGL is. An EGLContext that
  // the app makes current on the thread is restored after each call. Other
  // threads may apply the delegate to interpreters of theirs and invoke those,
  // and delete interpreters and the delegate, at other times than this one:
  // there it works in a second context that shares objects with the first. When
  // the thread ends, it lets the context go. Where another thread deletes the
  // delegate, the context itself goes when this thread next calls a delegate or
  // ends.
  kTfLiteGlesThreadCaller = 0,
  // On one thread of the delegate's own, in a context of its own: no context of
  // the app's is borrowed, and force_own_context has no effect. The delegate,
  // its report and the interpreters that use it may be called from any thread,
  // and from many at once as long as each interpreter is called by one at a
  // time, which is TFLite's own rule. Calls are served in the order in which
  // they come, and each caller sleeps until its call is done. The interpreters'
  // error reporters may be called on the delegate's thread meanwhile.
  kTfLiteGlesThreadWorker = 1,
  // As kTfLiteGlesThreadWorker, in a context that shares GL's objects with the
  // app's: the one that is current (OpenGL ES 3.1) on the thread that applies
  // the delegate the first time; where none is, the delegate cannot be applied.
  // Buffers and textures of the app's can be bound to tensors
  // (TfLiteGlesDelegateBindObject). Where a context of the same EGLDisplay is
  // current on the thread that calls Invoke, the GPU keeps them in order:
  // Invoke sees what that context's commands before it wrote, and the commands
  // after it see what Invoke wrote. The app's own shaders want a
  // glMemoryBarrier in a context other than the one that was current when the
  // delegate was applied. The app's context outlives the delegate and its
  // interpreters; after a reset the delegate must be applied again.
  kTfLiteGlesThreadWorkerSharing = 2,
  // As kTfLiteGlesThreadCaller, and a context of the delegate's own stays
  // current in an X app, too. Where it is let go, an Invoke ends 10 to 40 us
  // later on an H200.
  kTfLiteGlesThreadCallerKeepsContext = 3,
  // As kTfLiteGlesThreadCaller, and each call lets a context of the delegate's
  // own go: for apps that call GL, or ask EGL what is current, on the thread
  // without making a context of their own current first.
  kTfLiteGlesThreadCallerLetsGo = 4,
};

// What becomes of a finite value past 65504, the largest 16-bit float, where
// tensors are stored in 16 bits (is_precision_loss_allowed). Infinities and
// NaNs stay what they are with either.
enum TfLiteGlesFloat16Overflow {
  // An infinity of its sign, as IEEE 754 rounds it: an overflow shows in the
  // outputs instead of becoming a plausible number, and stores cost nothing
  // more.
  kTfLiteGlesFloat16OverflowInfinity = 0,
  // 65504 of its sign: one value that overflows does not make its whole
  // neighbourhood NaN (infinity minus infinity, infinity times zero).
  kTfLiteGlesFloat16OverflowSaturate = 1,
};

// What convolutions of tensors that are stored in 16 bits
// (is_precision_loss_allowed) multiply in. docs/performance.md has what it
// gains and costs.
enum TfLiteGlesFloat16Arithmetic {
  // In 16 bits where the device's row of the tuning table says that it gains.
  kTfLiteGlesFloat16ArithmeticAuto = 0,
  // In 16 bits on every device. Sums of 16 products are in 16 bits, too; these
  // are added in 32 bits. A sum of 16 products past 65504 is an infinity. For
  // 1x1 convolutions, and on devices that share tiles (`split_target`) for
  // all of 64 input values or more; other ops compute in 32 bits.
  kTfLiteGlesFloat16ArithmeticOn = 1,
  // In 32 bits: 16 bits are for storage alone.
  kTfLiteGlesFloat16ArithmeticOff = 2,
};

// Whether the model's inputs and outputs lie in memory that the GPU reads and
// writes, so that nothing copies them on the host. The app notices nothing but
// this: TfLiteTensorData() and its like point there, from AllocateTensors (or
// from applying the delegate) until the next AllocateTensors, as they otherwise
// point into TFLite's arena; and after an Invoke that failed such outputs may
// hold anything. Of a tensor that lies there TFLite says kTfLiteCustom.
//
// A tensor lies there where the delegated partition alone reads or writes it;
// its float32, int32 or 8-bit values are what the GPU holds; the driver has
// GL_EXT_buffer_storage; and the tensor is neither a variable, nor bound to an
// object of the app's, nor packed by the host (llvmpipe, and GPUs whose memory
// is the host's, keep the host's tensors, as they copy them straight to and
// from the texels). Nothing lies there with wait_type kTfLiteGlesWaitDoNotWait,
// since the GPU may be reading when the app writes again, nor behind nodes on
// the CPU whose outputs have dynamic shapes. Memory that the app gives a tensor
// itself (SetCustomAllocationForTensor) is used instead. The report has the
// tensors as "zero_copy_tensors". An eglTerminate of the delegate's EGLDisplay
// by the app takes the memory away on Mesa's drivers, under whoever writes
// there next; on NVIDIA's it stays.
enum TfLiteGlesZeroCopy {
  // Where the device's row of the tuning table says that it gains: NVIDIA's. On
  // an H200 inferences of images in float32 take 0.73 to 0.92 of their time.
  kTfLiteGlesZeroCopyAuto = 0,
  kTfLiteGlesZeroCopyOn = 1,
  kTfLiteGlesZeroCopyOff = 2,
};

// What matters more where a driver takes long to compile, in the words of the
// stock GPU delegate. Where the device's row shares no programs
// (docs/tuning.md), both are the same: of all rows NVIDIA's alone does.
enum TfLiteGlesInferencePreference {
  // A partition runs by a stand-in at first, and by its plan proper once that
  // is compiled (TfLiteGlesBackgroundCompilation).
  kTfLiteGlesPreferSustainedSpeed = 0,
  // The first answer: partitions stay with their stand-in, nothing is compiled
  // behind the app's back, and each inference takes two to four times as long.
  // For what starts often and infers once or a few times.
  kTfLiteGlesPreferFastSingleAnswer = 1,
};

// Whether a partition gives its first answers by a stand-in: a plan of few and
// plain programs, which a driver that takes long to compile has sooner (on an
// H200 without the driver's cache in a seventh to two fifths of the time).
// After the first inference a thread of the delegate's builds the partition by
// its plan proper, in a context that shares objects with the delegate's own;
// then each inference has the driver ready a few programs of that plan, and the
// first one that finds all of them ready runs by it, as do all that follow.
// Until then, for one to three seconds on an H200, an inference takes two to
// four times as long, and waits now and then for the driver's compiler; the
// partition takes up to twice its GPU memory; and floats may differ from those
// of later inferences, within the bounds that both keep; what is computed in
// TFLite's integers does not differ.
//
// The report says under "background" how far it has come. Where building fails,
// the partition stays with its stand-in, and a warning says why. Deleting the
// interpreter waits for the program that is being compiled, as does exit(), and
// with serialization_dir for the cache file to be written. There is no stand-in
// for partitions with variable tensors or with objects of the app's, in a
// context of the app's, with share_key, memory_limit_bytes, prefer_faster,
// enable_op_profiling, tuning=exhaustive or GLES_DELEGATE_DUMP_PLAN, nor after
// a resize once the plan proper has run, since most programs are there then.
enum TfLiteGlesBackgroundCompilation {
  // Where the device's row of the tuning table says so: NVIDIA's.
  kTfLiteGlesBackgroundCompilationAuto = 0,
  kTfLiteGlesBackgroundCompilationOn = 1,
  // Partitions are built by their plan proper when they are prepared.
  kTfLiteGlesBackgroundCompilationOff = 2,
};

// Options. Get one from TfLiteGlesDelegateOptionsDefault(), then change fields.
// Each field is a key of the external delegate's options too. The environment
// variable GLES_DELEGATE_OPTIONS="key:value;..." stands in for what an app
// leaves at its default (docs/options.md).
//
// The struct grows at its end from release to release, and an app runs with a
// library that is older or newer than the header it was compiled against:
// `struct_size` says which fields the app knows. The library reads and writes
// no byte past it. A field that the app does not know has its default. A field
// that the library does not know (the app's header is the newer one) must be
// zero, as TfLiteGlesDelegateOptionsDefault() leaves it; where it is not,
// TfLiteGlesDelegateCreate returns NULL and TfLiteGlesDelegateLastError() says
// that the app asks for an option that this library does not have. (For those
// who append fields: the struct must not end in padding.)
typedef struct TfLiteGlesDelegateOptions {
  // sizeof(TfLiteGlesDelegateOptions) where the app was compiled; set by
  // TfLiteGlesDelegateOptionsDefault() and TfLiteGlesDelegateOptionsInit().
  size_t struct_size;

  // Nonzero: tensors and weights are kept in 16-bit floats (accumulation stays
  // in 32 bits). Default 0.
  int32_t is_precision_loss_allowed;

  // Maximum number of partitions to delegate, those with the most nodes first;
  // 0: no limit. Default -1: each partition that pays for its way to the GPU
  // and back, by an estimate that the report has; a model that runs on the GPU
  // as a whole always does.
  int32_t max_delegated_partitions;

  // Partitions of fewer nodes than this stay on the CPU. Default 1.
  int32_t min_nodes_per_partition;

  // Nonzero: quantized nodes run, as `quantized_compute` says. Default 1.
  int32_t enable_quantization;

  // TfLiteGlesStorage. Default kTfLiteGlesStorageAuto.
  int32_t storage;

  // Nonzero: the delegate always makes its own EGL context, even where the
  // thread has a current one. Default 0.
  int32_t force_own_context;

  // How much is said through the error reporter: 0 errors, 1 also why each
  // node stays on the CPU, 2 also a line about the device and each partition.
  // Default 1.
  int32_t verbosity;

  // Which GPU: NULL or "" for hardware first, software last; or an index; or a
  // part of a renderer's name. GLES_DELEGATE_DEVICE stands in where unset.
  // Copied by TfLiteGlesDelegateCreate.
  const char* device;

  // Node indices (in the model's execution order) that must stay on the CPU,
  // as "3,17-20". NULL or "": none. Copied.
  const char* exclude_nodes;

  // Nonzero: each Invoke times every dispatch, by GPU timer queries where the
  // driver has EXT_disjoint_timer_query, else by waiting for each; the averages
  // are in TfLiteGlesDelegateReport() under "profile". Slows Invoke. Default 0.
  int32_t enable_op_profiling;

  // Nonzero: what cannot run on the GPU (all of the model if there is no GL,
  // or a partition that cannot be built) runs on the CPU; one message says why,
  // and the status is kTfLiteOk. Zero (the default): an error, after which TfLiteInterpreterModifyGraphWithDelegate's
  // interpreter runs on the CPU too, but TfLiteInterpreterCreate with the
  // delegate among its options returns NULL
  // (docs/decisions/0003-failure-to-apply.md).
  int32_t fallback_to_cpu;

  // The start-up cache: compiled programs and packed weights, kept in files of
  // this existing directory, which should be the app's own, for the next start.
  // `model_token` names the model among those that share the directory (any
  // text; a version in it saves a needless warning after an update). NULL or
  // "": no cache. Either both or neither. Where a file does not fit this model,
  // driver, options or library, or is damaged, it is not used: a warning, and a
  // start as if without. See docs/cold_start.md. Copied.
  const char* serialization_dir;
  const char* model_token;

  // Zero: no start-up cache even where the two above are given. Default 1.
  int32_t enable_serialization;

  // The most that all caches of the directory may take together, in bytes: past
  // it the longest unused go. 0: no limit (the default).
  int64_t serialization_max_bytes;

  // TfLiteGlesQuantizedCompute; as text "auto", "float", "float_unsimulated" or
  // "integer".
  // Default kTfLiteGlesQuantizedAuto.
  int32_t quantized_compute;

  // TfLiteGlesTuning; as text "default" or "exhaustive".
  // Default kTfLiteGlesTuningDefault.
  int32_t tuning;

  // Whose codes the quantized nodes give: TensorFlow Lite's CPU kernels round
  // otherwise from one runtime to the next, and XNNPACK's otherwise than the
  // built-in ones (docs/quantization.md has the table). "auto", NULL or "":
  // those that the runtime which loaded the delegate runs by default; the
  // newest runtime's where it cannot be told. Else "tflite" (built-in kernels
  // up to 2.12), "tflite_2_14" (those of 2.13 to 2.15), "tflite_wheel" (those
  // of the Python package tflite-runtime 2.14),
  // "litert" (built-in kernels of ai-edge-litert without XNNPACK), "xnnpack" or
  // "reference" (the resolver BUILTIN_REF). The report says under "runtime"
  // which one it is. Copied.
  const char* integer_rounding;

  // Nonzero: where there is no hardware, a software renderer computes on the
  // CPU, after a line that says so (verbosity 1). Float models are slower there
  // than with XNNPACK. Zero: the delegate is not applied then, for that reason.
  // Default 1.
  int32_t allow_software;

  // Nonzero: each program that a partition uses is run once on the GPU, when
  // the partition is prepared, and compared with what the CPU computes for the
  // same input; a partition whose programs answer wrongly is planned again with
  // plainer ones, or stays on the CPU, after a warning. The verdict is kept for
  // the process, and in serialization_dir. See docs/drivers.md. Default 1.
  int32_t self_check;

  // TfLiteGlesWaitType; as text "passive", "active", "do_not_wait" or
  // "aggressive".
  // Default kTfLiteGlesWaitPassive.
  int32_t wait_type;

  // TfLiteGlesFloat16Overflow; as text "infinity" or "saturate". Default
  // kTfLiteGlesFloat16OverflowInfinity. No effect without
  // is_precision_loss_allowed.
  int32_t float16_overflow;

  // Node indices (as exclude_nodes) whose outputs, and tensors between their
  // own steps, are kept in 32-bit floats although is_precision_loss_allowed is
  // set: for the nodes whose values pass 65504, which `inference_diff
  // --check_float16_range` names. A function that is fused into such a node
  // (an activation, say) is kept with it. NULL or "": none. Copied.
  const char* float32_nodes;

  // Nonzero: each partition that would run on the GPU is run there and by
  // TFLite's own kernels, and stays on the CPU where the CPU is faster, after a
  // warning with both times (verbosity 1); the report has them, too, under
  // "prefer_faster". Measured when the delegate is applied, at the shapes that
  // the model has then and on numbers made up for it: medians of up to 15
  // inferences, for which the GPU and the CPU have a quarter of a second each
  // (two inferences at least). With serialization_dir and model_token the
  // verdict is kept there, and later starts take it as it is. A partition with
  // variable tensors is not measured, nor is any with enable_op_profiling: it
  // runs on the GPU. The CPU's time is that of the kernels that the nodes have,
  // on the interpreter's number of threads: without XNNPACK, unless that is
  // what the runtime's kernels call. See docs/performance.md. Default 0.
  int32_t prefer_faster;

  // TfLiteGlesThreadMode; as text "caller", "worker", "worker_sharing",
  // "caller_keeps_context" or "caller_lets_go".
  // Default kTfLiteGlesThreadCaller.
  int32_t thread_mode;

  // A file that takes the report, for apps that cannot call
  // TfLiteGlesDelegateReport(): written each time that the delegate has been
  // applied, or could not be, and once more when it is deleted, with what has
  // happened since (the profile of enable_op_profiling, say). Each time the
  // file is replaced as a whole, so that no reader finds half a report; of two
  // delegates that have the same file, the last one's report stays. A file that
  // cannot be written is a warning, never an error. NULL or "": none. Copied.
  const char* report_file;

  // The most GPU memory that the delegate's partitions may take together, in
  // bytes: tensors, constants, transfers and parameters as the report has them
  // under "gpu_bytes". A partition that would pass it stays on the CPU, with
  // the bytes among the reasons of the report, before anything is allocated for
  // it on the GPU; one that passes it after a resize runs on the CPU from then
  // on. Not counted: what the driver adds, its programs, and what the
  // self-check and tuning=exhaustive take for a while. 0: no limit (the
  // default).
  int64_t memory_limit_bytes;

  // Delegates of one process that have the same text here share what is the
  // same on the GPU: compiled programs, and constants (weights) of equal bytes,
  // as interpreters of one model have them. So do the interpreters of one such
  // delegate. A context of the delegate's own is then made to share GL's
  // objects with those of the others that name the same `device` and
  // thread_mode; with kTfLiteGlesThreadWorker they have one thread and one
  // context between them, and their calls queue as those of one delegate do. A
  // context of the app's shares with delegates in that same context alone. What
  // is shared lives until the last partition that uses it is gone. Delegates
  // build their partitions one after the other. Any threads; without a worker
  // one for each delegate, whose Invoke waits for nobody. Equal bytes are told
  // by a hash of 128 bits that is not proof against forgery: give models that
  // do not trust each other different keys. See docs/integration.md. NULL or
  // "": nothing is shared. Copied.
  const char* share_key;

  // TfLiteGlesFloat16Arithmetic; as text "auto", "on" or "off". Default
  // kTfLiteGlesFloat16ArithmeticAuto. No effect without
  // is_precision_loss_allowed, nor on nodes of float32_nodes.
  int32_t float16_arithmetic;

  // TfLiteGlesZeroCopy; as text "auto", "on" or "off". Default
  // kTfLiteGlesZeroCopyAuto.
  int32_t zero_copy;

  // TfLiteGlesInferencePreference; as text "sustained_speed" or
  // "fast_single_answer". Default kTfLiteGlesPreferSustainedSpeed.
  int32_t inference_preference;

  // TfLiteGlesBackgroundCompilation; as text "auto", "on" or "off". Default
  // kTfLiteGlesBackgroundCompilationAuto.
  int32_t background_compilation;
} TfLiteGlesDelegateOptions;

// Writes the default options to `*options`, `struct_size` bytes and no more:
// the caller's sizeof(TfLiteGlesDelegateOptions), which is stored in
// `options->struct_size`. Bytes past the fields that the library knows become
// zero. Does nothing where `options` is NULL or `struct_size` is less than
// sizeof(size_t). For languages that cannot call an inline function; C and C++
// call TfLiteGlesDelegateOptionsDefault().
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateOptionsInit(
    TfLiteGlesDelegateOptions* options, size_t struct_size);

// The default options. It is inline, so that the struct is of the size that the
// app was compiled with, whichever library the app runs with.
static inline TfLiteGlesDelegateOptions TfLiteGlesDelegateOptionsDefault(void) {
  TfLiteGlesDelegateOptions options;
  TfLiteGlesDelegateOptionsInit(&options, sizeof(options));
  return options;
}

// Options to begin with on any machine, as the best options of the stock GPU
// delegate's CompatibilityList are: 16-bit storage, and hardware alone
// (allow_software 0), as the CPU is faster by itself than software rendering.
// Written as TfLiteGlesDelegateOptionsInit() writes the defaults.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateBestOptionsInit(
    TfLiteGlesDelegateOptions* options, size_t struct_size);

// These options, in a struct of the size that the app was compiled with.
static inline TfLiteGlesDelegateOptions TfLiteGlesDelegateBestOptions(void) {
  TfLiteGlesDelegateOptions options;
  TfLiteGlesDelegateBestOptionsInit(&options, sizeof(options));
  return options;
}

// The same as text, for bindings of other languages: the keys and values of
// those that differ from the defaults, "key:value;key:value". Lives as long as
// the library.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateBestOptionsText(void);

// Whether this machine has a GPU for a delegate with `options`; NULL stands for
// those of TfLiteGlesDelegateBestOptions(). 1, or 0 with the reason in
// TfLiteGlesDelegateLastError(): what each way to a GPU lacks, or what is wrong
// with the options.
//
//   TfLiteGlesDelegateOptions options = TfLiteGlesDelegateBestOptions();
//   if (TfLiteGlesDelegateIsSupported(&options)) {
//     TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
//     ...
//   } else {
//     TfLiteInterpreterOptionsSetNumThreads(interpreter_options, 4);
//   }
//
// Asks the drivers, by opening them until one has OpenGL ES 3.1, which takes as
// long as they take to start; the options `device` and `allow_software` and the
// environment variables count as they do for a delegate. No list of devices is
// kept, and the driver is released again if it is Mesa's: call this before other
// threads use EGL. Looks for a context of the delegate's own: one that is current on this
// thread is not asked, and is current afterwards. Which nodes of a model run on
// the GPU is told when the delegate is applied.
GLES_DELEGATE_EXPORT int32_t
TfLiteGlesDelegateIsSupported(const TfLiteGlesDelegateOptions* options);

// Creates a delegate. `options` may be NULL (defaults) and is not kept. The
// caller owns the result, and deletes it after the interpreters that use it.
// NULL where an option's value or struct_size is bad;
// TfLiteGlesDelegateLastError() says which. No GL call is made here: the
// context comes when the delegate is applied.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreate(
    const TfLiteGlesDelegateOptions* options);

// As TfLiteGlesDelegateCreate(), for an app that has an EGLDisplay and no
// context to lend: a context of the delegate's own is made on `egl_display`,
// and so on the app's GPU, initialized or not. Where none can be, or where the
// option `device` (GLES_DELEGATE_DEVICE) names another GPU, a warning says so,
// and the delegate looks for a display as one of TfLiteGlesDelegateCreate()
// does; so it does without a word where `egl_display` is NULL. The app does not
// terminate the display before the delegate and its interpreters are gone.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreateOnDisplay(
    const TfLiteGlesDelegateOptions* options, void* egl_display);

// A delegate that cannot be applied: each attempt fails with `reason` in the
// interpreter's error reporter, and the interpreter runs on the CPU. For
// bindings whose callers do not look for NULL where there is no delegate; the
// caller owns it as one of TfLiteGlesDelegateCreate(). `reason` is copied; NULL
// is an empty one.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreateRefusal(
    const char* reason);

// Deletes the delegate; NULL is allowed. Interpreters should be deleted first;
// one that is not can still be deleted safely, and its Invoke still works.
// Threads: any; with the option report_file those of
// TfLiteGlesDelegateReport().
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateDelete(
    struct TfLiteDelegate* delegate);

// Why the last TfLiteGlesDelegateCreate, ...CreateOnDisplay, ...IsSupported,
// ...BindObject, ...BindBuffer, ...UnbindBuffer or ...Report on this thread
// returned NULL, 0 or an error; "" where it did not. Never NULL itself, valid until the next
// call on this thread.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateLastError(void);

// What the delegate did, as a JSON object: device, driver, partitions, each
// node that stayed on the CPU and why, memory, start-up times; "error" says why
// the delegate could not be applied the last time. What is of a model is that
// of the interpreter to which the delegate was applied last; where several
// live, "interpreters" has it of each. NULL, with the reason in
// TfLiteGlesDelegateLastError(): not our delegate, or a forked child.
// Threads, with kTfLiteGlesThreadWorker: any, at any time; the text lives until
// the calling thread's next call, on whatever delegate, or its end. Else: any,
// but not while another thread applies the delegate or invokes, allocates or
// deletes an interpreter that uses it, nor from two threads at once: the report
// reads what these write, and takes no lock; the text lives until the next call
// on this delegate or its deletion.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateReport(
    struct TfLiteDelegate* delegate);

// What a bound buffer holds.
enum TfLiteGlesBufferLayout {
  // The tensor's values as TFLite orders them (batch, height, width, channels,
  // tightly packed from the buffer's first byte), as float32.
  kTfLiteGlesLayoutBhwcFloat32 = 0,
};

// As TfLiteGlesDelegateBindObject() with a buffer of `layout`
// (TfLiteGlesBufferLayout) and with TfLiteGlesDelegateObjectDefault() else.
GLES_DELEGATE_EXPORT int32_t TfLiteGlesDelegateBindBuffer(
    struct TfLiteDelegate* delegate, int32_t tensor_index, uint32_t gl_buffer,
    int32_t layout);

// What kind of GL object stands in for a tensor.
enum TfLiteGlesObjectType {
  kTfLiteGlesObjectBuffer = 0,
  // A GL_TEXTURE_2D, level 0, for a tensor of batch 1 and at most 4 channels.
  // For an input any format that shaders sample as floats; for an output
  // GL_RGBA8, GL_RGB8, GL_RGBA16F or GL_RGBA32F, best made by glTexStorage2D.
  kTfLiteGlesObjectTexture2d = 1,
  // A GL_TEXTURE_EXTERNAL_OES (of a camera or a video decoder, or of an
  // EGLImage), for inputs; where the driver has
  // GL_OES_EGL_image_external_essl3. GL does not tell its size: with `resize` 0
  // it has to have the input's, and else a crop is wanted.
  kTfLiteGlesObjectTextureExternal = 2,
};

// The order of a buffer's elements.
enum TfLiteGlesObjectLayout {
  // Batch, height, width, channels, tightly packed.
  kTfLiteGlesObjectBhwc = 0,
  // Batch, slice, height, width, and four channels of the slice: channel c is
  // in slice c / 4. What lies past the last channel is not read, and is written
  // as zero.
  kTfLiteGlesObjectPhwc4 = 1,
};

// What an element is.
enum TfLiteGlesObjectElement {
  // Float32 in a buffer; what shaders sample of a texture's format (0 to 1 of
  // GL_RGBA8).
  kTfLiteGlesElementFloat32 = 0,
  // Bytes of 0 to 255, of buffers.
  kTfLiteGlesElementUint8 = 1,
  // The codes of a tensor quantized to 8 bits, as TFLite has them: bytes of a
  // buffer, or GL_RGBA8 for codes of uint8. `scale` and `bias` are not looked
  // at.
  kTfLiteGlesElementCodes = 2,
};

// A texture or buffer of the app's, and what it holds. Fields are only ever
// added, at the end. TfLiteGlesDelegateObjectDefault() fills it in.
typedef struct TfLiteGlesObject {
  size_t struct_size;  // sizeof(TfLiteGlesObject), of the app's header

  // TfLiteGlesObjectType. Default kTfLiteGlesObjectBuffer.
  int32_t type;

  // GL's name for it, in the app's context. The object is not copied and not
  // owned, and must live until it is unbound.
  uint32_t name;

  // TfLiteGlesObjectLayout, of buffers. Default kTfLiteGlesObjectBhwc.
  int32_t layout;

  // TfLiteGlesObjectElement. Default kTfLiteGlesElementFloat32.
  int32_t element;

  // How many channels of a pixel the object holds, where that is not the
  // tensor's number (in a texture: 4): 1 to 4, for tensors of at most 4. An
  // RGBA picture stands in for a tensor of 3 channels so, and the other way
  // round. A channel that one side lacks is 0 on the other, but the fourth
  // opaque: 1, in bytes 255. 0 (the default): the tensor's, of textures 4.
  int32_t channels;

  // The tensor's value is scale * the object's value + bias, for inputs and
  // outputs alike: an output's object gets (value - bias) / scale, bytes and
  // codes the nearest one, ties away from zero. A quantized input takes the
  // code that is nearest to the value. Defaults 1 and 0.
  float scale;
  float bias;

  // Nonzero: a texture of an input may have another size than the input, and is
  // resized to it, bilinearly (as RESIZE_BILINEAR with half_pixel_centers);
  // where crop_width is not 0, the part of it that begins at (crop_x, crop_y),
  // in pixels, fractions allowed. Past the edge of that part, the pixel at the
  // edge counts. Default 0: the texture has the input's height and width.
  int32_t resize;
  float crop_x;
  float crop_y;
  float crop_width;
  float crop_height;
} TfLiteGlesObject;

// Writes the defaults to `*object`, `struct_size` bytes and no more, as
// TfLiteGlesDelegateOptionsInit() does.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateObjectInit(TfLiteGlesObject* object,
                                                       size_t struct_size);

// The defaults, in a struct of the size that the app was compiled with.
static inline TfLiteGlesObject TfLiteGlesDelegateObjectDefault(void) {
  TfLiteGlesObject object;
  TfLiteGlesDelegateObjectInit(&object, sizeof(object));
  return object;
}

// Lets a texture or buffer of the app's context stand in for a tensor: Invoke
// reads an input from it, or writes an output to it, on the GPU, and does not
// touch the tensor's memory on the CPU. Before the delegate is applied or after
// that, until TfLiteGlesDelegateUnbindBuffer() or another bind of the same
// tensor; from the next Invoke on. Where other tensors are bound than before,
// or objects of another kind, that Invoke builds the partition anew; another
// object of the same kind for the same tensor costs nothing, another scale,
// bias or crop an upload of 32 bytes.
//
// `tensor_index`: the model's, of an input or output of what the delegate runs
// on the GPU, which no node on the CPU reads; float32, or quantized to 8 bits
// (to 16: elements of float32). `object`: copied; a buffer has at least the
// bytes that it is to hold, of bytes rounded up to whole fours. Rows of pixels
// go from a texture's row 0 up. The delegate must have been applied with the
// app's context current, on the callers' threads (kTfLiteGlesThreadCaller) or
// sharing with it (kTfLiteGlesThreadWorkerSharing, whose order that enum has).
//
// Order: Invoke sees what the app's commands in that context (stores of
// shaders, rendering, copies and uploads) wrote to the object before it, and
// what the app does after Invoke sees what Invoke wrote; no barrier or fence is
// needed on either side. For what another context does to an object that it
// shares, the app waits before Invoke, on the GPU (glWaitSync, eglWaitSync),
// and inserts a fence after it.
//
// Interpreters of one delegate share its bindings. Threads: as Invoke.
// Returns 0 (kTfLiteOk), or 1 (kTfLiteError) with the reason in
// TfLiteGlesDelegateLastError(). What is only seen at the next Invoke (a buffer
// that is too small, a texture of another size) fails that one, with the reason
// in the interpreter's error reporter.
GLES_DELEGATE_EXPORT int32_t TfLiteGlesDelegateBindObject(
    struct TfLiteDelegate* delegate, int32_t tensor_index,
    const TfLiteGlesObject* object);

// The tensor travels through its memory on the CPU again, whatever was bound.
// No error where nothing is. Returns and threads as above.
GLES_DELEGATE_EXPORT int32_t TfLiteGlesDelegateUnbindBuffer(
    struct TfLiteDelegate* delegate, int32_t tensor_index);

// A custom op of vision models that the delegate runs and stock TFLite does not
// know, with a plain reference kernel for the CPU. Without a kernel the runtime
// refuses such a model before any delegate is asked.
typedef struct TfLiteGlesCustomOp {
  const char* name;
  const struct TfLiteRegistration* registration;
  int32_t version;  // the op's one version that this kernel computes
} TfLiteGlesCustomOp;

// All of them, `*count` of them, sorted by name and version. Everything lives
// as long as the library.
GLES_DELEGATE_EXPORT const TfLiteGlesCustomOp* TfLiteGlesDelegateCustomOps(
    size_t* count);

// Adds all of them to an interpreter's options, before the interpreter is made:
//   TfLiteGlesDelegateRegisterCustomOps(options,
//   TfLiteInterpreterOptionsAddCustomOp);
// The function is the app's, as this library links none of TFLite's.
struct TfLiteInterpreterOptions;
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateRegisterCustomOps(
    struct TfLiteInterpreterOptions* options,
    void (*add_custom_op)(struct TfLiteInterpreterOptions* options,
                          const char* name,
                          const struct TfLiteRegistration* registration,
                          int32_t min_version, int32_t max_version));

// The GPUs of this machine, hardware and software, as a JSON array: an object
// for each way to one, in the order of the option `device`, with "index",
// "description", "renderer", "version", "software" and "error" (why there is no
// OpenGL ES 3.1; "" where there is). Opens each of them, which takes as long as
// their drivers take to start; what was current on this thread is current
// afterwards. Valid until the next call on this thread.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateDevices(void);

// The library's version, "0.1.0".
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateVersion(void);

// TensorFlow Lite's external-delegate interface: the keys are the option
// struct's field names (without struct_size), the values their text. An unknown
// key or a bad value: NULL, with a message through report_error that lists what
// is known. Where report_error is NULL (TensorFlow Lite's C loader passes
// none), the result is a delegate that cannot be applied:
// ModifyGraphWithDelegate fails with that message in the interpreter's error
// reporter, and the interpreter runs on the CPU.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options,
    void (*report_error)(const char*));
GLES_DELEGATE_EXPORT void tflite_plugin_destroy_delegate(
    struct TfLiteDelegate* delegate);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GLES_DELEGATE_GLES_DELEGATE_H_
