// Sends the requests on standard input (name, method, path and length of the content, separated by tabs), each
// on a connection of its own, and prints name, status, bytes of content and error of each.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var addresses = regexp.MustCompile(`(read|write) tcp \S+: `)

// words returns the error without the addresses and URLs, which differ with each run.
func words(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, `": `); at != -1 {
		text = text[at+3:]
	}
	return addresses.ReplaceAllString(strings.ReplaceAll(text, "\n", " "), "")
}

func send(base, name, method, path string, length int, isHttp2 bool) string {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!isHttp2)
	protocols.SetHTTP2(isHttp2)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		Protocols:       protocols,
	}
	defer transport.CloseIdleConnections()
	context, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var content io.Reader
	if length > 0 {
		content = bytes.NewReader(make([]byte, length))
	}
	request, err := http.NewRequestWithContext(context, method, base+path, content)
	if err != nil {
		panic(err)
	}
	request.Header.Set("X-Wirebin-Journal", name)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "\t0\t" + words(err)
	}
	received, err := io.Copy(io.Discard, response.Body)
	response.Body.Close()
	outcome := fmt.Sprintf("%d\t%d\t", response.StatusCode, received)
	if err != nil {
		outcome += words(err)
	}
	return outcome
}

func main() {
	base, isHttp2 := os.Args[1], os.Args[2] == "2"
	var all sync.WaitGroup
	var printing sync.Mutex
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		length, _ := strconv.Atoi(cells[3])
		all.Add(1)
		go func() {
			defer all.Done()
			outcome := send(base, cells[0], cells[1], cells[2], length, isHttp2)
			printing.Lock()
			defer printing.Unlock()
			fmt.Println(cells[0] + "\t" + outcome)
		}()
	}
	all.Wait()
}
