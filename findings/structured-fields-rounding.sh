#!/usr/bin/env bash
# Structured Fields: numbers halfway between two Decimals with three digits, written by structured-field-values 2.0.4
# of npm, httpsfv 1.1.2 of Go, and http-sf 1.5.0 of Python, the last with float and with Decimal.
#
# A guess: all round to the even neighbour in the same way, as RFC 9651 4.1.5 requires.
# Found: three ways to round. httpsfv and Decimal round the number in the source, half to even. float has its binary
# value, which lies slightly off the middle, so that 0.0005 and 0.0025 are rounded up. npm does the one for small
# numbers and the other for 8.0005. So replicas in two languages send different fields for one value, and caches and
# signatures see a difference.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.24 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts structured-field-values@2.0.4 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet http-sf==1.5.0
go mod init round >go.log 2>&1
go get github.com/dunglas/httpsfv@v1.1.2 >>go.log 2>&1
echo 0.0005 0.0015 0.0025 1.0005 8.0005 >numbers.txt
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { encodeItem } from 'structured-field-values';

const numbers = readFileSync('numbers.txt', 'utf8').trim().split(' ');
console.log('structured-field-values:', ...numbers.map((number) => encodeItem(Number(number))));
JS
cat >run.py <<'PY'
from decimal import Decimal

import http_sf

numbers = open("numbers.txt").read().split()
for kind in (float, Decimal):
    print(f"http-sf, {kind.__name__}:", *(http_sf.ser(kind(number)) for number in numbers))
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dunglas/httpsfv"
)

func main() {
	text, _ := os.ReadFile("numbers.txt")
	fmt.Print("httpsfv:")
	for _, number := range strings.Fields(string(text)) {
		value, _ := strconv.ParseFloat(number, 64)
		field, _ := httpsfv.Marshal(httpsfv.NewItem(value))
		fmt.Print(" ", field)
	}
	fmt.Println()
}
GO
go mod tidy >>go.log 2>&1
{ node run.mjs; go run .; python/bin/python run.py; } | tee out.txt
diff out.txt - <<'TEXT'
structured-field-values: 0.0 0.002 0.002 1.0 8.001
httpsfv: 0.0 0.002 0.002 1.0 8.0
http-sf, float: 0.001 0.002 0.003 1.0 8.001
http-sf, Decimal: 0.0 0.002 0.002 1.0 8.0
TEXT
