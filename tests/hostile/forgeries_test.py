#!/usr/bin/env python3
"""A careful attacker edits one thing, makes every digest true again, packs,
audits and seals. Each forgery is met by the finding that the table names.

What an audit cannot tell stands in a table of its own: there the audit must say
so, under `not_verified`, in so many words.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tool/pipeline"))
import pipeline  # noqa: E402
from forger import ForgedRun  # noqa: E402
from forgeries import (ADMITTED, CAUGHT, own_source, samples, unlisted_captured_file,  # noqa: E402
                       unlisted_file)
from pipeline import (COULD_NOT, DOES_NOT_HOLD, VERIFIED, audit, files_below, make_bundle, must, read, seal,  # noqa: E402
                      sha256, tool, write)


class Forgeries(pipeline.PipelineTest):
    def forge(self, change):
        """The sealed bundle of the changed run; the run itself where a stray file
        stands in it, which pack refuses."""
        forged = ForgedRun(self.run_folder)
        change(forged)
        forged.make_consistent()
        folder = os.path.join(self.folder, change.__name__)
        run = os.path.join(folder, "run")
        forged.write(run)
        if change in (unlisted_file, unlisted_captured_file):
            self.assertEqual(COULD_NOT, tool("archive", "pack", run, "-o", os.path.join(folder, "bundle")).returncode)
            return run
        return make_bundle(folder, run)

    def test_the_forger_changes_nothing_by_itself(self):
        bundle = self.forge(lambda forged: None)
        self.assertEqual(audit(self.bundle), audit(bundle))
        self.assertEqual(VERIFIED, audit(bundle)[0])

    def test_every_forgery_is_met_by_its_finding(self):
        for change, code in CAUGHT:
            with self.subTest(change.__name__):
                status, result = audit(self.forge(change))
                found = {f["code"]: f["stage"] for f in result["findings"]}
                self.assertIn(code, found)
                self.assertEqual((DOES_NOT_HOLD, "failed"), (status, result["verdict"]))
                print(f"{change.__name__}: {code} in stage {found[code]}", file=sys.stderr)

    def test_what_cannot_be_told_is_admitted(self):
        published = sha256(read(self.run_folder, "manifest.json"))
        for change, word, published_helps in ADMITTED:
            with self.subTest(change.__name__):
                bundle = self.forge(change)
                status, result = audit(bundle)
                self.assertEqual((VERIFIED, []), (status, result["findings"]))
                said = [line.split(":")[0] for line in result["not_verified"]]
                self.assertIn(word, said)
                status, result = audit(bundle, "--expect-manifest", published)
                self.assertEqual(["expectation-not-met"] if published_helps else [],
                                 [f["code"] for f in result["findings"]])
                self.assertNotEqual(result["content_id"], audit(self.bundle)[1]["content_id"])
                status, result = audit(bundle, "--expect-content", audit(self.bundle)[1]["content_id"])
                self.assertEqual((DOES_NOT_HOLD, "failed"), (status, result["verdict"]))

    def assert_finding(self, subject, code, path):
        status, result = audit(subject)
        self.assertEqual(DOES_NOT_HOLD, status)
        self.assertIn((code, path), [(f["code"], f["path"]) for f in result["findings"]])

    def test_a_manifest_edited_after_the_freeze_is_found(self):
        forged = ForgedRun(self.run_folder)
        forged.edit_manifest(lambda manifest: manifest["tolerance"].update(absolute=1e-3))
        run = os.path.join(self.folder, "run")
        forged.write(run)
        self.assertEqual(COULD_NOT, tool("archive", "pack", run, "-o", os.path.join(self.folder, "bundle")).returncode)
        self.assert_finding(run, "manifest-changed", "manifest.json")

    def test_an_edited_derived_file_is_found_although_sealed_again(self):
        for name in ("audit.json", "report.md"):
            with self.subTest(name):
                bundle = os.path.join(self.folder, name + "-bundle")
                must("archive", "pack", self.run_folder, "-o", bundle)
                seal(bundle, self.folder)
                data = read(bundle, name)
                changed = data.replace(b"0.6", b"0.5", 1) if b"0.6" in data else data[:-2] + b"\n"
                self.assertNotEqual(data, changed)
                write(changed, bundle, name)
                self.write_seal(bundle)
                self.assert_finding(bundle, "derived-differs", name)

    def test_provenance_of_another_run_is_found_although_sealed_again(self):
        other = self.forge(samples)
        bundle = os.path.join(self.folder, "bundle")
        must("archive", "pack", self.run_folder, "-o", bundle)
        write(read(other, "provenance.json"), bundle, "provenance.json")
        self.write_seal(bundle)
        self.assert_finding(bundle, "provenance-differs", "provenance.json")

    def test_evidence_of_one_run_with_sources_of_another_is_found(self):
        other = self.forge(own_source)
        bundle = os.path.join(self.folder, "bundle")
        must("archive", "pack", self.run_folder, "-o", bundle)
        write(read(other, "sources.tar.gz"), bundle, "sources.tar.gz")
        self.write_seal(bundle)
        self.assert_finding(bundle, "index-differs", "sources/exhibit/README.md")

    def write_seal(self, bundle):
        names = [name for name in files_below(bundle) if name != "SHA256SUMS"]
        write("".join(f"{sha256(read(bundle, name))}  {name}\n" for name in names).encode(), bundle, "SHA256SUMS")


if __name__ == "__main__":
    pipeline.main()
