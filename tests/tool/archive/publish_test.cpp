// What an author does before a bundle leaves the house: stray files, private
// names, claims, a signature.

#include <gtest/gtest.h>

#include <filesystem>

#include "manifests/run_layout.h"
#include "tests/tool/archive/shell.h"
#include "tests/unit/audit/run_fixture.h"

namespace exhibit {
namespace {

class PublishTest : public ShellTest {
 protected:
  PublishTest() {
    std::filesystem::create_directory(shell_.folder() + "/run");
    exhibit::testing::WriteRun(exhibit::testing::HonestRun().Seal(),
                               shell_.folder() + "/run");
  }
};

TEST_F(PublishTest, AWholeRunIsPackedWithoutAWarningOrProgressInALog) {
  Holds(R"sh(
exhibit-archive pack run -o bundle > id 2> talk
if grep -e warning talk; then exit 1; fi
if grep -e 'exhibit-archive: pack' talk; then exit 1; fi
grep -q '"name":"libcrypto"' bundle/provenance.json
if grep -q '"version":""' bundle/provenance.json; then exit 1; fi
)sh");
}

TEST_F(PublishTest, AStrayFileIsRefusedAndNamed) {
  for (const char* path : {"notes.txt", "logs/build.log", "arrays/mine.npy",
                           "sources/extra.c", "replays/tiny/visit-12.json",
                           "captures/tiny/old/core", "cases/tiny/old.json"}) {
    Expect(3,
           "mkdir -p run/$(dirname " + std::string(path) + "); echo > run/" +
               path + "; exhibit-archive pack run -o bundle",
           std::string("holds ") + path);
    Holds(std::string("rm run/") + path + "; test ! -e bundle");
  }
}

TEST_F(PublishTest, AnUnfinishedRunIsPackedWithAWarning) {
  Holds("rm run/" + VisitPath("tiny", 11) + " run/" + VisitPath("tiny", 10));
  Expect(0, "exhibit-archive pack run -o bundle",
         "case tiny has 10 of 12 timed visits");
  Expect(0, "rm -r bundle; exhibit-archive pack run -o bundle --quiet", "");
}

TEST_F(PublishTest, PrivateNamesAreRefusedUnlessAllowed) {
  Holds("echo '{\"by\":\"/home/alexandra/x\"}' >> run/attempts.jsonl");
  Expect(3, "HOME=/home/alexandra exhibit-archive pack run -o bundle",
         "attempts.jsonl: holds the home folder");
  Expect(3, "USER=alexandra HOME=/nowhere exhibit-archive pack run -o bundle",
         "attempts.jsonl: holds the user name");
  Holds("test ! -e bundle");
  Expect(0, "USER=bob exhibit-archive pack run -o bundle",
         "the user name bob is not looked for");
  Holds(R"sh(
USER=alexandra exhibit-archive pack run -o other --allow-private --quiet
diff -r bundle other
)sh");
}

TEST_F(PublishTest, TheWorkingFolderIsRefused) {
  Holds("pwd >> run/attempts.jsonl");
  Expect(3, "exhibit-archive pack run -o bundle",
         "attempts.jsonl: holds the working folder");
}

TEST_F(PublishTest, ClaimsAreCheckedFromTheBundleAndFromBeside) {
  Holds(R"sh(
cat > good.json <<'END'
{"schema": "exhibit.claims/1", "claims": [
  {"case": "tiny", "quantity": "paired-ratio", "value": 0.9, "digits": 2},
  {"case": "tiny", "quantity": "outcome", "value": "faster"}]}
END
sed s/0.9/0.8/ good.json > bad.json
exhibit-archive pack run -o bundle --claims good.json --quiet > id
exhibit-archive pack run -o bare --quiet | cmp - id
exhibit-audit --unsealed bundle > audit.json
grep -q '"status":"supported"' audit.json
exhibit-audit --unsealed --report bundle > report.md
exhibit-archive seal bundle --audit audit.json --report report.md --quiet
exhibit-audit bundle | cmp - bundle/audit.json
/usr/bin/python3 "$SOURCE/tests/independent/review.py" bundle
exhibit-audit --claims good.json --unsealed bare | grep -q supported
)sh");
  Expect(1, "exhibit-audit --claims bad.json --table bundle", "claim-differs");
  Expect(1, R"sh(
exhibit-archive pack run -o wrong --claims bad.json --quiet
exhibit-audit --table wrong)sh",
         "claim-differs");
  Expect(3, "exhibit-archive pack run -o none --claims audit.json",
         "exhibit.claims/1");
}

TEST_F(PublishTest, ASignedBundleNamesItsKeyAndKeepsItsAudit) {
  Holds(R"sh(
openssl genpkey -algorithm ed25519 -out key.pem 2> talk
openssl pkey -in key.pem -pubout -out pub.pem
openssl genpkey -algorithm ed25519 -out key2.pem 2> talk
openssl pkey -in key2.pem -pubout -out pub2.pem
exhibit-archive pack run -o bundle --quiet > id
exhibit-audit --unsealed bundle > audit.json
exhibit-archive seal bundle --audit audit.json --quiet | cmp - id
exhibit-archive sign bundle --key key.pem --quiet > key-id
openssl pkey -pubin -in pub.pem -outform DER | sha256sum | cut -c1-64 |
  cmp - key-id
exhibit-audit bundle 2> talk | cmp - bundle/audit.json
grep -q "signature: signed by key $(cat key-id); key not given" talk
(cd bundle && sha256sum --quiet -c SHA256SUMS)
exhibit-audit --key pub.pem bundle 2> talk | grep -q '"status":"holds"'
grep -q "signed by key $(cat key-id)" talk
)sh");
  Expect(1, "exhibit-audit --key pub2.pem --table bundle",
         "signature-of-another-key");
  Expect(3, "exhibit-archive sign bundle --key key.pem", "already");
  Expect(1,
         "rm bundle/content-id.sig; exhibit-audit --key pub.pem --table bundle",
         "signature-missing");
  Expect(3, "exhibit-archive sign bundle --key pub.pem",
         "expected the private one");
  Expect(3, "exhibit-audit --key key.pem bundle", "expected the public one");
}

TEST_F(PublishTest, OpenSslAloneChecksASignature) {
  Holds(R"sh(
openssl genpkey -algorithm ed25519 -out key.pem 2> talk
openssl pkey -in key.pem -pubout -out pub.pem
exhibit-archive pack run -o bundle --quiet > id
exhibit-archive sign bundle --key key.pem --quiet > key-id
printf 'exhibit signature 1: content id\n%s\n' "$(cat id)" > signed
sed 's/.*"signature":"\([0-9a-f]*\)".*/\1/' bundle/content-id.sig |
  python3 -c 'import sys; sys.stdout.buffer.write(
bytes.fromhex(sys.stdin.read()))' > sig
openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in signed -sigfile sig
)sh");
}

}  // namespace
}  // namespace exhibit
