#include "manifests/records.h"

#include <gtest/gtest.h>

#include <functional>

#include "manifests/file.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

const std::string kDigest(64, 'a');

ToolIdentity SomeTool() {
  return {"exhibit-replay", "0.1.0", kDigest, kDigest};
}

FreezeRecord SomeFreeze() {
  FreezeRecord r;
  r.manifest_sha256 = kDigest;
  r.sources = {{"sources/manifest/a.c", kDigest, 12}};
  r.attachments = {{"attachments/log.txt", kDigest, 5, "build log", ""}};
  r.host.cpu_flags = {"avx2", "fma"};
  r.host.boot_id_sha256 = kDigest;
  r.host.cpu_count = 2;
  r.tool = SomeTool();
  r.start_ns = 1;
  r.end_ns = 2;
  return r;
}

VisitRecord SomeVisit() {
  VisitRecord r;
  r.kind = "timed";
  r.plan_sha256 = r.previous_sha256 = r.library_sha256 = kDigest;
  r.case_name = "decode";
  r.arm = "baseline";
  r.variant = "r1";
  r.symbol = "attention.packet_batch.blocks";
  r.shift = {16, 4096};
  r.end = {"crashed", "signal 11 while writing input buffer \"query\"", 11, 0};
  r.samples_ns = {15'000'001, 15'000'002};
  r.outputs = {{"output", kDigest, "", 3, std::nullopt}};
  r.guards = {{"output", kDigest, true}};
  r.before.load_1m = 0.25;
  r.counts.migrations = 0;
  r.counters = {{"cycles", std::nullopt}, {"task_clock_ns", 7}};
  r.process.command = {"exhibit-replay", "<path>/run"};
  r.process.mapped_files = {{"libc.so.6", kDigest, "00ff"}};
  r.tool = SomeTool();
  return r;
}

CaseRecord SomeCase() {
  CaseRecord c;
  c.freeze_sha256 = kDigest;
  c.case_name = "decode";
  c.program = "attention";
  c.shape = {1, 8, 2, 1, 257, 40, 48};
  c.arrays = {{"query", "input", "f32", {1, 8, 1, 40}, kDigest, "sine"}};
  c.tool = SomeTool();
  return c;
}

CaptureRecord SomeCapture() {
  CaptureRecord capture;
  capture.freeze_sha256 = capture.case_sha256 = kDigest;
  capture.case_name = "decode";
  capture.variant = "r1";
  capture.kind = "tile";
  capture.options = {{"mma_output_block", Json(4)},
                     {"full_packet", Json(true)}};
  capture.outputs = {{"output", kDigest, kDigest}};
  capture.end = {"completed", "", 0, 0};
  capture.tool = SomeTool();
  return capture;
}

PlanRecord SomePlan() {
  PlanRecord plan;
  plan.freeze_sha256 = kDigest;
  plan.case_name = "decode";
  plan.baseline = {"r1", kDigest, kDigest};
  plan.candidate = {"r4", kDigest, kDigest};
  plan.starting_arm = "candidate";
  plan.isolation = "process";
  plan.timing_scope = "native-entry-host-wall";
  plan.shifts = {{0, 16}};
  plan.tool = SomeTool();
  return plan;
}

TEST(Records, EncodeDecodeEncodeGivesTheSameBytes) {
  const std::string freeze = EncodeFreeze(SomeFreeze());
  EXPECT_EQ(EncodeFreeze(*DecodeFreeze(freeze, "freeze.json")), freeze);
  const std::string visit = EncodeVisit(SomeVisit());
  const auto decoded = DecodeVisit(visit, "visit-0000.json");
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(EncodeVisit(*decoded), visit);
  EXPECT_EQ(decoded->end, SomeVisit().end);
  EXPECT_EQ(decoded->counters, SomeVisit().counters);
  EXPECT_EQ(decoded->before, SomeVisit().before);

  EXPECT_EQ(EncodeCase(*DecodeCase(EncodeCase(SomeCase()), "case.json")),
            EncodeCase(SomeCase()));

  EXPECT_EQ(EncodeCapture(*DecodeCapture(EncodeCapture(SomeCapture()), "c")),
            EncodeCapture(SomeCapture()));

  EXPECT_EQ(EncodePlan(*DecodePlan(EncodePlan(SomePlan()), "p")),
            EncodePlan(SomePlan()));
}

// Every key of `json`, at any depth, stands as `key` on the page; keys of maps
// are data and are skipped by their parents' names.
void ExpectDocumented(const Json& json, const std::string& page) {
  if (const auto* object = json.AsObject()) {
    for (const auto& [key, member] : *object) {
      EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
      const bool map =
          key == "options" || key == "environment" || key == "counters";
      if (!map) ExpectDocumented(member, page);
    }
  }
  if (const auto* array = json.AsArray()) {
    for (const Json& element : *array) ExpectDocumented(element, page);
  }
}

TEST(Records, EveryFieldIsOnThePageThatSpecifiesIt) {
  const auto page =
      ReadFile(EXHIBIT_SOURCE_DIR "/manifests/RECORDS.md", 1 << 20);
  ASSERT_TRUE(page.ok());
  AttemptRecord attempt;
  attempt.event = "start";
  for (const std::string& text :
       {EncodeFreeze(SomeFreeze()), EncodeVisit(SomeVisit()),
        EncodeAttempt(attempt), EncodeCase(SomeCase()),
        EncodeCapture(SomeCapture()), EncodePlan(SomePlan())}) {
    ExpectDocumented(*ParseJson(text, "t"), *page);
  }
}

// Each row edits the canonical text of a freeze record.
TEST(Records, AnEditedRecordIsRefusedAndTheFieldIsNamed) {
  struct Row {
    std::string from, to;
    ErrorKind kind;
    std::string message;
  };
  const std::vector<Row> table = {
      {"exhibit.freeze/1", "exhibit.freeze/2", ErrorKind::kUnsupported,
       "exhibit.freeze/2"},
      {"\"cpu_count\":2", "\"cpu_count\":-2", ErrorKind::kCorrupt, "cpu_count"},
      {"\"cpu_count\":2", "\"cpu_count\":2.5", ErrorKind::kCorrupt,
       "cpu_count"},
      {"\"cpu_count\":2", "\"cpu_count\":\"2\"", ErrorKind::kCorrupt,
       "cpu_count"},
      {"\"cpu_count\":2,", "", ErrorKind::kCorrupt, "\"cpu_count\" is missing"},
      {"\"cpu_count\":2", "\"cpu_count\":02", ErrorKind::kCorrupt,
       "freeze.json"},
      {"\"cpu_count\":2", "\"cpu_count\": 2", ErrorKind::kCorrupt, "canonical"},
      {"\"end_ns\":2", "\"end_ns\":2,\"extra\":1", ErrorKind::kCorrupt,
       "extra"},
      {"sources/manifest/a.c", "../a.c", ErrorKind::kCorrupt, "../a.c"},
      {"\"end_ns\"", "\"END_ns\"", ErrorKind::kCorrupt, "canonical"},
      {"\"manifest_sha256\":\"a", "\"manifest_sha256\":\"A",
       ErrorKind::kCorrupt, "manifest_sha256"},
  };
  const std::string good = EncodeFreeze(SomeFreeze());
  for (const auto& row : table) {
    std::string text = good;
    const size_t at = text.find(row.from);
    ASSERT_NE(at, std::string::npos) << row.from;
    text.replace(at, row.from.size(), row.to);
    const auto record = DecodeFreeze(text, "freeze.json");
    ASSERT_FALSE(record.ok()) << row.to;
    EXPECT_EQ(record.error().kind, row.kind) << row.to;
    EXPECT_NE(record.error().message.find(row.message), std::string::npos)
        << record.error().message;
    EXPECT_NE(record.error().message.find("freeze.json"), std::string::npos);
  }
}

TEST(Records, AKeyIsQuotedInAMessageAndNotPrinted) {
  CaptureRecord capture = SomeCapture();
  capture.process.environment = {{"A\x1b[2J", "value"}};
  std::string text = EncodeCapture(capture);
  text.replace(text.find("\"value\""), 7, "1");
  const auto record = DecodeCapture(text, "capture.json");
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().message.find('\x1b'), std::string::npos);
  EXPECT_NE(record.error().message.find("environment.A"), std::string::npos)
      << record.error().message;
}

TEST(Records, TheEnvironmentHoldsNothingThatNoWriterRecords) {
  for (const auto& [name, value] :
       {std::pair("HOME", "/home/someone"), std::pair("LD_PRELOAD", "evil.so"),
        std::pair("LANGUAGE", "de")}) {
    CaptureRecord capture = SomeCapture();
    capture.process.environment = {{name, value}};
    const auto record = DecodeCapture(EncodeCapture(capture), "capture.json");
    ASSERT_FALSE(record.ok()) << name;
    EXPECT_NE(record.error().message.find(name), std::string::npos)
        << record.error().message;
  }
  CaptureRecord capture = SomeCapture();
  capture.process.environment = {
      {"LANG", "C"}, {"LD_PRELOAD", "set"}, {"MALLOC_ARENA_MAX", "1"}};
  EXPECT_TRUE(DecodeCapture(EncodeCapture(capture), "capture.json").ok());
}

TEST(Records, APrivateFieldIsKeptOut) {
  std::string text = EncodeFreeze(SomeFreeze());
  text.replace(text.size() - 2, 2, ",\"x-note\":\"mine\"}\n");
  EXPECT_TRUE(DecodeFreeze(text, "freeze.json").ok());
}

// `text`, of a record, with a list of so many values in a field of one's own.
std::string WithValues(std::string text, uint64_t count) {
  std::string list = ",\"x-z\":[";
  for (uint64_t i = 0; i < count; ++i) list += i == 0 ? "0" : ",0";
  text.replace(text.size() - 2, 2, list + "]}\n");
  return text;
}

TEST(Records, ValuesAreCountedUpToTheirLimit) {
  const std::string text = EncodeVisit(SomeVisit());
  uint64_t others = 1;
  while (
      !ParseJson(WithValues(text, 0), "t", {.value_count_max = others}).ok()) {
    ++others;
  }
  EXPECT_TRUE(DecodeVisit(WithValues(text, 50'000 - others), "t").ok());
  const auto more = DecodeVisit(WithValues(text, 50'001 - others), "t");
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().kind, ErrorKind::kLimitExceeded);
  // It has an entry for every file.
  EXPECT_TRUE(
      DecodeFreeze(WithValues(EncodeFreeze(SomeFreeze()), 50'001), "t").ok());
}

TEST(Records, CarriageReturnsAreNamedAsTheCause) {
  std::string text = EncodeFreeze(SomeFreeze());
  text.replace(text.size() - 1, 1, "\r\n");
  const auto record = DecodeFreeze(text, "freeze.json");
  ASSERT_FALSE(record.ok());
  EXPECT_NE(record.error().message.find("carriage returns"), std::string::npos);
}

TEST(Records, TruncationAtEveryLengthIsRejected) {
  const std::string visit = EncodeVisit(SomeVisit());
  for (size_t length = 0; length < visit.size(); ++length) {
    EXPECT_FALSE(DecodeVisit(visit.substr(0, length), "v").ok()) << length;
  }
}

TEST(Records, EveryByteChangedIsAnotherRecordOrRefused) {
  const std::string good = EncodeVisit(SomeVisit());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string text = good;
    text[i] = static_cast<char>(text[i] ^ 1);
    const auto record = DecodeVisit(text, "v");
    if (record.ok()) {
      EXPECT_EQ(EncodeVisit(*record), text) << i;
    }
  }
}

// ---- attempts.jsonl

std::string Log(const std::vector<AttemptRecord>& events) {
  std::string text;
  for (AttemptRecord event : events) {
    event.previous_sha256 = Sha256Hex(text);
    event.tool = SomeTool();
    text += EncodeAttempt(event);
  }
  return text;
}

AttemptRecord Event(int64_t attempt, const char* event, const char* result) {
  AttemptRecord r;
  r.attempt = attempt;
  r.event = event;
  r.stage = "replay";
  r.result = result;
  return r;
}

TEST(Attempts, StartsAndEndsAreNumberedAndChained) {
  const std::string log = Log({Event(0, "start", ""), Event(0, "end", "done"),
                               Event(1, "start", ""), Event(2, "start", "")});
  const auto records = DecodeAttempts(log, "attempts.jsonl");
  ASSERT_TRUE(records.ok()) << records.error().message;
  EXPECT_EQ(records->size(), 4u) << "a killed attempt has no end";
  EXPECT_TRUE(DecodeAttempts("", "attempts.jsonl")->empty());
}

TEST(Attempts, ARemovedOrRepeatedLineIsFound) {
  const std::vector<std::vector<AttemptRecord>> bad = {
      {Event(1, "start", "")},
      {Event(0, "end", "done")},
      {Event(0, "start", ""), Event(0, "start", "")},
      {Event(0, "start", ""), Event(0, "end", "done"), Event(0, "end", "done")},
      {Event(0, "start", "done")},
      {Event(0, "start", ""), Event(0, "end", "")},
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_FALSE(DecodeAttempts(Log(bad[i]), "attempts.jsonl").ok()) << i;
  }
  const std::string log =
      Log({Event(0, "start", ""), Event(0, "end", "invalid"),
           Event(1, "start", "")});
  const size_t second = log.find('\n') + 1;
  EXPECT_FALSE(DecodeAttempts(log.substr(second), "attempts.jsonl").ok());
  for (size_t length = 1; length < log.size(); ++length) {
    if (log[length - 1] == '\n') continue;
    EXPECT_FALSE(DecodeAttempts(log.substr(0, length), "attempts.jsonl").ok())
        << length;
  }
}

}  // namespace
}  // namespace exhibit
