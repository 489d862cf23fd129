#!/usr/bin/env bash
# A response whose length the application does not declare, to an HTTP/1.0 request: uvicorn 0.54.0 with each of its two
# parsers and granian 2.8.9 (Python), and fasthttp 1.78.0 beside net/http (Go).
#
# A guess: all send the bytes and close the connection, as Transfer-Encoding must not be sent to an HTTP/1.0 client
# (RFC 9112 6.1).
# Found: fasthttp sends chunks, and so does uvicorn with httptools, which it uses if installed. A client that knows
# only HTTP/1.0, such as a device or an old monitor, gets the chunk sizes in its content. With h11, the same
# application has no such fault.
#
# Fails if that changes. Needs Python 3.10 or later and Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet uvicorn==0.54.0 h11==0.16.0 httptools==0.9.0 granian==2.8.9
go mod init servers >go.log 2>&1
go get github.com/valyala/fasthttp@v1.78.0 >>go.log 2>&1
cat >application.py <<'PY'
async def application(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"text"})
PY
cat >main.go <<'GO'
package main

import (
	"bufio"
	"net/http"
	"os"

	"github.com/valyala/fasthttp"
)

func main() {
	go http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("text"))
		w.(http.Flusher).Flush()
	}))
	_ = fasthttp.ListenAndServe("127.0.0.1:"+os.Args[2], func(context *fasthttp.RequestCtx) {
		context.SetBodyStreamWriter(func(w *bufio.Writer) { _, _ = w.WriteString("text") })
	})
}
GO
cat >run.py <<'PY'
import socket
import subprocess
import time

ports = []
for listener in [socket.create_server(("127.0.0.1", 0)) for _ in range(5)]:
    ports.append(listener.getsockname()[1])
    listener.close()
SERVERS = dict(zip(["uvicorn on h11", "uvicorn on httptools", "granian", "net/http", "fasthttp"], ports))
COMMANDS = [
    f"python/bin/uvicorn application:application --http h11 --port {ports[0]}",
    f"python/bin/uvicorn application:application --http httptools --port {ports[1]}",
    f"python/bin/granian --interface asgi application:application --port {ports[2]}",
    f"./servers {ports[3]} {ports[4]}",
]


def connect(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise SystemExit("not listening")


def content(port):
    with connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        received = b""
        while data := connection.recv(4096):
            received += data
    return received.split(b"\r\n\r\n", 1)[1].decode()


quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
processes = [subprocess.Popen(command.split(), **quiet) for command in COMMANDS]
try:
    for name, port in SERVERS.items():
        print(f"{name}: {content(port)!r}")
finally:
    for process in processes:
        process.terminate()
        process.wait()
PY
go mod tidy >>go.log 2>&1 && go build -o servers .
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
uvicorn on h11: 'text'
uvicorn on httptools: '4\r\ntext\r\n0\r\n\r\n'
granian: 'text'
net/http: 'text'
fasthttp: '4\r\ntext\r\n0\r\n\r\n'
TEXT
