#!/usr/bin/env bash
# libcurl 8.23.0, by pycurl 7.49.0: a POST with `Expect: 100-continue` that the server answers with 417 (Expectation
# Failed, RFC 9110 10.1.1): over HTTP/1.1 with the field that libcurl adds to 2 MB by itself, or with that of the
# application, and over HTTP/2, where only an application sets it.
#
# A guess: libcurl sends the request once more without Expect, over both versions, as RFC 9110 10.1.1 suggests.
# Found: over HTTP/1.1 it does not; 417 is the result. Over HTTP/2 it sends the request with Expect again and again, 31
# times in all, and ends with "Maximum (30) redirects followed", though nothing was redirected and following redirects
# is off. The application does not see the 417, and the server receives 31 requests for one.
#
# Fails if that changes. Needs Node 20 or later, and Python 3.10 or later with pip and venv, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet pycurl==7.49.0
cat >run.py <<'PY'
import sys

import pycurl

POST_SIZE = 2_000_000
print(pycurl.version.split()[1])
for name, port, version, fields in (
    ("HTTP/1.1, of libcurl", sys.argv[1], pycurl.CURL_HTTP_VERSION_1_1, []),
    ("HTTP/1.1, of the application", sys.argv[1], pycurl.CURL_HTTP_VERSION_1_1, ["Expect: 100-continue"]),
    ("HTTP/2, of the application", sys.argv[2], pycurl.CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, ["Expect: 100-continue"]),
):
    content = bytearray()
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, f"http://127.0.0.1:{port}/{name.replace(' ', '%20')}")
    curl.setopt(pycurl.HTTP_VERSION, version)
    curl.setopt(pycurl.POSTFIELDS, "x" * POST_SIZE)
    curl.setopt(pycurl.HTTPHEADER, fields)
    curl.setopt(pycurl.WRITEFUNCTION, content.extend)
    try:
        curl.perform()
        print(f"{name}: {curl.getinfo(pycurl.RESPONSE_CODE)} {content.decode()}", flush=True)
    except pycurl.error as error:
        print(f"{name}: {error.args[1]}", flush=True)
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';

const counts = {};
const count = (url, kind) => (counts[decodeURIComponent(url.slice(1))] ??= []).push(kind);
const servers = [createServer(), createHttp2Server()];
for (const server of servers) {
  server.on('checkContinue', (request, response) => {
    count(request.url, 'with');
    response.writeHead(417);
    response.end();
  });
  server.on('request', (request, response) => {
    count(request.url, 'without');
    request.resume().on('end', () => response.end('stored'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
const ports = servers.map((server) => server.address().port);
await once(spawn('python/bin/python', ['run.py', ...ports], { stdio: 'inherit' }), 'close');
for (const [name, kinds] of Object.entries(counts)) {
  const requests = ['with', 'without'].map((kind) => `${kinds.filter((each) => each === kind).length} ${kind} Expect`);
  console.log(`requests, ${name}: ${requests.join(', ')}`);
}
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
libcurl/8.23.0
HTTP/1.1, of libcurl: 417 
HTTP/1.1, of the application: 417 
HTTP/2, of the application: Maximum (30) redirects followed
requests, HTTP/1.1, of libcurl: 1 with Expect, 0 without Expect
requests, HTTP/1.1, of the application: 1 with Expect, 0 without Expect
requests, HTTP/2, of the application: 31 with Expect, 0 without Expect
TEXT
