#!/usr/bin/env bash
# httpx 0.28.1 (httpcore 1.0.9, h2 4.4.1): a server announces its shutdown as RFC 9113 6.8 advises, with a GOAWAY with
# NO_ERROR and the last stream 2^31-1, while three requests wait for their responses, which it sends 200 ms later.
#
# A guess: the responses arrive, since no stream is above the last one, and the next request gets a new connection.
# Found: the next request gets one, but all that were in progress end at once with RemoteProtocolError, which names
# GOAWAY, and are reset. The client then does not know whether a POST was carried out: what should make a restart
# graceful makes it visible to users of httpx.
#
# Fails if that changes. Needs Node 20 or later, and Python 3.9 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet 'httpx[http2]==0.28.1' httpcore==1.0.9 h2==4.4.1 hpack==4.2.0 hyperframe==6.1.0 >pip.log 2>&1
cat >client.py <<'PY'
import asyncio
import sys

import httpx


async def main(url):
    async with httpx.AsyncClient(http1=False, http2=True) as client:

        async def get(path):
            try:
                return (await client.get(url + path)).text
            except httpx.HTTPError as error:
                return f"{type(error).__name__} {error}"

        print("before:", await get("/"))
        for path, result in zip("abc", await asyncio.gather(get("/a"), get("/b"), get("/c"))):
            print(f"in progress, {path}:", result)
        print("after:", await get("/"))


asyncio.run(main(sys.argv[1]))
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const resets = [];
let connections = 0;
const server = createServer({ settings: { maxConcurrentStreams: 100 } });
server.on('session', (session) => {
  connections++;
  session.on('error', () => undefined);
});
server.on('stream', async (stream, { ':path': path }) => {
  stream.on('error', () => undefined);
  stream.on('close', () => {
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) resets.push(path);
  });
  if (path === '/c') stream.session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  if (path !== '/') await pause(200);
  if (stream.destroyed) return;
  stream.respond({ ':status': 200 });
  stream.end('content');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
await once(spawn('venv/bin/python', ['client.py', url], { stdio: 'inherit' }), 'close');
console.log(`connections: ${connections}, reset: ${resets.sort().join(' ')}`);
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
before: content
in progress, a: RemoteProtocolError <ConnectionTerminated error_code:0, last_stream_id:2147483647, additional_data:None>
in progress, b: RemoteProtocolError <ConnectionTerminated error_code:0, last_stream_id:2147483647, additional_data:None>
in progress, c: RemoteProtocolError <ConnectionTerminated error_code:0, last_stream_id:2147483647, additional_data:None>
after: content
connections: 2, reset: /a /b /c
TEXT
