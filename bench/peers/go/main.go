// A bare Go net/http server with the suite's paths, in as few lines as can be.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const most = 10 << 20

func main() {
	pattern := make([]byte, most)
	for i := range pattern {
		pattern[i] = 'a' + byte(i%26)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("OK"))
	})
	mux.HandleFunc("/anything", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, _ := json.MarshalIndent(map[string]any{"method": r.Method, "url": r.URL.String(), "headers": r.Header,
			"http_version": r.Proto, "origin": r.RemoteAddr, "args": r.URL.Query(), "data": "", "form": nil, "json": nil}, "", "  ")
		w.Write(body)
	})
	mux.HandleFunc("/bytes/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(n))
		chunk := make([]byte, min(n, 64<<10))
		for ; n > 0; n -= len(chunk) {
			chunk = chunk[:min(n, len(chunk))]
			rand.Read(chunk)
			w.Write(chunk)
		}
	})
	mux.HandleFunc("/range/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(pattern[:n]))
	})
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: mux, Protocols: &protocols}
	clear, _ := net.Listen("tcp", "127.0.0.1:0")
	secure, _ := net.Listen("tcp", "127.0.0.1:0")
	go server.Serve(clear)
	c, s := clear.Addr().(*net.TCPAddr).Port, secure.Addr().(*net.TCPAddr).Port
	fmt.Printf("{\"http/1.1\":%d,\"h2c\":%d,\"https/1.1\":%d,\"h2\":%d}\n", c, c, s, s)
	panic(server.ServeTLS(secure, os.Args[1], os.Args[2]))
}
