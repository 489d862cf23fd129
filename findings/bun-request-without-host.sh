#!/usr/bin/env bash
# Bun 1.4.5, Bun.serve: `GET /health` over HTTP/1.0 without Host, which only HTTP/1.1 requires (RFC 9112 3.2), as simple
# health checks send it, and over HTTP/1.1. The handlers are a route of Bun, Hono 4.13.19, and one that takes the path
# from `new URL(request.url)`, as in Bun's documentation.
#
# A guess: 200 each time: request.url is a URL, with the address of the server in place of the host.
# Found: request.url is only `/health`. The route and its handler work; new URL() throws, which results in 500; Hono
# looks for the path after the host, finds none, and answers 404. A load balancer that checks in this way takes every
# instance out of service, while all other requests succeed.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund bun@1.4.5 hono@4.13.19
cat >server.mjs <<'JS'
import { Hono } from 'hono';

const settings = { hostname: '127.0.0.1', port: 0, development: false, error: () => new Response('', { status: 500 }) };
const servers = [
  Bun.serve({ ...settings, routes: { '/health': (request) => new Response(request.url.replace(/:\d+/, '')) } }),
  Bun.serve({ ...settings, fetch: new Hono().get('/health', (context) => context.text('hono')).fetch }),
  Bun.serve({ ...settings, fetch: (request) => new Response(new URL(request.url).pathname) }),
];
process.stdout.write(`${servers.map((server) => server.port).join(' ')}\n`);
JS
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';

const bun = spawn('node_modules/.bin/bun', ['server.mjs'], { stdio: ['ignore', 'pipe', 'ignore'] });
const [ports] = await once(bun.stdout, 'data');
const names = ['route', 'Hono', 'new URL()'];
for (const [at, port] of String(ports).trim().split(' ').entries()) {
  for (const [version, fields] of [
    ['1.1', `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`],
    ['1.0', ''],
  ]) {
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.write(`GET /health HTTP/${version}\r\n${fields}\r\n`);
    let received = '';
    for await (const data of socket) received += data;
    const [head, content] = received.split('\r\n\r\n');
    console.log(`${names[at]}, HTTP/${version}: ${head.split(' ')[1]} ${content}`.trim());
  }
}
bun.kill();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
route, HTTP/1.1: 200 http://127.0.0.1/health
route, HTTP/1.0: 200 /health
Hono, HTTP/1.1: 200 hono
Hono, HTTP/1.0: 404 404 Not Found
new URL(), HTTP/1.1: 200 /health
new URL(), HTTP/1.0: 500
TEXT
