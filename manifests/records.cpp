#include "manifests/records.h"

#include "manifests/record_fields.h"
#include "manifests/sha256.h"

namespace exhibit {
namespace {

const std::vector<std::string> kArms = {"baseline", "candidate"};

// What no writer records is no record.
void CheckEnvironment(const ProcessFacts& r, FieldReader& f) {
  for (const auto& [name, value] : r.environment) {
    if (IsRecordedVariable(name) ||
        (IsVariableRecordedAsSet(name) && value == "set")) {
      continue;
    }
    f.Fail(Error{ErrorKind::kCorrupt,
                 f.place() + ": field " + QuoteText("environment." + name) +
                     ": expected a variable that may be recorded, found " +
                     QuoteText(value),
                 ""});
  }
}

}  // namespace

bool IsRecordedVariable(std::string_view name) {
  return name == "LANG" || name == "LC_ALL" || name == "TZ" ||
         name == "OMP_NUM_THREADS" || name == "GLIBC_TUNABLES" ||
         name.starts_with("MALLOC_");
}

bool IsVariableRecordedAsSet(std::string_view name) {
  return name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH";
}

// Not in the unnamed namespace: the field readers find these by the record's
// own namespace.

template <typename F>
void Fields(F& f, ToolIdentity& r) {
  f.Text("name", r.name, TextRule::kName);
  f.Text("version", r.version, TextRule::kName);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.Text("source_sha256", r.source_sha256, TextRule::kSha256);
}

template <typename F>
void Fields(F& f, FileEntry& r) {
  f.Text("path", r.path, TextRule::kRunPath);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.Count("bytes", r.bytes);
}

template <typename F>
void Fields(F& f, MappedFile& r) {
  f.Text("name", r.name);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.Text("build_id", r.build_id);
}

template <typename F>
void Fields(F& f, ProcessEnd& r) {
  f.OneOf("status", r.status,
          {"completed", "failed-check", "disturbed", "crashed", "timed-out",
           "exited", "refused"});
  f.Text("reason", r.reason);
  f.Count("signal", r.signal);
  f.Count("exit_status", r.exit_status);
}

template <typename F>
void Fields(F& f, ProcessFacts& r) {
  f.Texts("command", r.command);
  f.TextMap("environment", r.environment);
  if constexpr (F::kReads) CheckEnvironment(r, f);
  f.Parts("mapped_files", r.mapped_files);
}

template <typename F>
void Fields(F& f, HostFacts& r) {
  f.Text("architecture", r.architecture);
  f.Text("cpu_model", r.cpu_model);
  f.Texts("cpu_flags", r.cpu_flags);
  f.Text("microcode", r.microcode);
  f.Text("kernel", r.kernel);
  f.Text("boot_id_sha256", r.boot_id_sha256, TextRule::kSha256);
  f.Text("clock_source", r.clock_source);
  f.Text("governor", r.governor);
  f.Text("boost", r.boost);
  f.Text("smt_siblings", r.smt_siblings);
  f.Count("cpu_count", r.cpu_count);
  f.Count("memory_bytes", r.memory_bytes);
  f.Count("page_bytes", r.page_bytes);
}

template <typename F>
void Fields(F& f, Attachment& r) {
  f.Text("path", r.path, TextRule::kRunPath);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.Count("bytes", r.bytes);
  f.Text("role", r.role);
  f.Text("note", r.note);
}

template <typename F, typename R>
void WriterFields(F& f, R& r) {
  f.Part("tool", r.tool);
  f.Count("start_ns", r.start_ns);
  f.Count("end_ns", r.end_ns);
}

template <typename F>
void Fields(F& f, FreezeRecord& r) {
  f.Text("manifest_sha256", r.manifest_sha256, TextRule::kSha256);
  f.Parts("sources", r.sources);
  f.Parts("attachments", r.attachments);
  f.Part("host", r.host);
  WriterFields(f, r);
}

template <typename F>
void Fields(F& f, AttemptRecord& r) {
  f.Count("attempt", r.attempt);
  f.OneOf("event", r.event, {"start", "end"});
  f.OneOf("stage", r.stage, {"capture", "replay"});
  f.OneOf("result", r.result, {"", "done", "invalid", "interrupted", "error"});
  f.Text("message", r.message);
  f.Text("previous_sha256", r.previous_sha256, TextRule::kSha256);
  f.Part("tool", r.tool);
  f.Count("time_ns", r.time_ns);
}

template <typename F>
void Fields(F& f, CaseArray& r) {
  f.Text("name", r.name, TextRule::kName);
  f.OneOf("role", r.role, {"input", "output"});
  f.OneOf("dtype", r.dtype, {"f32"});
  f.Counts("shape", r.shape);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.OneOf("origin", r.origin, {"sine", "file", "oracle", "supplied"});
}

template <typename F>
void Fields(F& f, CaseRecord& r) {
  f.Text("freeze_sha256", r.freeze_sha256, TextRule::kSha256);
  f.Text("case_name", r.case_name, TextRule::kName);
  f.OneOf("program", r.program, {"attention", "custom", "tile"});
  f.Counts("shape", r.shape);
  f.Counts("tile", r.tile);
  f.Count("dispatch", r.dispatch);
  f.Parts("arrays", r.arrays);
  WriterFields(f, r);
}

template <typename F>
void Fields(F& f, CaptureOutput& r) {
  f.Text("name", r.name, TextRule::kName);
  f.Text("jit_sha256", r.jit_sha256, TextRule::kSha256OrEmpty);
  f.Text("prepared_sha256", r.prepared_sha256, TextRule::kSha256OrEmpty);
}

template <typename F>
void Fields(F& f, CaptureRecord& r) {
  f.Text("freeze_sha256", r.freeze_sha256, TextRule::kSha256);
  f.Text("case_sha256", r.case_sha256, TextRule::kSha256);
  f.Text("case_name", r.case_name, TextRule::kName);
  f.Text("variant", r.variant, TextRule::kName);
  f.OneOf("kind", r.kind, {"tile", "library"});
  f.ValueMap("options", r.options);
  f.Text("symbol", r.symbol);
  f.Count("workers_per_block", r.workers_per_block);
  f.Count("workspace_bytes", r.workspace_bytes);
  f.Texts("required_cpu_flags", r.required_cpu_flags);
  f.CountMap("build_ns", r.build_ns);
  f.Parts("files", r.files);
  f.Parts("outputs", r.outputs);
  f.Part("end", r.end);
  f.Part("process", r.process);
  f.Count("attempt", r.attempt);
  WriterFields(f, r);
}

template <typename F>
void Fields(F& f, PlanArm& r) {
  f.Text("variant", r.variant, TextRule::kName);
  f.Text("capture_sha256", r.capture_sha256, TextRule::kSha256);
  f.Text("library_sha256", r.library_sha256, TextRule::kSha256);
}

template <typename F>
void Fields(F& f, PairShift& r) {
  f.Count("stack_bytes", r.stack_bytes);
  f.Count("heap_bytes", r.heap_bytes);
}

template <typename F>
void Fields(F& f, PlanRecord& r) {
  f.Text("freeze_sha256", r.freeze_sha256, TextRule::kSha256);
  f.Text("case_name", r.case_name, TextRule::kName);
  f.Part("baseline", r.baseline);
  f.Part("candidate", r.candidate);
  f.OneOf("starting_arm", r.starting_arm, kArms);
  f.Count("cycles", r.cycles);
  f.Count("samples", r.samples);
  f.Count("warmup_ns", r.warmup_ns);
  f.Count("target_ns", r.target_ns);
  f.Count("timeout_ns", r.timeout_ns);
  f.Count("seed", r.seed);
  f.OneOf("isolation", r.isolation, {"process"});
  f.OneOf("timing_scope", r.timing_scope, {"native-entry-host-wall"});
  f.Count("cpu", r.cpu);
  f.Parts("shifts", r.shifts);
  WriterFields(f, r);
}

template <typename F>
void Fields(F& f, VisitOutput& r) {
  f.Text("name", r.name, TextRule::kName);
  f.Text("first_sha256", r.first_sha256, TextRule::kSha256OrEmpty);
  f.Text("last_sha256", r.last_sha256, TextRule::kSha256OrEmpty);
  f.Count("failed_elements", r.failed_elements);
  f.OptionalNumber("max_error", r.max_error);
}

template <typename F>
void Fields(F& f, VisitGuard& r) {
  f.Text("buffer", r.buffer, TextRule::kName);
  f.Text("sha256", r.sha256, TextRule::kSha256);
  f.Flag("intact", r.intact);
}

template <typename F>
void Fields(F& f, ClockFacts& r) {
  f.Text("name", r.name);
  f.Count("resolution_ns", r.resolution_ns);
  f.Count("overhead_ns", r.overhead_ns);
}

template <typename F>
void Fields(F& f, HostState& r) {
  f.OptionalNumber("load_1m", r.load_1m);
  f.OptionalNumber("load_5m", r.load_5m);
  f.OptionalNumber("load_15m", r.load_15m);
  f.OptionalCount("frequency_khz", r.frequency_khz);
}

template <typename F>
void Fields(F& f, ThreadCounts& r) {
  f.Count("voluntary_switches", r.voluntary_switches);
  f.Count("involuntary_switches", r.involuntary_switches);
  f.Count("minor_faults", r.minor_faults);
  f.Count("major_faults", r.major_faults);
  f.OptionalCount("migrations", r.migrations);
}

template <typename F>
void TimingFields(F& f, VisitRecord& r) {
  f.Count("first_call_ns", r.first_call_ns);
  f.Count("warmup_calls", r.warmup_calls);
  f.Count("warmup_ns", r.warmup_ns);
  f.Count("probe_ns", r.probe_ns);
  f.Count("repetitions", r.repetitions);
  f.Counts("samples_ns", r.samples_ns);
  f.Count("checks_passed", r.checks_passed);
}

template <typename F>
void Fields(F& f, VisitRecord& r) {
  f.OneOf("kind", r.kind, {"calibration", "timed"});
  f.Text("plan_sha256", r.plan_sha256, TextRule::kSha256);
  f.Text("previous_sha256", r.previous_sha256, TextRule::kSha256);
  f.Text("case_name", r.case_name, TextRule::kName);
  f.Count("index", r.index);
  f.Count("cycle", r.cycle);
  f.Count("position", r.position);
  f.OneOf("arm", r.arm, kArms);
  f.Text("variant", r.variant, TextRule::kName);
  f.Text("library_sha256", r.library_sha256, TextRule::kSha256);
  f.Text("symbol", r.symbol);
  f.Count("attempt", r.attempt);
  f.Count("cpu", r.cpu);
  f.Part("shift", r.shift);
  f.Part("end", r.end);
  TimingFields(f, r);
  f.Parts("outputs", r.outputs);
  f.Parts("guards", r.guards);
  f.Part("clock", r.clock);
  f.Part("before", r.before);
  f.Part("after", r.after);
  f.Part("counts", r.counts);
  f.CountMap("counters", r.counters);
  f.Part("process", r.process);
  WriterFields(f, r);
}

namespace {

template <typename R>
std::string Encode(const R& record, const char* schema) {
  FieldWriter writer;
  R copy = record;
  Fields(writer, copy);
  Json json = writer.Take();
  (*json.AsObject())["schema"] = Json(schema);
  return EncodeJson(json);
}

// The schema is looked at before anything else, so that a record of a later
// version is "unsupported" and not "corrupt".
Status CheckSchema(const Json& json, const std::string& place,
                   const char* schema) {
  const Json::Object* object = json.AsObject();
  if (!object) {
    return Error{ErrorKind::kCorrupt,
                 place + ": expected an object, found " + QuoteJson(json), ""};
  }
  const auto found = object->find("schema");
  if (found == object->end()) {
    return Error{ErrorKind::kCorrupt, place + ": field \"schema\" is missing",
                 ""};
  }
  if (found->second == Json(schema)) return Ok();
  return Error{ErrorKind::kUnsupported,
               place + ": schema " + QuoteJson(found->second) +
                   " is unknown here, expected \"" + schema + "\"",
               "A newer Exhibit may read it."};
}

// There are very many records, and what a value takes to read is a hundred
// times what it takes to write; only freeze.json, of which there is one, grows
// with the number of files.
template <typename R>
constexpr uint64_t kValuesMax = 50'000;
template <>
constexpr uint64_t kValuesMax<FreezeRecord> = JsonLimits().value_count_max;

template <typename R>
Result<R> Decode(std::string_view bytes, std::string_view where,
                 const char* schema) {
  const std::string place(where);
  EXHIBIT_ASSIGN_OR_RETURN(
      Json json, ParseJson(bytes, where, {.value_count_max = kValuesMax<R>}));
  EXHIBIT_RETURN_IF_ERROR(CheckSchema(json, place, schema));
  if (EncodeJson(json) != bytes) {
    const bool converted = bytes.find('\r') != std::string_view::npos;
    return Error{ErrorKind::kCorrupt,
                 place + ": not in canonical form" +
                     (converted ? ": it has carriage returns, as if something "
                                  "had converted its line ends"
                                : ""),
                 "Records are never edited or reformatted by hand."};
  }
  json.AsObject()->erase("schema");
  R record;
  FieldReader reader(json, place);
  Fields(reader, record);
  EXHIBIT_RETURN_IF_ERROR(reader.Finish());
  return record;
}

constexpr char kFreezeSchema[] = "exhibit.freeze/1";
constexpr char kAttemptSchema[] = "exhibit.attempt/1";
constexpr char kCaseSchema[] = "exhibit.case/1";
constexpr char kCaptureSchema[] = "exhibit.capture/1";
constexpr char kPlanSchema[] = "exhibit.plan/1";
constexpr char kVisitSchema[] = "exhibit.visit/1";

// What the lines of attempts.jsonl before the next one come to.
struct AttemptsBefore {
  Sha256Stream bytes;
  int64_t starts = 0;
  bool running = false;
};

Status CheckAttempt(const AttemptRecord& record, const std::string& place,
                    const AttemptsBefore& before) {
  const std::string chain = before.bytes.HexSoFar();
  if (record.previous_sha256 != chain) {
    return Error{ErrorKind::kCorrupt,
                 place + ": field \"previous_sha256\": expected " + chain +
                     ", found " + record.previous_sha256,
                 ""};
  }
  const int64_t expected =
      record.event == "start" ? before.starts : before.starts - 1;
  if (record.attempt != expected) {
    return Error{ErrorKind::kCorrupt,
                 place + ": field \"attempt\": expected " +
                     std::to_string(expected) + ", found " +
                     std::to_string(record.attempt),
                 ""};
  }
  if ((record.event == "start") != record.result.empty()) {
    return Error{ErrorKind::kCorrupt,
                 place + ": a start has no result and an end has one, found " +
                     QuoteText(record.result),
                 ""};
  }
  if (record.event == "end" && !before.running) {
    return Error{
        ErrorKind::kCorrupt,
        place + ": attempt " + std::to_string(record.attempt) + " ends twice",
        ""};
  }
  return Ok();
}

}  // namespace

std::string EncodeFreeze(const FreezeRecord& record) {
  return Encode(record, kFreezeSchema);
}
std::string EncodeAttempt(const AttemptRecord& record) {
  return Encode(record, kAttemptSchema);
}
std::string EncodeCase(const CaseRecord& record) {
  return Encode(record, kCaseSchema);
}
std::string EncodeCapture(const CaptureRecord& record) {
  return Encode(record, kCaptureSchema);
}
std::string EncodePlan(const PlanRecord& record) {
  return Encode(record, kPlanSchema);
}
std::string EncodeVisit(const VisitRecord& record) {
  return Encode(record, kVisitSchema);
}

Result<FreezeRecord> DecodeFreeze(std::string_view bytes,
                                  std::string_view where) {
  return Decode<FreezeRecord>(bytes, where, kFreezeSchema);
}
Result<CaseRecord> DecodeCase(std::string_view bytes, std::string_view where) {
  return Decode<CaseRecord>(bytes, where, kCaseSchema);
}
Result<CaptureRecord> DecodeCapture(std::string_view bytes,
                                    std::string_view where) {
  return Decode<CaptureRecord>(bytes, where, kCaptureSchema);
}
Result<PlanRecord> DecodePlan(std::string_view bytes, std::string_view where) {
  return Decode<PlanRecord>(bytes, where, kPlanSchema);
}
Result<VisitRecord> DecodeVisit(std::string_view bytes,
                                std::string_view where) {
  return Decode<VisitRecord>(bytes, where, kVisitSchema);
}

Result<std::vector<AttemptRecord>> DecodeAttempts(std::string_view bytes,
                                                  std::string_view where) {
  std::vector<AttemptRecord> records;
  AttemptsBefore before;
  size_t begin = 0;
  while (begin < bytes.size()) {
    const std::string place =
        std::string(where) + ": line " + std::to_string(records.size() + 1);
    const size_t end = bytes.find('\n', begin);
    if (end == std::string_view::npos) {
      return Error{
          ErrorKind::kCorrupt,
          place + ": has no line end: " + QuoteText(bytes.substr(begin)), ""};
    }
    const std::string_view line = bytes.substr(begin, end + 1 - begin);
    EXHIBIT_ASSIGN_OR_RETURN(
        AttemptRecord record,
        Decode<AttemptRecord>(line, place, kAttemptSchema));
    EXHIBIT_RETURN_IF_ERROR(CheckAttempt(record, place, before));
    before.bytes.Update(line);
    before.running = record.event == "start";
    before.starts += before.running;
    records.push_back(std::move(record));
    begin = end + 1;
  }
  return records;
}

}  // namespace exhibit
