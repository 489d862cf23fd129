#!/usr/bin/env bash
# HTTP servers for microcontrollers, on Python: microdot 2.7.0, made for MicroPython, and adafruit_httpserver 4.8.2,
# made for CircuitPython. A POST of the same five bytes with Content-Length and in chunks.
#
# A guess: even servers this small read chunks, or refuse them with 501 or 411 (RFC 9112 6.1 and 6.3).
# Found: both call the handler with no content at all, and answer 200. To a client that does not know the length in
# advance, such as fetch() with a stream or a proxy that streams requests, its upload seems to have succeeded, while the
# device has stored an empty one.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --no-deps microdot==2.7.0 adafruit-circuitpython-httpserver==4.8.2
cat >by_microdot.py <<'PY'
import sys

from microdot import Microdot

application = Microdot()


@application.post("/")
async def store(request):
    return repr(request.body)


application.run("127.0.0.1", int(sys.argv[1]))
PY
cat >by_adafruit.py <<'PY'
import socket
import sys

from adafruit_httpserver import POST, Response, Server

server = Server(socket)


@server.route("/", POST)
def store(request):
    return Response(request, repr(request.body))


server.serve_forever("127.0.0.1", int(sys.argv[1]))
PY
cat >run.py <<'PY'
import socket
import subprocess
import sys
import time

REQUESTS = {
    "length": b"POST / HTTP/1.1\r\nHost: device\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"POST / HTTP/1.1\r\nHost: device\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
}


def connect(port):
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port), 10)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise SystemExit("not listening")


def post(port, request):
    with connect(port) as connection:
        connection.sendall(request)
        received = b""
        while data := connection.recv(4096):
            received += data
    head, content = received.split(b"\r\n\r\n", 1)
    return head.split()[1].decode(), content.decode()


quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
for name in ["microdot", "adafruit"]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    process = subprocess.Popen([sys.executable, f"by_{name}.py", str(port)], **quiet)
    try:
        for form, request in REQUESTS.items():
            print(name, form, *post(port, request))
    finally:
        process.kill()
        process.wait()
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
microdot length 200 b'hello'
microdot chunks 200 b''
adafruit length 200 b'hello'
adafruit chunks 200 b''
TEXT
