// Of a library: a bench that has a main() of its own leaves this one out.
#include "benches/common/bench_main.h"

int main(int argc, char** argv) { return gles_delegate::BenchMain(argc, argv); }
