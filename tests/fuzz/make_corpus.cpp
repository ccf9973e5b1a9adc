// Writes the part of the corpus that encoders make.
//
//   make_corpus CORPUS OBJECTS
//
// CORPUS is tests/fuzz/corpus; OBJECTS the folder of objects and libraries that
// the tests of audit/identity build. Files that are there are replaced; those
// that a fuzzer found, and those written by hand, have other names.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "archive/gzip.h"
#include "archive/provenance.h"
#include "archive/tar_writer.h"
#include "archive/xz.h"
#include "audit/realization.h"
#include "compiler/tile/attention.h"
#include "manifests/content_id.h"
#include "manifests/npy.h"
#include "manifests/run_layout.h"
#include "manifests/sha256.h"
#include "replay/visit_message.h"
#include "tests/fuzz/property.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::fuzz {
namespace {

namespace fs = std::filesystem;
using Members = std::vector<std::pair<std::string, std::string>>;

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// One folder per target.
class Corpus {
 public:
  explicit Corpus(fs::path root) : root_(std::move(root)) {}
  void Add(const std::string& target, const std::string& name,
           std::string_view bytes) const {
    fs::create_directories(root_ / target);
    std::ofstream file(root_ / target / name, std::ios::binary);
    file << bytes;
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
  }

 private:
  fs::path root_;
};

template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void Must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

std::string Tar(const Members& members) {
  StringSink sink;
  TarWriter writer(sink);
  for (const auto& [path, contents] : members) {
    StringSource source(contents);
    Must(writer.Add({path, contents.size()}, source));
  }
  Must(writer.Finish());
  return sink.bytes();
}

std::string Gzip(std::string_view contents) {
  StringSink sink;
  const auto encoder = Must(GzipSink::Create(sink));
  Must(encoder->Write(contents));
  Must(encoder->Finish());
  return sink.bytes();
}

std::string Xz(std::string_view contents) {
  StringSink sink;
  const auto encoder = Must(XzSink::Create(sink, 1));
  Must(encoder->Write(contents));
  Must(encoder->Finish());
  return sink.bytes();
}

void AddRecords(const Corpus& corpus, const testing::RunFiles& run) {
  const auto record = [&](char kind, const char* name,
                          const std::string& path) {
    corpus.Add("records", name, kind + run.at(path));
  };
  record(0, "freeze", kFreezePath);
  record(1, "case", CasePath(testing::kCaseName));
  record(2, "capture", CapturePath(testing::kCaseName, testing::kBaseline));
  record(3, "plan", PlanPath(testing::kCaseName));
  record(4, "calibration", CalibrationPath(testing::kCaseName, 0));
  record(4, "visit", VisitPath(testing::kCaseName, 3));
  corpus.Add("attempts", "done.jsonl", run.at(kAttemptsPath));
  corpus.Add(
      "attempts", "started.jsonl",
      run.at(kAttemptsPath).substr(0, run.at(kAttemptsPath).find('\n') + 1));
  corpus.Add("json", "plan.json", run.at(PlanPath(testing::kCaseName)));
  corpus.Add("manifest", "library.json", run.at(kManifestPath));
}

// Too few files to be whole, enough to reach most checks.
void AddAudit(const Corpus& corpus, const testing::SyntheticRun& run,
              const testing::RunFiles& files) {
  std::vector<std::string> paths = {
      kManifestPath,
      kFreezePath,
      kAttemptsPath,
      CasePath(testing::kCaseName),
      CapturePath(testing::kCaseName, testing::kBaseline),
      CapturePath(testing::kCaseName, testing::kCandidate),
      PlanPath(testing::kCaseName),
      CalibrationPath(testing::kCaseName, 0),
      VisitPath(testing::kCaseName, 0)};
  for (const CaseArray& array : run.c.arrays) {
    paths.push_back(ArrayPath(array.sha256));
  }
  std::string bytes;
  for (const std::string& path : paths) {
    bytes += AsPart(path) + AsPart(files.at(path));
  }
  corpus.Add("audit", "library", bytes);
  corpus.Add("audit", "nothing", AsPart("manifest.json") + AsPart("{}\n"));
}

void AddMessages(const Corpus& corpus, const testing::SyntheticRun& run,
                 const testing::RunFiles& files) {
  VisitTask task;
  task.run = "run";
  task.tolerance = {1e-6, 1e-5};
  task.plan = run.plan;
  task.case_record = run.c;
  task.capture = run.captures.at(testing::kBaseline);
  task.draft = run.visits[0];
  corpus.Add("parts", "task", EncodeVisitTask(task));
  VisitReport report;
  report.record = run.visits[0];
  report.maps = "00400000-00401000 r-xp 00000000 00:00 0 kernel.so\n";
  report.arrays = {files.at(ArrayPath(run.c.arrays[0].sha256)), ""};
  corpus.Add("parts", "report", EncodeVisitReport(report));
  corpus.Add("parts", "three", PackParts({"a", "", "b\n1\n"}));
}

void AddArrays(const Corpus& corpus) {
  corpus.Add("npy", "f32.npy",
             EncodeNpy({DType::kF32, {2, 3}, std::string(24, '?')}));
  corpus.Add("npy", "f64.npy",
             EncodeNpy({DType::kF64, {1, 1, 2}, std::string(16, '@')}));
  corpus.Add("npy", "i64.npy",
             EncodeNpy({DType::kI64, {3}, std::string(24, '\1')}));
  corpus.Add("npy", "scalar.npy", EncodeNpy({DType::kU8, {}, "x"}));
  corpus.Add("npy", "empty.npy", EncodeNpy({DType::kF32, {4, 0}, ""}));
}

void AddArchives(const Corpus& corpus) {
  const Members files = {{"manifest.json", "{\"name\":\"sample\"}\n"},
                         {"freeze.json", "{}\n"},
                         {"arrays/full.npy", std::string(512, '\1')},
                         {"arrays/odd.npy", std::string(100, '\2')},
                         {"logs/empty.log", ""},
                         {"sources/README", "read me\n"}};
  FileDigests digests;
  for (const auto& [path, bytes] : files) digests[path] = Sha256Hex(bytes);
  const std::string index = EncodeIndex(digests);
  Members evidence = {{"index.sha256", index}}, sources;
  for (const auto& [path, bytes] : files) {
    Members& archive = path.starts_with("sources/") ? sources : evidence;
    archive.emplace_back("run/" + path, bytes);
  }
  corpus.Add("index", "run.sha256", index);
  corpus.Add("tar", "evidence.tar", Tar(evidence));
  corpus.Add("tar", "sources.tar", Tar(sources));
  corpus.Add("tar", "empty.tar", Tar({}));
  const std::string tars[] = {Tar(evidence), Tar(sources)};
  corpus.Add("evidence", "tar", '\0' + AsPart(tars[0]) + tars[1]);
  corpus.Add("evidence", "compressed",
             '\1' + AsPart(Xz(tars[0])) + Gzip(tars[1]));
  for (const auto& [name, contents] :
       Members{{"empty", ""}, {"text", index}, {"tar", tars[0]}}) {
    corpus.Add("gzip", name + ".gz", Gzip(contents));
    corpus.Add("xz", name + ".xz", Xz(contents));
  }
  corpus.Add("gzip", "expands.gz", Gzip(std::string(200'000, '\0')));
  corpus.Add("xz", "expands.xz", Xz(std::string(1'000'000, '\0')));
  Producer producer;
  producer.tool = {"exhibit-archive", "0.1.0", Sha256Hex("tool"),
                   Sha256Hex("source")};
  producer.libraries = {{"liblzma", "5.4.1", Sha256Hex("liblzma")}};
  const std::string provenance = EncodeProvenance(
      DescribePacking(Sha256Hex(index), Sha256Hex("manifest"), producer));
  corpus.Add("provenance", "packed.json", provenance);
  // Bundles: what bundle_fuzz.cpp compresses and seals, and one as it lies.
  const std::string none = AsPart("");
  corpus.Add("bundle", "sealed",
             '\3' + AsPart(tars[0]) + AsPart(tars[1]) + AsPart(provenance));
  FileDigests sealed;
  std::string bundle(1, '\0');
  for (const auto& [name, bytes] : Members{{"evidence.tar.xz", Xz(tars[0])},
                                           {"sources.tar.gz", Gzip(tars[1])},
                                           {"provenance.json", provenance}}) {
    sealed[name] = Sha256Hex(bytes);
    bundle += AsPart(bytes);
  }
  bundle += none + none + none + none;
  corpus.Add("bundle", "with_seal", bundle + AsPart(EncodeIndex(sealed)));
  sealed["report.md"] = Sha256Hex("");
  corpus.Add("bundle", "seal_of_more", bundle + AsPart(EncodeIndex(sealed)));
}

void AddPrograms(const Corpus& corpus) {
  tile::AttentionSpec spec;
  spec.shape = {1, 4, 2, 8, 33, 8, 12};
  spec.query_block = 4;
  const std::string text = Must(tile::AttentionText(spec));
  corpus.Add("tile", "attention_mma.tile", text);
  spec.qk = spec.pv = tile::Contraction::kReduce;
  corpus.Add("tile", "attention_reduce.tile", Must(tile::AttentionText(spec)));

  const TileOptions options;
  spec.qk = spec.pv = tile::Contraction::kMma;
  const tile::Program program = Must(tile::BuildAttention(spec));
  const Plan plan = Must(PlanProgram(program, options));
  Json::Object fields = PlannedFields(program, options, plan);
  fields["schema"] = "exhibit.realization/1";
  fields["accesses"] = Json::Object{{"gather_loads", 12}};
  Json::Object realized = PlannedOptions(options, plan);
  realized["full_packet"] = false;
  fields["realized"] = realized;
  fields["full_packet_specializations"] = 0;
  fields["full_packet_cloned_instructions"] = 0;
  fields["functions"] = Json::Array{Json::Object{
      {"basic_blocks", 3}, {"instructions", 40}, {"name", "attention.packet"}}};
  fields["math_helper_sha256"] = Sha256Hex("exp");
  fields["llvm_version"] = "22.1.8";
  fields["target_cpu"] = "x86-64-v3";
  fields["target_features"] = "+avx,+avx2";
  fields["required_cpu_flags"] = Json::Array{"avx", "avx2"};
  corpus.Add("realization", "attention.json", EncodeJson(fields));
}

void AddObjects(const Corpus& corpus, const fs::path& objects) {
  for (const char* name :
       {"kernel_O2.o", "kernel_O2.so", "small.o", "small.so", "symbols_O2.o",
        "symbols_sections.so", "other_id.so", "other_hash.so", "constructor.so",
        "forbidden_common.o", "forbidden_thread_local.o",
        "forbidden_unwinding.o"}) {
    corpus.Add("elf", name, ReadBytes(objects / name));
  }
  for (const std::string name :
       {"kernel_O1", "kernel_O2", "kernel_avx2", "padded", "small",
        "symbols_O2", "symbols_sections", "zeroed"}) {
    corpus.Add("linked", name,
               AsPart(ReadBytes(objects / (name + ".o"))) +
                   ReadBytes(objects / (name + ".so")));
  }
}

void MakeCorpus(const fs::path& root, const fs::path& objects) {
  const Corpus corpus(root);
  testing::SyntheticRun run = testing::HonestRun();
  const testing::RunFiles files = run.Seal();
  AddRecords(corpus, files);
  AddMessages(corpus, run, files);
  AddAudit(corpus, run, files);
  AddArrays(corpus);
  AddArchives(corpus);
  AddPrograms(corpus);
  AddObjects(corpus, objects);
}

}  // namespace
}  // namespace exhibit::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "error: two folders are asked for\n");
    return 2;
  }
  try {
    exhibit::fuzz::MakeCorpus(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 3;
  }
  return 0;
}
