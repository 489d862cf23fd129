// A reverse proxy of Go's standard library alone: TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin.
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

func main() {
	origin, err := url.Parse("http://127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(origin)
			request.SetXForwarded()
			request.Out.Host = request.In.Host
		},
	}
	log.Fatal(http.ListenAndServeTLS("127.0.0.1:8443", "cert.pem", "key.pem", proxy))
}
