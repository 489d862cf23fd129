#!/usr/bin/env bash
# WebSocket servers in Go, gorilla/websocket 1.5.3, gobwas/ws 1.5.0, lxzan/gws 1.8.9 and coder/websocket 1.8.15: a
# client closes with 1012 (Service Restart), 1013 (Try Again Later) or 1014 (Bad Gateway), which IANA registered after
# RFC 6455.
#
# A guess: all accept them, except gorilla, which does not know 1014.
# Found: gws does not know 1014 either, and gobwas knows none of the three; they answer 1002 (protocol error) as if the
# client had broken the protocol. So a proxy that sends 1012 when it restarts causes an error instead of a close in
# servers on gobwas, and the reason to try again is lost.
#
# Fails if that changes. Needs Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init servers >go.log 2>&1
go get github.com/gorilla/websocket@v1.5.3 github.com/gobwas/ws@v1.5.0 github.com/lxzan/gws@v1.8.9 \
  github.com/coder/websocket@v1.8.15 >>go.log 2>&1
cat >main.go <<'GO'
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	coder "github.com/coder/websocket"
	gobwas "github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	gorilla "github.com/gorilla/websocket"
	"github.com/lxzan/gws"
)

const handshake = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

var servers = []struct {
	name   string
	handle http.HandlerFunc
}{
	{"gorilla", func(w http.ResponseWriter, r *http.Request) {
		upgrader := gorilla.Upgrader{}
		connection, _ := upgrader.Upgrade(w, r, nil)
		_, _, _ = connection.ReadMessage()
	}},
	{"gobwas", func(w http.ResponseWriter, r *http.Request) {
		connection, _, _, _ := gobwas.UpgradeHTTP(r, w)
		_, _, _ = wsutil.ReadClientData(connection)
	}},
	{"gws", func(w http.ResponseWriter, r *http.Request) {
		connection, _ := gws.NewUpgrader(&gws.BuiltinEventHandler{}, nil).Upgrade(w, r)
		connection.ReadLoop()
	}},
	{"coder", func(w http.ResponseWriter, r *http.Request) {
		connection, _ := coder.Accept(w, r, nil)
		_, _, _ = connection.Read(r.Context())
	}},
}

// answer is the code of the close frame that the server sends back.
func answer(address string, code uint16) uint16 {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	_, _ = io.WriteString(connection, handshake)
	reader := bufio.NewReader(connection)
	if _, err := http.ReadResponse(reader, nil); err != nil {
		panic(err)
	}
	_, _ = connection.Write(binary.BigEndian.AppendUint16([]byte{0x88, 0x82, 0, 0, 0, 0}, code))
	var frame [4]byte
	_, _ = io.ReadFull(reader, frame[:])
	return binary.BigEndian.Uint16(frame[2:])
}

func main() {
	for _, server := range servers {
		fmt.Print(server.name)
		listening := httptest.NewServer(server.handle)
		for _, code := range []uint16{1001, 1012, 1013, 1014, 4000} {
			fmt.Printf(" %d:%d", code, answer(listening.Listener.Addr().String(), code))
		}
		fmt.Println()
	}
}
GO
go mod tidy >>go.log 2>&1
go run . | tee out.txt
diff out.txt - <<'TEXT'
gorilla 1001:1001 1012:1012 1013:1013 1014:1002 4000:4000
gobwas 1001:1001 1012:1002 1013:1002 1014:1002 4000:4000
gws 1001:1000 1012:1000 1013:1000 1014:1002 4000:4000
coder 1001:1001 1012:1012 1013:1013 1014:1014 4000:4000
TEXT
