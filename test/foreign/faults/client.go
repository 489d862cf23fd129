// Sends the requests on standard input by net/http, each by a client of its own, and prints a line for each.
// test/foreign/faults/_program.ts has the format of both.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const limit = 5 * time.Second

// pause is before a second request, and the origin does in it what it does with the connection.
const pause = 300 * time.Millisecond

// atOnce is the number of clients that send at the same time.
const atOnce = 8

var (
	addresses = regexp.MustCompile(`(read|write) tcp \S+: `)
	isHttp2   = len(os.Args) > 2 && os.Args[2] == "2"
	printing  sync.Mutex
)

// words returns the error without the addresses and URLs, which differ with each run.
func words(err error) string {
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	return addresses.ReplaceAllString(text, "")
}

func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(!isHttp2)
	transport.Protocols.SetHTTP2(isHttp2)
	return &http.Client{Transport: transport, Timeout: limit}
}

type report struct {
	status   string
	received int64
	seen     []string
}

func (r *report) see(word string) {
	if !slices.Contains(r.seen, word) {
		r.seen = append(r.seen, word)
	}
}

func (r *report) send(client *http.Client, name, method, target string, length int, field string) error {
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			r.see(strconv.Itoa(code))
			return nil
		},
	})
	var content io.Reader
	if length > 0 {
		content = bytes.NewReader(make([]byte, length))
	}
	request, err := http.NewRequestWithContext(ctx, method, target, content)
	if err != nil {
		return err
	}
	request.Header.Set("X-Wirebin-Journal", name)
	if field, value, found := strings.Cut(field, ": "); found {
		request.Header.Set(field, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	r.status = strconv.Itoa(response.StatusCode)
	r.received, err = io.Copy(io.Discard, response.Body)
	var names []string
	for name, values := range response.Trailer {
		// One that was announced and has not come has no value.
		if len(values) > 0 {
			names = append(names, strings.ToLower(name))
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		r.see("trailer " + strings.Join(names, ", "))
	}
	return err
}

func transfer(client *http.Client, name, method, target string, length int, field string) {
	var found report
	failure := ""
	if err := found.send(client, name, method, target, length, field); err != nil {
		failure = words(err)
	}
	printing.Lock()
	defer printing.Unlock()
	fmt.Printf("%s\t%s\t%d\t%s\t%s\n", name, found.status, found.received, failure, strings.Join(found.seen, "; "))
}

func transfers(base string, line string) {
	cells := append(strings.Split(line, "\t"), "", "")
	name, field, next := cells[0], cells[4], cells[5]
	length, _ := strconv.Atoi(cells[3])
	client := newClient()
	defer client.CloseIdleConnections()
	transfer(client, name, cells[1], base+cells[2], length, field)
	if method, path, found := strings.Cut(next, " "); found {
		time.Sleep(pause)
		length := 0
		if method == "POST" {
			length = 10
		}
		transfer(client, name+"+", method, base+path, length, "")
	}
}

func main() {
	lines := make(chan string)
	var all sync.WaitGroup
	for range atOnce {
		all.Add(1)
		go func() {
			defer all.Done()
			for line := range lines {
				transfers(os.Args[1], line)
			}
		}()
	}
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		lines <- scanner.Text()
	}
	close(lines)
	all.Wait()
}
