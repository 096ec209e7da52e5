// Changes to a finished .tflite file, for models that the builders cannot make.
#ifndef GLES_DELEGATE_TESTS_TESTING_EDIT_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_EDIT_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {

// The file after `edit` of its object form.
std::vector<uint8_t> EditModel(
    const std::vector<uint8_t>& model,
    const std::function<void(schema::ModelT&)>& edit);

// The tensors of these names, "a b", in the first subgraph. Fails the test
// where there is none.
std::vector<int> Named(ModelBuilder& b, const std::string& names);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_EDIT_MODEL_H_
