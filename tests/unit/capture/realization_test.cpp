#include "capture/realization.h"

#include <gtest/gtest.h>

namespace exhibit {
namespace {

TEST(Realization, TheFactsThatCaptureNeedsAreRead) {
  const auto facts = ReadRealization(
      R"({"private_workspace_bytes":102912,"required_cpu_flags":["sse2","fxsr"],)"
      R"("static_snapshot_bytes_per_worker":12864,"other":true})",
      "realization.json");
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_EQ(facts->private_workspace_bytes, 102912);
  EXPECT_EQ(facts->static_snapshot_bytes_per_worker, 12864);
  EXPECT_EQ(facts->required_cpu_flags,
            (std::vector<std::string>{"fxsr", "sse2"}));
}

TEST(Realization, AMissingOrWrongFieldIsCorruptByName) {
  const struct {
    const char* text;
    const char* field;
  } cases[] = {
      {"[]", "static_snapshot_bytes_per_worker"},
      {R"({"static_snapshot_bytes_per_worker":1})", "private_workspace_bytes"},
      {R"({"static_snapshot_bytes_per_worker":"1"})",
       "static_snapshot_bytes_per_worker"},
      {R"({"static_snapshot_bytes_per_worker":1,"private_workspace_bytes":1})",
       "required_cpu_flags"},
      {R"({"static_snapshot_bytes_per_worker":1,"private_workspace_bytes":1,)"
       R"("required_cpu_flags":[1]})",
       "required_cpu_flags"},
  };
  for (const auto& c : cases) {
    const auto facts = ReadRealization(c.text, "r.json");
    ASSERT_FALSE(facts.ok()) << c.text;
    EXPECT_EQ(facts.error().kind, ErrorKind::kCorrupt) << c.text;
    EXPECT_NE(facts.error().message.find(c.field), std::string::npos)
        << facts.error().message;
  }
}

}  // namespace
}  // namespace exhibit
