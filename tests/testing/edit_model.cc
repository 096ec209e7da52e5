#include "tests/testing/edit_model.h"

#include <memory>

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

}  // namespace gles_delegate::testing
