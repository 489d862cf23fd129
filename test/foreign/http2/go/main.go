// What golang.org/x/net/http2 makes of wirebin: a line of JSON for each check.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

const (
	mebibyte = 1 << 20
	parallel = 100
)

var origin = os.Getenv("FOREIGN_URL")

// A client with connections of its own, which it counts.
type client struct {
	http.Client
	dialled atomic.Int32
}

func newClient() *client {
	c := &client{}
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(os.Getenv("REQUESTS_CA_BUNDLE"))
	if err == nil {
		roots.AppendCertsFromPEM(pem)
	}
	secure := strings.HasPrefix(origin, "https:")
	c.Transport = &http2.Transport{
		AllowHTTP:       true,
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialTLSContext: func(ctx context.Context, network, address string, config *tls.Config) (net.Conn, error) {
			c.dialled.Add(1)
			if secure {
				return (&tls.Dialer{Config: config}).DialContext(ctx, network, address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}
	return c
}

func (c *client) content(request *http.Request) (*http.Response, []byte, error) {
	response, err := c.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, content, err
}

func (c *client) get(path string) (*http.Response, []byte, error) {
	request, err := http.NewRequest("GET", origin+path, nil)
	if err != nil {
		return nil, nil, err
	}
	return c.content(request)
}

func (c *client) upload(content io.Reader, change func(*http.Request)) (received int, sha string, err error) {
	request, err := http.NewRequest("POST", origin+"/upload", content)
	if err != nil {
		return
	}
	if change != nil {
		change(request)
	}
	_, body, err := c.content(request)
	if err != nil {
		return
	}
	var told struct {
		Received int    `json:"bytes_received"`
		Sha256   string `json:"sha256"`
	}
	err = json.Unmarshal(body, &told)
	return told.Received, told.Sha256, err
}

func expect(what string, found, wanted any) error {
	if found != wanted {
		return fmt.Errorf("%s: %v, not %v", what, found, wanted)
	}
	return nil
}

func checkParallel(c *client) error {
	if _, _, err := c.get("/get"); err != nil {
		return err
	}
	errs := make([]error, parallel)
	var all sync.WaitGroup
	for at := range parallel {
		all.Add(1)
		go func() {
			defer all.Done()
			if at%2 == 0 {
				_, content, err := c.get(fmt.Sprintf("/bytes/100000?seed=%d", at))
				errs[at] = errors.Join(err, expect("length", len(content), 100_000))
				return
			}
			received, _, err := c.upload(bytes.NewReader(make([]byte, 100_000)), nil)
			errs[at] = errors.Join(err, expect("received", received, 100_000))
		}()
	}
	all.Wait()
	return errors.Join(append(errs, expect("connections", c.dialled.Load(), int32(1)))...)
}

func checkTrailers(c *client) error {
	response, content, err := c.get("/trailers?X-Checksum=abc")
	if err != nil {
		return err
	}
	if len(content) == 0 {
		return errors.New("no content")
	}
	request, _ := http.NewRequest("POST", origin+"/anything", io.MultiReader(strings.NewReader("content")))
	request.Trailer = http.Header{"X-Sent": {"yes"}}
	_, echo, sent := c.content(request)
	if !bytes.Contains(bytes.ToLower(echo), []byte(`"x-sent"`)) {
		return fmt.Errorf("no trailer in %s", echo)
	}
	return errors.Join(sent, expect("trailer", response.Trailer.Get("X-Checksum"), "abc"))
}

func checkInformational(c *client) error {
	var early []string
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		early = append(early, fmt.Sprint(code, header["Link"]))
		return nil
	}}
	ctx := httptrace.WithClientTrace(context.Background(), trace)
	request, _ := http.NewRequestWithContext(ctx, "GET", origin+"/informational/103?link=%3C/a.css%3E", nil)
	response, _, err := c.content(request)
	if err != nil {
		return err
	}
	return errors.Join(
		expect("status", response.StatusCode, 200),
		expect("early", strings.Join(early, ";"), "103 [</a.css>]"),
	)
}

func checkExpect(c *client) error {
	var continued bool
	trace := &httptrace.ClientTrace{Got100Continue: func() { continued = true }}
	received, _, err := c.upload(bytes.NewReader(make([]byte, mebibyte)), func(request *http.Request) {
		*request = *request.WithContext(httptrace.WithClientTrace(context.Background(), trace))
		request.Header.Set("Expect", "100-continue")
	})
	return errors.Join(err, expect("received", received, mebibyte), expect("100", continued, true))
}

// The largest responses that there are, some at a time.
func checkDown(c *client) error {
	const count, atOnce = 103, 8
	if _, _, err := c.get("/get"); err != nil {
		return err
	}
	errs := make([]error, count)
	turns := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for at := range count {
		all.Add(1)
		turns <- struct{}{}
		go func() {
			defer all.Done()
			defer func() { <-turns }()
			response, err := c.Get(origin + "/range/10485760")
			if err != nil {
				errs[at] = err
				return
			}
			defer response.Body.Close()
			length, err := io.Copy(io.Discard, response.Body)
			errs[at] = errors.Join(err, expect("length", length, int64(10*mebibyte)))
		}()
	}
	all.Wait()
	return errors.Join(append(errs, expect("connections", c.dialled.Load(), int32(1)))...)
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

func checkUp(c *client) error {
	const size = 100 * mebibyte
	sum := sha256.New()
	io.Copy(sum, io.LimitReader(zeros{}, size))
	received, sha, err := c.upload(io.LimitReader(zeros{}, size), nil)
	return errors.Join(err, expect("received", received, size), expect("sha256", sha, hex.EncodeToString(sum.Sum(nil))))
}

// The client resets responses that have begun, and goes on.
func checkCancelled(c *client) error {
	for range 50 {
		ctx, cancel := context.WithCancel(context.Background())
		request, _ := http.NewRequestWithContext(ctx, "GET", origin+"/range/10485760", nil)
		response, err := c.Do(request)
		if err != nil {
			cancel()
			return err
		}
		length, err := io.CopyN(io.Discard, response.Body, 100_000)
		cancel()
		response.Body.Close()
		if err != nil {
			return fmt.Errorf("after %d bytes: %w", length, err)
		}
	}
	_, content, err := c.get("/bytes/1000000")
	return errors.Join(err, expect("length", len(content), 1_000_000), expect("connections", c.dialled.Load(), int32(1)))
}

func checkReset(c *client) error {
	_, _, err := c.get("/fault/rst-stream?code=INTERNAL_ERROR")
	var reset http2.StreamError
	if !errors.As(err, &reset) {
		return fmt.Errorf("no reset: %v", err)
	}
	_, _, err = c.get("/get")
	return errors.Join(err, expect("code", reset.Code, http2.ErrCodeInternal), expect("connections", c.dialled.Load(), int32(1)))
}

// GOAWAY in the middle: what has begun is completed, and what follows takes another connection.
func checkGoaway(c *client) error {
	var all sync.WaitGroup
	errs := make([]error, 10)
	for at := range errs {
		all.Add(1)
		go func() {
			defer all.Done()
			_, content, err := c.get("/drip?duration=1&numbytes=10&delay=0")
			errs[at] = errors.Join(err, expect("length", len(content), 10))
		}()
	}
	time.Sleep(300 * time.Millisecond)
	_, content, err := c.get("/fault/goaway?last=this&then=finish")
	_, _, after := c.get("/get")
	all.Wait()
	return errors.Join(append(errs, err, after, expect("length", len(content), 10_240), expect("connections", c.dialled.Load(), int32(2)))...)
}

func main() {
	checks := []struct {
		name string
		run  func(*client) error
	}{
		{"GET", func(c *client) error {
			response, content, err := c.get("/get")
			if err != nil {
				return err
			}
			return errors.Join(expect("protocol", response.Proto, "HTTP/2.0"), expect("echo", bytes.Contains(content, []byte(`"HTTP/2.0"`)), true))
		}},
		{"HEAD", func(c *client) error {
			response, err := c.Head(origin + "/bytes/1000")
			if err != nil {
				return err
			}
			return expect("length", response.ContentLength, int64(1000))
		}},
		{"1 MiB echoed", func(c *client) error {
			sent := bytes.Repeat([]byte("x"), mebibyte)
			request, _ := http.NewRequest("POST", origin+"/anything", bytes.NewReader(sent))
			_, content, err := c.content(request)
			return errors.Join(err, expect("echo", bytes.Contains(content, sent), true))
		}},
		{"100 in parallel on a connection", checkParallel},
		{"trailers both ways", checkTrailers},
		{"103", checkInformational},
		{"100 to Expect", checkExpect},
		{"1 GiB down", checkDown},
		{"100 MiB up", checkUp},
		{"resets by the client", checkCancelled},
		{"a reset by the service", checkReset},
		{"GOAWAY in the middle", checkGoaway},
	}
	for _, check := range checks {
		told := map[string]string{"name": check.name, "outcome": "passed"}
		c := newClient()
		if err := check.run(c); err != nil {
			told["outcome"], told["reason"] = "failed", err.Error()[:min(500, len(err.Error()))]
		}
		c.CloseIdleConnections()
		line, _ := json.Marshal(told)
		fmt.Println(string(line))
	}
}
