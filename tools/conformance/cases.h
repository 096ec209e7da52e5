// The suite's cases: each Add...Cases() is a cases_*.cc. Floats come first, by
// the families of delegate/ops/, then integers, quantized tensors, custom ops
// and the device's limits.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_

#include <vector>

#include "tools/cases/rows.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {

// Those of rows of tools/cases, and their variants.
void AddRowCases(CaseList* list, const std::vector<cases::Row>& rows);

void AddQuantizedCases(CaseList* list);
void AddLimitCases(CaseList* list);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_
