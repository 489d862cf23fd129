#!/usr/bin/env bash
# Digest authentication (RFC 7616) in clients for Python: requests 2.34.2, httpx 0.28.1, aiohttp 3.14.5 and niquests
# 3.21.2. The server asks for Digest with parameter names in capitals, or offers a choice: two challenges in one
# WWW-Authenticate field, or in two (RFC 9110 11.6.1).
#
# A guess: all answer with Digest each time, as all these forms are valid.
# Found: none does. httpx and aiohttp see only the first challenge of a field, and aiohttp only the first of two fields;
# many servers put Negotiate or Basic there. Both fail at an algorithm that they do not know, though they know that of
# the next challenge, and RFC 7616 3.3 lets a client ignore the first. None of the four recognises parameter names in
# capitals, and the KeyError of two does not hint at authentication.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5 niquests==3.21.2
cat >run.py <<'PY'
import asyncio
import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import httpx
import niquests
import requests

DIGEST = 'Digest realm="site", nonce="once", qop="auth", algorithm=MD5'
SHA_1024 = 'Digest realm="site", nonce="once", qop="auth", algorithm=SHA-1024'
CHALLENGES = {
    "alone": [DIGEST],
    "lower case": ['digest realm="site", nonce="once", qop="auth", algorithm=MD5'],
    "names in capitals": ['Digest REALM="site", NONCE="once", QOP="auth", ALGORITHM=MD5'],
    "before Basic": [f'{DIGEST}, Basic realm="site"'],
    "after Basic": [f'Basic realm="site", {DIGEST}'],
    "in a field after Basic": ['Basic realm="site"', DIGEST],
    "in a field after Negotiate": ["Negotiate", DIGEST],
    "after an unknown algorithm": [SHA_1024, DIGEST],
}


def verdict(credentials):
    p = dict(re.findall(r'(\w+)="?([^",]+)', credentials))
    digest = lambda *parts: hashlib.md5(":".join(parts).encode()).hexdigest()
    secret = digest("user", "site", "password")
    expected = digest(secret, "once", p["nc"], p["cnonce"], p["qop"], digest("GET", p["uri"]))
    return "yes" if p["response"] == expected else "wrong response"


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path[1:].replace("_", " ")
        credentials = self.headers["Authorization"]
        content = verdict(credentials) if credentials else "no answer"
        self.send_response(200 if credentials else 401)
        for challenge in [] if credentials else CHALLENGES[name]:
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_):
        pass


async def by_aiohttp(url):
    async with aiohttp.ClientSession(middlewares=(aiohttp.DigestAuthMiddleware("user", "password"),)) as session:
        async with session.get(url) as response:
            return await response.text()


user = ("user", "password")
CLIENTS = {
    "requests": lambda url: requests.get(url, auth=requests.auth.HTTPDigestAuth(*user)).text,
    "httpx": lambda url: httpx.get(url, auth=httpx.DigestAuth(*user)).text,
    "aiohttp": lambda url: asyncio.run(by_aiohttp(url)),
    "niquests": lambda url: niquests.get(url, auth=niquests.auth.HTTPDigestAuth(*user)).text,
}
server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for name in CHALLENGES:
    results = []
    for client, get in CLIENTS.items():
        try:
            result = get(f"http://127.0.0.1:{server.server_port}/{name.replace(' ', '_')}")
        except Exception as error:
            result = type(error).__name__
        results.append(f"{client} {result}")
    print(f"{name}: {', '.join(results)}")
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
alone: requests yes, httpx yes, aiohttp yes, niquests yes
lower case: requests yes, httpx yes, aiohttp yes, niquests yes
names in capitals: requests KeyError, httpx ProtocolError, aiohttp no answer, niquests KeyError
before Basic: requests yes, httpx yes, aiohttp yes, niquests yes
after Basic: requests yes, httpx no answer, aiohttp no answer, niquests yes
in a field after Basic: requests yes, httpx yes, aiohttp no answer, niquests yes
in a field after Negotiate: requests yes, httpx yes, aiohttp no answer, niquests yes
after an unknown algorithm: requests yes, httpx KeyError, aiohttp ClientError, niquests yes
TEXT
