#!/usr/bin/env bash
# A download with `Accept-Encoding: gzip` that breaks off after 2,000 bytes and is resumed with Range and If-Range, as
# RFC 9110 13.1.5 provides, from servers of static files behind compression: express.static of express 5.3.0 with
# compression 1.8.2, and http.FileServer of Go 1.26 with gorilla/handlers 1.5.2, chi 5.5.0 and klauspost's gzhttp
# 1.20.4.
#
# A guess: the middleware leaves 206 (Partial Content) alone, since Content-Range belongs to the file.
# Found: gzhttp does; the others compress the part, and keep its Content-Range. Either way the download is broken: 206
# promises more of the gzip content that the client has (RFC 9110 14.1.2), but the client gets a part of the file, plain
# or compressed again, at an offset that counts bytes of the file. Both representations have the same validator, so
# If-Range does not prevent it. Only 200 would be right.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts express@5.3.0 compression@1.8.2 >>npm.log 2>&1
go mod init servers >go.log 2>&1
go get github.com/go-chi/chi/v5@v5.5.0 github.com/gorilla/handlers@v1.5.2 github.com/klauspost/compress@v1.20.4 \
  >>go.log 2>&1
mkdir files
for line in $(seq 1000 2999); do echo "line $line of a text"; done >files/text.txt
touch -t 202601010000 files/text.txt
cat >main.go <<'GO'
package main

import (
	"net/http"
	"os"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/handlers"
	"github.com/klauspost/compress/gzhttp"
)

func main() {
	files := http.FileServer(http.Dir("files"))
	go http.ListenAndServe("127.0.0.1:"+os.Args[1], handlers.CompressHandler(files))
	go http.ListenAndServe("127.0.0.1:"+os.Args[2], middleware.Compress(5)(files))
	_ = http.ListenAndServe("127.0.0.1:"+os.Args[3], gzhttp.GzipHandler(files))
}
GO
go mod tidy >>go.log 2>&1 && go build -o servers .
cat >server.cjs <<'JS'
const express = require('express');
express().use(require('compression')(), express.static('files')).listen(process.argv[2], '127.0.0.1');
JS
cat >run.py <<'PY'
import gzip
import http.client
import socket
import subprocess
import time

NAMES = ["express", "gorilla", "chi", "gzhttp"]
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in NAMES]
ports = [str(listener.getsockname()[1]) for listener in listeners]
for listener in listeners:
    listener.close()
COMMANDS = [["node", "server.cjs", ports[0]], ["./servers", *ports[1:]]]


def get(port, **fields):
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", int(port))
            connection.request("GET", "/text.txt", headers={"Accept-Encoding": "gzip", **fields})
            response = connection.getresponse()
            return response, response.read()
        except ConnectionRefusedError:
            time.sleep(0.1)


quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
processes = [subprocess.Popen(command, **quiet) for command in COMMANDS]
try:
    for name, port in zip(NAMES, ports):
        response, whole = get(port)
        for validator in ("ETag", "Last-Modified"):
            if validator not in response.headers:
                continue
            rest, content = get(port, Range="bytes=2000-", **{"If-Range": response.headers[validator]})
            joined = whole[:2000] + content if rest.status == 206 else content
            try:
                result = "complete" if gzip.decompress(joined) == open("files/text.txt", "rb").read() else "wrong"
            except Exception as error:
                result = f"not gzip ({type(error).__name__})"
            coding = rest.headers.get("Content-Encoding", "no")
            ranges = rest.headers.get("Content-Range", "none")
            print(f"{name}, {validator}: {rest.status}, coding {coding}, range {ranges}, download {result}")
finally:
    for process in processes:
        process.terminate()
        process.wait()
PY
python3 run.py | tee out.txt
diff out.txt - <<'TEXT'
express, ETag: 206, coding gzip, range bytes 2000-39999/40000, download not gzip (error)
express, Last-Modified: 206, coding gzip, range bytes 2000-39999/40000, download not gzip (error)
gorilla, Last-Modified: 206, coding gzip, range bytes 2000-39999/40000, download not gzip (error)
chi, Last-Modified: 206, coding gzip, range bytes 2000-39999/40000, download not gzip (error)
gzhttp, Last-Modified: 206, coding no, range bytes 2000-39999/40000, download not gzip (error)
TEXT
