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

class CompileToolTest : public ShellTest {
 protected:
  CompileToolTest() { Expect(0, kDouble, ""); }
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

TEST_F(CompileToolTest, WithoutAnAskedProductTheDecisionsAreExplained) {
  Expect(0, "exhibit-compile double.tile",
         "value v: f32 x 4, elements: no rule asks for an array");
  Expect(0, "exhibit-compile double.tile",
         "full packet: not asked for; the packet body has ");
  Expect(0, "exhibit-compile double.tile --set full_packet=true",
         "full packet: cloned, the packet body has ");
  Expect(0,
         "exhibit-compile double.tile --set full_packet=true "
         "--set max_full_packet_instructions=3",
         "full packet: refused, the packet body has ");
}

TEST_F(CompileToolTest, AnExplanationBesideAProductGoesToStandardError) {
  Expect(0,
         "exhibit-compile double.tile --explain --emit ir > a.ll 2> why; "
         "exhibit-compile double.tile --emit ir > b.ll; cmp a.ll b.ll && "
         "grep -c 'value w' why",
         "1");
}

TEST_F(CompileToolTest, CapacityIsTabledBeforeAnythingIsCompiled) {
  const std::string manifest = "--capacity \"" EXHIBIT_SOURCE_DIR "/manifests/";
  const auto line = [&](const std::string& name, const std::string& start) {
    return "exhibit-compile " + manifest + name + ".json\" | grep '^" + start +
           "' | tr -s ' '";
  };
  Expect(0, line("strided", "mha-cap8-pon *r4"),
         "mha-cap8-pon r4 8576 5 68608 2 0 2 1 0 query64 K1024 V1024 masked16 "
         "p16\n");
  Expect(0, line("shapes", "prefill-8x16 *cap0"),
         "prefill-8x16 cap0 10160 16 81280 2 0 0 2 0 query256 acc256 "
         "acc_next256 K512 V512 dot128 n16:i64 limit8:i64 inside16:bool "
         "valid128:bool masked128 next_max8 alpha8 p128 PV256 row_sum8\n");
  Expect(0, line("matmul", "tails *r4"),
         "tails r4 1280 2 0 1 0 1 15 0 left64 right256\n");
  Expect(2, "exhibit-compile double.tile " + manifest + "strided.json\"",
         "takes programs and options from the manifest");
  Expect(3, "exhibit-compile --capacity absent.json", "absent.json");
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
  Expect(2,
         "exhibit-compile double.tile --set packet_width=99999999999999999999",
         "--set packet_width: integer \"99999999999999999999\" is beyond 2^53");
  Expect(2, "exhibit-compile --emit ir", "either PROGRAM or --attention");
  Expect(2, "exhibit-compile double.tile --emit bitcode", "one of program");
  Expect(2, "exhibit-compile --attention 1,2,3 --emit ir", "7 integers");
  Expect(2, "exhibit-compile --attention 1,3,2,1,9,4,4 --emit ir", "3");
}

TEST_F(CompileToolTest, WhatOnlyAttentionReadsIsRefusedBesideAText) {
  Expect(2, "exhibit-compile double.tile --tile 1,16 --emit ir",
         "--tile belongs to --attention, and double.tile is a program text");
  Expect(2, "exhibit-compile double.tile --set qk=reduce --emit ir",
         "--set qk belongs to --attention");
  Expect(2, "exhibit-compile double.tile --set pv=reduce --emit ir",
         "--set pv belongs to --attention");
  Expect(2, "exhibit-compile --capacity x.json --tile 1,16",
         "beside it");
}

TEST_F(CompileToolTest, WhatIsUnknownIsUnsupported) {
  Expect(4, "exhibit-compile double.tile --set speed=9 --emit ir", "speed");
  Expect(4, "exhibit-compile double.tile --cpu znver9 --emit ir", "znver9");
  Expect(4, "exhibit-compile double.tile --cpu znver9 --emit plan", "znver9");
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
  Expect(3,
         "sed 's/$/\\r/' double.tile > windows.tile; "
         "exhibit-compile windows.tile --emit ir",
         "CRLF");
  Expect(3, "exhibit-compile absent.tile --emit ir", "absent.tile");
}

}  // namespace
}  // namespace exhibit
