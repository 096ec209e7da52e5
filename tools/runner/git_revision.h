// The git revision that this program was built from.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_GIT_REVISION_H_
#define GLES_DELEGATE_TOOLS_RUNNER_GIT_REVISION_H_

namespace gles_delegate {

// "1a2b3c4d5e6f", with "-dirty" where files differ; "unknown" outside git.
const char* GitRevision();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_GIT_REVISION_H_
