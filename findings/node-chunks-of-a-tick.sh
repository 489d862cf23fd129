#!/usr/bin/env bash
# Node 20.20.2, 24.21.0 and 26.10.0: three calls of response.write() in one tick, without Content-Length, on HTTP/1.1.
#
# A guess: each call is a chunk (RFC 9112 7.1), as the documentation says that a chunk of the response body is sent.
# Found: three chunks on Node 20 and 24, one of all the bytes on Node 26, whose first write of a tick corks the
# response and not the socket. What reads chunks as messages, as some clients of event streams do, gets another number
# of them.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
for version in 20.20.2 24.21.0 26.10.0; do
  npm install --no-audit --no-fund --ignore-scripts "node-$version@npm:node-$platform@$version" >>npm.log 2>&1
done
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const server = createServer((_request, response) => {
  for (const piece of ['one', 'two', 'three']) response.write(piece);
  response.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect(server.address().port, '127.0.0.1');
socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
let received = '';
socket.on('data', (piece) => (received += piece));
await once(socket, 'end');
const [, content] = received.split('\r\n\r\n', 2);
const sizes = content.split('\r\n').filter((_, at) => at % 2 === 0);
console.log(`${process.version} sizes of chunks: ${sizes.join(', ')}`);
process.exit();
JS
for version in 20.20.2 24.21.0 26.10.0; do "node_modules/node-$version/bin/node" run.mjs; done | tee out.txt
grep -qx 'v20.20.2 sizes of chunks: 3, 3, 5, 0' out.txt
grep -qx 'v24.21.0 sizes of chunks: 3, 3, 5, 0' out.txt
grep -qx 'v26.10.0 sizes of chunks: b, 0' out.txt
