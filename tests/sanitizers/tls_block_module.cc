// A module with a variable of each thread, opened by tls_block.cc.
thread_local char block[16];

extern "C" __attribute__((visibility("default"))) char* BlockOfThisThread() {
  return block;
}
