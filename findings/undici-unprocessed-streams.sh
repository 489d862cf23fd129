#!/usr/bin/env bash
# undici 8.13.1 on Node 24.21.0, over HTTP/2: a stream that the server says it has not processed, by GOAWAY with a
# lower last stream, or by RST_STREAM with REFUSED_STREAM. RFC 9113 8.7 lets a client repeat such a request, whatever
# its method.
#
# A guess: fetch() and request() repeat GET, and POST with a string, which can be sent again.
# Found: request() repeats both, after GOAWAY on a new connection and after REFUSED_STREAM once on the same one.
# fetch() repeats GET alone: POST rejects with UND_ERR_INFO or ERR_HTTP2_STREAM_ERROR, as its string is a stream by
# then. So clients that POST with fetch() notice the graceful restart of a server that closes connections by GOAWAY.
#
# Fails if that changes. Needs Node 20 or later, npm and openssl, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts "node@npm:node-$platform@24.21.0" undici@8.13.1 >>npm.log 2>&1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem \
  -subj /CN=localhost -days 2 2>>npm.log
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, createSecureServer } from 'node:http2';
import { Agent, fetch, request } from 'undici';

const { NGHTTP2_REFUSED_STREAM } = constants;
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(name));

/** Two requests on one connection. The server does not process the second one. */
async function outcome(refusal, method, send) {
  const server = createSecureServer({ key, cert });
  let sessions = 0;
  let requests = 0;
  server.on('session', (session) => {
    sessions++;
    session.on('error', () => undefined);
    session.on('stream', (stream) => {
      requests++;
      stream.on('error', () => undefined).resume();
      if (requests === 2) refusal(session, stream);
      else {
        stream.respond({ ':status': 200 });
        stream.end('ok');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
  const url = `https://127.0.0.1:${server.address().port}/`;
  const options = { dispatcher, method, ...(method === 'POST' && { body: 'content' }) };
  await send(url, options);
  const second = await send(url, options).catch(({ cause, code }) => cause?.code ?? code);
  const result = `${second}, ${requests} requests on ${sessions} connections`;
  await dispatcher.destroy();
  server.close();
  return result;
}

const refusals = {
  goaway(session) {
    session.goaway(0, 1);
    setTimeout(() => session.destroy(), 50);
  },
  refused: (_session, stream) => stream.close(NGHTTP2_REFUSED_STREAM),
};
const clients = {
  fetch: async (url, options) => (await fetch(url, options)).text(),
  request: async (url, options) => (await request(url, options)).body.text(),
};
for (const [how, refusal] of Object.entries(refusals)) {
  for (const method of ['GET', 'POST']) {
    for (const [name, send] of Object.entries(clients)) {
      console.log(`${how} ${name} ${method}: ${await outcome(refusal, method, send)}`);
    }
  }
}
process.exit();
JS
./node_modules/node/bin/node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
goaway fetch GET: ok, 3 requests on 2 connections
goaway request GET: ok, 3 requests on 2 connections
goaway fetch POST: UND_ERR_INFO, 2 requests on 1 connections
goaway request POST: ok, 3 requests on 2 connections
refused fetch GET: ok, 3 requests on 1 connections
refused request GET: ok, 3 requests on 1 connections
refused fetch POST: ERR_HTTP2_STREAM_ERROR, 2 requests on 1 connections
refused request POST: ok, 3 requests on 1 connections
TEXT
