#!/usr/bin/env bash
# WebSocket servers in Go that compress, gorilla/websocket 1.5.3, coder/websocket 1.8.15 and lxzan/gws 1.8.9 (with
# context takeover), and the client of Python's websockets 17.4 asking for a window of 10 bits, its own or the
# server's.
#
# A guess: a server that cannot use the window declines the extension (RFC 7692 7.1.2.1), and all connect.
# Found: coder declines. gorilla accepts without the server's window; gws answers with 12 bits, also for the client's
# window. The client must not accept more than it asked for, and closes. So clients that save memory with a small
# window for what they receive can connect only to coder.
#
# Fails if that changes. Needs Python 3.11 or later and Go 1.24 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet websockets==17.4
go mod init servers >go.log 2>&1
go get github.com/gorilla/websocket@v1.5.3 github.com/coder/websocket@v1.8.15 github.com/lxzan/gws@v1.8.9 >>go.log 2>&1
cat >main.go <<'GO'
package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"
	"github.com/lxzan/gws"
)

type echo struct{ gws.BuiltinEventHandler }

func (echo) OnMessage(connection *gws.Conn, message *gws.Message) {
	_ = connection.WriteMessage(message.Opcode, message.Bytes())
}

func serve(handle http.HandlerFunc) string { return httptest.NewServer(handle).Listener.Addr().String() }

func main() {
	onGorilla := serve(func(w http.ResponseWriter, r *http.Request) {
		upgrader := gorilla.Upgrader{EnableCompression: true}
		if connection, err := upgrader.Upgrade(w, r, nil); err == nil {
			kind, text, _ := connection.ReadMessage()
			_ = connection.WriteMessage(kind, text)
		}
	})
	onCoder := serve(func(w http.ResponseWriter, r *http.Request) {
		options := &coder.AcceptOptions{CompressionMode: coder.CompressionContextTakeover}
		if connection, err := coder.Accept(w, r, options); err == nil {
			kind, text, _ := connection.Read(r.Context())
			_ = connection.Write(r.Context(), kind, text)
		}
	})
	deflate := gws.PermessageDeflate{Enabled: true, ServerContextTakeover: true, ClientContextTakeover: true}
	upgrader := gws.NewUpgrader(echo{}, &gws.ServerOption{PermessageDeflate: deflate})
	onGws := serve(func(w http.ResponseWriter, r *http.Request) {
		if connection, err := upgrader.Upgrade(w, r); err == nil {
			connection.ReadLoop()
		}
	})
	client := exec.Command("python/bin/python", "run.py", "gorilla", onGorilla, "coder", onCoder, "gws", onGws)
	client.Stdout, client.Stderr = os.Stdout, os.Stderr
	_ = client.Run()
}
GO
cat >run.py <<'PY'
import asyncio
import http.client
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import NegotiationError
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory


async def outcome(address, **limit):
    offer = ClientPerMessageDeflateFactory(**limit)
    try:
        async with connect(f"ws://{address}/", compression=None, extensions=[offer]) as client:
            await client.send("text")
            return f"{await client.recv()} {'' if client.protocol.extensions else 'not '}compressed"
    except NegotiationError:
        return "refused"


def answer(address, *limits):
    fields = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    fields |= {"Sec-WebSocket-Key": "A" * 22 + "==", "Sec-WebSocket-Extensions": "; ".join(["permessage-deflate", *limits])}
    connection = http.client.HTTPConnection(address)
    connection.request("GET", "/", headers=fields)
    return connection.getresponse().headers.get("Sec-WebSocket-Extensions", "none")


async def run(name, address):
    print(f"{name}, no limit: {await outcome(address)}, {answer(address)}")
    for limit in ("server_max_window_bits", "client_max_window_bits"):
        print(f"{name}, {limit}=10: {await outcome(address, **{limit: 10})}, {answer(address, f'{limit}=10')}")


for at in range(1, len(sys.argv), 2):
    asyncio.run(run(*sys.argv[at : at + 2]))
PY
go mod tidy >>go.log 2>&1
go run . | tee out.txt
diff out.txt - <<'TEXT'
gorilla, no limit: text compressed, permessage-deflate; server_no_context_takeover; client_no_context_takeover
gorilla, server_max_window_bits=10: refused, permessage-deflate; server_no_context_takeover; client_no_context_takeover
gorilla, client_max_window_bits=10: text compressed, permessage-deflate; server_no_context_takeover; client_no_context_takeover
coder, no limit: text compressed, permessage-deflate
coder, server_max_window_bits=10: text not compressed, none
coder, client_max_window_bits=10: text compressed, permessage-deflate
gws, no limit: text compressed, permessage-deflate; server_max_window_bits=12; client_max_window_bits=12
gws, server_max_window_bits=10: refused, permessage-deflate; server_max_window_bits=12; client_max_window_bits=12
gws, client_max_window_bits=10: refused, permessage-deflate; server_max_window_bits=12; client_max_window_bits=12
TEXT
