// In a library, so that a bench with its own main() does not link this one.
#include "benches/common/bench_device.h"

int main(int argc, char** argv) { return gles_delegate::BenchMain(argc, argv); }
