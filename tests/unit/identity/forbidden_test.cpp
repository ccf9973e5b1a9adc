// Objects that the declared link must not meet, one fault each.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "audit/identity/linked.h"
#include "tests/unit/identity/objects.h"

namespace exhibit {
namespace {

struct Forbidden {
  const char* name;
  const char* message;  // Part of the first difference.
};

TEST(Forbidden, EachKindOfObjectIsNamed) {
  const std::vector<Forbidden> table = {
      {"thread_local", "of no known kind: .tbss"},
      {"constructor", "of no known kind: .init_array"},
      {"indirect", "symbol of a forbidden type: chosen"},
      {"import", "import is not allowed: expf"},
      {"section", "of no known kind: own"},
      {"writable_code", "of no known kind: .text.w"},
      {"initialiser", "forbidden name: _init"},
      {"common", "outside every section: shared_by_all"},
      {"unwinding", "of no known kind: .eh_frame"},
      {"absolute", "is not in the closed list"},
      {"no_entry", "exports no function kernel_batch"},
  };
  for (const Forbidden& forbidden : table) {
    const std::string object =
        ReadBuilt(std::string("forbidden_") + forbidden.name + ".o");
    const auto differences = CheckLinked({object, "", "kernel_batch"});
    ASSERT_FALSE(differences.empty()) << forbidden.name;
    EXPECT_NE(differences[0].find(forbidden.message), std::string::npos)
        << forbidden.name << ": " << differences[0];
  }
}

}  // namespace
}  // namespace exhibit
