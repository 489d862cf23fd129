#!/usr/bin/env bash
# HdrHistogram's V2 format across languages: written by Python's hdrhistogram 0.10.8, merged and written again by Go's
# hdrhistogram-go 1.4.0, and read by hdr-histogram-js 3.0.1, with a bucket of 2^31 + 500 calls of 1 ms, and with twice
# as many.
#
# A guess: the format has 64 bits for a count, so all three report the same total, median and mean.
# Found: hdr-histogram-js keeps 32 bits for each count unless told otherwise, and takes the lowest 32 without an error:
# of 4,294,968,296 calls of 1 ms, 1,000 are left, and the median is that of 10,000 slow ones. With a bitBucketSize of
# 64, or `packed`, it agrees with Python and Go. A report in Node over the merged files of a long run is wrong, but
# plausible.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.24 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 hdr-histogram-js@3.0.1 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet hdrhistogram==0.10.8
go mod init merge >go.log 2>&1
go get github.com/HdrHistogram/hdrhistogram-go@v1.4.0 >>go.log 2>&1
cat >write.py <<'PY'
from hdrh.histogram import HdrHistogram

histogram = HdrHistogram(1, 60_000, 3)
histogram.record_value(1, 2**31 + 500)
histogram.record_value(1000, 5000)
print(histogram.encode().decode())
PY
cat >read.py <<'PY'
from hdrh.histogram import HdrHistogram

for line in open("histograms.txt"):
    histogram = HdrHistogram.decode(line.strip())
    median = histogram.get_value_at_percentile(50)
    print(f"Python: {histogram.get_total_count()} calls, median {median}, mean {histogram.get_mean_value():.3f}")
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Writes the histogram of the file once more, merged with itself.
func main() {
	text := strings.TrimSpace(string(must(os.ReadFile("histograms.txt"))))
	merged := must(hdr.Decode([]byte(text)))
	merged.Merge(must(hdr.Decode([]byte(text))))
	fmt.Println(string(must(merged.Encode(hdr.V2CompressedEncodingCookieBase))))
}
GO
cat >read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';

for (const bits of [undefined, 64, 'packed']) {
  for (const line of readFileSync('histograms.txt', 'utf8').trim().split('\n')) {
    const histogram = decodeFromCompressedBase64(line, ...(bits ? [bits] : []));
    const median = histogram.getValueAtPercentile(50);
    const mean = histogram.mean.toFixed(3);
    console.log(`Node, ${bits ?? 'default'}: ${histogram.totalCount} calls, median ${median}, mean ${mean}`);
  }
}
JS
go mod tidy >>go.log 2>&1
python/bin/python write.py >histograms.txt
go run . >merged.txt
cat merged.txt >>histograms.txt
{ python/bin/python read.py; node read.mjs; } | tee out.txt
diff out.txt - <<'TEXT'
Python: 2147489148 calls, median 1, mean 1.002
Python: 4294978296 calls, median 1, mean 1.002
Node, default: 2147489148 calls, median 1, mean 1.002
Node, default: 11000 calls, median 1000, mean 909.182
Node, 64: 2147489148 calls, median 1, mean 1.002
Node, 64: 4294978296 calls, median 1, mean 1.002
Node, packed: 2147489148 calls, median 1, mean 1.002
Node, packed: 4294978296 calls, median 1, mean 1.002
TEXT
