// exhibit-archive as a user runs it, and its bundles in the hands of others.

#include <gtest/gtest.h>

#include "tests/tool/archive/shell.h"

namespace exhibit {
namespace {

constexpr char kMakeRun[] = R"sh(
mkdir -p run/arrays run/logs run/sources/archive
echo '{"name":"sample"}' > run/manifest.json
echo '{}' > run/freeze.json
echo '{}' > run/attempts.jsonl
seq 1 20000 > run/arrays/a.npy
: > run/arrays/empty.npy
head -c 512 run/arrays/a.npy > run/arrays/block.npy
echo said > run/logs/capture.log
echo 'int main() {}' > run/sources/archive/pack.cpp
echo A > run/sources/A.txt
)sh";

class ArchiveToolTest : public ShellTest {
 protected:
  ArchiveToolTest() { Expect(0, kMakeRun, ""); }
};

TEST_F(ArchiveToolTest, OrdinaryToolsReadABundle) {
  Holds(R"sh(
exhibit-archive pack run -o bundle --quiet > id
xz -t bundle/evidence.tar.xz
gzip -t bundle/sources.tar.gz
mkdir out; cd out
tar -xJf ../bundle/evidence.tar.xz
tar -xzf ../bundle/sources.tar.gz
diff -r ../run run
cd run
sha256sum --quiet -c ../index.sha256
find * -type f | LC_ALL=C sort | xargs sha256sum > ../sums
cmp ../sums ../index.sha256
sha256sum < ../sums | cut -c1-64 | cmp - ../../id
)sh");
}

TEST_F(ArchiveToolTest, GnuTarWritesTheSameStreams) {
  Holds(R"sh(
exhibit-archive pack run -o bundle --quiet
xz -dc bundle/evidence.tar.xz > ours.tar
gzip -dc bundle/sources.tar.gz > our-sources.tar
tar -xf ours.tar index.sha256
gnu() {
  tar --format=ustar --numeric-owner --owner=0 --group=0 --mtime=@0 \
    --mode=0644 -b 1 -cf "$@"
}
gnu theirs.tar index.sha256 run/manifest.json run/freeze.json \
  run/attempts.jsonl run/arrays/a.npy run/arrays/block.npy \
  run/arrays/empty.npy run/logs/capture.log
gnu their-sources.tar run/sources/A.txt run/sources/archive/pack.cpp
cmp ours.tar theirs.tar
cmp our-sources.tar their-sources.tar
)sh");
}

TEST_F(ArchiveToolTest, NothingAroundARunChangesItsBundle) {
  Holds(R"sh(
umask 022
TZ=UTC LC_ALL=C exhibit-archive pack run -o bundle --threads 1 --quiet > id
# The same files made in another order, at another time, with other modes.
mkdir -p again/sources/archive again/logs again/arrays
for f in sources/archive/pack.cpp logs/capture.log arrays/empty.npy \
    arrays/a.npy sources/A.txt arrays/block.npy attempts.jsonl freeze.json \
    manifest.json; do
  cat run/$f > again/$f
  touch -d 2001-02-03 again/$f
  chmod 0700 again/$f
done
umask 077
TZ=Pacific/Auckland LC_ALL=en_US.UTF-8 LANG=de_DE HOME=/nowhere USER=nobody \
  exhibit-archive pack "$PWD/again/" -o "$PWD/other/" --threads 4 --quiet > id2
cmp id id2
diff -r bundle other
)sh");
}

TEST_F(ArchiveToolTest, PackSealAndUnpackGoRound) {
  Holds(R"sh(
exhibit-archive pack run -o bundle --quiet > id
printf '{"content_id":"%s","schema":"exhibit.audit/1"}\n' "$(cat id)" > a.json
echo "# Report on $(cat id)" > r.md
exhibit-archive seal bundle --audit a.json --report r.md --quiet | cmp - id
(cd bundle && sha256sum --quiet -c SHA256SUMS)
test "$(ls bundle | LC_ALL=C sort | tr '\n' ' ')" = \
  "SHA256SUMS audit.json evidence.tar.xz provenance.json report.md sources.tar.gz "
exhibit-archive unpack bundle -o again --quiet | cmp - id
diff -r run again
)sh");
}

TEST_F(ArchiveToolTest, ProvenanceNamesNoPath) {
  Holds(R"sh(
exhibit-archive pack run -o bundle --quiet > id
grep -q "$(cat id)" bundle/provenance.json
grep -q '"schema":"exhibit.provenance/1"' bundle/provenance.json
grep -q '"name":"liblzma"' bundle/provenance.json
for word in "$PWD" /home /tmp; do
  if grep -F "$word" bundle/provenance.json; then exit 1; fi
done
)sh");
}

TEST_F(ArchiveToolTest, NothingThatExistsIsOverwritten) {
  Holds("exhibit-archive pack run -o bundle --quiet");
  Expect(3, "exhibit-archive pack run -o bundle", "error: bundle");
  Expect(3, "exhibit-archive unpack bundle -o run", "error: run");
  Holds("exhibit-archive seal bundle --quiet");
  Expect(3, "exhibit-archive seal bundle", "SHA256SUMS already");
}

TEST_F(ArchiveToolTest, DamageIsReportedAndNothingIsLeftBehind) {
  Holds("exhibit-archive pack run -o bundle --quiet");
  Holds("printf x >> bundle/evidence.tar.xz");
  Expect(3, "exhibit-archive unpack bundle -o again",
         "bytes follow the xz stream");
  Expect(3, "exhibit-archive seal bundle", "bytes follow the xz stream");
  Holds(R"sh(test "$(ls -A | tr '\n' ' ')" = "bundle run ")sh");
}

TEST_F(ArchiveToolTest, ABundleOfAnotherProvenanceSchemaIsUnsupported) {
  Holds(R"sh(
exhibit-archive pack run -o bundle --quiet
sed s,provenance/1,provenance/2, bundle/provenance.json > p
rm bundle/provenance.json
mv p bundle/provenance.json
)sh");
  Expect(4, "exhibit-archive unpack bundle -o again", "provenance/2");
}

TEST_F(ArchiveToolTest, AFullDiskLeavesNothingBehind) {
  // In a name space of its own, with a file system of 64 KiB.
  if (shell_.Run("unshare -rm mount -t tmpfs none run/logs").status != 0) {
    GTEST_SKIP() << "no user name spaces here";
  }
  Expect(0, R"sh(
head -c 200000 /dev/urandom > run/arrays/noise.npy
mkdir small
unshare -rm sh -c '
  mount -t tmpfs -o size=64k none small
  exhibit-archive pack run -o small/bundle --quiet && exit 1
  test $? = 3 && test -z "$(ls -A small)"'
)sh",
         "No space left on device");
}

TEST_F(ArchiveToolTest, AnInterruptedPackLeavesNothingBehind) {
  // Large enough to be busy when the signal comes.
  Expect(143, R"sh(
head -c 60000000 /dev/urandom > run/arrays/noise.npy
exhibit-archive pack run -o bundle --threads 1 --quiet &
while ! ls -d .bundle.partial-* > found 2>&1; do :; done
kill -TERM $!
status=0; wait $! || status=$?
rm found
test "$(ls -A | tr '\n' ' ')" = "run " || exit 99
exit $status
)sh",
         "stopped");
}

TEST_F(ArchiveToolTest, WrongCommandLinesAreUsageErrors) {
  Expect(2, "exhibit-archive", "subcommand");
  Expect(2, "exhibit-archive pack run", "--output");
  Expect(2, "exhibit-archive pack -o bundle", "RUN");
  Expect(2, "exhibit-archive pack run -o bundle --threads 0", "--threads");
  Expect(2, "exhibit-archive pack run -o bundle --threads 1e1", "--threads");
  Expect(2, "exhibit-archive polish run",
         "error: \"polish\" is no command\nhint: the commands are pack, seal, "
         "sign, unpack; see exhibit-archive --help");
  Expect(2, "exhibit-archive pack run",
         "hint: see exhibit-archive pack --help");
  Expect(2, "exhibit-archive --sign key.pem bundle",
         "error: \"--sign\" is no option\nhint: sign is a command, without "
         "dashes; see exhibit-archive sign --help");
  Expect(2, "exhibit-archive pack run -o",
         "error: -o: a value is missing after it");
  Expect(2, "exhibit-archive pack run -o a -o b",
         "error: --output: given more than once: \"a\" and \"b\"");
  Expect(0, "exhibit-archive --help", "exhibit-archive pack run -o bundle");
}

TEST_F(ArchiveToolTest, WhatIsAbsentIsNamed) {
  Expect(3, "exhibit-archive pack nowhere -o bundle", "nowhere");
  Expect(3, "exhibit-archive pack run/logs -o bundle", "no manifest.json");
  Expect(3, "exhibit-archive pack run -o no/such/bundle", "no/such/bundle");
  Expect(3, "exhibit-archive unpack nowhere -o again", "nowhere");
}

TEST_F(ArchiveToolTest, WhatIsWrongInAFolderIsNamedWithIt) {
  Holds("exhibit-archive pack run -o bundle --quiet");
  Expect(3, "cp -r bundle b1; touch b1/foo; exhibit-archive unpack b1 -o again",
         "error: b1: holds \"foo\", which is no part of a bundle\nhint: ");
  Expect(3, "cp -r bundle b2; rm b2/sources.tar.gz; exhibit-archive seal b2",
         "error: b2: sources.tar.gz is missing\nhint: ");
  Expect(3,
         "cp -r bundle b3; truncate -s 100 b3/evidence.tar.xz; "
         "exhibit-archive unpack b3 -o again",
         "error: b3: evidence.tar.xz: xz offset 100: ends inside");
  Expect(3, "cp -r run r; touch 'r/A name'; exhibit-archive pack r -o b4",
         "error: r: path \"A name\" cannot be archived\nhint: ");
  Expect(3, "exhibit-archive seal run", "error: run: is a run, not a bundle");
  Expect(3, "exhibit-archive pack bundle -o b5",
         "error: bundle: is a bundle, not a run");
}

TEST_F(ArchiveToolTest, WhatIsMadeMustNotLieInsideItsOrigin) {
  Expect(3, "exhibit-archive pack run -o run/bundle",
         "error: run/bundle: lies inside the run run\nhint: ");
  Holds("exhibit-archive pack run -o bundle --quiet");
  Expect(3, "exhibit-archive unpack bundle -o bundle/again",
         "error: bundle/again: lies inside the bundle bundle\nhint: ");
  Holds("exhibit-archive unpack bundle -o bundle-again --quiet");
}

TEST_F(ArchiveToolTest, ClaimsOfAnotherSchemaAreUnsupported) {
  Holds(R"sh(
echo '{"schema":"exhibit.claims/2","claims":[]}' > c2.json
echo '{"claims":[]}' > c0.json
)sh");
  Expect(4, "exhibit-archive pack run -o bundle --claims c2.json",
         "error: c2.json: schema is \"exhibit.claims/2\", expected "
         "exhibit.claims/1\nhint: ");
  Expect(3, "exhibit-archive pack run -o bundle --claims c0.json",
         "error: c0.json: has no field \"schema\"");
  Holds("test ! -e bundle");
}

TEST_F(ArchiveToolTest, APathWithALineEndMakesNoSecondLine) {
  Expect(3, "exhibit-archive pack \"$(printf 'a\\nb')\" -o bundle",
         "error: a\\nb: there is no such folder\nhint: ");
}

}  // namespace
}  // namespace exhibit
