package gatewayapi

import (
	"crypto/tls"
	"maps"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	pb "sigs.k8s.io/gateway-api-conformance-images/echo-basic/grpcechoserver"
	"sigs.k8s.io/gateway-api/conformance/utils/config"
	g "sigs.k8s.io/gateway-api/conformance/utils/grpc"
)

const authority = "example.com"

var metadata = map[string]string{"version": "one", "x-header-add": "a,b", "trace-bin": "binary"}

// Their client. It dials in cleartext alone, so over TLS it gets a connection.
func client(t *testing.T) *g.DefaultClient {
	if version != "2" {
		t.Skip("gRPC is HTTP/2")
	}
	c := &g.DefaultClient{}
	if base.Scheme == "https" {
		secure := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, ServerName: authority})
		conn, err := grpc.NewClient(base.Host, grpc.WithTransportCredentials(secure))
		if err != nil {
			t.Fatal(err)
		}
		c.Conn = conn
	}
	t.Cleanup(c.Close)
	return c
}

func request() *g.RequestMetadata {
	return &g.RequestMetadata{Authority: authority, Metadata: maps.Clone(metadata)}
}

func timeouts() config.TimeoutConfig {
	timeouts := config.DefaultTimeoutConfig()
	timeouts.MaxTimeToConsistency = 5 * time.Second
	return timeouts
}

func TestGRPC(t *testing.T) {
	plain, unimplemented := &pb.EchoRequest{}, g.Response{Code: codes.Unimplemented}
	for name, expected := range map[string]g.ExpectedResponse{
		"Echo":                  {EchoRequest: plain},
		"EchoTwo":               {EchoTwoRequest: plain},
		"EchoThree":             {EchoThreeRequest: plain, Response: unimplemented},
		"Echo with metadata":    {EchoRequest: plain, RequestMetadata: request()},
		"EchoTwo with metadata": {EchoTwoRequest: plain, RequestMetadata: request()},
	} {
		expected.Backend, expected.Namespace = "web", "ns"
		t.Run(name, func(t *testing.T) {
			g.MakeRequestAndExpectEventuallyConsistentResponse(t, client(t), timeouts(), base.Host, expected)
		})
	}
}

func TestGRPCFailure(t *testing.T) {
	expected := g.ExpectedResponse{EchoThreeRequest: &pb.EchoRequest{}}
	g.MakeRequestAndExpectEventuallyConsistentFailure(t, client(t), timeouts(), base.Host, expected)
}

// What their comparison passes over: metadata, authority, pod and TLS.
func TestGRPCAssertions(t *testing.T) {
	expected := g.ExpectedResponse{EchoRequest: &pb.EchoRequest{}, RequestMetadata: request()}
	got, err := client(t).SendRPC(t, base.Host, expected, 5*time.Second)
	if err != nil || got.Code != codes.OK {
		t.Fatal(err, got)
	}
	a := got.Response.GetAssertions()
	headers := map[string]string{}
	for _, h := range a.GetHeaders() {
		if _, twice := headers[h.GetKey()]; twice {
			t.Errorf("twice: %v", h)
		}
		headers[h.GetKey()] = h.GetValue()
	}
	want := maps.Clone(metadata)
	want[":authority"] = authority
	want["content-type"] = "application/grpc"
	want["user-agent"] = "grpc-go/" + grpc.Version
	if !maps.Equal(headers, want) {
		t.Errorf("headers: %v, expected %v", headers, want)
	}
	if a.GetAuthority() != authority || a.GetContext().GetNamespace() != "ns" || a.GetContext().GetPod() != "web-0" {
		t.Errorf("%v", a)
	}
	s := a.GetTlsAssertions()
	if base.Scheme == "http" && s != nil {
		t.Errorf("TLS: %v", s)
	}
	if base.Scheme == "https" && (s.GetVersion() != "TLSv1.3" || s.GetNegotiatedProtocol() != "h2" ||
		s.GetServerName() != authority || s.GetCipherSuite() == "" || len(s.GetPeerCertificates()) > 0) {
		t.Errorf("TLS: %v", s)
	}
}

// As GRPCRouteWeight: many calls at once on the client's one connection, each unlike the others.
func TestGRPCAtOnce(t *testing.T) {
	c := client(t)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			expected := g.ExpectedResponse{EchoTwoRequest: &pb.EchoRequest{}}
			if err := g.AddEntropy(&expected); err != nil {
				t.Error(err)
			}
			if got, err := c.SendRPC(t, base.Host, expected, 30*time.Second); err != nil || got.Code != codes.OK {
				t.Error(err, got)
			}
		})
	}
	calls.Wait()
}
