#!/usr/bin/env bash
# Six Python servers, uvicorn 0.54.0, granian 2.8.9, hypercorn 0.18.0 and daphne 4.2.3 for ASGI, gunicorn 27.0.1 and
# waitress 3.0.2 for WSGI: a POST with `Expect: 100-continue` (RFC 9110 10.1.1), whose content the application refuses
# with 413 before reading it.
#
# A guess: the client receives 413 at once. A server sends 100 (Continue) when the application first reads.
# Found: uvicorn and granian do so. hypercorn and gunicorn send 100, and then 413; daphne and waitress send 100, and
# start the application only when all the content has arrived. So Expect does not serve its purpose: clients upload a
# gigabyte only to learn that it is too much, and an application that checks the size first never gets the chance.
#
# Fails if that changes. Needs Python 3.10 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet uvicorn==0.54.0 granian==2.8.9 hypercorn==0.18.0 daphne==4.2.3 gunicorn==27.0.1 \
  waitress==3.0.2 h11==0.16.0 twisted==26.10.0
cat >application.py <<'PY'
async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


def wsgi(environ, start_response):
    start_response("413 Content Too Large", [("Content-Length", "0")])
    return []
PY
cat >run.py <<'PY'
import socket
import subprocess
import time

COMMANDS = {
    "uvicorn": "uvicorn application:asgi --lifespan off --port {port}",
    "granian": "granian --interface asginl application:asgi --port {port}",
    "hypercorn": "hypercorn application:asgi --bind 127.0.0.1:{port}",
    "daphne": "daphne application:asgi --port {port}",
    "gunicorn": "gunicorn application:wsgi --bind 127.0.0.1:{port}",
    "waitress": "waitress-serve --listen 127.0.0.1:{port} application:wsgi",
}
REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def connect(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise SystemExit("not listening")


def statuses(connection):
    """What comes within two seconds."""
    connection.settimeout(2)
    received = b""
    try:
        while data := connection.recv(4096):
            received += data
    except TimeoutError:
        pass
    return " ".join(line.split()[1] for line in received.decode().splitlines() if line.startswith("HTTP/")) or "nothing"


for name, command in COMMANDS.items():
    port = free_port()
    words = f"python/bin/{command.format(port=port)}".split()
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with connect(port) as connection:
            connection.sendall(REQUEST)
            before = statuses(connection)
            try:
                connection.sendall(b"content")
                after = statuses(connection)
            except OSError:
                after = "nothing"
            print(f"{name}: {before}, after the content {after}", flush=True)
    finally:
        server.terminate()
        server.wait()
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
uvicorn: 413, after the content nothing
granian: 413, after the content nothing
hypercorn: 100 413, after the content nothing
daphne: 100, after the content 413
gunicorn: 100 413, after the content nothing
waitress: 100, after the content 413
TEXT
