// The progress of a run of benches, on a terminal: a bar below the finished
// rows.
#ifndef GLES_DELEGATE_BENCHES_COMMON_BENCH_PROGRESS_H_
#define GLES_DELEGATE_BENCHES_COMMON_BENCH_PROGRESS_H_

#include <string>
#include <vector>

namespace gles_delegate {

// The benches that the command line chooses, in their order. Google Benchmark
// has parsed the command line then, without effect for the run itself:
// Initialize() is to be called again.
std::vector<std::string> ChosenBenches(std::vector<char*> arguments);

// Runs the benches that the flags choose, as
// benchmark::RunSpecifiedBenchmarks() does. Where standard error is a terminal,
// it shows how many of `names` are done, which one runs and how long the others
// take; a thread draws that twice a second. A bench with repetitions counts
// once. Nothing is shown in a file: each row is a line there anyway.
void RunWithProgress(std::vector<std::string> names);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_BENCH_PROGRESS_H_
