// The dispatches that upload one input or read back one output.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_

#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {

// Whether one program reads back all of a partition's outputs, whatever their
// channels are.
bool ReadsBackFlat(absl::Span<const HostTransfer> outputs,
                   const DeviceProfile& profile);

// A dispatch and the data that it moves.
struct TransferDispatch {
  Dispatch dispatch;
  Piece piece;
};

// The dispatches of input or output `index`, in order of the data.
std::vector<TransferDispatch> TransferDispatches(const Graph& graph,
                                                 const HostTransfer& transfer,
                                                 int index,
                                                 bool reads_back_flat,
                                                 const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_
