#!/usr/bin/env bash
# Go 1.26.8, net/http as a client: 150 requests at once to a server that allows 100 streams on each connection (a
# common value of SETTINGS_MAX_CONCURRENT_STREAMS), to which the client has one connection open.
#
# A guess: two connections, with 100 and 50 requests.
# Found: 51: each request above the limit dials a connection, with a TLS handshake of its own, without regard to the
# others that are being dialled. Nearly all of these connections never carry a request: a peak of requests becomes a
# peak of handshakes at the server.
#
# Fails if that changes. Needs Go 1.21 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'module finding\ngo 1.26.0\n' >go.mod
export GOTOOLCHAIN=go1.26.8
cat >main.go <<'GO'
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

func main() {
	var mutex sync.Mutex
	opened, used := 0, map[string]bool{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		mutex.Lock()
		used[request.RemoteAddr] = true
		mutex.Unlock()
		if request.URL.Path == "/slow" {
			time.Sleep(2 * time.Second)
		}
	}))
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 100}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mutex.Lock()
		if state == http.StateNew {
			opened++
		}
		mutex.Unlock()
	}
	server.StartTLS()
	client := server.Client()
	get := func(path string) {
		response, err := client.Get(server.URL + path)
		if err != nil || response.ProtoMajor != 2 {
			panic(fmt.Sprint(response, err))
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	get("/first")
	var requests sync.WaitGroup
	for range 150 {
		requests.Go(func() { get("/slow") })
	}
	requests.Wait()
	mutex.Lock()
	fmt.Printf("connections: %d, more than 40 without a request: %v\n", opened, opened-len(used) > 40)
}
GO
timeout 60 go run . 2>&1 | tee out.txt
diff out.txt - <<'TEXT'
connections: 51, more than 40 without a request: true
TEXT
