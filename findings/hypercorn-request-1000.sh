#!/usr/bin/env bash
# Hypercorn 0.18.0 (h2 4.4.1), HTTP/2 with its default settings: requests on one connection, one after the other,
# beside a first one whose response takes longer than all of them.
#
# A guess: at some number of requests a GOAWAY, after which those in progress are completed, and a new connection.
# Found: at request 1001 (keep_alive_max_requests is 1000), a GOAWAY whose last stream is that request, so that no
# client may repeat it, and at once the end of the connection. That request gets no response, though the application
# has completed it, and neither does the one in progress: on each long-lived connection, one request in a thousand
# fails.
#
# Fails if that changes. Needs Node 20 or later, and Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet hypercorn==0.18.0 h2==4.4.1 hpack==4.2.0 hyperframe==6.1.0 >pip.log 2>&1
cat >application.py <<'PY'
import asyncio

completed = 0


async def application(scope, receive, send):
    global completed
    if scope["type"] != "http":
        return
    content = f"completed {completed}".encode()
    if scope["path"] == "/slow":
        await asyncio.sleep(60)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": content})
    completed += 1
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { createInterface } from 'node:readline';

const options = ['--bind', '127.0.0.1:0', 'application:application'];
const server = spawn('venv/bin/hypercorn', options, { stdio: ['ignore', 'ignore', 'pipe'] });
let url;
for await (const line of createInterface({ input: server.stderr })) if ((url = /http:\S+/.exec(line)?.[0])) break;

const open = () => connect(url).on('error', () => undefined);
async function get(session, path) {
  const stream = session.request({ ':path': path });
  let [status, content] = ['no response', ''];
  stream.on('response', (fields) => (status = fields[':status']));
  stream.on('data', (piece) => (content += piece));
  stream.on('error', () => undefined);
  await once(stream, 'close');
  return [status, content].join(' ').trim();
}
const session = open();
session.on('goaway', (code, last) => console.log(`GOAWAY ${code}, last stream ${last}, request ${(last + 1) / 2}`));
const slow = get(session, '/slow');
let [answered, lost] = [0, 0];
while (!session.closed && !session.destroyed) {
  if ((await get(session, '/')).startsWith('200')) answered++;
  else lost++;
}
console.log(`answered: ${answered}, lost: ${lost}, slow: ${await slow}`);
console.log('application:', await get(open(), '/'));
server.kill();
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
GOAWAY 0, last stream 2001, request 1001
answered: 999, lost: 1, slow: no response
application: 200 completed 1000
TEXT
