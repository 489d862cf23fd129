#!/usr/bin/env bash
# http-proxy-3 1.23.3 and httpxy 0.5.6, the two maintained successors of http-proxy: a response with a trailer field
# that its Trailer field announces, and a request whose Connection field names another one.
#
# A guess: they forward both sections, or leave out Trailer with what they drop (RFC 9110 6.5.1, 6.6.2); they remove
# what Connection names, as a proxy must (RFC 9110 7.6.1).
# Found: both forward `Trailer: X-Checksum`, and end the response without the field, so that a client which waits to
# verify what was announced has nothing. Both lose the trailers of a request; http-proxy-3 leaves out its Trailer field,
# httpxy does not. Both replace Connection, but send the field that it names to the origin.
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 http-proxy-3@1.23.3 httpxy@0.5.6 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createProxyServer as httpProxy3 } from 'http-proxy-3';
import { createProxyServer as httpxy } from 'httpxy';

const received = [];
const origin = createServer(async (incoming, response) => {
  incoming.resume();
  await once(incoming, 'end');
  received.push({ fields: incoming.headers, trailers: incoming.trailers });
  response.writeHead(200, { Trailer: 'X-Checksum' });
  response.write('content');
  response.addTrailers({ 'X-Checksum': '42' });
  response.end();
});
origin.listen(0, '127.0.0.1');
await once(origin, 'listening');
const target = `http://127.0.0.1:${origin.address().port}`;

for (const [name, create] of Object.entries({ 'http-proxy-3': httpProxy3, httpxy })) {
  const proxy = create({ target });
  const front = createServer((incoming, response) => void proxy.web(incoming, response));
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const sent = request({
    port: front.address().port,
    method: 'POST',
    headers: {
      Connection: 'keep-alive, X-Hop',
      'X-Hop': '1',
      Trailer: 'X-Sum',
      'Transfer-Encoding': 'chunked',
    },
  });
  sent.write('content');
  sent.addTrailers({ 'X-Sum': '7' });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  const { fields, trailers } = received.pop();
  console.log(`${name} response: Trailer ${response.headers.trailer}, ${JSON.stringify(response.trailers)}`);
  console.log(`${name} request: Trailer ${fields.trailer}, ${JSON.stringify(trailers)}`);
  console.log(`${name} X-Hop ${fields['x-hop']}, Connection ${fields.connection}`);
}
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
http-proxy-3 response: Trailer X-Checksum, {}
http-proxy-3 request: Trailer undefined, {}
http-proxy-3 X-Hop 1, Connection close
httpxy response: Trailer X-Checksum, {}
httpxy request: Trailer X-Sum, {}
httpxy X-Hop 1, Connection close
TEXT
