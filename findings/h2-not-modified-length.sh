#!/usr/bin/env bash
# golang.org/x/net/http2 0.62.0 as a client: 304 (Not Modified) with the Content-Length that 200 would have (RFC 9110
# 8.6), over HTTP/2, with END_STREAM in the HEADERS frame.
#
# A guess: a response without content, as over HTTP/1.1: RFC 9113 8.1.1 allows such a response to have a
# Content-Length.
# Found: over HTTP/2 the 304 arrives, but reading its body ends with `unexpected EOF`. httputil.ReverseProxy, which
# copies bodies, then closes the connection to its client without a response. So the origin works for everyone except
# clients that revalidate.
#
# Fails if that changes. Needs Node 20 or later and Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >go.mod <<'MOD'
module finding
go 1.26.0
require golang.org/x/net v0.62.0
MOD
cat >main.go <<'GO'
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"

	"golang.org/x/net/http2"
)

func get(name string, transport http.RoundTripper, address string) {
	response, err := (&http.Client{Transport: transport}).Get(address)
	if err == nil {
		_, readErr := io.ReadAll(response.Body)
		fmt.Printf("%s: %d, %v\n", name, response.StatusCode, readErr)
	} else {
		fmt.Printf("%s: %v\n", name, err.(*url.Error).Err)
	}
}

func main() {
	h2 := &http2.Transport{AllowHTTP: true, DialTLSContext: func(_ context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
		return net.Dial(network, address)
	}}
	get("Go http/1.1", http.DefaultTransport, os.Args[1])
	get("Go h2", h2, os.Args[2])
	origin, _ := url.Parse(os.Args[2])
	proxy := httputil.NewSingleHostReverseProxy(origin)
	proxy.Transport = h2
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	get("client of ReverseProxy", http.DefaultTransport, httptest.NewServer(proxy).URL)
}
GO
GOFLAGS=-mod=mod go build -o client . >go.log 2>&1
cat >origin.mjs <<'JS'
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import * as http from 'node:http';
import * as http2 from 'node:http2';

const notModified = (_request, response) => response.writeHead(304, { 'Content-Length': 1234 }).end();
const servers = [http.createServer(notModified), http2.createServer(notModified)];
for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
writeFileSync('urls', servers.map((server) => `http://127.0.0.1:${server.address().port}\n`).join(''));
JS
node origin.mjs &
trap 'kill $!; rm -rf "$folder"' EXIT
until [ -s urls ]; do sleep 0.1; done
xargs ./client <urls | tee out.txt
diff out.txt - <<'TEXT'
Go http/1.1: 304, <nil>
Go h2: 304, unexpected EOF
client of ReverseProxy: EOF
TEXT
