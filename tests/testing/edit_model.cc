#include "tests/testing/edit_model.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

std::vector<uint8_t> EditModel(
    const std::vector<uint8_t>& model,
    const std::function<void(schema::ModelT&)>& edit) {
  const std::unique_ptr<schema::ModelT> root(schema::UnPackModel(model.data()));
  edit(*root);
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, root.get()));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<int> Named(ModelBuilder& b, const std::string& names) {
  const auto& tensors = b.model().subgraphs[0]->tensors;
  std::vector<int> ids;
  for (absl::string_view name : absl::StrSplit(names, ' ')) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(),
                     [&](const auto& tensor) { return tensor->name == name; });
    if (found == tensors.end()) {
      ADD_FAILURE() << "no tensor is named " << name;
      continue;
    }
    ids.push_back(static_cast<int>(found - tensors.begin()));
  }
  return ids;
}

}  // namespace gles_delegate::testing
