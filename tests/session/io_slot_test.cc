// labels: unit sanitize
// Inputs and outputs of a session in the runtime's memory.
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "delegate/session/host_memory.h"
#include "delegate/session/session.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

Tensor TensorOf(DataType type, int elements) {
  Tensor tensor;
  tensor.type = type;
  tensor.dims = {1, elements};
  tensor.shape = Shape::FromDims(tensor.dims);
  return tensor;
}

template <typename T>
HostMemory MemoryOf(std::vector<T>* values) {
  return {values->data(), values->size() * sizeof(T), "x"};
}

TEST(IoSlotTest, FloatsStayWhereTheyAre) {
  std::vector<float> values = {1, 2, 3};
  IoSlot slot(TensorOf(DataType::kFloat32, 3), 7);
  slot.memory = MemoryOf(&values);
  EXPECT_EQ(slot.index(), 7);
  EXPECT_FALSE(slot.converts());
  const auto read = slot.Read(/*gpu_has_state=*/false);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(static_cast<const void*>(read->data()), values.data());
  const auto room = slot.Room();
  ASSERT_TRUE(room.ok()) << room.status();
  EXPECT_EQ(static_cast<const void*>(room->data()), values.data());
}

TEST(IoSlotTest, MemoryOfAnotherSizeIsRefused) {
  std::vector<float> values = {1, 2};
  IoSlot slot(TensorOf(DataType::kFloat32, 3), 0);
  slot.memory = MemoryOf(&values);
  EXPECT_TRUE(absl::IsFailedPrecondition(slot.Read(false).status()));
  EXPECT_THAT(std::string(slot.Room().status().message()),
              HasSubstr("tensor 'x' holds 8 bytes"));
  slot.memory = {};
  EXPECT_TRUE(absl::IsFailedPrecondition(slot.Read(false).status()));
}

TEST(IoSlotTest, BoolsAreIntegersToTheGpu) {
  bool values[] = {true, false, true};
  IoSlot slot(TensorOf(DataType::kBool, 3), 0);
  slot.memory = {values, sizeof(values), "x"};
  EXPECT_TRUE(slot.converts());
  const auto read = slot.Read(false);
  ASSERT_TRUE(read.ok()) << read.status();
  std::vector<int32_t> integers(3);
  ASSERT_EQ(read->size(), 3 * sizeof(int32_t));
  std::memcpy(integers.data(), read->data(), read->size());
  EXPECT_THAT(integers, ElementsAre(1, 0, 1));
  const auto room = slot.Room();
  ASSERT_TRUE(room.ok()) << room.status();
  const std::vector<int32_t> results = {0, 5, 0};
  std::memcpy(room->data(), results.data(), room->size());
  slot.FinishOutput();
  EXPECT_THAT(values, ElementsAre(false, true, false));
}

TEST(IoSlotTest, AStateStaysOnTheGpuUntilItsMemoryIsWritten) {
  std::vector<float> values = {1, 2};
  Tensor tensor = TensorOf(DataType::kFloat32, 2);
  tensor.is_variable = true;
  IoSlot slot(tensor, 0);
  slot.memory = MemoryOf(&values);
  // A new one.
  ASSERT_TRUE(slot.Read(true).ok());
  EXPECT_EQ(slot.Read(true)->size(), 8u);
  slot.FinishInput();
  EXPECT_TRUE(IsStateOnGpu(slot.memory));
  EXPECT_TRUE(slot.Read(true)->empty());
  // The runtime resets it.
  std::fill(values.begin(), values.end(), 0.0f);
  EXPECT_EQ(slot.Read(true)->size(), 8u);
  // The GPU has lost it.
  slot.FinishInput();
  EXPECT_EQ(slot.Read(false)->size(), 8u);
  EXPECT_THAT(values, ElementsAre(0, 0));
}

TEST(IoSlotTest, AnInputThatIsNoStateIsNotMarked) {
  std::vector<float> values = {1, 2};
  IoSlot slot(TensorOf(DataType::kFloat32, 2), 0);
  slot.memory = MemoryOf(&values);
  slot.FinishInput();
  EXPECT_THAT(values, ElementsAre(1, 2));
}

// The table of features that exclude one another, and the public header, which
// tells users of it.

// The lines of comment around the line that has `words`, as one text.
std::string CommentWith(const std::string& words) {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR
                     "/delegate/include/gles_delegate/gles_delegate.h");
  std::string comment, line;
  while (std::getline(file, line)) {
    const size_t start = line.find("// ");
    if (start == std::string::npos) {
      if (comment.find(words) != std::string::npos) return comment;
      comment.clear();
    } else {
      comment += line.substr(start + 2);
    }
  }
  return "";
}

TEST(ExclusionsTest, EachFactExcludesWhatItsRowSays) {
  for (const auto excludes :
       {&Exclusion::excludes_baseline, &Exclusion::excludes_zero_copy}) {
    EXPECT_EQ(WhyNot(excludes, {}), "");
    for (const Exclusion& row : Exclusions()) {
      FeatureFacts facts;
      facts.*row.fact = true;
      EXPECT_EQ(WhyNot(excludes, facts), row.*excludes ? row.why : "");
    }
  }
}

TEST(ExclusionsTest, TheHeaderNamesThemAll) {
  const std::string baseline = CommentWith("in a borrowed context and");
  const std::string zero_copy = CommentWith("without copies on the host");
  ASSERT_NE(baseline, "");
  ASSERT_NE(zero_copy, "");
  for (const Exclusion& row : Exclusions()) {
    if (row.name == nullptr) continue;
    if (row.excludes_baseline) {
      EXPECT_THAT(baseline, HasSubstr(row.name));
    }
    if (row.excludes_zero_copy) {
      EXPECT_THAT(zero_copy, HasSubstr(row.name));
    }
  }
}

}  // namespace

}  // namespace gles_delegate::testing
