"""What stands beside the subject: claims and a signature; and what the caller expects."""

import base64
import json
import os
import subprocess
import tempfile

from bundle_maker import canonical, sha256
from corpus import CANNOT_VERIFY, VERIFIED, add, changed_bundle

# ---- Claims.


def claims(change, **fields):
    """claims.json with one claim, the outcome, changed by `change`."""
    def edit(bundle):
        text = {"schema": "exhibit.claims/1", **fields,
                "claims": [{"case": "tiny", "quantity": "outcome", "value": "faster"}]}
        bundle.more["claims.json"] = change(json.dumps(text, indent=1).encode() + b"\n")
    return changed_bundle(edit)


def claiming(*quoted):
    return changed_bundle(lambda bundle: bundle.more.__setitem__("claims.json", json.dumps(
        {"schema": "exhibit.claims/1", "claims": list(quoted)}).encode()))


def ratio(**fields):
    return {"case": "tiny", "quantity": "paired-ratio", "value": 0.9, "digits": 1, **fields}


DEEP = 20000
MALFORMED = {
    "empty": claims(lambda c: b""),
    "not JSON": claims(lambda c: b"faster\n"),
    "a list": claims(lambda c: b"[]\n"),
    "deep lists": claims(lambda c: c.replace(b'"faster"', b"[" * DEEP + b"]" * DEEP)),
    "repeated key": claims(lambda c: c.replace(b'"value"', b'"value": "slower", "value"')),
    "trailing comma": claims(lambda c: c.replace(b'"faster"', b'"faster",')),
    "byte-order mark": claims(lambda c: b"\xef\xbb\xbf" + c),
    "byte that is no UTF-8": claims(lambda c: c.replace(b"faster", b"\xff")),
    "unknown field": claims(lambda c: c.replace(b'"value"', b'"vaule": 1, "value"')),
    "unknown field at the top": claims(lambda c: c.replace(b'"claims"', b'"mercy": 1, "claims"')),
    "unknown quantity": claims(lambda c: c.replace(b"outcome", b"beauty")),
    "no schema": claims(lambda c: b'{"claims": []}\n'),
    "no claims": claims(lambda c: b'{"schema": "exhibit.claims/1"}\n'),
    "a claim that is a text": claiming("faster"),
    "a thousand and one": claiming(*[ratio()] * 1001),
    "no value": claiming({"case": "tiny", "quantity": "paired-ratio", "digits": 1}),
    "a value as text": claiming(ratio(value="0.9")),
    "a value without bounds": claiming(ratio(value=1e300)),
    "more decimals than said": claiming(ratio(value=0.9001)),
    "no digits": claiming({"case": "tiny", "quantity": "paired-ratio", "value": 0.9}),
    "negative digits": claiming(ratio(digits=-1)),
    "a thousand digits": claiming(ratio(digits=1000)),
    "an unknown unit": claiming({"case": "tiny", "quantity": "time", "variant": "new", "unit": "d", "value": 1,
                                 "digits": 0}),
    "a content id that is none": claims(lambda c: c, content_id="../x"),
}
for name, make in MALFORMED.items():
    add("claims", name, make, "claims-malformed", "claims.json")
add("claims", "as they are", claims(lambda c: c), VERIFIED)
add("claims", "with carriage returns", claims(lambda c: c.replace(b"\n", b"\r\n")), VERIFIED)
add("claims", "none in the list", claiming(), VERIFIED)
add("claims", "above the limit", claims(lambda c: c + b" " * (1 << 21)), "over-limit", "claims.json")
add("claims", "of a later schema", claims(lambda c: c.replace(b"claims/1", b"claims/2")), CANNOT_VERIFY, "claims.json")
add("claims", "of another run", claims(lambda c: c, content_id="0" * 64), "claims-of-another-run", "claims.json")
add("claims", "another outcome", claims(lambda c: c.replace(b'"faster"', b'"slower"')), "claim-differs", "claims.json")
add("claims", "another ratio", claiming(ratio(value=0.5)), "claim-differs", "claims.json")
add("claims", "another last digit", claiming(ratio(value=0.899, digits=3)), "claim-differs", "claims.json")
add("claims", "a case that is not there", claiming(ratio(case="\u001b[2J")), "claim-unresolved", "claims.json")
add("claims", "a variant that is not there", claiming(
    {"case": "tiny", "quantity": "time", "variant": "newer", "unit": "us", "value": 1, "digits": 0}),
    "claim-unresolved", "claims.json")
for quantity in ("time-ratio", "speedup", "geomean", "product-of-ratios", "mean-of-ratios", "speedup-across-runs",
                 "range-as-interval", "gpu-time", "cause"):
    add("claims", f"of a {quantity}", claiming({"quantity": quantity}), "claim-refused", "claims.json")

# ---- The signature. The key is of RFC 8032, 7.1, test 1, and so known to everybody.

SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
OTHER_SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")  # Test 2.
ANOTHER = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
ORDER = 2 ** 252 + 27742317777372353535851937790883648493


def pem(kind, der):
    return f"-----BEGIN {kind} KEY-----\n{base64.b64encode(der).decode()}\n-----END {kind} KEY-----\n".encode()


PUBLIC_PEM = pem("PUBLIC", bytes.fromhex("302a300506032b6570032100" + PUBLIC))


def sign(content_id, seed=SEED):
    with tempfile.TemporaryDirectory(prefix="exhibit-") as folder:
        key, text = os.path.join(folder, "key.pem"), os.path.join(folder, "text")
        with open(key, "wb") as file:
            file.write(pem("PRIVATE", bytes.fromhex("302e020100300506032b657004220420") + seed))
        with open(text, "wb") as file:
            file.write(f"exhibit signature 1: content id\n{content_id}\n".encode())
        return subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", text], check=True,
                              capture_output=True).stdout


def signed(change=lambda record: None, spell=lambda text: text, sign_by=SEED):
    """content-id.sig, its fields changed by `change`, its bytes by `spell`."""
    def edit(bundle):
        content_id = sha256(bundle["index"])
        record = {"schema": "exhibit.signature/1", "content_id": content_id, "public_key": PUBLIC if sign_by == SEED else ANOTHER,
                  "signature": sign(content_id, sign_by).hex()}
        change(record)
        bundle.more["content-id.sig"] = spell(canonical(record))
    return changed_bundle(edit)


def with_scalar(record):
    """The same signature with another spelling of its number: s + order."""
    data = bytes.fromhex(record["signature"])
    scalar = int.from_bytes(data[32:], "little") + ORDER
    record["signature"] = (data[:32] + scalar.to_bytes(32, "little")).hex()


def of_another_run(record):
    record.update(content_id=sha256(b""), signature=sign(sha256(b"")).hex())


SIGNATURES = {
    "of another run": signed(of_another_run),
    "of another run under this content id": signed(lambda r: r.update(signature=sign(sha256(b"")).hex())),
    "a bit": signed(lambda r: r.update(signature="%0128x" % (int(r["signature"], 16) ^ 1))),
    "zeros": signed(lambda r: r.update(signature="0" * 128)),
    "another spelling of the number": signed(with_scalar),
    "another key": signed(lambda r: r.update(public_key=ANOTHER)),
    "a key of small order": signed(lambda r: r.update(public_key="01" + "0" * 62, signature="01" + "0" * 126)),
    "a key that is no point": signed(lambda r: r.update(public_key="f" * 64)),
    "key too short": signed(lambda r: r.update(public_key=PUBLIC[:62])),
    "signature too long": signed(lambda r: r.update(signature=r["signature"] + "00")),
    "capitals": signed(lambda r: r.update(signature=r["signature"].upper())),
    "unknown field": signed(lambda r: r.update(trusted=True)),
    "no key": signed(lambda r: r.pop("public_key")),
    "no schema": signed(lambda r: r.pop("schema")),
    "an empty object": signed(spell=lambda s: b"{}"),
    "no JSON": signed(spell=lambda s: b"junk"),
    "blanks": signed(spell=lambda s: s.replace(b":", b": ")),
    "carriage returns": signed(spell=lambda s: s.replace(b"\n", b"\r\n")),
    "no byte": signed(spell=lambda s: b""),
    "cut": signed(spell=lambda s: s[:50]),
    "in PEM": signed(spell=lambda s: PUBLIC_PEM),
}
for name, make in SIGNATURES.items():
    add("signature", name, make, "signature-unsound", "content-id.sig")
add("signature", "as it is", signed(), VERIFIED)
add("signature", "as it is, by the trusted key", signed(), VERIFIED, words=("--key", "KEY"))
add("signature", "of a later schema", signed(lambda r: r.update(schema="exhibit.signature/2")), CANNOT_VERIFY,
    "content-id.sig")
add("signature", "above the limit", signed(spell=lambda s: s + b" " * 5000), "over-limit", "content-id.sig")
add("signature", "none", changed_bundle(lambda b: None), "signature-missing", "content-id.sig", words=("--key", "KEY"))


add("signature", "by another key than the trusted one", signed(sign_by=OTHER_SEED), "signature-of-another-key",
    "content-id.sig", words=("--key", "KEY"))

# ---- What the caller expects.

add("expected", "another content id", changed_bundle(lambda b: None), "expectation-not-met", "content id",
    words=("--expect-content", "0" * 64))
add("expected", "another manifest", changed_bundle(lambda b: None), "expectation-not-met", "manifest.json",
    words=("--expect-manifest", "0" * 64))
