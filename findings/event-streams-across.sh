#!/usr/bin/env bash
# Parsers of event streams (HTML Standard 9.2.6): httpx-sse 0.4.3 and sseclient-py 1.9.0 of PyPI,
# launchdarkly/eventsource 1.11.0 and tmaxmax/go-sse 0.12.0 of Go. The output is the data of the events that they
# report.
#
# A guess: those of Go are right, and sseclient-py takes U+2028 for the end of a line, as Python's splitlines() does.
# Found: none parses all streams correctly, but all handle U+2028 and a lone CR. Only go-sse knows that a stream may
# begin with a BOM: the others take the first line for an unknown field, so that the first event is lost, or has no
# data. Only sseclient-py ignores an event without data, such as servers send to keep a connection alive. But it reports
# the rest of a stream that broke off as an event, so that half a message looks complete.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv, and Go 1.26 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet httpx==0.28.1 httpx-sse==0.4.3 sseclient-py==1.9.0
go mod init streams >go.log 2>&1
go get github.com/launchdarkly/eventsource@v1.11.0 github.com/tmaxmax/go-sse@v0.12.0 >>go.log 2>&1
cat >streams.json <<'JSON'
[
  "data: a\r\rdata: b\r\r",
  "data: a\u2028b\n\n",
  "\ufeffdata: a\n\ndata: b\n\n",
  "event: ping\n\ndata: a\n\n",
  "data: a\n\ndata: {\"half\":\n"
]
JSON
cat >run.py <<'PY'
import json

import httpx
import httpx_sse
import sseclient


def by_httpx_sse(stream):
    def respond(_):
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=stream)

    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        with httpx_sse.connect_sse(client, "GET", "http://localhost/") as source:
            return list(source.iter_sse())


PARSERS = {"httpx-sse": by_httpx_sse, "sseclient-py": lambda stream: sseclient.SSEClient(iter([stream])).events()}
for stream in json.load(open("streams.json")):
    for name, parse in PARSERS.items():
        events = [event.data for event in parse(stream.encode())]
        print(f"{json.dumps(stream)} {name}: {json.dumps(events)}")
PY
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/launchdarkly/eventsource"
	"github.com/tmaxmax/go-sse"
)

func show(stream, name string, events []string) {
	from, _ := json.Marshal(stream)
	to, _ := json.Marshal(events)
	fmt.Printf("%s %s: %s\n", strings.ReplaceAll(string(from), "\ufeff", `\ufeff`), name, to)
}

func main() {
	var streams []string
	text, _ := os.ReadFile("streams.json")
	_ = json.Unmarshal(text, &streams)
	for _, stream := range streams {
		var events []string
		decoder := eventsource.NewDecoder(strings.NewReader(stream))
		for event, err := decoder.Decode(); err == nil; event, err = decoder.Decode() {
			events = append(events, event.Data())
		}
		show(stream, "eventsource", events)
		events = nil
		for event, err := range sse.Read(strings.NewReader(stream), nil) {
			if err == nil {
				events = append(events, event.Data)
			}
		}
		show(stream, "go-sse", events)
	}
}
GO
{
  python/bin/python run.py
  go mod tidy >>go.log 2>&1 && go run .
} | tee out.txt
diff out.txt - <<'TEXT'
"data: a\r\rdata: b\r\r" httpx-sse: ["a", "b"]
"data: a\r\rdata: b\r\r" sseclient-py: ["a", "b"]
"data: a\u2028b\n\n" httpx-sse: ["a\u2028b"]
"data: a\u2028b\n\n" sseclient-py: ["a\u2028b"]
"\ufeffdata: a\n\ndata: b\n\n" httpx-sse: ["b"]
"\ufeffdata: a\n\ndata: b\n\n" sseclient-py: ["b"]
"event: ping\n\ndata: a\n\n" httpx-sse: ["", "a"]
"event: ping\n\ndata: a\n\n" sseclient-py: ["a"]
"data: a\n\ndata: {\"half\":\n" httpx-sse: ["a"]
"data: a\n\ndata: {\"half\":\n" sseclient-py: ["a", "{\"half\":"]
"data: a\r\rdata: b\r\r" eventsource: ["a","b"]
"data: a\r\rdata: b\r\r" go-sse: ["a","b"]
"data: a\u2028b\n\n" eventsource: ["a\u2028b"]
"data: a\u2028b\n\n" go-sse: ["a\u2028b"]
"\ufeffdata: a\n\ndata: b\n\n" eventsource: ["","b"]
"\ufeffdata: a\n\ndata: b\n\n" go-sse: ["a","b"]
"event: ping\n\ndata: a\n\n" eventsource: ["","a"]
"event: ping\n\ndata: a\n\n" go-sse: ["","a"]
"data: a\n\ndata: {\"half\":\n" eventsource: ["a"]
"data: a\n\ndata: {\"half\":\n" go-sse: ["a"]
TEXT
