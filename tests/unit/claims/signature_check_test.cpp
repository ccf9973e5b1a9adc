#include "audit/signature_check.h"

#include <gtest/gtest.h>

#include "audit/audit.h"
#include "audit/json_view.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit::testing {
namespace {

constexpr char kPrivate[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

Subject Bundle() {
  Subject subject = SubjectOf(HonestRun().Seal());
  subject.kind = SubjectKind::kBundle;
  return subject;
}

ContentSignature Sign(const std::string& content_id) {
  return *SignContentId(content_id, kPrivate, "key.pem");
}

PublicKey OtherKey() { return PublicKey{std::string(32, '\x11')}; }

BroughtAlong Trusting(const PublicKey& key) { return {std::nullopt, key}; }

std::string StatusOf(const AuditResult& result) {
  return TextAt(result.json, "signature.status");
}

TEST(SignatureCheck, WithATrustedKeySaysWhoSigned) {
  Subject subject = Bundle();
  const ContentSignature signature = Sign(subject.content_id);
  subject.stored_signature = EncodeSignature(signature);
  const AuditResult result = Audit(subject, {}, Trusting(signature.key));
  EXPECT_EQ(result.verdict, Verdict::kVerified) << DescribeFindings(result);
  EXPECT_EQ(StatusOf(result), "holds");
  EXPECT_EQ(
      SignatureText(result.signature),
      "signed by key " + KeyId(signature.key) + ", the one given with --key");
}

TEST(SignatureCheck, WithoutAKeyNobodyIsSaidToHaveSigned) {
  Subject subject = Bundle();
  const std::string unsigned_bytes = EncodeJson(Audit(subject).json);
  subject.stored_signature = EncodeSignature(Sign(subject.content_id));
  const AuditResult result = Audit(subject);
  EXPECT_EQ(EncodeJson(result.json), unsigned_bytes);
  EXPECT_NE(SignatureText(result.signature).find("key not given"),
            std::string::npos);
}

TEST(SignatureCheck, OfAnotherKeyIsAFinding) {
  Subject subject = Bundle();
  subject.stored_signature = EncodeSignature(Sign(subject.content_id));
  const AuditResult result = Audit(subject, {}, Trusting(OtherKey()));
  EXPECT_EQ(CodesOf(result),
            std::vector<std::string>{"signature-of-another-key"});
  EXPECT_EQ(StatusOf(result), "of-another-key");
  EXPECT_NE(SignatureText(result.signature).find("not by the one given"),
            std::string::npos);
}

TEST(SignatureCheck, MissingIsAFindingForWhoTrustsAKey) {
  EXPECT_EQ(CodesOf(Audit(Bundle(), {}, Trusting(OtherKey()))),
            std::vector<std::string>{"signature-missing"});
  const AuditResult nobody_asked = Audit(Bundle());
  EXPECT_EQ(nobody_asked.verdict, Verdict::kVerified);
  EXPECT_TRUE(SignatureText(nobody_asked.signature).starts_with("unsigned"));
}

TEST(SignatureCheck, ThatDoesNotHoldIsAFindingWithAndWithoutAKey) {
  Subject subject = Bundle();
  ContentSignature forged = Sign(subject.content_id);
  forged.signature[40] ^= 1;
  const ContentSignature moved = Sign(std::string(64, 'a'));
  // Claims to be by the trusted key, made by another.
  ContentSignature borrowed = Sign(subject.content_id);
  borrowed.key = OtherKey();
  for (const ContentSignature& signature : {forged, moved, borrowed}) {
    subject.stored_signature = EncodeSignature(signature);
    EXPECT_EQ(CodesOf(Audit(subject)),
              std::vector<std::string>{"signature-unsound"});
    const AuditResult asked = Audit(subject, {}, Trusting(signature.key));
    EXPECT_EQ(CodesOf(asked), std::vector<std::string>{"signature-unsound"});
    EXPECT_EQ(StatusOf(asked), "unsound");
    EXPECT_TRUE(SignatureText(asked.signature).starts_with("does not hold"));
  }
  subject.stored_signature = "signed: me\n";
  EXPECT_EQ(CodesOf(Audit(subject)),
            std::vector<std::string>{"signature-unsound"});
}

TEST(SignatureCheck, TheStoredAuditDoesNotDependOnIt) {
  Subject subject = Bundle();
  subject.stored_audit = EncodeJson(Audit(subject).json);
  const ContentSignature signature = Sign(subject.content_id);
  subject.stored_signature = EncodeSignature(signature);
  EXPECT_EQ(Audit(subject).verdict, Verdict::kVerified);
  EXPECT_EQ(Audit(subject, {}, Trusting(signature.key)).verdict,
            Verdict::kVerified);
}

}  // namespace
}  // namespace exhibit::testing
