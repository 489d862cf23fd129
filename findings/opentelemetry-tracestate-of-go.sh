#!/usr/bin/env bash
# go.opentelemetry.io/otel 1.47.0: the propagator of trace contexts receives tracestate in two fields, and in one with
# an empty list member, compared with opentelemetry-api 1.45.2 of PyPI and @opentelemetry/core 3.1.1 of npm.
#
# A guess: all take both fields, and skip the empty member, as W3C Trace Context 3.3 requires.
# Found: all skip the empty member, but Go takes only the first of two fields. A proxy may send a list in several
# fields. The members of other vendors, such as those that carry a sampling decision, are lost from there on if they are
# not in the first one.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.25 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts @opentelemetry/api@1.10.0 @opentelemetry/core@3.1.1 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet opentelemetry-api==1.45.2
go mod init states >go.log 2>&1
go get go.opentelemetry.io/otel@v1.47.0 >>go.log 2>&1
cat >fields.json <<'JSON'
[["a=1,b=2"], ["a=1", "b=2"], ["a=1 , b=2"], ["a=1,,b=2"], ["a=1,"]]
JSON
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { ROOT_CONTEXT, defaultTextMapGetter, defaultTextMapSetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

const propagator = new W3CTraceContextPropagator();
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
for (const tracestate of JSON.parse(readFileSync('fields.json'))) {
  const carrier = {};
  const context = propagator.extract(ROOT_CONTEXT, { traceparent, tracestate }, defaultTextMapGetter);
  propagator.inject(context, carrier, defaultTextMapSetter);
  console.log(`JavaScript ${JSON.stringify(tracestate)} sent on as ${carrier.tracestate ?? 'none'}`);
}
JS
cat >run.py <<'PY'
import json

from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

propagator = TraceContextTextMapPropagator()
for fields in json.load(open("fields.json")):
    received = {"traceparent": [f"00-{'1' * 32}-{'2' * 16}-01"], "tracestate": fields}
    carrier = {}
    propagator.inject(carrier, context=propagator.extract(received))
    print(f"Python {json.dumps(fields, separators=(',', ':'))} sent on as {carrier.get('tracestate', 'none')}")
PY
cat >main.go <<'GO'
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"go.opentelemetry.io/otel/propagation"
)

func main() {
	var fields [][]string
	text, _ := os.ReadFile("fields.json")
	_ = json.Unmarshal(text, &fields)
	traceparent := "00-" + strings.Repeat("1", 32) + "-" + strings.Repeat("2", 16) + "-01"
	for _, tracestate := range fields {
		received := http.Header{"Traceparent": {traceparent}, "Tracestate": tracestate}
		sent := http.Header{}
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(received))
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(sent))
		list, _ := json.Marshal(tracestate)
		fmt.Printf("Go %s sent on as %s\n", list, cmp.Or(sent.Get("Tracestate"), "none"))
	}
}
GO
{
  node run.mjs
  python/bin/python run.py
  go mod tidy >>go.log 2>&1 && go run .
} | tee out.txt
diff out.txt - <<'TEXT'
JavaScript ["a=1,b=2"] sent on as a=1,b=2
JavaScript ["a=1","b=2"] sent on as a=1,b=2
JavaScript ["a=1 , b=2"] sent on as a=1,b=2
JavaScript ["a=1,,b=2"] sent on as a=1,b=2
JavaScript ["a=1,"] sent on as a=1
Python ["a=1,b=2"] sent on as a=1,b=2
Python ["a=1","b=2"] sent on as a=1,b=2
Python ["a=1 , b=2"] sent on as a=1,b=2
Python ["a=1,,b=2"] sent on as a=1,b=2
Python ["a=1,"] sent on as a=1
Go ["a=1,b=2"] sent on as a=1,b=2
Go ["a=1","b=2"] sent on as a=1
Go ["a=1 , b=2"] sent on as a=1,b=2
Go ["a=1,,b=2"] sent on as a=1,b=2
Go ["a=1,"] sent on as a=1
TEXT
