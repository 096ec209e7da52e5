#include "delegate/passes/passes.h"

namespace gles_delegate {

void RunPasses(Graph*) {}

}  // namespace gles_delegate
