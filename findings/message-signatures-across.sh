#!/usr/bin/env bash
# http-message-signatures 1.0.6 of npm signs, http-message-signatures 3.0.0 of PyPI verifies (RFC 9421), with the same
# key, components and message.
#
# A guess: the signature verifies for all components that both support, as both build the signature base by the RFC.
# Found: four differences in the base. npm leaves an empty path out of @target-uri, where PyPI has `/` (2.2.2). It
# encodes the value of @query-param with encodeURIComponent(), which leaves ' and ~ as they are, though 2.2.8 requires
# the set of application/x-www-form-urlencoded. It reads the Decimal 2.0 under `key` as a number, and writes it as 2.
# It takes a Dictionary whose first member has no value for a List or an Item, and does not sign it at all. So a
# signature that verifies with all other values is refused because of an apostrophe in a query, or at the root of a
# site.
#
# Fails if that changes. Needs Node 20 or later, npm and Python 3.10 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 http-message-signatures@1.0.6 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet http-message-signatures==3.0.0 http-sf==1.5.0
cat >sign.mjs <<'JS'
import signatures from 'http-message-signatures';

const key = signatures.createSigner('secret', 'hmac-sha256', 'name');
const params = ['created', 'keyid', 'alg'];
const value = '@query-param;name="a"';
const member = 'x-field;key="a"';
const cases = [
  ['@target-uri', 'https://example.com/?a=b'],
  ['@target-uri', 'https://example.com'],
  ['@path', 'https://example.com'],
  ['@query', 'https://example.com/'],
  ['@authority', 'https://EXAMPLE.com:443/'],
  [value, 'https://example.com/?a=b%20c'],
  [value, 'https://example.com/?a=b*'],
  [value, 'https://example.com/?a=it%27s'],
  [value, 'https://example.com/?a=~b'],
  [member, 'https://example.com/', { 'x-field': 'a=2.5;b' }],
  [member, 'https://example.com/', { 'x-field': 'a=2.0' }],
  [member, 'https://example.com/', { 'x-field': 'b, a' }],
  [member, 'https://example.com/', { 'x-field': 'a' }],
];
for (const [component, url, headers = {}] of cases) {
  const shown = `${component} ${url} ${Object.values(headers)}`.trim();
  try {
    const signed = await signatures.httpbis.signMessage(
      { key, params, fields: [component] },
      { method: 'GET', url, headers },
    );
    // A request always has a path, if only `/`: the recipient never sees an empty one.
    console.log(JSON.stringify({ shown, url: new URL(url).href, headers: signed.headers }));
  } catch ({ message }) {
    console.log(JSON.stringify({ shown, message }));
  }
}
JS
cat >verify.py <<'PY'
import json
import sys
from types import SimpleNamespace

from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature
from http_message_signatures.algorithms import HMAC_SHA256


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        return b"secret"


verifier = HTTPMessageVerifier(signature_algorithm=HMAC_SHA256, key_resolver=Keys())
for case in map(json.loads, sys.stdin):
    outcome = case.get("message", "verified")
    if "headers" in case:
        try:
            verifier.verify(SimpleNamespace(method="GET", url=case["url"], headers=case["headers"]))
        except InvalidSignature:
            outcome = "refused"
    print(f"{case['shown']}: {outcome}")
PY
node sign.mjs | python/bin/python verify.py | tee out.txt
diff out.txt - <<'TEXT'
@target-uri https://example.com/?a=b: verified
@target-uri https://example.com: refused
@path https://example.com: verified
@query https://example.com/: verified
@authority https://EXAMPLE.com:443/: verified
@query-param;name="a" https://example.com/?a=b%20c: verified
@query-param;name="a" https://example.com/?a=b*: verified
@query-param;name="a" https://example.com/?a=it%27s: refused
@query-param;name="a" https://example.com/?a=~b: refused
x-field;key="a" https://example.com/ a=2.5;b: verified
x-field;key="a" https://example.com/ a=2.0: refused
x-field;key="a" https://example.com/ b, a: Unable to parse header as dictionary
x-field;key="a" https://example.com/ a: Unable to parse header as dictionary
TEXT
