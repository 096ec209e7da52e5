// The command line of every program: its flags are absl's, its help is ours.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_COMMAND_LINE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_COMMAND_LINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace gles_delegate {

// Sets the flags and returns the other arguments, without the program's name.
// Ends the process with status 0 after -h, --help (`usage` and this project's
// flags) and --version. Ends it with status 1 after one of these with a value,
// after an unknown flag, which it compares with the known ones, and if a count
// or a time is too small or a file to write cannot be written.
std::vector<char*> ParseCommandLine(int argc, char** argv,
                                    const std::string& usage);

// How wide a line may be: 80 characters, or any with --wide.
size_t Columns();

// `text` in lines of at most Columns(), the second and later ones after
// `indent` spaces. Line breaks stay; longer words too.
std::string Wrap(const std::string& text, size_t indent);

// "1 node", "2 nodes".
std::string Count(int64_t count, const std::string& noun);

// `text`, or its start and "..." if it is longer than `width`. Whole with
// --wide.
std::string Shorten(const std::string& text, size_t width);

// `text` in a color if stdout is a terminal that has colors, and NO_COLOR is
// not set.
enum class Tone { kGood, kBad, kTitle };
std::string Colored(const std::string& text, Tone tone);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_COMMAND_LINE_H_
