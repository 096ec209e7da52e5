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
    reason = GlesDelegate.whyUnsupported();
  }

  /** False where there is software rendering alone: the CPU is faster by itself. */
  public boolean isDelegateSupportedOnThisDevice() {
    return reason.isEmpty();
  }

  /** Hardware alone, in 16 bits, as the stock delegate's best options are. */
  public GlesDelegate.Options getBestOptionsForThisDevice() {
    GlesDelegate.Options options = new GlesDelegate.Options();
    for (String item : GlesDelegate.bestOptions().split(";")) {
      String[] keyAndValue = item.split(":", 2);
      options.set(keyAndValue[0], keyAndValue[1]);
    }
    return options;
  }

  /** Why the delegate is not supported here; empty where it is. */
  public String reason() {
    return reason;
  }

  /** Each way to a GPU, with the reason where it is none: a JSON array. */
  public String reasons() {
    return devices;
  }

  @Override
  public void close() {}

  private final String devices;
  private final String reason;
}
