// What a replay and its workers say to each other: parts of bytes, which read
// back as they were packed.

#include "replay/visit_message.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  const auto parts = UnpackParts(bytes);
  if (!parts.ok()) {
    fuzz::RequireSound(parts.error());
    fuzz::Require(
        !DecodeVisitTask(bytes).ok() && !DecodeVisitReport(bytes).ok(),
        "a message consists of parts");
    return 0;
  }
  fuzz::Require(PackParts(*parts) == bytes,
                "parts are packed again byte for byte");
  const auto task = DecodeVisitTask(bytes);
  if (!task.ok()) fuzz::RequireSound(task.error());
  const auto report = DecodeVisitReport(bytes);
  if (!report.ok()) {
    fuzz::RequireSound(report.error());
  } else if (bytes.find("\"x-") == std::string_view::npos) {
    fuzz::Require(EncodeVisitReport(*report) == bytes,
                  "a report is written back byte for byte");
  }
  return 0;
}
