// Reads HTTP/1.x requests with net/http, as a server on one connection would.
//
// Input lines: JSON with `id` and `pieces` in base64. Output lines: JSON with `id` and `requests`, those that were read
// whole, with text in latin1.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

type input struct {
	ID     int      `json:"id"`
	Pieces [][]byte `json:"pieces"`
}

type request struct {
	Method   string      `json:"method"`
	Target   string      `json:"target"`
	Fields   [][2]string `json:"fields"`
	Content  string      `json:"content"`
	Trailers [][2]string `json:"trailers"`
}

type output struct {
	ID       int       `json:"id"`
	Requests []request `json:"requests"`
}

// connection is the server's side of a connection whose client has sent the pieces, and FIN.
type connection struct {
	pieces   [][]byte
	once     sync.Once
	closed   chan struct{}
	requests []request
}

// Read gives one piece at a time.
func (c *connection) Read(into []byte) (int, error) {
	for len(c.pieces) > 0 {
		count := copy(into, c.pieces[0])
		if count == len(c.pieces[0]) {
			c.pieces = c.pieces[1:]
		} else {
			c.pieces[0] = c.pieces[0][count:]
		}
		if count > 0 {
			return count, nil
		}
	}
	return 0, io.EOF
}

func (c *connection) Write(bytes []byte) (int, error) { return len(bytes), nil }

func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *connection) LocalAddr() net.Addr              { return &net.UnixAddr{} }
func (c *connection) RemoteAddr() net.Addr             { return &net.UnixAddr{} }
func (c *connection) SetDeadline(time.Time) error      { return nil }
func (c *connection) SetReadDeadline(time.Time) error  { return nil }
func (c *connection) SetWriteDeadline(time.Time) error { return nil }

// listener accepts connections that are made in this process.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) { return <-l, nil }
func (l listener) Close() error              { return nil }
func (l listener) Addr() net.Addr            { return &net.UnixAddr{} }

func latin1(bytes string) string {
	runes := make([]rune, len(bytes))
	for at := range len(bytes) {
		runes[at] = rune(bytes[at])
	}
	return string(runes)
}

func lines(header http.Header) [][2]string {
	list := [][2]string{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, [2]string{latin1(name), latin1(value)})
		}
	}
	return list
}

type key struct{}

func handle(response http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	c := r.Context().Value(key{}).(*connection)
	c.requests = append(c.requests, request{
		Method:   latin1(r.Method),
		Target:   latin1(r.RequestURI),
		Fields:   lines(r.Header),
		Content:  latin1(string(content)),
		Trailers: lines(r.Trailer),
	})
}

func read(connections listener, in input) output {
	c := &connection{pieces: in.Pieces, closed: make(chan struct{}), requests: []request{}}
	connections <- c
	<-c.closed
	return output{ID: in.ID, Requests: c.requests}
}

func main() {
	connections := make(listener)
	server := http.Server{
		Handler:                      http.HandlerFunc(handle),
		ErrorLog:                     log.New(io.Discard, "", 0),
		DisableGeneralOptionsHandler: true,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, key{}, c)
		},
	}
	go server.Serve(connections)
	outputs := make(chan output)
	go func() {
		encoder := json.NewEncoder(os.Stdout)
		for out := range outputs {
			encoder.Encode(out)
		}
	}()
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var in input
		if err := json.Unmarshal(scanner.Bytes(), &in); err != nil {
			log.Fatal(err)
		}
		go func() { outputs <- read(connections, in) }()
	}
}
