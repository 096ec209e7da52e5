package org.gles_delegate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.lite.Delegate;
import org.tensorflow.lite.DelegateFactory;
import org.tensorflow.lite.RuntimeFlavor;

/**
 * Runs models on the GPU, by OpenGL ES 3.1 compute shaders.
 *
 * <p>Ownership: close it after the interpreters that use it. Threads: without {@code
 * thread_mode:worker} an interpreter runs on the thread that applied the delegate; see the
 * project's docs/integration.md.
 */
public final class GlesDelegate implements Delegate {
  static {
    NativeLibrary.load();
  }

  /** Options by the stock GPU delegate's names, and any other option by its key. */
  public static final class Options {
    public static final int INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0;
    public static final int INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1;

    private final Map<String, String> values = new LinkedHashMap<>();

    /** 16-bit storage with 32-bit sums. Default: false. */
    public Options setPrecisionLossAllowed(boolean allowed) {
      return set("is_precision_loss_allowed", allowed ? "1" : "0");
    }

    /** Whether nodes of 8- and 16-bit models are taken. Default: true. */
    public Options setQuantizedModelsAllowed(boolean allowed) {
      return set("quantized_compute", allowed ? "auto" : "cpu");
    }

    /** Both preferences are the same here: the program gles_tune searches fast settings. */
    public Options setInferencePreference(int preference) {
      if (preference != INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER
          && preference != INFERENCE_PREFERENCE_SUSTAINED_SPEED) {
        throw new IllegalArgumentException("no inference preference is " + preference);
      }
      return this;
    }

    /** Keeps programs and packed weights in {@code directory}, under {@code modelToken}. */
    public Options setSerializationParams(String directory, String modelToken) {
      return set("serialization_dir", directory).set("model_token", modelToken);
    }

    /** Any option of docs/options.md. */
    public Options set(String key, String value) {
      if (key == null || value == null) {
        throw new NullPointerException("an option has no " + (key == null ? "key" : "value"));
      }
      values.put(key, value);
      return this;
    }

    Map<String, String> values() {
      return values;
    }
  }

  /** For runtimes that make their delegates themselves. */
  public static final class Factory implements DelegateFactory {
    private final Options options;

    public Factory(Options options) {
      this.options = options;
    }

    @Override
    public Delegate create(RuntimeFlavor runtimeFlavor) {
      return new GlesDelegate(options);
    }
  }

  private long handle;

  public GlesDelegate() {
    this(new Options());
  }

  /**
   * @throws IllegalArgumentException with the delegate's message if an option is unknown or
   *     its value is bad
   */
  public GlesDelegate(Options options) {
    List<byte[]> texts = new ArrayList<>();
    for (Map.Entry<String, String> option : options.values().entrySet()) {
      texts.add(option.getKey().getBytes(StandardCharsets.UTF_8));
      texts.add(option.getValue().getBytes(StandardCharsets.UTF_8));
    }
    handle = nativeCreate(texts.toArray(new byte[0][]));
  }

  /** The address of the TfLiteDelegate; 0 once it is closed. */
  @Override
  public long getNativeHandle() {
    return handle;
  }

  /** The delegate's report: device, partitions, and why nodes stayed on the CPU, as JSON. */
  public String report() {
    if (handle == 0) {
      throw new IllegalStateException("the delegate is closed");
    }
    return new String(nativeReport(handle), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    if (handle != 0) {
      nativeDelete(handle);
      handle = 0;
    }
  }

  /** The library's version. */
  public static String version() {
    return new String(nativeVersion(), StandardCharsets.UTF_8);
  }

  /** The GPUs of this machine, as TfLiteGlesDelegateDevices() gives them: a JSON array. */
  public static String devices() {
    return new String(nativeDevices(), StandardCharsets.UTF_8);
  }

  /** Why a delegate of the best options has no GPU here; empty where it has one. */
  static String whyUnsupported() {
    return new String(nativeWhyUnsupported(), StandardCharsets.UTF_8);
  }

  /** "key:value;key:value". */
  static String bestOptions() {
    return new String(nativeBestOptions(), StandardCharsets.UTF_8);
  }

  // Keys and values alternately, in UTF-8.
  private static native long nativeCreate(byte[][] keysAndValues);

  private static native void nativeDelete(long handle);

  private static native byte[] nativeReport(long handle);

  private static native byte[] nativeVersion();

  private static native byte[] nativeDevices();

  private static native byte[] nativeWhyUnsupported();

  private static native byte[] nativeBestOptions();
}
