// The suite's cases, by kind of op: each Add...Cases() is a cases_*.cc.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_

#include <string>

#include "tests/testing/op_builders.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {

void AddConvolutionCases(CaseList* list);
void AddUnaryCases(CaseList* list);
void AddBinaryCases(CaseList* list);
void AddMovementCases(CaseList* list);
void AddWindowCases(CaseList* list);
void AddSequenceCases(CaseList* list);
void AddCustomCases(CaseList* list);
void AddStateCases(CaseList* list);
void AddTypedCases(CaseList* list);
void AddYoungerCases(CaseList* list);
void AddQuantizedCases(CaseList* list);
void AddQuantizedConvolutionCases(CaseList* list);
void AddQuantizedUnaryCases(CaseList* list);
void AddQuantizedBinaryCases(CaseList* list);
void AddQuantizedWindowCases(CaseList* list);
void AddQuantizedJoinCases(CaseList* list);
void AddQuantizedMoveCases(CaseList* list);
void AddSixteenBitCases(CaseList* list);
void AddSixteenBitPairCases(CaseList* list);
void AddLimitCases(CaseList* list);

// Which operand is a constant, in the attributes of a case: "first_constant".
std::string ConstantName(testing::Constant constant);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_CASES_H_
