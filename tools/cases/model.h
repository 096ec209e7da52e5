// A case's model with its data and its tolerance.
#ifndef GLES_DELEGATE_TOOLS_CASES_MODEL_H_
#define GLES_DELEGATE_TOOLS_CASES_MODEL_H_

#include "absl/strings/string_view.h"
#include "tools/cases/case_spec.h"
#include "tools/op_models/op_model.h"

namespace gles_delegate::cases {

// The model, with the output shapes that TFLite gives it; its status says what
// TFLite refuses. Its data are those of the text: the same for the same text.
testing::SingleOpModel ModelOf(const CaseSpec& spec);
// The same of a text; the status of a text that is no case is its error's.
testing::SingleOpModel ModelOf(absl::string_view text);

// The model of a text, with the shapes that the text gives, for a test to
// change. A wrong text ends the process.
ModelBuilder BuilderOf(absl::string_view text);

// The file of a refused case, with the shapes that its text gives. A wrong text
// ends the process.
std::vector<uint8_t> BytesOf(const CaseSpec& spec);

// Whether a result depends on the runs before it.
bool IsStateful(const CaseSpec& spec);
// The weights of an op that sums products with them: the input that has them,
// and which of its axes is that of the outputs.
struct Filter {
  testing::Op op;
  size_t input, outputs;
};
const Filter* FilterOf(testing::Op op);  // NULL if it has none

// How closely the case must agree, by the ops that it has (accuracy.cc).
testing::Accuracy AccuracyOf(const CaseSpec& spec);
// Each of the log2(N) steps of RFFT2D rounds sums of up to N samples, of any
// size beside the bin: as one sum of N products does, it errs by up to
// (4 sqrt(N) + ulps) 2^-24 of the sum of the samples' magnitudes. Sets that.
void SetSpectrum(const CaseSpec& spec, testing::SingleOpModel* model);
// What 8-bit weights beside floats take. Sets that.
void SetHybrid(const CaseSpec& spec, testing::SingleOpModel* model);
// How many rows of each detection TFLite's kernel writes. Sets that.
void SetUnwritten(const CaseSpec& spec, testing::SingleOpModel* model);
// Whether the op on absolute values bounds its error (single_op.h).
bool HasMagnitude(const CaseSpec& spec);
// The standard deviation of an input's data if the row says nothing of them.
// Weights have one with which sums of products spread over N(0, 3): both ends
// of RELU6 are met.
float DeviationOf(const NodeSpec& node, size_t input);

}  // namespace gles_delegate::cases

#endif  // GLES_DELEGATE_TOOLS_CASES_MODEL_H_
