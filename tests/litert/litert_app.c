// A program of LiteRT's C API that knows nothing of this project: compiles a
// float model of one input and one output for the CPU and for the GPU, runs
// both on the same input, and compares.
//
//   litert_app LIBLITERT RUNTIME_FOLDER MODEL [egl | both | managed]
//
// RUNTIME_FOLDER "-": none, so that the loader's search finds the accelerator.
// "egl": with an EGL context of the program's own, which is current and which
// the environment is told of. "both": for the GPU and the CPU together.
// "managed": with the buffers that LiteRT makes for the compiled model, in
// place of the program's own memory.
//
// LiteRT's functions are looked up in LIBLITERT, and declared here as its
// documentation has them: neither its headers nor its library are needed to
// build, which is why the file is long. Prints what it finds, a line each, and
// ends with 1 where a call fails or the answers differ.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int element_type;  // 1: float32
  unsigned rank_and_flags;
  int32_t dimensions[8];
  uint32_t strides[8];
} TensorType;

typedef struct {
  int tag;
  struct {
    int type;
    const void* value;
  } any;
} Option;
enum { kRuntimeLibraryDir = 22, kEglDisplay = 6, kEglContext = 7 };
enum { kText = 8, kPointer = 9 };
enum { kCpu = 1, kGpu = 2 };
enum { kHostAlignment = 64 };
enum { kLeastCopy = 4096 };  // bytes; smaller copies are of no tensor's memory

static void* library;

// Calls a function of LiteRT's by its name and its parameters' types.
#define LITERT(name, ...) ((int (*)(__VA_ARGS__))Function(#name))
static void* Function(const char* name) {
  void* function = dlsym(library, name);
  if (function == NULL) {
    printf("FAILED: no %s\n", name);
    exit(1);
  }
  return function;
}

static void Check(int status, const char* what) {
  if (status != 0) {
    printf("FAILED: %s: status %d\n", what, status);
    exit(1);
  }
}

typedef struct {
  TensorType type;
  size_t count;
  float* values;  // memory of the program's own, or NULL
  void* buffer;
} Buffer;

// LiteRtTensorBufferLockMode.
enum { kRead, kWrite };

static float* Lock(const Buffer* buffer, int mode) {
  void* memory = NULL;
  Check(LITERT(LiteRtLockTensorBuffer, void*, void**, int)(buffer->buffer,
                                                           &memory, mode),
        "locking");
  return memory;
}
static void Unlock(const Buffer* buffer) {
  Check(LITERT(LiteRtUnlockTensorBuffer, void*)(buffer->buffer), "unlocking");
}

// `requirements`: what LiteRT makes it for, or NULL: of the program's own
// memory.
static Buffer MakeBuffer(void* environment, void* tensor, void* requirements) {
  Buffer made;
  memset(&made, 0, sizeof(made));
  Check(
      LITERT(LiteRtGetRankedTensorType, void*, TensorType*)(tensor, &made.type),
      "the tensor's type");
  made.count = 1;
  for (unsigned i = 0; i < (made.type.rank_and_flags & 127); ++i) {
    made.count *= (size_t)made.type.dimensions[i];
  }
  const size_t bytes = made.count * sizeof(float);
  if (requirements != NULL) {
    Check(LITERT(LiteRtCreateManagedTensorBufferFromRequirements, void*,
                 const TensorType*, void*,
                 void**)(environment, &made.type, requirements, &made.buffer),
          "a buffer of LiteRT's");
    return made;
  }
  made.values =
      aligned_alloc(kHostAlignment, (bytes + kHostAlignment - 1) /
                                        kHostAlignment * kHostAlignment);
  Check(LITERT(LiteRtCreateTensorBufferFromHostMemory, const TensorType*, void*,
               size_t, void (*)(void*),
               void**)(&made.type, made.values, bytes, NULL, &made.buffer),
        "a buffer of host memory");
  return made;
}

static void DeleteBuffer(Buffer* buffer) {
  LITERT(LiteRtDestroyTensorBuffer, void*)(buffer->buffer);
  free(buffer->values);
}

typedef struct {
  void* compiled;
  Buffer input, output;
  int status;
  bool async;
} Run;

// Of count_copies.c, if it is preloaded: counts copies of `bytes` and more.
static void CountCopiesFrom(size_t bytes) {
  void (*count)(size_t) = (void (*)(size_t))dlsym(RTLD_DEFAULT, __func__);
  if (count != NULL) count(bytes);
}
static void SayCopies(const char* what) {
  void (*say)(const char*) =
      (void (*)(const char*))dlsym(RTLD_DEFAULT, __func__);
  if (say != NULL) say(what);
}

static void* RunOnThread(void* argument) {
  Run* run = argument;
  run->status = LITERT(LiteRtRunCompiledModel, void*, size_t, size_t, void**,
                       size_t, void**)(run->compiled, 0, 1, &run->input.buffer,
                                       1, &run->output.buffer);
  return NULL;
}

static void Fill(float* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = (float)(i % 17) / 8 - 1;
}

static bool Holds(const Buffer* buffer, const float* values) {
  const bool same =
      memcmp(Lock(buffer, kRead), values, buffer->count * sizeof(float)) == 0;
  Unlock(buffer);
  return same;
}

static void Clear(const Buffer* buffer) {
  memset(Lock(buffer, kWrite), 0, buffer->count * sizeof(float));
  Unlock(buffer);
}

// The thread that fills an input while a run waits for it.
typedef struct {
  float* values;
  size_t count;
  int done;  // a pipe's end, which stands in for a fence
} Producer;

static void* Produce(void* argument) {
  const Producer* producer = argument;
  usleep(100000);  // long enough to be too late for a run that does not wait
  Fill(producer->values, producer->count);
  if (write(producer->done, "", 1) != 1) exit(1);
  return NULL;
}

// Runs with an input that another thread fills only now, and that has an event
// of that: the answer is the filled input's.
static void RunAfterEvent(void* environment, Run* run, const float* answer) {
  int ends[2];
  void* event = NULL;
  pthread_t thread;
  if (pipe(ends) != 0) exit(1);
  Clear(&run->input);
  // Locking waits for the event, so that the address is asked for before.
  float* const values = Lock(&run->input, kRead);
  Unlock(&run->input);
  Check(LITERT(LiteRtCreateEventFromSyncFenceFd, void*, int, bool, void**)(
            environment, ends[0], true, &event),
        "an event");
  Check(LITERT(LiteRtSetTensorBufferEvent, void*, void*)(run->input.buffer,
                                                         event),
        "the input's event");
  Producer producer = {values, run->input.count, ends[1]};
  if (pthread_create(&thread, NULL, Produce, &producer) != 0) exit(1);
  RunOnThread(run);
  pthread_join(thread, NULL);
  Check(run->status, "running after an event");
  printf("waits for an input's event: %d\n", Holds(&run->output, answer));
  close(ends[1]);
}

// Compiles, runs on this thread or on another, and asynchronously; returns the
// output, which the caller frees.
static float* RunModel(void* environment, void* model, int hardware,
                       bool on_thread, bool managed, size_t* count) {
  void *signature, *in, *out, *options;
  Check(LITERT(LiteRtGetModelSignature, void*, size_t, void**)(model, 0,
                                                               &signature),
        "the signature");
  Check(LITERT(LiteRtGetSignatureInputTensorByIndex, void*, size_t, void**)(
            signature, 0, &in),
        "the input");
  Check(LITERT(LiteRtGetSignatureOutputTensorByIndex, void*, size_t, void**)(
            signature, 0, &out),
        "the output");
  Check(LITERT(LiteRtCreateOptions, void**)(&options), "options");
  Check(LITERT(LiteRtSetOptionsHardwareAccelerators, void*, int)(options,
                                                                 hardware),
        "the hardware");
  Run run;
  memset(&run, 0, sizeof(run));
  CountCopiesFrom(1);
  Check(LITERT(LiteRtCreateCompiledModel, void*, void*, void*, void**)(
            environment, model, options, &run.compiled),
        "compiling");
  SayCopies(hardware == kCpu ? "compiling for the CPU" : "compiling");
  bool whole = false;
  Check(LITERT(LiteRtCompiledModelIsFullyAccelerated, void*, bool*)(
            run.compiled, &whole),
        "is it accelerated?");
  printf("hardware %d: fully accelerated %d\n", hardware, whole);
  if (dlsym(library, "LiteRtCompiledModelIsNonCpuFullyAccelerated") != NULL) {
    Check(LITERT(LiteRtCompiledModelIsNonCpuFullyAccelerated, void*, bool*)(
              run.compiled, &whole),
          "is it accelerated by more than the CPU?");
    printf("hardware %d: accelerated without the CPU %d\n", hardware, whole);
  }
  void *of_input = NULL, *of_output = NULL;
  if (managed) {
    Check(LITERT(LiteRtGetCompiledModelInputBufferRequirements, void*, size_t,
                 size_t, void**)(run.compiled, 0, 0, &of_input),
          "the input's requirements");
    Check(LITERT(LiteRtGetCompiledModelOutputBufferRequirements, void*, size_t,
                 size_t, void**)(run.compiled, 0, 0, &of_output),
          "the output's requirements");
  }
  run.input = MakeBuffer(environment, in, of_input);
  run.output = MakeBuffer(environment, out, of_output);
  Fill(Lock(&run.input, kWrite), run.input.count);
  Unlock(&run.input);
  if (on_thread) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, RunOnThread, &run) != 0) exit(1);
    pthread_join(thread, NULL);
  } else {
    RunOnThread(&run);
  }
  Check(run.status, "running");
  RunOnThread(&run);  // LiteRT's buffers get their place
  CountCopiesFrom(kLeastCopy);
  RunOnThread(&run);
  SayCopies(hardware == kCpu ? "a run on the CPU" : "a run");
  Check(run.status, "running again");
  float* answer = malloc(run.output.count * sizeof(float));
  memcpy(answer, Lock(&run.output, kRead), run.output.count * sizeof(float));
  Unlock(&run.output);
  Clear(&run.output);
  Check(LITERT(LiteRtRunCompiledModelAsync, void*, size_t, size_t, void**,
               size_t, void**, bool*)(run.compiled, 0, 1, &run.input.buffer, 1,
                                      &run.output.buffer, &run.async),
        "running asynchronously");
  printf("hardware %d: asynchronous %d\n", hardware, run.async);
  if (!Holds(&run.output, answer)) {
    printf("FAILED: the asynchronous run answers otherwise\n");
    exit(1);
  }
  if (hardware != kCpu) RunAfterEvent(environment, &run, answer);
  *count = run.output.count;
  LITERT(LiteRtDestroyCompiledModel, void*)(run.compiled);
  LITERT(LiteRtDestroyOptions, void*)(options);
  DeleteBuffer(&run.input);
  DeleteBuffer(&run.output);
  return answer;
}

// The answer of this build of LiteRT to memory that is not the host's: 5 is
// "unsupported", whatever it is given.
static void SayWhatBuffersThereAre(void* environment) {
  TensorType type = {1, 1, {16}, {0}};
  void* buffer = NULL;
  printf("GL buffers: status %d\n",
         LITERT(LiteRtCreateTensorBufferFromGlBuffer, void*, const TensorType*,
                unsigned, unsigned, size_t, size_t, void (*)(void*),
                void**)(environment, &type, 0x90D2, 1, 64, 0, NULL, &buffer));
  printf("GL textures: status %d\n",
         LITERT(LiteRtCreateTensorBufferFromGlTexture, void*, const TensorType*,
                unsigned, unsigned, unsigned, size_t, int, void (*)(void*),
                void**)(environment, &type, 0x0DE1, 1, 0x8814, 64, 0, NULL,
                        &buffer));
  printf("EGL fences: status %d\n",
         LITERT(LiteRtCreateEventFromEglSyncFence, void*, void*, void**)(
             environment, &type, &buffer));
  printf("dma-bufs: status %d\n",
         LITERT(LiteRtCreateTensorBufferFromDmaBufBuffer, const TensorType*,
                void*, int, size_t, size_t, void (*)(void*),
                void**)(&type, &type, 0, 64, 0, NULL, &buffer));
}

// An OpenGL ES 3.1 context without a surface, current on this thread.
static EGLContext MakeContext(EGLDisplay* display) {
  EGLContext context = EGL_NO_CONTEXT;
  void* egl = dlopen("libEGL.so.1", RTLD_NOW);
  if (egl == NULL) return context;
  EGLDisplay (*get)(EGLenum, void*, const EGLAttrib*) = (EGLDisplay(*)(
      EGLenum, void*, const EGLAttrib*))dlsym(egl, "eglGetPlatformDisplay");
  EGLBoolean (*initialize)(EGLDisplay, EGLint*, EGLint*) =
      (EGLBoolean(*)(EGLDisplay, EGLint*, EGLint*))dlsym(egl, "eglInitialize");
  EGLBoolean (*bind)(EGLenum) =
      (EGLBoolean(*)(EGLenum))dlsym(egl, "eglBindAPI");
  EGLContext (*create)(EGLDisplay, EGLConfig, EGLContext, const EGLint*) =
      (EGLContext(*)(EGLDisplay, EGLConfig, EGLContext, const EGLint*))dlsym(
          egl, "eglCreateContext");
  EGLBoolean (*make_current)(EGLDisplay, EGLSurface, EGLSurface, EGLContext) =
      (EGLBoolean(*)(EGLDisplay, EGLSurface, EGLSurface, EGLContext))dlsym(
          egl, "eglMakeCurrent");
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                               EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  *display = get(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
  if (initialize(*display, NULL, NULL) && bind(EGL_OPENGL_ES_API)) {
    context = create(*display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
  }
  if (context == EGL_NO_CONTEXT ||
      !make_current(*display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
    return EGL_NO_CONTEXT;
  }
  return context;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    printf("FAILED: %s\n", dlerror());
    return 1;
  }
  Option options[3];
  int option_count = 0;
  if (strcmp(argv[2], "-") != 0) {
    options[option_count++] = (Option){kRuntimeLibraryDir, {kText, argv[2]}};
  }
  const bool with_egl = argc > 4 && strcmp(argv[4], "egl") == 0;
  if (with_egl) {
    EGLDisplay display;
    const EGLContext context = MakeContext(&display);
    if (context == EGL_NO_CONTEXT) {
      printf("NO EGL CONTEXT, NOTHING TESTED\n");
      return 77;
    }
    options[option_count++] = (Option){kEglDisplay, {kPointer, display}};
    options[option_count++] = (Option){kEglContext, {kPointer, context}};
  }
  void *environment, *model;
  Check(LITERT(LiteRtCreateEnvironment, int, const Option*, void**)(
            option_count, options, &environment),
        "the environment");
  Check(LITERT(LiteRtCreateModelFromFile, void*, const char*, void**)(
            environment, argv[3], &model),
        "the model");
  SayWhatBuffersThereAre(environment);
  size_t count = 0;
  const bool both = argc > 4 && strcmp(argv[4], "both") == 0;
  const bool managed = argc > 4 && strcmp(argv[4], "managed") == 0;
  float* expected = RunModel(environment, model, kCpu, false, managed, &count);
  float* actual = RunModel(environment, model, both ? kGpu | kCpu : kGpu,
                           !with_egl, managed, &count);
  float largest = 0, difference = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = fmaxf(largest, fabsf(expected[i]));
    difference = fmaxf(difference, fabsf(expected[i] - actual[i]));
  }
  printf("largest %g, difference %g\n", largest, difference);
  free(expected);
  free(actual);
  LITERT(LiteRtDestroyModel, void*)(model);
  LITERT(LiteRtDestroyEnvironment, void*)(environment);
  return largest > 0 && difference <= 2e-5f * largest ? 0 : 1;
}
