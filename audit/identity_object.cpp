// The part of stage identity that looks at kernel.o and kernel.so.

#include <algorithm>
#include <set>

#include "audit/identity.h"
#include "audit/identity/elf.h"
#include "audit/identity/inspect.h"
#include "audit/identity/link_input.h"
#include "audit/identity/linked.h"

namespace exhibit {
namespace {

// Whether the declared link speaks of objects of this kind at all. An author's
// own object may have what the link check does not know (unwinding tables,
// notes); then nobody can say whether the library is its link.
bool IsOfClosedKind(const std::string& object, std::string& problem) {
  const Result<elf::File> file = elf::File::Read(object);
  if (!file.ok()) {
    problem = file.error().message;
    return false;
  }
  std::vector<std::string> problems;
  ReadLinkInput(*file, problems);
  if (!problems.empty()) problem = problems.front();
  return problems.empty();
}

void CheckLink(const CaptureFiles& files, const std::string& object,
               const std::string& library, Checker& check) {
  for (const std::string& difference :
       CheckLinked({object, library, files.record.symbol,
                    static_cast<uint64_t>(files.placement_bytes)})) {
    check.Report({.code = "link-differs",
                  .path = files.Path("kernel.so"),
                  .message = difference});
  }
}

// The clone stands in the object exactly where the report says it was made,
// and something calls it.
void CheckClone(const CaptureFiles& files, const std::string& object,
                const RealizationReport& report, Checker& check) {
  const std::string path = files.Path("kernel.o");
  const std::string symbol = files.program_name + ".packet.full";
  const Result<CloneFacts> clone = FindClone(object, symbol);
  if (!clone.ok()) {
    check.ReportError("object-unsound", path, clone.error());
    return;
  }
  check.Equal({"clone-differs", path, symbol,
               "realization.json says otherwise whether there is a clone"},
              report.full_packet_specializations == 1, clone->defined);
  check.True({"clone-differs", path, symbol, "nothing calls the clone"},
             !clone->defined || clone->call_count > 0);
}

void AddObjectDetails(const CaptureFiles& files, const std::string& object,
                      Json::Object& details, Checker& check) {
  const Result<ObjectFacts> facts = InspectObject(object);
  if (!facts.ok()) {
    check.ReportError("object-unsound", files.Path("kernel.o"), facts.error());
    return;
  }
  details["code_bytes"] = facts->code_bytes;
  details["constant_bytes"] = facts->constant_bytes;
}

// Of a library that comes without its object.
void CheckForeignLibrary(const CaptureFiles& files, const std::string& library,
                         Json::Object& details, Checker& check) {
  const std::string path = files.Path("kernel.so");
  const Result<LibraryFacts> facts = InspectLibrary(library);
  if (!facts.ok()) {
    check.ReportError("library-unsound", path, facts.error());
    return;
  }
  check.True(
      {"library-unsound", path, Printable(files.record.symbol),
       "it does not export the entry as a function"},
      std::binary_search(facts->exported_functions.begin(),
                         facts->exported_functions.end(), files.record.symbol));
  const auto texts = [](const std::vector<std::string>& names) {
    Json::Array array;
    for (const std::string& name : names) array.emplace_back(Printable(name));
    return array;
  };
  details["code_bytes"] = facts->code_bytes;
  details["needed"] = texts(facts->needed);
  details["peculiarities"] = texts(facts->peculiarities);
}

}  // namespace

void CheckObjects(const CaptureFiles& files, const RealizationReport* report,
                  Json::Object& details, Checker& check) {
  const std::string* library = files.subject.Bytes(files.Path("kernel.so"));
  const std::string* object = files.subject.Bytes(files.Path("kernel.o"));
  if (library == nullptr) return;  // Missing or over a limit: reported.
  if (object == nullptr) {
    CheckForeignLibrary(files, *library, details, check);
    return;
  }
  AddObjectDetails(files, *object, details, check);
  std::string problem;
  if (files.record.kind == "library" && !IsOfClosedKind(*object, problem)) {
    // Then the library is all there is to judge, as if it had come alone.
    CheckForeignLibrary(files, *library, details, check);
    details["link_not_checked"] = Printable(problem);
    return;
  }
  CheckLink(files, *object, *library, check);
  if (report != nullptr) CheckClone(files, *object, *report, check);
}

}  // namespace exhibit
