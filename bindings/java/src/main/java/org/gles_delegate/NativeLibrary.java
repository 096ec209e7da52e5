package org.gles_delegate;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads the native half: from java.library.path, else from this jar. */
final class NativeLibrary {
  private static final String NAME = "gles_delegate_jni";
  // In this order; the second finds the first beside it.
  private static final String[] FILES = {"libgles_delegate.so.1", "lib" + NAME + ".so"};

  private NativeLibrary() {}

  static void load() {
    try {
      System.loadLibrary(NAME);
    } catch (UnsatisfiedLinkError error) {
      String folder = "linux-" + architecture();
      if (NativeLibrary.class.getResource(folder + "/" + FILES[1]) == null) {
        throw error; // this jar has none for the machine
      }
      try {
        loadFromJar(folder);
      } catch (IOException cannotCopy) {
        UnsatisfiedLinkError both = new UnsatisfiedLinkError(
            error.getMessage() + "; and it cannot be copied from the jar: " + cannotCopy);
        both.initCause(cannotCopy);
        throw both;
      }
    }
  }

  /** As `uname -m` calls it. */
  private static String architecture() {
    String name = System.getProperty("os.arch");
    return name.equals("amd64") ? "x86_64" : name;
  }

  private static void loadFromJar(String folder) throws IOException {
    Path copies = Files.createTempDirectory("gles_delegate");
    try {
      for (String file : FILES) {
        try (InputStream in = NativeLibrary.class.getResourceAsStream(folder + "/" + file)) {
          Files.copy(in, copies.resolve(file));
        }
      }
      System.load(copies.resolve(FILES[1]).toString());
    } finally {
      for (String file : FILES) {
        new File(copies.toFile(), file).delete(); // what is loaded stays
      }
      copies.toFile().delete();
    }
  }
}
