#!/usr/bin/env bash
# Content-Encoding: gzip with two members, as the format allows (RFC 1952 2.2) and as a server sends that joins
# compressed pieces, or files that grow by appending. The clients are fetch() of Node, of Deno 2.9.6 and of Bun 1.4.5,
# axios 1.21.1, got 16.1.0, Go's net/http, and requests 2.34.2, httpx 0.28.1, aiohttp 3.14.5 and niquests 3.21.2 of
# Python.
#
# A guess: all read both members, as every gunzip does.
# Found: eight of ten do. Deno and httpx end after the first member, without an error, though the lengths are right. The
# end of a log or of a list of records is then missing, and the reader gets no hint.
#
# Fails if that changes. Needs Node 20 or later, npm, Python 3.10 or later and Go 1.24 or later, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund deno@2.9.6 bun@1.4.5 axios@1.21.1 got@16.1.0
python3 -m venv python
python/bin/pip install --quiet requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5 niquests==3.21.2
cat >main.go <<'GO'
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		panic(err)
	}
	content, err := io.ReadAll(response.Body)
	fmt.Println("net/http", string(content), err)
}
GO
cat >clients.py <<'PY'
import asyncio
import sys

import aiohttp
import httpx
import niquests
import requests


async def by_aiohttp():
    async with aiohttp.ClientSession() as session, session.get(sys.argv[1]) as response:
        return await response.text()


for client in [requests, httpx, niquests]:
    print(client.__name__, client.get(sys.argv[1]).text)
print("aiohttp", asyncio.run(by_aiohttp()))
PY
cat >fetch.mjs <<'JS'
const [name, url] = globalThis.Deno?.args ?? process.argv.slice(2);
console.log(name, await (await fetch(url)).text());
JS
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import { gzipSync } from 'node:zlib';
import axios from 'axios';
import got from 'got';

const content = Buffer.concat([gzipSync('first'), gzipSync(' second')]);
const server = http.createServer((request, response) => {
  response.setHeader('Content-Encoding', 'gzip').setHeader('Content-Length', content.length).end(content);
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
console.log('axios', (await axios.get(url)).data);
console.log('got', await got(url).text());
for (const command of [
  ['node', 'fetch.mjs', 'node', url],
  ['node_modules/.bin/deno', 'run', '--quiet', '--allow-net', 'fetch.mjs', 'deno', url],
  ['node_modules/.bin/bun', 'fetch.mjs', 'bun', url],
  ['go', 'run', 'main.go', url],
  ['python/bin/python', 'clients.py', url],
]) {
  await once(spawn(command[0], command.slice(1), { stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
}
server.closeAllConnections();
server.close();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
axios first second
got first second
node first second
deno first
bun first second
net/http first second <nil>
requests first second
httpx first
niquests first second
aiohttp first second
TEXT
