// The dispatches that bring one input to the GPU, or one output back.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_

#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/batch_parts.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {

// What transfers of a partition have in common, so that they share programs.
struct SharedText {
  bool upload_of_codes = false;  // of three channels, and of whole texels
  bool flat_readback = false;    // of any channels
};

// Of a partition with these outputs.
SharedText SharedTextOf(absl::Span<const HostTransfer> outputs,
                        const DeviceProfile& profile);

// A dispatch, and what it moves.
struct TransferDispatch {
  Dispatch dispatch;
  Piece piece;
};

// Those of input or output `index`, in the order of what they move. Of an input
// that goes in `parts`: first the one of the first part, then so many for each
// later part as there are dispatches beside which these run.
std::vector<TransferDispatch> TransferDispatches(const Graph& graph,
                                                 const HostTransfer& transfer,
                                                 int index,
                                                 const BatchParts& parts,
                                                 const SharedText& shared,
                                                 const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_TRANSFER_DISPATCHES_H_
