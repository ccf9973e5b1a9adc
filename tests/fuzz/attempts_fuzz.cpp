// attempts.jsonl: what is accepted is written back line by line, and every
// shorter number of lines is a file that was once accepted.

#include "manifests/records.h"
#include "manifests/sha256.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

void Check(std::string_view bytes) {
  const auto records = DecodeAttempts(bytes, "input");
  if (!records.ok()) {
    fuzz::RequireSound(records.error());
    return;
  }
  std::string written;
  for (const AttemptRecord& record : *records) {
    const auto before = DecodeAttempts(written, "before");
    fuzz::Require(before.ok(), "every prefix of whole lines is accepted");
    fuzz::Require(record.previous_sha256 == Sha256Hex(written) ||
                      bytes.find("\"x-") != std::string_view::npos,
                  "each line names the file before it");
    written += EncodeAttempt(record);
    if (bytes.find("\"x-") != std::string_view::npos) return;
  }
  fuzz::Require(written == bytes, "the file is written back byte for byte");
}

// The lines of `text` that are objects, each naming what stands before it, as
// a forger would make them.
std::string Chained(std::string_view text) {
  std::string chained;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    Result<Json> line = ParseJson(text.substr(0, end + 1), "line");
    text.remove_prefix(end + 1);
    if (!line.ok() || line->AsObject() == nullptr) continue;
    (*line->AsObject())["previous_sha256"] = Sha256Hex(chained);
    chained += EncodeJson(*line);
  }
  return chained;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  Check(bytes);
  Check(Chained(bytes));
  return 0;
}
