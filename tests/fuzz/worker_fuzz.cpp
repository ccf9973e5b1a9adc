// What capture and its workers say to each other, and the report that a
// compiler leaves for capture: what is accepted reads back as it is written.

#include "capture/realization.h"
#include "capture/worker_report.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

template <typename Message>
void Check(std::string_view bytes, Result<Message> (*decode)(std::string_view),
           std::string (*encode)(const Message&)) {
  const Result<Message> message = decode(bytes);
  if (!message.ok()) return fuzz::RequireSound(message.error());
  const std::string written = encode(*message);
  const Result<Message> again = decode(written);
  fuzz::Require(again.ok(), "what is written is accepted");
  fuzz::Require(encode(*again) == written, "writing is a fixed point");
}

void CheckRealization(std::string_view bytes) {
  const auto facts = ReadRealization(bytes, "input");
  if (!facts.ok()) return fuzz::RequireSound(facts.error());
  const auto& flags = facts->required_cpu_flags;
  fuzz::Require(std::is_sorted(flags.begin(), flags.end()), "sorted flags");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  Check(bytes, DecodeTask, EncodeTask);
  Check(bytes, DecodeBuildFacts, EncodeBuildFacts);
  Check(bytes, DecodeCallReport, EncodeCallReport);
  CheckRealization(bytes);
  return 0;
}
