// The main() of every bench but those that do something before it.
#ifndef GLES_DELEGATE_BENCHES_COMMON_BENCH_MAIN_H_
#define GLES_DELEGATE_BENCHES_COMMON_BENCH_MAIN_H_

namespace gles_delegate {

// Parses Google Benchmark's flags and runs what is registered. The device
// goes into the JSON's context, beside the date and the machine that Google
// Benchmark writes there. Returns the exit status.
int BenchMain(int argc, char** argv);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_BENCH_MAIN_H_
