// content-id.sig and keys: what holds is what the owner of the key makes, for
// nobody can make another one, and one byte changed in it never holds.
//
// The input is taken for a signature, for either key in PEM form, and for
// something to be signed.

#include "audit/signature_check.h"
#include "manifests/sha256.h"
#include "manifests/signature.h"
#include "tests/fuzz/property.h"

using namespace exhibit;

namespace {

// The first key of RFC 8032, 7.1.
constexpr char kPrivate[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

ContentSignature Sign(const std::string& content_id) {
  const auto signature = SignContentId(content_id, kPrivate, "key");
  fuzz::Require(signature.ok(), "the key signs");
  return *signature;
}

// What the audit says of `bytes` beside a run of this content id.
void CheckVerdict(std::string_view bytes, const ContentSignature& honest) {
  Subject subject;
  subject.kind = SubjectKind::kBundle;
  subject.content_id = honest.content_id;
  subject.stored_signature = std::string(bytes);
  FindingList findings;
  const SignatureReport report = CheckSignature(subject, honest.key, findings);
  const bool holds = report.status == "holds";
  fuzz::Require(holds == (bytes == EncodeSignature(honest)),
                "only what the trusted key made holds");
  fuzz::Require(holds == (findings.empty() && findings.Obstacles().empty()),
                "all else is told");
  FindingList unasked;
  const auto unchecked = CheckSignature(subject, std::nullopt, unasked);
  fuzz::Require(unchecked.status != "holds",
                "without a trusted key nothing holds");
}

void CheckAsSignature(std::string_view bytes) {
  const auto read = DecodeSignature(bytes, "input");
  if (!read.ok()) {
    fuzz::RequireSound(read.error());
    CheckVerdict(bytes, Sign(Sha256Hex("run")));
    return;
  }
  fuzz::Require(EncodeSignature(*read) == bytes,
                "a signature is written back byte for byte");
  const ContentSignature honest = Sign(read->content_id);
  fuzz::Require(SignatureHolds(*read) == (*read == honest),
                "nobody but the owner of the key signs");
  CheckVerdict(bytes, honest);
}

void CheckAsKeys(std::string_view bytes) {
  const auto key = ReadPublicKey(bytes, "input");
  if (key.ok()) {
    fuzz::Require(key->raw.size() == 32 && KeyId(*key).size() == 64,
                  "a key that is read is whole");
  } else {
    fuzz::RequireSound(key.error());
  }
  const auto made = SignContentId(Sha256Hex("run"), bytes, "input");
  if (made.ok()) {
    fuzz::Require(SignatureHolds(*made), "a key that signs verifies");
  } else {
    fuzz::RequireSound(made.error());
  }
}

// Signs the input, and changes one byte of what is made.
void CheckChanged(std::string_view bytes) {
  const ContentSignature honest = Sign(Sha256Hex(bytes));
  fuzz::Require(SignatureHolds(honest), "what the key signs holds");
  const size_t at = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  const char flip =
      static_cast<char>(bytes.size() < 2 || bytes[1] == 0 ? 1 : bytes[1]);
  ContentSignature changed = honest;
  for (std::string* field : {&changed.signature, &changed.key.raw}) {
    char& byte = (*field)[at % field->size()];
    byte = static_cast<char>(byte ^ flip);
    fuzz::Require(!SignatureHolds(changed), "a changed byte does not hold");
    changed = honest;
  }
  changed.content_id = Sha256Hex(honest.content_id);
  fuzz::Require(!SignatureHolds(changed), "another run is not signed");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::TextOf(data, size);
  CheckAsSignature(bytes);
  CheckAsKeys(bytes);
  CheckChanged(bytes);
  return 0;
}
