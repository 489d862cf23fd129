#!/usr/bin/env bash
# Baggage of W3C between the SDKs of OpenTelemetry: @opentelemetry/core 3.1.1 of npm, opentelemetry-api 1.45.2 of PyPI
# and go.opentelemetry.io/otel 1.47.0. Each SDK receives a value, or a field with a property, and sends it on.
#
# A guess: a round trip through any pair returns the same value, and properties are lost in one of them.
# Found: Python uses the encoding of forms. Its space is a plus sign to the other two, and Go's plus sign, which needs
# no encoding in a value, is a space to Python. Python makes the properties part of the value, so that `;` becomes %3B
# and no SDK after it finds them. JavaScript drops a member whose value is empty, which the syntax allows. So "a+b"
# arrives as "a b" behind one Python service, and a filter or an account chosen by baggage no longer matches.
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
go mod init baggage >go.log 2>&1
go get go.opentelemetry.io/otel@v1.47.0 >>go.log 2>&1
cat >run.mjs <<'JS'
import { ROOT_CONTEXT, defaultTextMapGetter, defaultTextMapSetter, propagation } from '@opentelemetry/api';
import { W3CBaggagePropagator } from '@opentelemetry/core';

const propagator = new W3CBaggagePropagator();
const [kind, text] = process.argv.slice(2);
const context =
  kind === 'value'
    ? propagation.setBaggage(ROOT_CONTEXT, propagation.createBaggage({ k: { value: text } }))
    : propagator.extract(ROOT_CONTEXT, { baggage: text }, defaultTextMapGetter);
const carrier = {};
propagator.inject(context, carrier, defaultTextMapSetter);
console.log(JSON.stringify([propagation.getBaggage(context)?.getEntry('k')?.value ?? null, carrier.baggage ?? null]));
JS
cat >relay.py <<'PY'
import json
import sys

from opentelemetry import baggage
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context

kind, text = sys.argv[1:]
propagator = W3CBaggagePropagator()
context = baggage.set_baggage("k", text, Context()) if kind == "value" else propagator.extract({"baggage": text})
carrier = {}
propagator.inject(carrier, context=context)
print(json.dumps([baggage.get_baggage("k", context), carrier.get("baggage")]))
PY
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"os"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
)

func main() {
	ctx := context.Background()
	if os.Args[1] == "value" {
		member, _ := baggage.NewMemberRaw("k", os.Args[2])
		bag, _ := baggage.New(member)
		ctx = baggage.ContextWithBaggage(ctx, bag)
	} else {
		ctx = propagation.Baggage{}.Extract(ctx, propagation.MapCarrier{"baggage": os.Args[2]})
	}
	carrier := propagation.MapCarrier{}
	propagation.Baggage{}.Inject(ctx, carrier)
	_ = json.NewEncoder(os.Stdout).Encode([]string{baggage.FromContext(ctx).Member("k").Value(), carrier["baggage"]})
}
GO
go mod tidy >>go.log 2>&1 && go build -o relay .
cat >run.py <<'PY'
import json
import subprocess

SDKS = {"JavaScript": ["node", "run.mjs"], "Python": ["python/bin/python", "relay.py"], "Go": ["./relay"]}


def relay(name, kind, text):
    return json.loads(subprocess.run([*SDKS[name], kind, text], capture_output=True, check=True).stdout)


for value in ("a b", "a+b"):
    for sender in SDKS:
        field = relay(sender, "value", value)[1]
        received = ", ".join(f"{name} {relay(name, 'field', field)[0]!r}" for name in SDKS if name != sender)
        print(f"{value!r} sent by {sender} as {field}: {received}")
for field in ("k=a;p=1", "k="):
    sent = ", ".join(f"{name} {relay(name, 'field', field)[1]}" for name in SDKS)
    print(f"{field} sent on: {sent}")
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
'a b' sent by JavaScript as k=a%20b: Python 'a b', Go 'a b'
'a b' sent by Python as k=a+b: JavaScript 'a+b', Go 'a+b'
'a b' sent by Go as k=a%20b: JavaScript 'a b', Python 'a b'
'a+b' sent by JavaScript as k=a%2Bb: Python 'a+b', Go 'a+b'
'a+b' sent by Python as k=a%2Bb: JavaScript 'a+b', Go 'a+b'
'a+b' sent by Go as k=a+b: JavaScript 'a+b', Python 'a b'
k=a;p=1 sent on: JavaScript k=a;p=1, Python k=a%3Bp%3D1, Go k=a;p=1
k= sent on: JavaScript None, Python k=, Go k=
TEXT
