// A model on the CPU and with the delegate, by turns: what gles_doctor says of
// it. docs/doctor.md has each key; python -m gles_delegate makes the same.
#ifndef GLES_DELEGATE_TOOLS_GLES_DOCTOR_CHECKUP_H_
#define GLES_DELEGATE_TOOLS_GLES_DOCTOR_CHECKUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

struct CheckupOptions {
  DelegateOptions gles_options;
  int num_threads = 1;
  double seconds = 1;  // of each side
  int max_batch = 1;
};

// The name of the model that is checked if none is given.
inline constexpr char kOwnModel[] = "built-in";
// Six convolutions, a pooling and a LOGISTIC.
std::vector<uint8_t> BuildOwnModel();

// All keys of a model, without values.
nlohmann::ordered_json EmptyCheckup(const std::string& model);

// Fills `checkup` of EmptyCheckup(). If something fails, its "error" says why.
void CheckModel(const Model& model, const CheckupOptions& options,
                nlohmann::ordered_json& checkup);

// A line of the keys, then one for each model; without those that are lists or
// objects.
std::string ToCsv(const nlohmann::ordered_json& checkups);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_GLES_DOCTOR_CHECKUP_H_
