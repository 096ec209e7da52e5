// labels: op llvmpipe softpipe
// The elementwise functions against the exact result in double, over their
// whole domain, in units of the result's last place. The bounds are those of
// the algorithms in gl_shaders/lib/math.glsl, not of the drivers'
// functions: three to six roundings, each half a unit or, if a division is
// within 2.5 units (GLSL ES 3.10, 4.7.1), as many.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kValues = 4096;  // of the tensor: 32 x 32 x 4

// Units in the last place of `exact` (of the least normal below that).
double UlpsApart(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  const float rounded = static_cast<float>(exact);
  if (got == rounded) return 0;
  if (std::isinf(rounded)) {
    // One unit short of overflow may still round up, or be reached from below.
    return std::isinf(got) ? kInf : (std::abs(exact) - std::abs(got)) / 0x1p104;
  }
  const int exponent =
      std::max(std::ilogb(exact == 0 ? 0x1p-126 : exact), -126);
  return std::abs(got - exact) / std::ldexp(1.0, exponent - 23);
}

struct Function {
  std::string name;
  Op op;
  double low, high;  // domain that is sampled
  bool logarithmic;  // samples by magnitude, both signs where low < 0
  double ulps;       // the bound
  bool of_input;     // ... in units of x: where the function cancels
  std::function<double(double)> exact;
};

std::ostream& operator<<(std::ostream& out, const Function& f) {
  return out << f.name;
}

std::vector<float> Samples(const Function& f, Random* random) {
  std::vector<float> values;
  if (!f.logarithmic) return random->Uniform(kValues, f.low, f.high);
  const float min = f.low > 0 ? std::log2(f.low) : -30;
  for (float e : random->Uniform(kValues, min, std::log2(f.high))) {
    const float v = std::exp2(e);
    values.push_back(f.low < 0 && values.size() % 2 != 0 ? -v : v);
  }
  return values;
}

SingleOpModel ModelOf(const Function& f) {
  SingleOpModel model = cases::ModelOf(
      absl::StrCat(schema::EnumNameBuiltinOperator(f.op), " x=[1,32,32,4]",
                   f.op != Op::GELU       ? ""
                   : f.name == "GeluTanh" ? " approximate=true"
                                          : " approximate=false"));
  Random random(f.name);
  model.inputs = {Samples(f, &random)};
  return model;
}

double WorstUlps(const RunResult& result, const std::vector<float>& x,
                 const Function& f, float* at) {
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const float got = result.outputs[0].values[i];
    const double ulps =
        f.of_input ? std::abs(got - f.exact(x[i])) / std::abs(x[i]) * 0x1p24
                   : UlpsApart(got, f.exact(x[i]));
    if (ulps > worst) {
      worst = ulps;
      *at = x[i];
    }
  }
  return worst;
}

double Gelu(double x) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }
double GeluTanh(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

const Function kFunctions[] = {
    {"ExpNearZero", Op::EXP, -1, 1, false, 2, false,
     [](double x) { return std::exp(x); }},
    {"Exp", Op::EXP, -87, 88.7, false, 2, false,
     [](double x) { return std::exp(x); }},
    {"LogNearOne", Op::LOG, 0.5, 2, false, 4, false,
     [](double x) { return std::log(x); }},
    {"Log", Op::LOG, 1.2e-38, 3e38, true, 4, false,
     [](double x) { return std::log(x); }},
    {"Tanh", Op::TANH, -10, 10, true, 6, false,
     [](double x) { return std::tanh(x); }},
    {"Logistic", Op::LOGISTIC, -80, 80, false, 6, false, Logistic},
    {"LogisticNearZero", Op::LOGISTIC, -4, 4, true, 6, false, Logistic},
    {"Elu", Op::ELU, -20, 1, true, 6, false,
     [](double x) { return x < 0 ? std::expm1(x) : x; }},
    {"Sin", Op::SIN, -3.1, 3.1, true, 4, false,
     [](double x) { return std::sin(x); }},
    {"Cos", Op::COS, -1.5, 1.5, false, 4, false,
     [](double x) { return std::cos(x); }},
    {"Sqrt", Op::SQRT, 1.2e-38, 3e38, true, 4, false,
     [](double x) { return std::sqrt(x); }},
    {"Rsqrt", Op::RSQRT, 1.2e-38, 3e38, true, 4, false,
     [](double x) { return 1 / std::sqrt(x); }},
    {"Gelu", Op::GELU, -10, 10, true, 4, true, Gelu},
    {"GeluTanh", Op::GELU, -10, 10, true, 4, true, GeluTanh},
    {"HardSwish", Op::HARD_SWISH, -4, 8, false, 6, false,
     [](double x) { return x * std::min(6., std::max(0., x + 3)) / 6; }},
};

class ElementwiseAccuracyTest : public DeviceTestWithParam<Function> {};

TEST_P(ElementwiseAccuracyTest, WithinUlpsOfTheExactResult) {
  const Function& f = GetParam();
  const SingleOpModel model = ModelOf(f);
  const RunResult ours = RunOnDelegate(model);
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(ours.status.ok()) << ours.status;
  float at = 0, cpu_at = 0;
  const double worst = WorstUlps(ours, model.inputs[0], f, &at);
  const double cpu_worst = WorstUlps(cpu, model.inputs[0], f, &cpu_at);
  RecordProperty("ulps", std::to_string(worst));
  std::cout << f.name << ": " << worst << " ULP (at " << at
            << "), TFLite's CPU " << cpu_worst << " (at " << cpu_at << ")\n";
  EXPECT_LE(worst, f.ulps) << "at x = " << at;
}

INSTANTIATE_TEST_SUITE_P(Functions, ElementwiseAccuracyTest,
                         ::testing::ValuesIn(kFunctions),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gles_delegate::testing
