// Series of 8- and 16-bit models of one op, each with its own scales and zero
// points, the extremes among them, for ops of which no code may differ. Their
// programs are shared, as scales are uniforms.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SERIES_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SERIES_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_models.h"

namespace gles_delegate::conformance {

// A scale: a power of two from 2^-8 to 2^2 and one unit in the last place
// beside it, an oddity that converters write, or any.
float DrawScale(QuantizedBuilder& b);

// A scale that is `scale` times something from 2^low to 2^high: that very
// power, the same scale, or any between.
float DrawBeside(QuantizedBuilder& b, float scale, int low, int high);

// Zero points at either end of the range, at 0 or in the middle, or anywhere,
// if the builder's Codes do not say which. Of 16-bit tensors: the zero point 0
// and a 256th of the scale.
ModelQuantization WithZeroPoint(QuantizedBuilder& b, float scale);

// Every code once (of 16-bit ones 4,096), in an order that has no period of a
// few channels. `step` is odd.
std::vector<int> AllQuantized(QuantizedBuilder& b, int step);

// An input, or a constant, of all codes.
int Operand(QuantizedBuilder& b, const char* name, const Shape& shape,
            const ModelQuantization& q, bool constant, int step);

// The output's scale and zero point.
enum class OutputRule {
  kSame,        // the input's
  kRange,       // what is drawn beside the inputs'
  kLogistic,    // 1/256 from 0: what TFLite fixes for LOGISTIC and SOFTMAX
  kSymmetric,   // 1/128 around 0: for TANH and L2_NORMALIZATION
  kLogSoftmax,  // 16/256 up to 0
  kBool,        // none: a bool
  kSums,        // what holds most sums of products (quantized_sums.h)
  kJoined,      // the input's of int8; else as kRange
};

// What TFLite's kernel of an op that computes on quantized values takes.
enum Width { kInt8 = 1, kUint8 = 2, kInt16 = 4 };
// From which scales of the inputs the output's scale is drawn.
enum class Scale {
  kFirst,
  kFirstOrSame,  // or the input's quantization itself
  kLarger,
  kProduct,
  kSquare,
  kQuotient,
  kTenth,
  kPower,  // of products of all that an element of the output is made of
};
// The quantization of the second operand: any, one beside the first's, the
// same.
enum class Other { kAny, kBeside, kSame };
// The output's scale is from 2^low to 2^high times that.
struct Span {
  int low = -8, high = 8;
};
struct Kernel {
  Op op;
  int widths;
  OutputRule rule = OutputRule::kRange;
  Scale scale = Scale::kFirst;
  Span span = {};
  Span span16 = {1, 0};  // if it is another
  Other other = Other::kAny;
};
// NULL: it moves values.
const Kernel* KernelOf(Op op);
// The quantization of an output, if all inputs have `in`.
ModelQuantization OutputOf(const Kernel& kernel, QuantizedBuilder& b,
                           const ModelQuantization& in);

// Model `number` of a series: one of floats on the builder's type, with
// quantizations that the kernel takes.
SingleOpModel ComputedFrom(const SingleOpModel& model, const Kernel& kernel,
                           QuantizedBuilder& b, int number);

// A model of floats that moves its values, on the builder's type: the first
// input with all quantized values, the output and other inputs with the same
// quantization (`same`) or with one that differs.
SingleOpModel MovedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                        bool same);

// One op's models, numbered from 0.
using BuildOne = std::function<SingleOpModel(QuantizedBuilder& b, int number)>;

// Families an op and type: with three storages, 204 cases an op.
inline constexpr int kFamilies = 34;

// Which 8-bit types TFLite has kernels of.
enum class SeriesTypes { kBoth, kInt8, kUint8 };

// `families` models of each of two types, or twice as many of one.
// `integer_path`: Family::integer_path.
void AddSeries(CaseList* list, Op op, const std::string& what,
               const Shape& shape, const BuildOne& build,
               SeriesTypes types = SeriesTypes::kBoth, int families = kFamilies,
               bool integer_path = true);

// `families` models of 16-bit tensors. Quantized values that are moved to a
// tensor of the same scale travel as real values.
void AddInt16Series(CaseList* list, Op op, const std::string& what,
                    const Shape& shape, const BuildOne& build,
                    int families = 2 * kFamilies, bool integer_path = true);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SERIES_H_
