// What is said of the machine around a replay, and who may add to a run.

#include <gtest/gtest.h>

#include "manifests/sha256.h"
#include "replay/counters.h"
#include "replay/disturbance.h"
#include "replay/run_state.h"

namespace exhibit {
namespace {

Surroundings Quiet() {
  Surroundings quiet;
  quiet.host.cpu_count = 4;
  quiet.host.governor = "performance";
  quiet.state.load_1m = 2.0;
  quiet.cpu = 3;
  quiet.cpu_siblings = "3";
  return quiet;
}

TEST(Disturbances, QuietMachineHasNone) {
  EXPECT_TRUE(Disturbances(Quiet()).empty());
  Surroundings unknown = Quiet();
  unknown.host.governor = "";
  unknown.host.boost = "0";
  unknown.state.load_1m.reset();
  unknown.cpu_siblings = "";
  EXPECT_TRUE(Disturbances(unknown).empty());
}

TEST(Disturbances, EachNamesTheCommandThatWouldFixIt) {
  Surroundings busy = Quiet();
  busy.state.load_1m = 2.01;
  ASSERT_EQ(Disturbances(busy).size(), 1u);
  EXPECT_NE(Disturbances(busy)[0].find("the load is 2.01 on 4 CPUs"),
            std::string::npos);
  Surroundings saving = Quiet();
  saving.host.governor = "powersave";
  ASSERT_EQ(Disturbances(saving).size(), 1u);
  EXPECT_NE(Disturbances(saving)[0].find("cpupower frequency-set"),
            std::string::npos);
  Surroundings boosting = Quiet();
  boosting.host.boost = "1";
  ASSERT_EQ(Disturbances(boosting).size(), 1u);
  EXPECT_NE(Disturbances(boosting)[0].find("cpufreq/boost"), std::string::npos);
  Surroundings alone = Quiet();
  alone.only_cpu = true;
  ASSERT_EQ(Disturbances(alone).size(), 1u);
  EXPECT_NE(Disturbances(alone)[0].find("taskset -cp"), std::string::npos);
  for (const char* siblings : {"1,3", "2-3"}) {
    Surroundings shared = Quiet();
    shared.cpu_siblings = siblings;
    ASSERT_EQ(Disturbances(shared).size(), 1u);
    EXPECT_NE(Disturbances(shared)[0].find("smt/control"), std::string::npos);
  }
}

TEST(SameCohort, IsOneHostOneBootAndOneSource) {
  FreezeRecord freeze;
  freeze.host.architecture = "x86_64";
  freeze.host.cpu_model = "model";
  freeze.host.boot_id_sha256 = Sha256Hex("boot");
  freeze.tool.source_sha256 = Sha256Hex("source");
  HostFacts host = freeze.host;
  ToolIdentity tool = freeze.tool;
  tool.name = "exhibit-replay";
  host.governor = "powersave";  // May change within a boot.
  EXPECT_TRUE(CheckSameCohort(freeze, host, tool).ok());

  HostFacts other_cpu = host;
  other_cpu.cpu_model = "other";
  HostFacts other_boot = host;
  other_boot.boot_id_sha256 = Sha256Hex("other");
  ToolIdentity other_tool = tool;
  other_tool.source_sha256 = Sha256Hex("other");
  for (const Status& status : {CheckSameCohort(freeze, other_cpu, tool),
                               CheckSameCohort(freeze, other_boot, tool),
                               CheckSameCohort(freeze, host, other_tool)}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_NE(status.error().hint.find("continues"), std::string::npos);
  }
}

TEST(Counters, AreAllNamedAndAbsentUnlessTheyCounted) {
  Counters counters;
  for (const auto& [name, value] : counters.Read()) {
    EXPECT_FALSE(value.has_value()) << name;
  }
  counters.Enable();
  counters.Disable();
  EXPECT_EQ(counters.Read().size(), 5u);
}

}  // namespace
}  // namespace exhibit
