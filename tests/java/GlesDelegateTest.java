import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.tensorflowlite.BuiltinOpResolver;
import org.bytedeco.tensorflowlite.FlatBufferModel;
import org.bytedeco.tensorflowlite.Interpreter;
import org.bytedeco.tensorflowlite.InterpreterBuilder;
import org.bytedeco.tensorflowlite.TfLiteDelegate;
import org.gles_delegate.CompatibilityList;
import org.gles_delegate.GlesDelegate;
import org.tensorflow.lite.Delegate;

/** Run by package.py: java GlesDelegateTest MODEL INPUTS OUTPUTS (counts of floats). */
public final class GlesDelegateTest {
  private static int passed = 0;

  private static void check(boolean right, String what) {
    if (!right) {
      throw new AssertionError(what);
    }
    System.out.println("ok: " + what);
    ++passed;
  }

  private static void ok(int status, String what) {
    if (status != 0) {
      throw new AssertionError(what + ": status " + status);
    }
  }

  private static float[] infer(String path, Delegate delegate, int inputs, int outputs) {
    FlatBufferModel model = FlatBufferModel.BuildFromFile(path);
    Interpreter interpreter = new Interpreter((Pointer) null);
    ok(new InterpreterBuilder(model, new BuiltinOpResolver()).apply(interpreter), "build");
    if (delegate != null) {
      TfLiteDelegate handle =
          new TfLiteDelegate(
              new Pointer() {
                {
                  address = delegate.getNativeHandle();
                }
              });
      ok(interpreter.ModifyGraphWithDelegate(handle), "apply");
    }
    ok(interpreter.AllocateTensors(), "allocate");
    FloatPointer input = interpreter.typed_input_tensor_float(0);
    for (int i = 0; i < inputs; ++i) {
      input.put(i, (float) Math.sin(i));
    }
    ok(interpreter.Invoke(), "invoke");
    float[] values = new float[outputs];
    interpreter.typed_output_tensor_float(0).get(values);
    interpreter.close();
    return values;
  }

  private static void computesAsTheCpu(String model, int inputs, int outputs) {
    float[] want = infer(model, null, inputs, outputs);
    try (GlesDelegate delegate = new GlesDelegate()) {
      float[] got = infer(model, delegate, inputs, outputs);
      float largest = 0, magnitude = 0;
      for (int i = 0; i < outputs; ++i) {
        largest = Math.max(largest, Math.abs(want[i] - got[i]));
        magnitude = Math.max(magnitude, Math.abs(want[i]));
      }
      check(magnitude > 0 && largest < 1e-5 * magnitude,
          "the model gives what the CPU gives: " + largest + " of " + magnitude);
      check(!delegate.report().contains("\"nodes_delegated\": 0"), "it ran on the GPU");
    }
  }

  private static void optionsArrive(Path folder) throws Exception {
    Path file = folder.resolve("r\u00e9port \uD83D\uDE00.json");
    GlesDelegate.Options options =
        new GlesDelegate.Options()
            .setPrecisionLossAllowed(true)
            .setQuantizedModelsAllowed(false)
            .setInferencePreference(
                GlesDelegate.Options.INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER)
            .set("report_file", file.toString());
    try (GlesDelegate delegate = new GlesDelegate(options)) {
      check(delegate.report().contains("\"precision\": \"float16\""), "options arrive");
    }
    check(Files.exists(file), "paths of any letters arrive");
  }

  private static void badOptionsAreNamed() {
    try {
      new GlesDelegate(new GlesDelegate.Options().set("storrage", "buffer"));
    } catch (IllegalArgumentException e) {
      check(e.getMessage().contains("storrage"), "a bad option is named: " + e.getMessage());
      return;
    }
    throw new AssertionError("a bad option is accepted");
  }

  private static void closedIsClosed() {
    GlesDelegate delegate = new GlesDelegate();
    check(delegate.getNativeHandle() != 0, "there is a handle");
    delegate.close();
    delegate.close();
    check(delegate.getNativeHandle() == 0, "a closed delegate has none");
    try {
      delegate.report();
    } catch (IllegalStateException e) {
      return;
    }
    throw new AssertionError("a closed delegate reports");
  }

  public static void main(String[] arguments) throws Exception {
    check(!GlesDelegate.version().isEmpty(), "version " + GlesDelegate.version());
    badOptionsAreNamed();
    closedIsClosed();
    optionsArrive(Path.of("."));
    computesAsTheCpu(
        arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
    try (CompatibilityList list = new CompatibilityList()) {
      check(list.reasons().contains("\"renderer\""), "devices are listed");
      boolean software = list.reasons().contains("llvmpipe");
      check(!software || !list.isDelegateSupportedOnThisDevice(),
          "software rendering alone is no support");
      check(list.isDelegateSupportedOnThisDevice() == list.reason().isEmpty(),
          "what is not supported has a reason");
      check(!software || list.reason().contains("device: hardware declines"), list.reason());
      list.getBestOptionsForThisDevice();
    }
    System.out.println(passed + " passed, 0 failed");
  }
}
