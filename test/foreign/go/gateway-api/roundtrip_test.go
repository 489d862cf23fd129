// What the client code of the Gateway API suite makes of the service at FOREIGN_URL, in the version of FOREIGN_HTTP.
package gatewayapi

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
	"sigs.k8s.io/gateway-api/conformance/utils/config"
	h "sigs.k8s.io/gateway-api/conformance/utils/http"
	"sigs.k8s.io/gateway-api/conformance/utils/roundtripper"
	ws "sigs.k8s.io/gateway-api/conformance/utils/websocket"
)

var base, _ = url.Parse(os.Getenv("FOREIGN_URL"))
var version = os.Getenv("FOREIGN_HTTP")

func certificate(t *testing.T) []byte {
	c, err := tls.Dial("tcp", base.Host, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.ConnectionState().PeerCertificates[0].Raw})
}

func protocol() string {
	switch {
	case base.Scheme == "https" && version == "2":
		return roundtripper.H2Protocol
	case base.Scheme == "https":
		return roundtripper.HTTPSProtocol
	case version == "2":
		return roundtripper.H2CPriorKnowledgeProtocol
	}
	return "HTTP"
}

func send(t *testing.T, method, path string, headers map[string][]string) (
	*roundtripper.CapturedRequest, *roundtripper.CapturedResponse, error,
) {
	u := *base
	p, q, _ := strings.Cut(path, "?")
	u.Path, u.RawQuery = p, q
	r := roundtripper.Request{
		T: t, URL: u, Method: method, Headers: headers, Protocol: protocol(), UnfollowRedirect: true, Host: authority,
	}
	if base.Scheme == "https" {
		r.ServerName = "localhost"
		r.ServerCertificate = certificate(t)
	}
	if protocol() == roundtripper.H2CPriorKnowledgeProtocol {
		r.URL.Scheme = "http"
	}
	rt := roundtripper.DefaultRoundTripper{TimeoutConfig: config.DefaultTimeoutConfig()}
	return rt.CaptureRoundTrip(r)
}

func TestRoundTrip(t *testing.T) {
	paths := []string{
		"/", "/a/b", "/a//b", "/match?x=1&y=2", "/status/204", "/status/301", "/health", "/?delay=10ms",
	}
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"} {
		for _, path := range paths {
			t.Run(method+path, func(t *testing.T) {
				if method == "HEAD" || path == "/status/301" {
					t.Skip("their client reads JSON or a Location")
				}
				req, res, err := send(t, method, path, map[string][]string{"X-Echo-Set-Header": {"x-set:1"}, "X-Sent": {"a"}})
				if err != nil {
					t.Fatal(err)
				}
				if req.Method != method {
					t.Fatalf("method %s", req.Method)
				}
				if res.StatusCode == 200 && path != "/health" {
					checkEcho(t, method, path, req, res)
				}
			})
		}
	}
}

func checkEcho(
	t *testing.T, method, path string, req *roundtripper.CapturedRequest, res *roundtripper.CapturedResponse,
) {
	if req.Path != path || req.Host != authority || req.Namespace != "ns" || req.Pod != "web-0" ||
		req.Headers["X-Sent"][0] != "a" || res.Headers["X-Set"][0] != "1" {
		t.Fatalf("%+v %+v", req, res)
	}
	if base.Scheme == "https" && (req.TLS.ServerName != "localhost" || req.TLS.Version != "TLSv1.3" ||
		len(res.PeerCertificates) == 0) {
		t.Fatalf("%+v", req.TLS)
	}
	expected := h.ExpectedResponse{
		Request:   h.Request{Path: path, Method: method, Host: authority},
		Namespace: "ns",
		Backend:   "web",
		Response:  h.Response{StatusCodes: []int{200}},
	}
	if err := h.CompareRoundTrip(t, &roundtripper.Request{T: t}, req, res, expected); err != nil {
		t.Fatal(err)
	}
}

// The configurations of HTTPRouteRetry and HTTPRouteRetryWith…Timeout, retried by this client.
func TestRetry(t *testing.T) {
	n := 0
	for _, code := range []string{"500", "502", "503", "504", ""} {
		for _, after := range []int{0, 1, 2, 4} {
			for _, delay := range []string{"", "100ms"} {
				n++
				uuid := fmt.Sprintf("%s-%d-%d", protocol(), time.Now().UnixNano(), n)
				v := url.Values{"succeedAfter": {fmt.Sprint(after)}, "uuid": {uuid}}
				if code != "" {
					v.Set("responseCode", code)
				}
				if delay != "" {
					v.Set("delayRetry", delay)
					v.Set("delay", delay)
				}
				t.Run(v.Get("responseCode")+"-"+v.Get("succeedAfter")+delay, func(t *testing.T) {
					t.Parallel()
					for at := 0; at <= after; at++ {
						began := time.Now()
						_, res, err := send(t, "GET", "/retry/code-all?"+v.Encode(), nil)
						if delay != "" && time.Since(began) < 100*time.Millisecond {
							t.Fatal("too early")
						}
						switch {
						case at == after && (err != nil || res.StatusCode != 200):
							t.Fatalf("attempt %d: %v %+v", at, err, res)
						case at < after && code == "" && err == nil:
							t.Fatalf("attempt %d: no reset", at)
						case at < after && code != "" && (err != nil || fmt.Sprint(res.StatusCode) != code):
							t.Fatalf("attempt %d: %v %+v", at, err, res)
						}
					}
				})
			}
		}
	}
}

func TestWebSocket(t *testing.T) {
	if base.Scheme == "https" || version == "2" {
		t.Skip("their dialer takes ws: alone")
	}
	c, err := (&ws.DefaultDialer{}).Dial("ws://"+base.Host+"/ws", "", "ws://gateway/"+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var text string
	if err := websocket.Message.Send(c, "Websocket Support!"); err != nil {
		t.Fatal(err)
	}
	if err := websocket.Message.Receive(c, &text); err != nil || text != "Websocket Support!" {
		t.Fatal(err, text)
	}
	var got []byte
	if err := websocket.Message.Send(c, []byte{1, 2, 3, 4, 5, 6, 7}); err != nil {
		t.Fatal(err)
	}
	if err := websocket.Message.Receive(c, &got); err != nil || !bytes.Equal(got, []byte{1, 2, 3, 4, 5, 6, 7}) {
		t.Fatal(err, got)
	}
}
