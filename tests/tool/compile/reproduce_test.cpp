// exhibit-compile --reproduce: the objects of a run, made again.

#include <gtest/gtest.h>

#include <string>

#include "tests/tool/archive/shell.h"

namespace exhibit {
namespace {

// A run of the smallest experiment that the quickstart's words allow, for the
// CPU that takes the place of $CPU.
constexpr char kCapture[] = R"sh(
sed -e 's/257, 40, 48/9, 12, 4/' -e 's/32, 65, 32, 32/2, 9, 4, 4/' \
  -e 's/4, 16/2, 4/' -e 's/1, 16/1, 4/' \
  -e "s/native/$CPU/" "$SOURCES/manifests/quickstart.json" > small.json
exhibit-capture small.json -o run 2> log || { cat log; exit 9; }
decode=run/captures/decode
)sh";

class ReproduceTest : public testing::Test {
 protected:
  void Capture(const std::string& cpu) {
    Expect(0, "CPU=" + cpu + " SOURCES=" EXHIBIT_SOURCE_DIR + kCapture, "");
  }

  // Runs `script` beside the run; it must end with `status` and say `part`.
  void Expect(int status, const std::string& script, const std::string& part) {
    const ShellEnd end = shell_.Run("decode=run/captures/decode\n" + script);
    EXPECT_EQ(end.status, status) << script << "\n" << end.talk;
    EXPECT_NE(end.talk.find(part), std::string::npos)
        << script << "\n"
        << end.talk << "\nlacks: " << part;
  }

 private:
  Shell shell_;
};

TEST_F(ReproduceTest, EveryObjectOfAFreshRunIsIdentical) {
  Capture("native");
  Expect(0, "exhibit-compile --reproduce run",
         "identical decode/r1\nidentical decode/r4\n"
         "identical prefill/r1\nidentical prefill/r4\n");
}

TEST_F(ReproduceTest, TheRecordedTargetIsTakenUnlessAnotherIsNamed) {
  Capture("x86-64-v2");
  Expect(0, "exhibit-compile --reproduce run", "identical decode/r1\n");
  Expect(1, "exhibit-compile --reproduce run --cpu x86-64-v3",
         "different decode/r1 (assembly, object, library)\n");
  Expect(0, "exhibit-compile --reproduce run --cpu x86-64-v2",
         "identical decode/r1\n");
}

TEST_F(ReproduceTest, AnObjectOfTheOtherVariantIsDifferent) {
  Capture("native");
  Expect(1,
         "cp -f $decode/r4/kernel.o $decode/r1/kernel.o\n"
         "exhibit-compile --reproduce run",
         "different decode/r1 (object)\nidentical decode/r4\n");
}

TEST_F(ReproduceTest, AnotherTextOrOptionMakesAnotherObject) {
  Capture("native");
  Expect(1,
         "sed -i 's/constant -1e+30/constant -1e+20/' "
         "$decode/r1/program.tile\n"
         "sed -i 's/\"mma_output_block\":4/\"mma_output_block\":2/' "
         "$decode/r4/capture.json\n"
         "exhibit-compile --reproduce run",
         "different decode/r1 (IR, assembly, object, library)\n"
         "different decode/r4 (IR, assembly, object, library, report)\n"
         "identical prefill/r1\n");
}

TEST_F(ReproduceTest, TextThatIsNotAsItIsPrintedIsDifferent) {
  Capture("native");
  Expect(1,
         "echo '# a remark' >> $decode/r1/program.tile\n"
         "echo surprise >> $decode/r4/program.tile\n"
         "exhibit-compile --reproduce run",
         "different decode/r1 (program text)\n"
         "different decode/r4 (run/captures/decode/r4/program.tile:");
}

TEST_F(ReproduceTest, WhatIsMissingIsDifferent) {
  Capture("native");
  Expect(
      1,
      "rm -f $decode/r1/kernel.o $decode/r4/capture.json\n"
      "exhibit-compile --reproduce run",
      "different decode/r1 (object missing)\n"
      "different decode/r4 (cannot open run/captures/decode/r4/capture.json");
}

TEST_F(ReproduceTest, OfAnotherLlvmNothingIsSaid) {
  Capture("native");
  Expect(4,
         "sed -i 's/\"llvm_version\":\"[0-9.]*\"/\"llvm_version\":\"9.9.9\"/' "
         "$decode/r4/realization.json\n"
         "exhibit-compile --reproduce run",
         "identical decode/r1\nother-llvm decode/r4 (\"9.9.9\", this is ");
  Expect(1,
         "cp -f $decode/r4/kernel.o $decode/r1/kernel.o\n"
         "exhibit-compile --reproduce run",
         "different decode/r1 (object)\nother-llvm decode/r4");
}

TEST_F(ReproduceTest, ATargetThatThisBuildDoesNotHaveIsUnsupported) {
  Capture("native");
  Expect(4,
         "sed -i 's/\"target_cpu\":\"[^\"]*\"/\"target_cpu\":\"znver99\"/' "
         "$decode/r4/realization.json\n"
         "exhibit-compile --reproduce run",
         "this LLVM has no CPU \"znver99\"");
}

TEST_F(ReproduceTest, LibrariesAreNotCompiled) {
  Capture("native");
  Expect(0,
         "sed -i 's/\"r4\": { \"mma_output_block\": 4 }/\"r4\": { \"library\": "
         "\"r4.so\", \"symbol\": \"attention\" }/' run/manifest.json\n"
         "exhibit-compile --reproduce run",
         "identical decode/r1\nnot-compiled decode/r4 (library)\n");
}

TEST_F(ReproduceTest, OnlyARunIsReadAndNothingElseIsAskedBesideIt) {
  Expect(3, "mkdir empty; exhibit-compile --reproduce empty",
         "empty: is not a run: it has no manifest.json");
  Expect(3, "mkdir b; touch b/evidence.tar.xz; exhibit-compile --reproduce b",
         "b: is a bundle, not a run");
  Expect(2, "exhibit-compile --reproduce run --emit ir", "--reproduce takes");
  Expect(2, "exhibit-compile --reproduce run --set packet_width=4",
         "--reproduce takes");
}

}  // namespace
}  // namespace exhibit
