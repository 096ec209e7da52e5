package org.gles_delegate;

import java.io.Closeable;

/**
 * Whether this machine has a GPU that the delegate runs on, by asking each of its drivers (no
 * list of models of phones is kept).
 *
 * <pre>{@code
 * if (list.isDelegateSupportedOnThisDevice()) {
 *   options.addDelegate(new GlesDelegate(list.getBestOptionsForThisDevice()));
 * } else {
 *   options.setNumThreads(4);
 * }
 * }</pre>
 */
public final class CompatibilityList implements Closeable {
  /** Opens each driver, which takes as long as the drivers take to start. */
  public CompatibilityList() {
    devices = GlesDelegate.devices();
    supported = GlesDelegate.nativeHasHardware() != 0;
  }

  /** False where there is software rendering alone: the CPU is faster by itself. */
  public boolean isDelegateSupportedOnThisDevice() {
    return supported;
  }

  /** Hardware alone, in 16 bits, as the stock delegate's best options are. */
  public GlesDelegate.Options getBestOptionsForThisDevice() {
    return new GlesDelegate.Options()
        .setPrecisionLossAllowed(true)
        .set("allow_software", "0");
  }

  /** Each way to a GPU, with the reason where it is none: a JSON array. */
  public String reasons() {
    return devices;
  }

  @Override
  public void close() {}

  private final String devices;
  private final boolean supported;
}
