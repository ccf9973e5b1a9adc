// exhibit-compile as a user runs it.

#include <gtest/gtest.h>

#include "tests/tool/archive/shell.h"

namespace exhibit {
namespace {

constexpr char kDouble[] = R"sh(
cat > double.tile <<'END'
exhibit.tile/1
program double
axis n = 4
input x f32[32]
output y f32[32]
parallel i < 8 {
  four: i64 = constant 4
  at: i64 = mul i, four
  v: f32[n] = load x[at:n]
  w: f32[n] = add v, v
  store w -> y[at:n]
}
END
)sh";

class CompileToolTest : public testing::Test {
 protected:
  CompileToolTest() { Expect(0, kDouble, ""); }

  // Runs `script`; it must end with `status` and say `part`.
  void Expect(int status, const std::string& script, const std::string& part) {
    const ShellEnd end = shell_.Run(script);
    EXPECT_EQ(end.status, status) << script << "\n" << end.talk;
    EXPECT_NE(end.talk.find(part), std::string::npos)
        << script << "\n"
        << end.talk << "\nlacks: " << part;
  }

 private:
  Shell shell_;
};

TEST_F(CompileToolTest, AFolderGetsEveryStepOfTheWay) {
  Expect(0, "exhibit-compile double.tile -o out && ls out | tr '\\n' ' '",
         "kernel.ll kernel.o kernel.s kernel.so program.tile "
         "realization.json ");
}

TEST_F(CompileToolTest, NothingIsOverwritten) {
  Expect(3,
         "mkdir out && touch out/kernel.s; "
         "exhibit-compile double.tile -o out",
         "out/kernel.s exists");
  Expect(0, "ls out", "kernel.s\n");
}

TEST_F(CompileToolTest, TwoProcessesGiveTheSameBytes) {
  Expect(0,
         "for d in a b; do exhibit-compile --attention 1,4,2,8,21,12,20 "
         "--tile 2,8 --set mma_output_block=4 --set full_packet=true "
         "-o $d; done; diff -r a b && echo equal",
         "equal");
}

TEST_F(CompileToolTest, TheProgramInTheFolderCompilesToTheSameObject) {
  Expect(0,
         "exhibit-compile --attention 1,2,1,2,9,4,4 --tile 2,4 -o a; "
         "exhibit-compile a/program.tile -o b; diff -r a b && echo equal",
         "equal");
}

TEST_F(CompileToolTest, AProgramIsReadFromStandardInput) {
  Expect(0, "exhibit-compile - --emit program < double.tile", "program double");
}

TEST_F(CompileToolTest, EveryProductGoesToStandardOutput) {
  Expect(0, "exhibit-compile double.tile --emit ir", "@double.packet(");
  Expect(0, "exhibit-compile double.tile --emit asm", "double.packet_batch:");
  Expect(0, "exhibit-compile double.tile --emit object | head -c 4", "ELF");
  Expect(0, "exhibit-compile double.tile --emit plan", "mmas: 0 blocked");
  Expect(0, "exhibit-compile double.tile --cpu x86-64-v3 --emit report",
         "\"target_cpu\":\"x86-64-v3\"");
  Expect(0, "exhibit-compile double.tile --explain",
         "entry double.packet_batch.blocks");
}

TEST_F(CompileToolTest, OptionsAreListedWithTheirLegalValues) {
  Expect(0, "exhibit-compile --list-options", "mma_output_block = 1");
}

TEST_F(CompileToolTest, AnIllegalOptionIsAUsageErrorThatNamesTheLegalSet) {
  Expect(2, "exhibit-compile double.tile --set mma_output_block=3 --emit ir",
         "1, 2, 4");
  Expect(2, "exhibit-compile double.tile --set packet_width --emit ir",
         "option=value");
  Expect(2,
         "exhibit-compile double.tile --set packet_width=4 "
         "--set packet_width=8 --emit ir",
         "twice");
  Expect(2, "exhibit-compile double.tile", "nothing is asked for");
  Expect(2, "exhibit-compile --emit ir", "either PROGRAM or --attention");
  Expect(2, "exhibit-compile double.tile --emit bitcode", "one of program");
  Expect(2, "exhibit-compile --attention 1,2,3 --emit ir", "7 integers");
  Expect(2, "exhibit-compile --attention 1,3,2,1,9,4,4 --emit ir", "3");
}

TEST_F(CompileToolTest, WhatIsUnknownIsUnsupported) {
  Expect(4, "exhibit-compile double.tile --set speed=9 --emit ir", "speed");
  Expect(4, "exhibit-compile double.tile --cpu znver9 --emit ir", "znver9");
  Expect(4,
         "sed s,tile/1,tile/9, double.tile > new.tile; "
         "exhibit-compile new.tile --emit ir",
         "tile/9");
}

TEST_F(CompileToolTest, ABadProgramIsShownByLineAndColumn) {
  Expect(3,
         "sed 's/add v, v/add v, u/' double.tile > bad.tile; "
         "exhibit-compile bad.tile --emit ir",
         "bad.tile:10:");
  Expect(3, "exhibit-compile absent.tile --emit ir", "absent.tile");
}

}  // namespace
}  // namespace exhibit
