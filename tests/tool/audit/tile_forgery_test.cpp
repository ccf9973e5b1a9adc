// A real run of a tile program, made once; then forgeries of its code and
// reports, sealed again. Each has a finding of its own.

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/tile/attention.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "tests/tool/audit/reseal.h"
#include "tests/tool/audit/tool_run.h"

namespace exhibit::testing {
namespace {

constexpr char kTileManifest[] = R"({
  "schema": "exhibit.manifest/1", "name": "tile-fixture",
  "question": "Does grouping change anything?", "program": "attention",
  "controls": {"full_packet": true, "max_unrolled_mma_terms": 8},
  "variants": {"r1": {"mma_output_block": 1}, "r4": {"mma_output_block": 4}},
  "baseline": "r1", "candidate": "r4",
  "cases": [{"name": "small", "shape": [1, 8, 2, 1, 20, 16, 16],
             "tile": [1, 16]},
            {"name": "again", "null_of": "small", "placement_bytes": 32}],
  "tolerance": {"absolute": 1e-6, "relative": 1e-5},
  "expect": {"outputs": "bitwise-equal", "capacity": "equal"},
  "replay": {"cycles": 3, "samples": 2, "warmup_ms": 1, "target_ms": 1},
  "decision": {"rule": "pairs/1", "alpha": 0.05, "minimum_effect": 0.01}
})";
constexpr char kSmall[] = "small";
constexpr char kNull[] = "again";

const RunFiles& TileRun() {
  static const RunFiles files = [] {
    const ScratchFolder folder;
    WriteBytes(folder / "manifest.json", kTileManifest);
    const ToolEnd end =
        RunIn(folder,
              "exhibit-capture --quiet manifest.json -o run >/dev/null && "
              "exhibit-replay --quiet run >/dev/null");
    EXPECT_EQ(end.status, 0);
    return ReadRunFiles(folder / "run");
  }();
  return files;
}

std::string FileOf(const char* variant, const char* name) {
  return CaptureFolder(kSmall, variant) + "/" + name;
}

// Sets one field of the realisation report of r4.
Edits SetReported(const std::string& name, const Json& value) {
  Edits edits;
  edits.files = [name, value](RunFiles& files) {
    std::string& bytes = files.at(FileOf("r4", "realization.json"));
    Json report = *ParseJson(bytes, "realization.json");
    (*report.AsObject())[name] = value;
    bytes = EncodeJson(report);
  };
  return edits;
}

Edits SetFile(const char* name, std::function<std::string(RunFiles&)> make) {
  Edits edits;
  edits.files = [name, make](RunFiles& files) {
    files[FileOf("r4", name)] = make(files);
  };
  return edits;
}

Edits SetCapture(std::function<void(CaptureRecord&)> set) {
  Edits edits;
  edits.variant = "r4";
  edits.capture = std::move(set);
  return edits;
}

AuditResult AuditAfter(const Edits& edits) {
  RunFiles files = TileRun();
  Reseal(kSmall, edits, files);
  return Audit(SubjectOf(files));
}

void ExpectCode(const char* name, const char* code, const Edits& edits) {
  SCOPED_TRACE(name);
  const AuditResult result = AuditAfter(edits);
  const std::vector<std::string> codes = CodesOf(result);
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_NE(std::find(codes.begin(), codes.end(), code), codes.end())
      << "expected " << code << ", found " << DescribeFindings(result);
}

TEST(TileRun, IsVerified) {
  const AuditResult result = Audit(SubjectOf(TileRun()));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
}

TEST(TileRun, SealedAgainWithoutEditsHasTheSameFiles) {
  RunFiles files = TileRun();
  Reseal(kSmall, {}, files);
  EXPECT_EQ(files, TileRun());
}

TEST(TileForgery, ProgramOfAnotherTile) {
  ExpectCode("tile", "program-differs", SetFile("program.tile", [](RunFiles&) {
               tile::AttentionSpec spec;
               spec.shape = {1, 8, 2, 1, 20, 16, 16};
               spec.key_block = 8;
               return *tile::AttentionText(spec);
             }));
}

TEST(TileForgery, ProgramThatIsNone) {
  ExpectCode("text", "program-malformed",
             SetFile("program.tile", [](RunFiles&) { return "program\n"; }));
}

TEST(TileForgery, ReportsThatThePlanContradicts) {
  for (const char* name :
       {"static_snapshot_bytes_per_worker", "static_snapshot_allocations",
        "private_workspace_bytes", "blocked_mmas", "two_dimensional_mmas",
        "rolled_mmas", "full_packets_dispatched", "tail_packets_dispatched"}) {
    ExpectCode(name, "realization-differs", SetReported(name, Json(77)));
  }
  ExpectCode("arrays", "realization-differs",
             SetReported("arrays", Json::Array()));
  ExpectCode("mmas", "realization-differs", SetReported("mmas", Json::Array()));
  ExpectCode("requested", "realization-differs",
             SetReported("requested", Json::Object()));
}

TEST(TileForgery, ReportsThatAreNotComplete) {
  ExpectCode("unknown field", "realization-malformed",
             SetReported("surprise", Json(1)));
  ExpectCode("type", "realization-malformed",
             SetReported("functions", Json(1)));
  ExpectCode("not JSON", "realization-malformed",
             SetFile("realization.json", [](RunFiles&) { return "{"; }));
}

TEST(TileForgery, TwoProducers) {
  ExpectCode("math", "realization-differs",
             SetReported("math_helper_sha256", Json(std::string(64, '0'))));
  ExpectCode("LLVM", "realization-differs",
             SetReported("llvm_version", Json("22.1.0")));
  ExpectCode("cpu", "realization-differs",
             SetReported("target_cpu", Json("other")));
}

TEST(TileRun, ANullCaseIsNeverCalledFasterOrSlower) {
  const AuditResult result = Audit(SubjectOf(TileRun()));
  const Json& audit = result.json;
  const Json::Array& cases = *audit.AsObject()->at("cases").AsArray();
  ASSERT_EQ(cases.size(), 2u);
  const Json::Object& null = *cases[1].AsObject();
  EXPECT_EQ(null.at("null_of"), Json(kSmall));
  EXPECT_NE(null.at("outcome"), Json("faster"));
  EXPECT_NE(null.at("outcome"), Json("slower"));
  EXPECT_EQ(audit.AsObject()->at("cases_tried"), Json(1));
}

// Both files of the real candidate in a null case's place of it.
TEST(TileForgery, NullCaseOfTwoObjects) {
  RunFiles files = TileRun();
  Edits edits;
  edits.files = [](RunFiles& run) {
    for (const char* name : {"/kernel.o", "/kernel.so"}) {
      run[CaptureFolder(kNull, "r4") + name] =
          run.at(CaptureFolder(kSmall, "r4") + name);
    }
  };
  Reseal(kNull, edits, files);
  const AuditResult result = Audit(SubjectOf(files));
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  const std::string found = DescribeFindings(result);
  EXPECT_NE(found.find("the arms of a null case are two objects"),
            std::string::npos)
      << found;
  EXPECT_NE(found.find("link-differs"), std::string::npos) << found;
}

// The library of the placement that the case does not declare.
TEST(TileForgery, NullCaseAtAnotherPlacement) {
  RunFiles files = TileRun();
  Edits edits;
  edits.files = [](RunFiles& run) {
    run[CaptureFolder(kNull, "r4") + "/kernel.so"] =
        run.at(CaptureFolder(kNull, "r1") + "/kernel.so");
  };
  Reseal(kNull, edits, files);
  const AuditResult result = Audit(SubjectOf(files));
  EXPECT_EQ(result.verdict, Verdict::kFailed);
  EXPECT_NE(DescribeFindings(result).find("link-differs"), std::string::npos);
}

TEST(TileForgery, CloneThatIsNotReported) {
  Edits edits;
  edits.files = [](RunFiles& files) {
    std::string& bytes = files.at(FileOf("r4", "realization.json"));
    Json report = *ParseJson(bytes, "realization.json");
    Json::Object& fields = *report.AsObject();
    ASSERT_EQ(fields["full_packet_specializations"], Json(1));
    fields["full_packet_specializations"] = 0;
    fields["full_packet_cloned_instructions"] = 0;
    (*fields["realized"].AsObject())["full_packet"] = false;
    bytes = EncodeJson(report);
  };
  ExpectCode("clone", "clone-differs", edits);
}

TEST(TileForgery, CloneOfAnotherSizeThanTheFunction) {
  Edits edits;
  edits.files = [](RunFiles& files) {
    std::string& bytes = files.at(FileOf("r4", "realization.json"));
    Json report = *ParseJson(bytes, "realization.json");
    Json& size = (*report.AsObject())["full_packet_cloned_instructions"];
    ASSERT_GT(*size.AsInteger(), 1);
    size = *size.AsInteger() - 1;
    bytes = EncodeJson(report);
  };
  ExpectCode("size", "realization-differs", edits);
}

TEST(TileForgery, LibraryThatIsNotTheLinkOfItsObject) {
  ExpectCode("one byte", "link-differs",
             SetFile("kernel.so", [](RunFiles& files) {
               std::string bytes = files.at(FileOf("r4", "kernel.so"));
               char& byte = bytes[bytes.size() / 2];
               byte = static_cast<char>(byte ^ 1);
               return bytes;
             }));
  ExpectCode("the other arm's", "link-differs",
             SetFile("kernel.so", [](RunFiles& files) {
               return files.at(FileOf("r1", "kernel.so"));
             }));
  ExpectCode("object", "object-unsound",
             SetFile("kernel.o", [](RunFiles& files) {
               return files.at(FileOf("r4", "kernel.o")).substr(0, 100);
             }));
}

TEST(TileForgery, CaptureThatContradictsItsFiles) {
  Edits larger = SetCapture([](CaptureRecord& c) { c.workspace_bytes += 64; });
  larger.visit = [](VisitRecord& visit) {
    visit.guards.push_back(visit.guards.front());
    visit.guards.back().buffer = "workspace";
  };
  ExpectCode("workspace", "capacity-differs", larger);
  ExpectCode("flags", "cpu-flags-differ", SetCapture([](CaptureRecord& c) {
               c.required_cpu_flags.clear();
             }));
  ExpectCode("option", "options-differ", SetCapture([](CaptureRecord& c) {
               c.options["mma_output_block"] = Json(1);
             }));
  ExpectCode("symbol", "arm-differs",
             SetCapture([](CaptureRecord& c) { c.symbol = "other"; }));
}

// An output of r4 with another last bit, well inside the tolerance.
std::string OutputWithAnotherBit() {
  const std::string path = CapturePath(kSmall, "r4");
  const CaptureRecord capture = *DecodeCapture(TileRun().at(path), path);
  const std::string honest = ArrayPath(capture.outputs[0].prepared_sha256);
  Array output = *DecodeNpy(TileRun().at(honest), honest);
  output.bytes[0] = static_cast<char>(output.bytes[0] ^ 1);
  return EncodeNpy(output);
}

TEST(TileForgery, JitThatWroteOtherBits) {
  const std::string npy = OutputWithAnotherBit();
  Edits edits = SetCapture(
      [&](CaptureRecord& c) { c.outputs[0].jit_sha256 = Sha256Hex(npy); });
  edits.files = [&](RunFiles& all) { all[ArrayPath(Sha256Hex(npy))] = npy; };
  ExpectCode("jit", "jit-differs", edits);
}

TEST(TileForgery, OutputsThatTheProgramDoesNotGive) {
  const std::string npy = OutputWithAnotherBit();
  const std::string sha256 = Sha256Hex(npy);
  const auto add = [&](RunFiles& all) { all[ArrayPath(sha256)] = npy; };
  Edits captured = SetCapture([&](CaptureRecord& c) {
    c.outputs[0].jit_sha256 = sha256;
    c.outputs[0].prepared_sha256 = sha256;
  });
  captured.files = add;
  ExpectCode("captured", "semantics-output-differs", captured);
  Edits first = SetCapture([](CaptureRecord&) {});
  first.files = add;
  first.visit = [&](VisitRecord& v) { v.outputs[0].first_sha256 = sha256; };
  ExpectCode("first of visits", "semantics-output-differs", first);
}

}  // namespace
}  // namespace exhibit::testing
