// Linked into each program under the sanitizers. Mesa unloads its driver when a
// display is terminated; LeakSanitizer then cannot name the driver in a leak's
// stack, and no line of .ci/lsan.supp matches.
extern "C" __attribute__((visibility("default"))) int dlclose(
    void* /*handle*/) {
  return 0;
}
