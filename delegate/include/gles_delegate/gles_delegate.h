// The C API of libgles_delegate.so: a TensorFlow Lite delegate that runs models
// as OpenGL ES 3.1 compute shaders.
//
//   TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
//   options.is_precision_loss_allowed = 1;              // 16-bit storage
//   TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
//   TfLiteInterpreterOptionsAddDelegate(interpreter_options, delegate);
//   interpreter = TfLiteInterpreterCreate(model, interpreter_options);
//   ... TfLiteInterpreterInvoke(interpreter), on this same thread ...
//   TfLiteInterpreterDelete(interpreter);
//   TfLiteGlesDelegateDelete(delegate);
//
// Context: if an OpenGL ES 3.1 context is current on the thread that applies
// the delegate, the delegate borrows it and restores its state after each use.
// Otherwise the delegate makes its own, without a window.
// Threads: with its own context, call Invoke on the thread that applied the
// delegate. With a borrowed one, call it on any thread on which that EGLContext
// is current, or on the applying thread while it is current nowhere. Other
// calls fail. The option thread_mode lifts this rule. After a fork, only
// deleting works in the child.
// Errors: if the delegate cannot be applied, ModifyGraphWithDelegate returns an
// error, the error reporter gets the reason, and the model runs on the CPU.
#ifndef GLES_DELEGATE_GLES_DELEGATE_H_
#define GLES_DELEGATE_GLES_DELEGATE_H_

#include <stddef.h>
#include <stdint.h>

// The version of this header. TfLiteGlesDelegateVersion() is the library's.
#define GLES_DELEGATE_VERSION_MAJOR 1
#define GLES_DELEGATE_VERSION_MINOR 0  // of additions
#define GLES_DELEGATE_VERSION_PATCH 0  // of corrections

#if defined(_WIN32)
// Marks an exported function.
#define GLES_DELEGATE_EXPORT __declspec(dllexport)
#else
// Marks an exported function.
#define GLES_DELEGATE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct TfLiteDelegate;
struct TfLiteRegistration;

// A choice that the library makes by itself (auto) or the app makes.
enum TfLiteGlesToggle {
  kTfLiteGlesAuto = 0,
  kTfLiteGlesOn = 1,
  kTfLiteGlesOff = 2,
};

// How tensors are stored on the GPU. A slice is 4 channels.
enum TfLiteGlesStorage {
  kTfLiteGlesStorageAuto = 0,          // the device preset decides
  kTfLiteGlesStorageTextureArray = 1,  // a 2-D array, one layer per slice
  kTfLiteGlesStorageTexture2d = 2,     // a 2-D texture with stacked slices
  kTfLiteGlesStorageBuffer = 3,        // a shader storage buffer
};

// How quantized nodes are computed (docs/quantization.md).
enum TfLiteGlesQuantizedCompute {
  kTfLiteGlesQuantizedAuto = 0,   // the best for the device
  kTfLiteGlesQuantizedFloat = 1,  // floats, each output rounded as TFLite does
  // Floats without rounding inside a partition: less like the CPU's results.
  kTfLiteGlesQuantizedFloatUnsimulated = 2,
  // TFLite's integer arithmetic, bit for bit, for 8-bit convolutions, matrix
  // products, sums and averages, and for 16-bit convolutions and matrix
  // products. Other ops as with kTfLiteGlesQuantizedFloat.
  kTfLiteGlesQuantizedInteger = 3,
  kTfLiteGlesQuantizedCpu = 4,  // quantized nodes stay on the CPU
};

// How Invoke waits for the GPU.
enum TfLiteGlesWaitType {
  // Sleeps in the driver: no CPU time, slower wake. Caller and worker thread
  // poll for each other for up to 1 ms, if their last wait was as short.
  kTfLiteGlesWaitPassive = 0,
  kTfLiteGlesWaitActive = 1,  // polls for up to 2 ms, then sleeps
  // Invoke submits its commands and returns. All outputs must be bound to GL
  // objects before the delegate is applied. Later commands in the app's context
  // see the results; others wait for a fence that the app inserts after Invoke.
  // With inputs in host memory Invoke waits for the one before. GPU errors are
  // reported by a later Invoke.
  kTfLiteGlesWaitDoNotWait = 2,
  kTfLiteGlesWaitAggressive = 3,  // polls until the results are ready
};

// Who runs the delegate's commands, and in which context (docs/integration.md).
enum TfLiteGlesThreadMode {
  // The calling thread, under the rule at the top of this header. Other threads
  // may use other interpreters of this delegate, but not at the same time.
  kTfLiteGlesThreadCaller = 0,
  // The calling thread, but never in the app's context.
  kTfLiteGlesThreadCallerOwnContext = 1,
  // A thread and a context that the delegate owns. Any thread may call, also
  // concurrently for different interpreters; calls run in order and block the
  // caller. Error reporters may be called on the delegate's thread.
  kTfLiteGlesThreadWorker = 2,
  // Like kTfLiteGlesThreadWorker, but sharing objects with the OpenGL ES 3.1
  // context that is current when the delegate is first applied (an error if
  // none is), so that the app can bind its objects. If a context of the same
  // EGLDisplay is current on the calling thread, Invoke is ordered between that
  // context's commands; in any but the first context, the app's shaders also
  // need a glMemoryBarrier. The app's context must outlive the delegate and its
  // interpreters. After a reset, apply the delegate again.
  kTfLiteGlesThreadWorkerSharing = 3,
};

// How finite values past 65504, the largest 16-bit float, are stored in 16 bits
// (is_precision_loss_allowed). Infinities and NaNs are always kept.
enum TfLiteGlesFloat16Overflow {
  kTfLiteGlesFloat16OverflowInfinity = 0,  // infinity, as IEEE 754
  kTfLiteGlesFloat16OverflowSaturate = 1,  // +-65504, so that no NaNs follow
};

// Which plan a partition runs first. A baseline plan has few and simple
// programs, which compile fast; it is slower, takes up to twice the GPU memory
// while there are two plans, and floats may differ within tolerance
// (docs/cold_start.md).
enum TfLiteGlesStartup {
  kTfLiteGlesStartupDirect = 0,  // the optimized plan, once it is compiled
  // The baseline plan, while another thread compiles the optimized plan. Invoke
  // then switches; if compilation fails, it stays, with a warning. Deleting the
  // interpreter and exit() wait for the program that is being compiled. Direct
  // in a borrowed context and with variable tensors, bound objects, share_key,
  // memory_limit_bytes, enable_op_profiling or GLES_DELEGATE_DEBUG=plan.
  kTfLiteGlesStartupTiered = 1,
  // The baseline plan for good, on drivers that compile slowly.
  kTfLiteGlesStartupBaseline = 2,
  // Tiered on drivers that compile slowly (NVIDIA's), otherwise direct, unless
  // GLES_DELEGATE_OPTIONS has another. LiteRT's accelerator sets this.
  kTfLiteGlesStartupAuto = 3,
};

// Options: start from TfLiteGlesDelegateOptionsDefault() and change fields.
// External delegates take the same names as keys, and GLES_DELEGATE_OPTIONS=
// "key:value;..." replaces defaults (docs/options.md). Enums are int32_t here
// and lower-case names as text ("texture_array"). Create copies all text.
//
// The struct only grows at its end (without trailing padding), and
// `struct_size` says how much of it the app knows; the library accesses no byte
// past it. Fields that the app does not know have their defaults; fields that
// the library does not know must be zero, or Create returns NULL.
typedef struct TfLiteGlesDelegateOptions {
  size_t struct_size;  // sizeof(TfLiteGlesDelegateOptions), set by Init

  // Nonzero: 16-bit storage. Sums stay in 32 bits, on most devices products,
  // too (docs/performance.md). Default 0.
  int32_t is_precision_loss_allowed;

  int32_t float16_overflow;   // TfLiteGlesFloat16Overflow; default saturate
  int32_t quantized_compute;  // TfLiteGlesQuantizedCompute; default auto
  int32_t storage;            // TfLiteGlesStorage; default auto

  // Maximum number of partitions to delegate, largest first; 0: no limit.
  // Default -1: those estimated to pay for their transfers.
  int32_t max_delegated_partitions;

  // Nodes to keep on the CPU, by index in execution order: "3,17-20".
  const char* exclude_nodes;

  // Indices of nodes (and what is fused into them) whose constants and outputs
  // stay in 32 bits despite is_precision_loss_allowed; `inference_diff
  // --suggest_float32_nodes` finds some.
  const char* float32_nodes;

  // Which GPU: an index of TfLiteGlesDelegateDevices() or part of a renderer's
  // name. NULL or "": GLES_DELEGATE_DEVICE if set, else hardware first.
  // "hardware": the same, but a software renderer is an error.
  const char* device;

  // If there is no GL or a partition cannot be built: nonzero runs it on the
  // CPU, with a message; zero (default) is an error, for which
  // TfLiteInterpreterCreate returns NULL (docs/decisions/0003-*).
  int32_t fallback_to_cpu;

  // Nonzero: checks each program once against the CPU. After a wrong result the
  // partition uses simpler programs or the CPU (docs/drivers.md). Default 1.
  int32_t self_check;

  int32_t thread_mode;  // TfLiteGlesThreadMode; default caller

  // TfLiteGlesToggle, for the thread modes of the caller: whether the
  // delegate's own context stays current between calls, on the thread that
  // first applied the delegate. Faster; a context that the app makes current
  // there is restored after each call. Off: for apps that call GL without
  // making their context current first. Default auto: on, unless DISPLAY is set
  // when the delegate is created, since GLX cannot make a context current
  // beside an EGL one.
  int32_t keep_context_current;

  int32_t wait_type;  // TfLiteGlesWaitType; default passive
  int32_t zero_copy;  // TfLiteGlesToggle: see below; default auto
  int32_t startup;    // TfLiteGlesStartup; default direct

  // The start-up cache: an existing directory for compiled programs and packed
  // weights. NULL or "": none. Files that do not fit are ignored with a
  // warning. See docs/cold_start.md.
  const char* serialization_dir;
  const char* model_token;  // the model's name in it; both or neither

  // Maximum bytes of all caches in the directory; the least recently used are
  // deleted first. Default 0: no limit.
  int64_t serialization_max_bytes;

  // A file of tuning parameters, as `gles_tune` writes it for a model and a
  // device (docs/tuning.md). NULL or "": the device preset's.
  const char* tuning_file;

  // Maximum bytes of GPU memory for all partitions (the report's "gpu_bytes");
  // those beyond it run on the CPU. The driver's own use, programs and
  // self_check do not count. Default 0: no limit.
  int64_t memory_limit_bytes;

  // Delegates of a process with the same key, device and thread_mode share
  // programs and equal weights on the GPU, and as workers also one thread and
  // context. Weights are compared by a 128-bit hash that is not secure against
  // forgery: use different keys for models that do not trust each other. See
  // docs/integration.md. NULL or "": nothing is shared.
  const char* share_key;

  // Messages: 0 errors, 1 (the default) also warnings and why nodes stay on the
  // CPU, 2 also the device and each partition.
  int32_t verbosity;

  // Nonzero: Invoke times each dispatch for the report's "profile", which slows
  // it down. Default 0.
  int32_t enable_op_profiling;

  // A file that gets the report as JSON when the delegate is applied (or cannot
  // be) and when it is deleted. Replaced atomically; failure is a warning.
  const char* report_file;

  // The sizes that inputs with free axes will have, if the app knows them
  // before it resizes: "ids=1x128,3=8x16", by the tensor's name or index. Nodes
  // are then chosen and built for these shapes when the delegate is applied,
  // and not again at the first AllocateTensors with them. NULL or "": the
  // file's, or others if those only hold a place (docs/decisions/0005-*).
  const char* input_shapes;

  // "auto": inputs and outputs between which the model only updates a slice,
  // such as a decoder's caches of keys and values, stay on the GPU between
  // calls of an interpreter. Their memory then holds a mark, for the delegate
  // alone, and no values: pass an output's bytes to the next call's input, of
  // any signature, or leave the input as the last call left it. Bytes without a
  // mark are values. An update ends the marks before it: Invoke then fails.
  // NULL or "": none (docs/language_models.md).
  const char* state_pairs;
} TfLiteGlesDelegateOptions;

// zero_copy: whether model inputs and outputs are in memory that the GPU
// accesses directly, without copies on the host. TfLiteTensorData() then points
// there until the next AllocateTensors, the allocation type is kTfLiteCustom,
// and a failed Invoke leaves outputs undefined. For float32, int32 and 8-bit
// tensors that only one partition uses, if the driver has
// GL_EXT_buffer_storage; not for variables, bound objects or custom
// allocations, nor with kTfLiteGlesWaitDoNotWait (docs/integration.md has the
// rules). On Mesa, the app must not call eglTerminate on the delegate's
// EGLDisplay: it frees them. Auto: the device preset decides; on for NVIDIA.

// Writes the defaults to `*options`: `struct_size` bytes, unknown ones as zero.
// No-op if `options` is NULL or struct_size < sizeof(size_t). For bindings.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateOptionsInit(
    TfLiteGlesDelegateOptions* options, size_t struct_size);

// The defaults. Inline, so that the struct has the size that the app knows.
static inline TfLiteGlesDelegateOptions TfLiteGlesDelegateOptionsDefault(void) {
  TfLiteGlesDelegateOptions options;
  TfLiteGlesDelegateOptionsInit(&options, sizeof(options));
  return options;
}

// Recommended options for any machine: 16-bit storage, no software renderer.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateBestOptionsInit(
    TfLiteGlesDelegateOptions* options, size_t struct_size);
static inline TfLiteGlesDelegateOptions TfLiteGlesDelegateBestOptions(void) {
  TfLiteGlesDelegateOptions options;
  TfLiteGlesDelegateBestOptionsInit(&options, sizeof(options));
  return options;
}

// The best options that differ from the defaults, as "key:value;key:value".
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateBestOptionsText(void);

// Returns 1 if this machine has a GPU for `options` (NULL: the best options),
// else 0 with the reason in TfLiteGlesDelegateLastError(). Ignores the current
// context, which stays current. Starts drivers, which takes time; call it
// before other threads use EGL, since it releases Mesa's again.
GLES_DELEGATE_EXPORT int32_t
TfLiteGlesDelegateIsSupported(const TfLiteGlesDelegateOptions* options);

// Creates a delegate, which the caller owns; `options` may be NULL. Makes no GL
// call. NULL if an option is invalid: see TfLiteGlesDelegateLastError().
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreate(
    const TfLiteGlesDelegateOptions* options);

// Like TfLiteGlesDelegateCreate(), with a context on the app's EGLDisplay,
// which must outlive the delegate and its interpreters. If that fails or
// `device` names another GPU, warns and picks a display; NULL: always picks.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreateOnDisplay(
    const TfLiteGlesDelegateOptions* options, void* egl_display);

// A delegate that fails to apply, with `reason` (copied; may be NULL) in the
// error reporter. For bindings whose callers do not check for NULL.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* TfLiteGlesDelegateCreateRefusal(
    const char* reason);

// Deletes the delegate (or NULL). Remaining interpreters keep working and can
// be deleted later. Any thread; with report_file, as the report.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateDelete(
    struct TfLiteDelegate* delegate);

// Why this thread's last Create, IsSupported, Bind, Unbind or Report failed, or
// "". Never NULL; valid until the next call on this thread.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateLastError(void);

// A JSON object: device, driver, partitions, nodes on the CPU and why, memory,
// times; "error" if the delegate could not be applied. Describes the model of
// the last application; "interpreters" has all. NULL, with
// TfLiteGlesDelegateLastError(), for other delegates and in a forked child.
// Worker threads: any time, valid until this thread's next call. Otherwise not
// while another call uses the delegate, valid until the next call on it.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateReport(
    struct TfLiteDelegate* delegate);

// The kind of GL object to bind to a tensor.
enum TfLiteGlesObjectType {
  kTfLiteGlesObjectBuffer = 0,
  // GL_TEXTURE_2D, level 0, row 0 first, for batch 1 and at most 4 channels.
  // Inputs: any format that shaders sample as floats; outputs: GL_RGBA8,
  // GL_RGB8, GL_RGBA16F or GL_RGBA32F.
  kTfLiteGlesObjectTexture2d = 1,
  // GL_TEXTURE_EXTERNAL_OES, for inputs; needs GL_OES_EGL_image_external_essl3.
  // GL cannot query its size: it must be the input's, or `resize` needs a crop.
  kTfLiteGlesObjectTextureExternal = 2,
};

// The order of a buffer's elements.
enum TfLiteGlesObjectLayout {
  kTfLiteGlesObjectBhwc = 0,   // batch, height, width, channels; packed
  kTfLiteGlesObjectPhwc4 = 1,  // batch, slice, height, width, 4; zero padding
};

// The type of an element.
enum TfLiteGlesObjectElement {
  kTfLiteGlesElementFloat32 = 0,  // or the texture's samples (0 to 1 of RGBA8)
  kTfLiteGlesElementUint8 = 1,    // 0 to 255; buffers only
  // 8-bit quantized values: bytes of a buffer, or GL_RGBA8 for uint8. `scale`
  // and `bias` are ignored.
  kTfLiteGlesElementQuantized = 2,
};

// An app's texture or buffer. Grows like TfLiteGlesDelegateOptions.
typedef struct TfLiteGlesObject {
  size_t struct_size;  // sizeof(TfLiteGlesObject)
  int32_t type;        // TfLiteGlesObjectType; default buffer
  // GL's name in the app's context. Not owned; must live until unbound.
  uint32_t name;
  int32_t layout;   // TfLiteGlesObjectLayout, for buffers; default BHWC
  int32_t element;  // TfLiteGlesObjectElement; default float32

  // Channels per pixel of the object, if not the tensor's (textures: 4): 1 to
  // 4, for tensors of at most 4. Missing channels are 0, the fourth is opaque
  // (1 or 255). Default 0: the tensor's (textures: 4).
  int32_t channels;

  // tensor value = scale * object value + bias, for inputs and outputs;
  // integers are rounded to nearest, ties away from zero. Default 1.
  float scale;
  float bias;  // default 0

  // Nonzero: resizes an input texture to the input's size, as RESIZE_BILINEAR
  // with half_pixel_centers, clamping at the edges. Default 0: the sizes are
  // equal.
  int32_t resize;
  float crop_x;       // the left edge of the part to resize, in pixels
  float crop_y;       // its first row
  float crop_width;   // in pixels; 0 (default): of the whole texture
  float crop_height;  // in pixels; the same
} TfLiteGlesObject;

// Writes the defaults, as TfLiteGlesDelegateOptionsInit() does.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateObjectInit(TfLiteGlesObject* object,
                                                       size_t struct_size);
static inline TfLiteGlesObject TfLiteGlesDelegateObjectDefault(void) {
  TfLiteGlesObject object;
  TfLiteGlesDelegateObjectInit(&object, sizeof(object));
  return object;
}

// Binds an app's texture or buffer to a model input or output, which Invoke
// then accesses on the GPU instead of host memory, from the next Invoke until
// another bind or an unbind. Binding other tensors or kinds of object rebuilds
// the partition; another object of the same kind costs nothing.
//
// The tensor must be an input or output of a partition, unused by CPU nodes;
// float32, or quantized to 8 bits (16: float32 elements). `object` is copied;
// buffers are padded to a multiple of 4 bytes. The delegate must have borrowed
// the app's context or share with it (kTfLiteGlesThreadWorkerSharing).
// Interpreters share the bindings.
//
// Commands in the app's context before Invoke are seen by it, and its results
// by those after it, without barriers. Other contexts need fences by the app.
// Threads: as Invoke. Returns kTfLiteOk, or kTfLiteError with the reason in
// TfLiteGlesDelegateLastError(). A wrong size fails the next Invoke instead.
GLES_DELEGATE_EXPORT int32_t TfLiteGlesDelegateBindObject(
    struct TfLiteDelegate* delegate, int32_t tensor_index,
    const TfLiteGlesObject* object);

// Returns the tensor to host memory; fine if unbound. Otherwise as above.
GLES_DELEGATE_EXPORT int32_t TfLiteGlesDelegateUnbindObject(
    struct TfLiteDelegate* delegate, int32_t tensor_index);

// A custom op that the delegate runs but stock TFLite lacks, with the CPU
// kernel without which the runtime would refuse the model.
typedef struct TfLiteGlesCustomOp {
  const char* name;                               // in the model
  const struct TfLiteRegistration* registration;  // of the CPU kernel
  int32_t version;                                // of the op
} TfLiteGlesCustomOp;

// All custom ops, sorted by name and version; they live as long as the library.
GLES_DELEGATE_EXPORT const TfLiteGlesCustomOp* TfLiteGlesDelegateCustomOps(
    size_t* count);

struct TfLiteInterpreterOptions;

// Adds all custom ops to an interpreter's options. `add_custom_op` is the app's
// TfLiteInterpreterOptionsAddCustomOp: this library does not link TFLite.
GLES_DELEGATE_EXPORT void TfLiteGlesDelegateRegisterCustomOps(
    struct TfLiteInterpreterOptions* options,
    void (*add_custom_op)(struct TfLiteInterpreterOptions* options,
                          const char* name,
                          const struct TfLiteRegistration* registration,
                          int32_t min_version, int32_t max_version));

// This machine's GPUs and software renderers, in the order of `device`: a JSON
// array of objects with "index", "description", "renderer", "version",
// "software" and "error" (why there is no OpenGL ES 3.1, or ""). Starts every
// driver; restores the current context. Valid until this thread's next call.
GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateDevices(void);

GLES_DELEGATE_EXPORT const char* TfLiteGlesDelegateVersion(void);  // "1.0.0"

// TFLite's external-delegate interface; keys are option names, values text. An
// unknown key or bad value: NULL after report_error(message). If report_error
// is NULL, a delegate that fails to apply with that message.
GLES_DELEGATE_EXPORT struct TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options,
    void (*report_error)(const char*));
// Deletes such a delegate. NULL is allowed.
GLES_DELEGATE_EXPORT void tflite_plugin_destroy_delegate(
    struct TfLiteDelegate* delegate);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GLES_DELEGATE_GLES_DELEGATE_H_
