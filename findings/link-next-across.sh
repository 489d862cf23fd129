#!/usr/bin/env bash
# Link (RFC 8288) with the relation `next`, as in paginated lists, read by npm's http-link-header 1.1.4 and
# parse-link-header 2.0.0, Python's requests 2.34.2 and httpx 0.28.1, and Go's tomnomnom/linkheader of August 2025 and
# peterhellberg/link 1.2.0.
#
# A guess: all of them find the next page, also if the link has two relations.
# Found: only one of the six always does. Those of Python and Go do not find `next` in `next last`. Only
# http-link-header accepts `REL=Next`, though both names are case-insensitive. requests, httpx and linkheader find
# nothing if the URI has a `;`, and linkheader if there is a comma in the URI or the title. link removes the comma from
# the URI, so that another page is fetched. A client that follows `next` until there is none takes the first of many
# pages for all of them.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.24 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts http-link-header@1.1.4 parse-link-header@2.0.0 >>npm.log 2>&1
python3 -m venv python
python/bin/pip install --quiet requests==2.34.2 httpx==0.28.1
go mod init links >go.log 2>&1
go get github.com/peterhellberg/link@v1.2.0 \
  github.com/tomnomnom/linkheader@v0.0.0-20250811210735-e5fe3b51442e >>go.log 2>&1
cat >fields.txt <<'TEXT'
</2>; rel="next"
</2>; rel="next last"
</2>; REL=Next
</2?by=a,b>; rel="next"
</2?by=a;b>; rel="next"
</2>; title="a, b"; rel="next"
TEXT
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import httpLinkHeader from 'http-link-header';
import parseLinkHeader from 'parse-link-header';

const readers = {
  'http-link-header': (field) => httpLinkHeader.parse(field).rel('next')[0]?.uri,
  'parse-link-header': (field) => parseLinkHeader(field)?.next?.url,
};
const fields = readFileSync('fields.txt', 'utf8').trim().split('\n');
for (const [name, read] of Object.entries(readers)) {
  console.log(`${name}: ${fields.map((field) => read(field) ?? 'none').join(' ')}`);
}
JS
cat >run.py <<'PY'
import httpx
import requests


def by_requests(field):
    response = requests.Response()
    response.headers["Link"] = field
    return response.links


readers = {"requests": by_requests, "httpx": lambda field: httpx.Response(200, headers={"Link": field}).links}
fields = open("fields.txt").read().splitlines()
for name, links in readers.items():
    print(f"{name}: {' '.join(links(field).get('next', {}).get('url', 'none') for field in fields)}")
PY
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/peterhellberg/link"
	"github.com/tomnomnom/linkheader"
)

func main() {
	text, _ := os.ReadFile("fields.txt")
	header, other := "linkheader:", "link:"
	for _, field := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		uri := "none"
		for _, found := range linkheader.Parse(field).FilterByRel("next") {
			uri = found.URL
		}
		header += " " + uri
		uri = "none"
		if found, is := link.Parse(field)["next"]; is {
			uri = found.URI
		}
		other += " " + uri
	}
	fmt.Println(header + "\n" + other)
}
GO
{ node run.mjs; python/bin/python run.py; go run .; } | tee out.txt
diff out.txt - <<'TEXT'
http-link-header: /2 /2 /2 /2?by=a,b /2?by=a;b /2
parse-link-header: /2 /2 none /2?by=a,b /2?by=a;b /2
requests: /2 none none /2?by=a,b none /2
httpx: /2 none none /2?by=a,b none /2
linkheader: /2 none none none none none
link: /2 none none /2?by=ab /2?by=a;b /2
TEXT
