#!/usr/bin/env bash
# @fastify/http-proxy 11.6.3 (on fastify 5.12.8), a POST with `Expect: 100-continue` (RFC 9110 10.1.1).
#
# A guess from its documentation: the proxy answers 100 itself, then forwards the request with or without Expect.
# Found: the client gets 100 (Continue), sends its content, and then 500, and the origin never gets the request. Node's
# server sends 100 by itself; undici, which forwards, refuses a request with Expect ("expect header not supported").
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 fastify@5.12.8 @fastify/http-proxy@11.6.3 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { createServer, request } from 'node:http';
import Fastify from 'fastify';
import proxy from '@fastify/http-proxy';

let requests = 0;
const origin = createServer((_request, response) => {
  requests++;
  response.end('origin');
});
origin.on('checkContinue', (_request, response) => {
  requests++;
  response.end('origin');
});
await new Promise((listening) => origin.listen(0, '127.0.0.1', listening));

const front = Fastify();
await front.register(proxy, { upstream: `http://127.0.0.1:${origin.address().port}` });
await front.listen({ port: 0, host: '127.0.0.1' });

const post = (headers) =>
  new Promise((resolve, reject) => {
    const seen = [];
    const sent = request({ port: front.server.address().port, method: 'POST', headers });
    sent.on('continue', () => {
      seen.push(100);
      sent.end('content');
    });
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (piece) => (text += piece));
      response.on('end', () => resolve([...seen, response.statusCode, text].join(' ')));
    });
    sent.on('error', reject);
    if (!headers.expect) sent.end('content');
  });

const type = { 'content-type': 'text/plain', 'content-length': '7' };
console.log('without Expect:', await post(type));
console.log('with Expect:', await post({ ...type, expect: '100-continue' }));
console.log('requests at the origin:', requests);
process.exit();
JS
node run.mjs | tee out.txt
grep -qx 'without Expect: 200 origin' out.txt
grep -qx 'requests at the origin: 1' out.txt
grep -q '^with Expect: 100 500 .*expect header not supported' out.txt
