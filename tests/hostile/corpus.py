"""The list of hostile subjects: each is one thing that is wrong, the code of the
finding that meets it, and a word of the place where that finding stands.

Parts of the list stand in hostile_*.py; each adds to CASES when it is loaded.
"""

import dataclasses
import typing

VERIFIED = "verified"  # In the place of a code: hostile looks, but sound.
CANNOT_VERIFY = "cannot-verify"  # No finding but an obstacle.

CASES = []


@dataclasses.dataclass
class Case:
    group: str
    name: str
    make: typing.Callable  # Base -> something that has write(folder).
    code: str
    where: str
    message: str  # What the finding must say, besides.
    words: tuple = ()  # For the command line; KEY is the file of a public key.


def add(group, name, make, code, where="", message="", words=()):
    CASES.append(Case(group, name, make, code, where, message, words))


def changed_bundle(change):
    """`change` edits a Bundle (bundle_maker.py)."""
    def make(base):
        bundle = base.bundle()
        change(bundle)
        return bundle
    return make


def changed_run(change, after=lambda files: None):
    """`change` edits a ForgedRun, whose digests are then made true again;
    `after` edits its files once they are."""
    def make(base):
        forged = base.forged()
        change(forged)
        forged.make_consistent()
        after(forged.files)
        return base.bundle(forged.files)
    return make


def changed_files(after):
    """`after` edits the files of the run: path -> bytes."""
    return changed_run(lambda forged: None, after)
