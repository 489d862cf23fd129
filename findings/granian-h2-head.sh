#!/usr/bin/env bash
# Granian 2.8.9 with Starlette 1.10.0: HEAD for a route that is declared for GET. Starlette answers as it does to GET,
# and leaves it to the server to drop the content.
#
# A guess: the fields of the response to GET and no content, over HTTP/1.1 and HTTP/2 (RFC 9110 9.3.2).
# Found: this holds over HTTP/1.1. Over HTTP/2, Granian sends the content in DATA frames, so that Node's client reports
# the 200 and then resets the stream with PROTOCOL_ERROR (RFC 9113 8.1.1). Clients that check with HEAD see a fault
# that GET does not have.
#
# Fails if that changes. Needs Node 20 or later, and Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet granian==2.8.9 starlette==1.10.0 >pip.log 2>&1
cat >application.py <<'PY'
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def home(request):
    return PlainTextResponse("content")


application = Starlette(routes=[Route("/", home)])
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function listens(port) {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').then(() => true, () => false);
  socket.destroy();
  return open;
}

async function overHttp1(port, method) {
  const [response] = await once(http.request({ port, method }).end(), 'response');
  let content = '';
  for await (const piece of response) content += piece;
  return `${response.statusCode}, length ${response.headers['content-length']}, content "${content}"`;
}

async function overHttp2(port, method) {
  const stream = http2.connect(`http://127.0.0.1:${port}`).request({ ':method': method, ':path': '/' });
  let [fields, content, failure] = [{}, '', 'none'];
  stream.on('response', (received) => (fields = received));
  stream.on('data', (piece) => (content += piece));
  stream.on('error', (error) => (failure = error.message));
  await new Promise((closed) => stream.on('close', closed));
  return `${fields[':status']}, length ${fields['content-length']}, content "${content}", error: ${failure}`;
}

/** The octets of content in the DATA frames of the response to HEAD, for which Node's client has no event. */
async function octetsOfHead(port) {
  const frame = (type, flags, id, payload) =>
    Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, id, ...payload]);
  const fields = [0x02, 4, ...Buffer.from('HEAD'), 0x84, 0x86, 0x01, 1, 0x61];
  const socket = connect(port, '127.0.0.1');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(Buffer.concat([frame(4, 0, 0, []), frame(1, 5, 1, fields)]));
  let [received, octets] = [Buffer.alloc(0), 0];
  for await (const piece of socket) {
    received = Buffer.concat([received, piece]);
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      const [length, type, flags] = [received.readUIntBE(0, 3), received[3], received[4]];
      if (type === 0) octets += length;
      if (type < 2 && flags & 1) return octets;
      received = received.subarray(9 + length);
    }
  }
}

for (const [version, send] of [['1', overHttp1], ['2', overHttp2]]) {
  const port = await freePort();
  const options = ['--interface', 'asgi', '--http', version, '--host', '127.0.0.1', '--port', String(port)];
  const server = spawn('venv/bin/granian', [...options, 'application:application'], { stdio: 'ignore' });
  while (!(await listens(port))) await pause(100);
  for (const method of ['GET', 'HEAD']) console.log(`HTTP/${version} ${method}: ${await send(port, method)}`);
  if (version === '2') console.log(`HTTP/2 HEAD: ${await octetsOfHead(port)} octets in DATA frames`);
  server.kill();
  await once(server, 'close');
}
process.exit();
JS
timeout 60 node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
HTTP/1 GET: 200, length 7, content "content"
HTTP/1 HEAD: 200, length 7, content ""
HTTP/2 GET: 200, length 7, content "content", error: none
HTTP/2 HEAD: 200, length 7, content "", error: Stream closed with error code NGHTTP2_PROTOCOL_ERROR
HTTP/2 HEAD: 7 octets in DATA frames
TEXT
