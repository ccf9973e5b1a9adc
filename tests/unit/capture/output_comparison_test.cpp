#include "capture/output_comparison.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "manifests/npy.h"

namespace exhibit {
namespace {

OutputBytes Output(const std::string& name, const std::vector<float>& values) {
  return {name, EncodeNpy({DType::kF32, {values.size()}, BytesOf(values)})};
}

TEST(FirstDifference, SameBitsAreNone) {
  const auto difference =
      FirstDifference({Output("y", {1.0f, 2.0f})}, {Output("y", {1.0f, 2.0f})});
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(*difference, "");
}

TEST(FirstDifference, NamesTheOutputAndTheElement) {
  const auto difference =
      FirstDifference({Output("y", {1.0f}), Output("z", {1.0f, 2.0f, 3.0f})},
                      {Output("y", {1.0f}), Output("z", {1.0f, 2.0f, 3.5f})});
  ASSERT_TRUE(difference.ok());
  EXPECT_NE(difference->find("z: "), std::string::npos) << *difference;
  EXPECT_NE(difference->find("element 2"), std::string::npos) << *difference;
}

TEST(FirstDifference, ASignOfZeroIsADifference) {
  const auto difference =
      FirstDifference({Output("y", {0.0f})}, {Output("y", {-0.0f})});
  ASSERT_TRUE(difference.ok());
  EXPECT_NE(*difference, "");
}

TEST(FirstDifference, AnotherNumberOfOutputsIsABug) {
  EXPECT_THROW((void)FirstDifference({Output("y", {0.0f})}, {}).ok(),
               std::logic_error);
}

}  // namespace
}  // namespace exhibit
