// Linked into each program under the sanitizers.

// libasan of GCC 13 and older takes a block of dynamic TLS that happens to lie
// 16 bytes into a page for one with a header of glibc 2.19, and LeakSanitizer
// then reads where that header points (google/sanitizers issue 1322):
// tests/sanitizers/tls_block.cc.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options() {
  return "detect_leaks=1:strict_string_checks=1:intercept_tls_get_addr=0";
}

// Mesa unloads its driver when a display is terminated; LeakSanitizer then
// cannot name the driver in a leak's stack, and no line of .ci/lsan.supp
// matches.
extern "C" __attribute__((visibility("default"))) int dlclose(
    void* /*handle*/) {
  return 0;
}
