#!/usr/bin/env bash
# httpx 0.28.1 (httpcore 1.0.9, h2 4.4.1), four requests at once over HTTP/2 to a server whose SETTINGS have
# MAX_CONCURRENT_STREAMS 100, or omit it, which means no limit (RFC 9113 6.5.2), or that lowers it to 2 while the
# connection is idle.
#
# A guess: all four at once with 100 and without a limit; with 2 they wait, or go to another connection.
# Found: this holds for 100 and 2. Without the setting, they go one after the other, all on one connection: a server
# that sets no limit, as Node's by default, is the slowest.
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

        await get("/lower")
        results = await asyncio.gather(*[get("/") for _ in range(4)])
        print(", ".join(sorted(set(results))))


asyncio.run(main(sys.argv[1]))
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

for (const [initial, lowered] of [[100], [undefined], [100, 2]]) {
  let [connections, open, most] = [0, 0, 0];
  const server = createServer({ settings: { maxConcurrentStreams: initial } });
  server.on('session', (session) => {
    connections++;
    session.on('error', () => undefined);
  });
  server.on('stream', async (stream, { ':path': path }) => {
    const { session } = stream;
    most = Math.max(most, ++open);
    if (path === '/') await pause(100);
    else if (lowered !== undefined) session.settings({ maxConcurrentStreams: lowered });
    open--;
    stream.respond({ ':status': 200 });
    stream.end('content');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const client = spawn('venv/bin/python', ['client.py', url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let results = '';
  client.stdout.on('data', (text) => (results += text));
  await once(client, 'close');
  const limit = `${initial ?? 'none'}${lowered === undefined ? '' : `, then ${lowered}`}`;
  console.log(`limit ${limit}: at most ${most} at once on ${connections} connection, results: ${results.trim()}`);
}
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
limit 100: at most 4 at once on 1 connection, results: content
limit none: at most 1 at once on 1 connection, results: content
limit 100, then 2: at most 2 at once on 1 connection, results: content
TEXT
