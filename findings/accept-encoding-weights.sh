#!/usr/bin/env bash
# Compression in servers and weights in Accept-Encoding (RFC 9110 12.5.3): GZipMiddleware of Starlette 1.10.0 (PyPI),
# and in Go gorilla/handlers 1.5.2, chi 5.5.0, klauspost's gzhttp 1.20.4, gin-contrib/gzip 1.2.5 and echo 4.16.4.
#
# A guess: all honour q=0, which makes gzip unacceptable, except Starlette, which only looks for the word.
# Found: chi, gin and echo do not honour it either: four of the six send gzip to a client that refuses it, such as one
# that stores what it gets and cannot decode. gorilla compresses only without a weight, so that a client that sends
# `gzip;q=0.8` gets everything uncompressed. Names of codings are case-insensitive (8.4.1), but only chi and gzhttp know
# GZIP.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv, and Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet starlette==1.10.0 httpx==0.28.1
go mod init servers >go.log 2>&1
go get github.com/go-chi/chi/v5@v5.5.0 github.com/gorilla/handlers@v1.5.2 github.com/klauspost/compress@v1.20.4 \
  github.com/gin-gonic/gin@v1.12.0 github.com/gin-contrib/gzip@v1.2.5 github.com/labstack/echo/v4@v4.16.4 >>go.log 2>&1
cat >fields.txt <<'TEXT'
gzip
gzip;q=0.8
gzip;q=0
identity, gzip;q=0
GZIP
TEXT
cat >run.py <<'PY'
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

routes = [Route("/", lambda _: PlainTextResponse("text" * 1000))]
client = TestClient(Starlette(routes=routes, middleware=[Middleware(GZipMiddleware)]))
for field in open("fields.txt").read().splitlines():
    coding = client.get("/", headers={"Accept-Encoding": field}).headers.get("Content-Encoding", "no coding")
    print(f"{field}: Starlette {coding}")
PY
cat >main.go <<'GO'
package main

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	gingzip "github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/gorilla/handlers"
	"github.com/klauspost/compress/gzhttp"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

func main() {
	text := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(strings.Repeat("text", 1000)))
	})
	gin.SetMode("release")
	ginServer, echoServer := gin.New(), echo.New()
	ginServer.Use(gingzip.Gzip(5))
	ginServer.GET("/", gin.WrapH(text))
	echoServer.Use(echomiddleware.Gzip())
	echoServer.GET("/", echo.WrapHandler(text))
	names := []string{"gorilla", "chi", "gzhttp", "gin", "echo"}
	servers := []http.Handler{handlers.CompressHandler(text), middleware.Compress(5)(text), gzhttp.GzipHandler(text),
		ginServer, echoServer}
	fields, _ := os.ReadFile("fields.txt")
	for _, field := range strings.Split(strings.TrimSpace(string(fields)), "\n") {
		results := []string{}
		for index, server := range servers {
			request, response := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
			request.Header.Set("Accept-Encoding", field)
			server.ServeHTTP(response, request)
			coding := cmp.Or(response.Result().Header.Get("Content-Encoding"), "no coding")
			results = append(results, names[index]+" "+coding)
		}
		fmt.Printf("%s: %s\n", field, strings.Join(results, ", "))
	}
}
GO
{
  python/bin/python run.py 2>>go.log
  go mod tidy >>go.log 2>&1 && go run . 2>>go.log
} | tee out.txt
diff out.txt - <<'TEXT'
gzip: Starlette gzip
gzip;q=0.8: Starlette gzip
gzip;q=0: Starlette gzip
identity, gzip;q=0: Starlette gzip
GZIP: Starlette no coding
gzip: gorilla gzip, chi gzip, gzhttp gzip, gin gzip, echo gzip
gzip;q=0.8: gorilla no coding, chi gzip, gzhttp gzip, gin gzip, echo gzip
gzip;q=0: gorilla no coding, chi gzip, gzhttp no coding, gin gzip, echo gzip
identity, gzip;q=0: gorilla no coding, chi gzip, gzhttp no coding, gin gzip, echo gzip
GZIP: gorilla no coding, chi gzip, gzhttp gzip, gin no coding, echo no coding
TEXT
