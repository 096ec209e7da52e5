// labels: unit llvmpipe
// TfLiteGlesObject across versions of the header, and its values.
#include "delegate/tflite/options.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

// An app's struct of `size` bytes with `poison` around what it may set.
class ForeignObject {
 public:
  ForeignObject(size_t size, uint8_t poison) : bytes_(4096, poison) {
    TfLiteGlesDelegateObjectInit(get(), size);
  }
  TfLiteGlesObject* get() {
    return reinterpret_cast<TfLiteGlesObject*>(bytes_.data());
  }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

TEST(ObjectStructTest, InitWritesTheCallersBytesAlone) {
  for (size_t size :
       {sizeof(size_t), sizeof(TfLiteGlesObject) - 4, sizeof(TfLiteGlesObject),
        sizeof(TfLiteGlesObject) + 64}) {
    ForeignObject object(size, 0xab);
    EXPECT_EQ(object.get()->struct_size, size);
    for (size_t i = size; i < object.bytes().size(); ++i) {
      ASSERT_EQ(object.bytes()[i], 0xab) << size << " " << i;
    }
  }
}

TEST(ObjectStructTest, AnOlderHeadersObjectHasTheDefaultsOfNewerFields) {
  const size_t older = offsetof(TfLiteGlesObject, scale);
  ForeignObject object(older, 0xab);  // what follows is not the app's to set
  object.get()->name = 7;
  const auto whole = WholeObject(object.get());
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->name, 7u);
  EXPECT_EQ(whole->scale, 1);
  EXPECT_EQ(whole->resize, 0);
}

TEST(ObjectStructTest, ANewerHeadersObjectMayNotSetWhatIsUnknown) {
  ForeignObject object(sizeof(TfLiteGlesObject) + 16, 0xab);
  object.get()->name = 7;
  EXPECT_TRUE(WholeObject(object.get()).ok());
  object.bytes()[sizeof(TfLiteGlesObject) + 3] = 1;
  EXPECT_THAT(std::string(WholeObject(object.get()).status().message()),
              HasSubstr("a newer one"));
}

TEST(ObjectStructTest, WrongValuesAreRefused) {
  const auto refused = [](auto set, const std::string& why) {
    TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
    object.name = 1;
    ASSERT_TRUE(WholeObject(&object).ok());
    set(object);
    EXPECT_THAT(std::string(WholeObject(&object).status().message()),
                HasSubstr(why));
  };
  refused([](auto& o) { o.struct_size = 3; }, "struct_size 3");
  refused([](auto& o) { o.struct_size = size_t{1} << 40; }, "struct_size");
  refused([](auto& o) { o.type = 9; }, "type 9");
  refused([](auto& o) { o.name = 0; }, "name 0");
  refused([](auto& o) { o.layout = -1; }, "layout -1");
  refused([](auto& o) { o.element = 3; }, "element 3");
  refused([](auto& o) { o.channels = -4; }, "channels -4");
  refused([](auto& o) { o.scale = 0; }, "scale 0");
  refused([](auto& o) { o.bias = std::numeric_limits<float>::infinity(); },
          "bias inf");
  refused([](auto& o) { o.crop_width = 5; }, "crop_width or crop_height 0");
  EXPECT_THAT(std::string(WholeObject(nullptr).status().message()),
              HasSubstr("no TfLiteGlesObject"));
}

}  // namespace
}  // namespace gles_delegate
