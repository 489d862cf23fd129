#!/usr/bin/env bash
# Cookies in Python: requests 2.34.2 and httpx 0.28.1, which use http.cookiejar, and aiohttp 3.14.5. One response sets
# cookies as RFC 6265 4.1.1 allows; the output is the Cookie field of the next request.
#
# A guess: all send what RFC 6265 5.3 and 5.4 say, except for quoted values in one or two of them.
# Found: quoted values are right. aiohttp puts quotes around a value with "=", as base64 has it, around one with ":",
# "/", "?" and "@", and around an empty one, so that a server that does not remove them no longer recognises the token.
# It keeps one of two cookies with the same name and different paths, and does not send the longer path first. requests
# and httpx carry out a deletion before they set the cookies of the same response, so that a cookie that is set and then
# deleted stays.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5
cat >run.py <<'PY'
import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import httpx
import requests

CASES = [
    ['a="x"'],
    ["a=eHg="],
    ["a="],
    ["a=b:c/d?e@f"],
    ["a=1; Path=/", "a=2; Path=/get"],
    ["a=1; Path=/", "b=2; Path=/get"],
    ["a=1", "a=; Max-Age=0"],
]


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        if self.path.startswith("/set/"):
            for cookie in CASES[int(self.path[5:])]:
                self.send_header("Set-Cookie", cookie if "Path" in cookie else f"{cookie}; Path=/")
        self.end_headers()
        self.wfile.write(self.headers.get("Cookie", "none").encode())

    def log_message(self, *_):
        pass


def by_requests(urls):
    with requests.Session() as session:
        return [session.get(url).text for url in urls]


def by_httpx(urls):
    with httpx.Client() as client:
        return [client.get(url).text for url in urls]


async def by_aiohttp(urls):
    texts = []
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:  # For an IP address.
        for url in urls:
            async with session.get(url) as response:
                texts.append(await response.text())
    return texts


CLIENTS = {"requests": by_requests, "httpx": by_httpx, "aiohttp": lambda urls: asyncio.run(by_aiohttp(urls))}
server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{server.server_port}"
for index, cookies in enumerate(CASES):
    results = [f"{name} {get([f'{origin}/set/{index}', f'{origin}/get'])[1]}" for name, get in CLIENTS.items()]
    print(f"{' and '.join(cookies)}: {', '.join(results)}")
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
a="x": requests a="x", httpx a="x", aiohttp a="x"
a=eHg=: requests a=eHg=, httpx a=eHg=, aiohttp a="eHg="
a=: requests a=, httpx a=, aiohttp a=""
a=b:c/d?e@f: requests a=b:c/d?e@f, httpx a=b:c/d?e@f, aiohttp a="b:c/d?e@f"
a=1; Path=/ and a=2; Path=/get: requests a=2; a=1, httpx a=2; a=1, aiohttp a=2
a=1; Path=/ and b=2; Path=/get: requests b=2; a=1, httpx b=2; a=1, aiohttp a=1; b=2
a=1 and a=; Max-Age=0: requests a=1, httpx a=1, aiohttp none
TEXT
